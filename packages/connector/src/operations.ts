/**
 * What an ERP is to the gateway, said once: each operation is a value with an id, whether it reads or writes,
 * and the shapes of its input and output. The type `Erp`, the HTTP server, the HTTP client and the conformance
 * suite are all read from this table.
 *
 * Spelling is snake_case as on the public wire. Amounts are integers in minor units of their currency.
 */
import { z } from 'zod'
import {
  delivery,
  erpDocument,
  incoming,
  mostLines,
  orderLine,
  orderTypes,
  paymentMethods,
  quote,
  reference,
} from './documents.ts'
import { statements } from './statements.ts'

/** The largest number of rows, SKUs or styles in one request or answer. */
export const mostPerCall = 2000

/** The largest number of documents in one request or answer. */
export const mostDocuments = 200

/** The largest quantity or amount that is passed on: exact in a JSON number. */
export const mostAmount = Number.MAX_SAFE_INTEGER

const word = z.string().min(1).max(64)
const name = z.string().min(1).max(200)
const cursor = z.string().min(1).max(400)
const limit = z.int().min(1).max(mostPerCall)
const amount = z.int().min(0).max(mostAmount)
const quantity = z.int().min(-mostAmount).max(mostAmount)
const countryCode = z.string().regex(/^[A-Z]{2}$/)
const currency = z.string().regex(/^[A-Z]{3}$/)

/** The reasons for which an ERP may refuse. A refusal means that this call created and changed nothing. */
export const rejectionReasons = [
  'not_found',
  'invalid_field',
  'bad_credentials',
  'session_expired',
  'not_supported',
  'insufficient_stock',
  'insufficient_balance',
  'sku_blocked',
  'already_shipped',
  'hold_expired',
  'price_changed',
  'invalid_state',
] as const

/** What the connected ERP can do; the gateway chooses its algorithms, and prints its guarantee, by these. */
export const capabilities = z.object({
  /** A write that carries a reference seen before answers what exists instead of doing it again. */
  dedupes_by_reference: z.boolean(),
  /** `strong`: a look-up by reference sees every commit; `eventual`: after `lookup_lag_ms`; `none`: there is none. */
  lookup: z.enum(['strong', 'eventual', 'none']),
  lookup_lag_ms: z.int().min(0),
  /** No request takes effect later than this after it was sent. */
  max_request_ms: z.int().min(1),
  changes: z.enum(['push', 'poll', 'none']),
  /** Whether stock figures carry the ERP's own counter, so that an older figure can be told from a newer one. */
  stock_seq: z.boolean(),
  holds: z.enum(['expiring', 'plain', 'none']),
  /** What must not run side by side: the gateway queues allocations accordingly. */
  serialise: z.enum(['nothing', 'warehouse', 'everything']),
  /** Whether the ERP keeps accounts of customers and tells their statements. */
  ledger: z.boolean(),
  sign_in: z.boolean(),
})

/** A real warehouse of the ERP. Company-level views are the gateway's own. */
export const erpWarehouse = z.object({
  warehouse_code: word,
  name,
  country_code: countryCode,
  timezone: word,
  currency,
  status: z.enum(['active', 'closed']),
})

/**
 * The figures of one SKU in one warehouse. `quantity_available` is net of every hold and allocation; both
 * quantities may be negative in the ERP. `stock_seq` never decreases for newer figures of the same SKU.
 */
export const stockFigure = z.object({
  sku: word,
  product_code: word,
  quantity_on_hand: quantity,
  quantity_available: quantity,
  price_wholesale: amount,
  price_retail: amount,
  currency,
  incoming: z.array(incoming).max(50),
  stock_seq: z.int().min(0).nullable(),
})

/** A name in the languages that the ERP has; the gateway falls back to the first that is there: en, zh, ko. */
export const names = z.object({ en: name.optional(), zh: name.optional(), ko: name.optional() })

/** One orderable variant of a style. */
export const erpSku = z.object({
  sku: word,
  barcode: word.nullable(),
  color: z.string().max(64).nullable(),
  size: z.string().max(64).nullable(),
  price_wholesale: amount,
  price_retail: amount,
  weight_g: z.int().min(0).nullable(),
})

/** A style with its SKUs and list prices in the ERP's base currency. */
export const erpProduct = z.object({
  product_code: word,
  names,
  brand: z.string().max(100).nullable(),
  category: z.string().max(100).nullable(),
  season: z.string().max(64).nullable(),
  status: z.enum(['active', 'discontinued']),
  images: z.array(z.url().max(2000)).max(20),
  price_wholesale: amount,
  price_retail: amount,
  currency,
  skus: z.array(erpSku).min(1).max(500),
  updated_at: z.iso.datetime(),
})

export const erpShippingMethod = z.object({
  shipping_method_id: word,
  name,
  kind: z.enum(['delivery', 'pickup']),
  requires_address: z.boolean(),
  carrier: z.string().max(100).nullable(),
  warehouse_codes: z.array(word).max(100),
  estimated_days: z.object({ min: z.int().min(0), max: z.int().min(0) }),
  price: amount,
  currency,
  is_default: z.boolean(),
})

export const erpAddress = z.object({
  address_id: word,
  name,
  phone: z.string().max(32).nullable(),
  company: z.string().max(200).nullable(),
  address: z.string().max(400),
  country_code: countryCode,
  state: z.string().max(100).nullable(),
  city: z.string().max(100),
  postal_code: z.string().max(20).nullable(),
  is_default: z.boolean(),
  updated_at: z.iso.datetime(),
})

interface Declaration<Input extends z.ZodType, Output extends z.ZodType> {
  readonly kind: 'read' | 'write'
  readonly summary: string
  readonly input: Input
  readonly output: Output
}

function operation<Input extends z.ZodType, Output extends z.ZodType>(
  declaration: Declaration<Input, Output>,
): Declaration<Input, Output> {
  return declaration
}

const hints = { cursor, everything: z.boolean() }

/** Who orders what, from where it may come, where it goes and how it is paid. */
const request = {
  order_type: z.enum(orderTypes),
  customer_code: word,
  /** The session of the account that orders, from `sign_in`: allocation rules and prices follow it. */
  session: z.string().min(1).max(4000),
  lines: z.array(orderLine).min(1).max(mostLines),
  /** Nothing is allocated from any other warehouse. */
  warehouse_codes: z.array(word).min(1).max(1000),
  /** Null for a reservation. */
  delivery: delivery.nullable(),
  payment_method: z.enum(paymentMethods),
}

/** The newest figures of every SKU that a write touched. */
const figures = z
  .array(z.object({ warehouse_code: word, rows: z.array(stockFigure).max(mostPerCall) }))
  .max(1000)

/** Every operation of the protocol by its id. On the wire: `POST {url}/{id}`. */
export const operations = {
  describe: operation({
    kind: 'read',
    summary: 'Says which ERP this is and what it can do. Asked at start and after each reconnection.',
    input: z.object({}),
    output: z.object({ name, sandbox: z.boolean(), capabilities }),
  }),
  warehouses: operation({
    kind: 'read',
    summary: 'The real warehouses.',
    input: z.object({}),
    output: z.object({ warehouses: z.array(erpWarehouse).max(1000) }),
  }),
  'stock.snapshot': operation({
    kind: 'read',
    summary:
      'One page of a warehouse in ascending order of SKU, after the SKU `after`. `next` is null on the last page. ' +
      'Pages need not describe one moment: what changes meanwhile is told by `stock.changed`.',
    input: z.object({ warehouse_code: word, after: word.nullable(), limit }),
    output: z.object({
      rows: z.array(stockFigure).max(mostPerCall),
      next: word.nullable(),
      stock_seq: z.int().min(0).nullable(),
    }),
  }),
  'stock.read': operation({
    kind: 'read',
    summary:
      'The figures of the named SKUs. A SKU that the warehouse does not (any longer) carry is left out.',
    input: z.object({ warehouse_code: word, skus: z.array(word).min(1).max(mostPerCall) }),
    output: z.object({ rows: z.array(stockFigure).max(mostPerCall), stock_seq: z.int().min(0).nullable() }),
  }),
  'stock.changed': operation({
    kind: 'read',
    summary:
      'Hints: SKUs of a warehouse that may have changed since the cursor; may repeat and over-report, never miss. ' +
      'Without a cursor: the present one and no SKUs. `everything` asks for a snapshot. `more`: ask again at once.',
    input: z.object({ warehouse_code: word, cursor: cursor.nullable() }),
    output: z.object({ ...hints, skus: z.array(word).max(mostPerCall), more: z.boolean() }),
  }),
  'products.snapshot': operation({
    kind: 'read',
    summary: 'One page of the styles in ascending order of `product_code`, after `after`.',
    input: z.object({ after: word.nullable(), limit }),
    output: z.object({ products: z.array(erpProduct).max(mostPerCall), next: word.nullable() }),
  }),
  'products.read': operation({
    kind: 'read',
    summary: 'The named styles. One that does not (any longer) exist is left out.',
    input: z.object({ product_codes: z.array(word).min(1).max(mostPerCall) }),
    output: z.object({ products: z.array(erpProduct).max(mostPerCall) }),
  }),
  'products.changed': operation({
    kind: 'read',
    summary: 'Hints, as `stock.changed`, for styles.',
    input: z.object({ cursor: cursor.nullable() }),
    output: z.object({ ...hints, product_codes: z.array(word).max(mostPerCall), more: z.boolean() }),
  }),
  shipping_methods: operation({
    kind: 'read',
    summary: 'Every way in which an order can leave a warehouse.',
    input: z.object({}),
    output: z.object({ shipping_methods: z.array(erpShippingMethod).max(500) }),
  }),
  addresses: operation({
    kind: 'read',
    summary: 'The delivery addresses of a customer. Refused with `not_found` for an unknown customer.',
    input: z.object({ customer_code: word }),
    output: z.object({ addresses: z.array(erpAddress).max(mostPerCall) }),
  }),
  sellable: operation({
    kind: 'read',
    summary:
      'What a customer may order: `only` the listed SKUs, or `all_but` them. Refused with `not_found` for an unknown customer.',
    input: z.object({ customer_code: word }),
    output: z.object({ rule: z.enum(['only', 'all_but']), skus: z.array(word).max(2_000_000) }),
  }),
  quote: operation({
    kind: 'read',
    summary:
      'What an order would be allocated, when it would arrive and what it would cost. Holds nothing. Refused with ' +
      '`not_found`, `sku_blocked` or `invalid_field`; a shortage is no refusal.',
    input: z.object({
      ...request,
      allow_partial: z.boolean(),
      /** A hold whose stock counts as available: the one that the order would consume. */
      hold_reference: reference.nullable().optional(),
    }),
    output: z.object({ quote }),
  }),
  hold: operation({
    kind: 'write',
    summary:
      'Holds stock for a drop-ship preview or a reservation until it is released or submitted, at most until ' +
      '`expires_at`: all lines or none (`document` is null, and nothing was created). `replaces` is released in the ' +
      'same step. A reference seen before answers what exists.',
    input: z.object({
      ...request,
      reference,
      replaces: reference.nullable(),
      expires_at: z.iso.datetime(),
    }),
    output: z.object({ quote, document: erpDocument.nullable(), figures }),
  }),
  release: operation({
    kind: 'write',
    summary:
      'Gives the stock of a hold back; again: the same answer. Refused with `not_found`, or `invalid_state` where an ' +
      'order has consumed it.',
    input: z.object({ reference, reason: z.enum(['release', 'expiry']) }),
    output: z.object({ document: erpDocument, figures }),
  }),
  submit: operation({
    kind: 'write',
    summary:
      'Creates an order and allocates its stock in one step, out of the named hold first. All lines or a refusal with ' +
      '`insufficient_stock` and the shortages, unless `allow_partial`. Refused with `price_changed` where the total ' +
      'is not `expected_total` or above `max_total`, with `hold_expired` where the named hold is none, and with ' +
      '`insufficient_balance`, `sku_blocked`, `not_found`, `invalid_field`. A reference seen before answers what exists.',
    input: z.object({
      ...request,
      reference,
      hold_reference: reference.nullable(),
      allow_partial: z.boolean(),
      expected_total: amount.nullable(),
      max_total: amount.nullable(),
      client_order_number: word.nullable(),
      remark: z.string().max(500).nullable(),
    }),
    output: z.object({ document: erpDocument, figures }),
  }),
  void: operation({
    kind: 'write',
    summary:
      'Cancels an order and gives its stock back; after the hand-over to the warehouse it is intercepted. Again: the ' +
      'same answer. Refused with `already_shipped` or `not_found`.',
    input: z.object({ reference }),
    output: z.object({ document: erpDocument, figures }),
  }),
  lookup: operation({
    kind: 'read',
    summary:
      'What became of a reference: `found`, `in_progress` (begun and not yet committed), or `absent`. See `lookup` in ' +
      'the capabilities for what an absence is worth.',
    input: z.object({ reference }),
    output: z.object({
      state: z.enum(['found', 'in_progress', 'absent']),
      document: erpDocument.nullable(),
    }),
  }),
  'documents.changed': operation({
    kind: 'read',
    summary: 'Hints, as `stock.changed`, for documents that carry a reference.',
    input: z.object({ cursor: cursor.nullable() }),
    output: z.object({ ...hints, references: z.array(reference).max(mostPerCall), more: z.boolean() }),
  }),
  'documents.read': operation({
    kind: 'read',
    summary: 'The named documents as they now are. A reference without one is left out.',
    input: z.object({ references: z.array(reference).min(1).max(mostDocuments) }),
    output: z.object({ documents: z.array(erpDocument).max(mostDocuments) }),
  }),
  balances: operation({
    kind: 'read',
    summary:
      'The account of a customer in each currency, as it is now. Refused with `not_found` for an unknown customer, and ' +
      'with `invalid_field` for a currency in which no account is kept.',
    ...statements.balances,
  }),
  transactions: operation({
    kind: 'read',
    summary:
      'What was booked on a customer’s accounts, newest first, by the time at which it was booked. Nothing is ever ' +
      'booked before what is told already. With it, for each currency, the balance before the oldest row and after the ' +
      'newest; of a page without rows, the balance where the span begins. Refused as `balances`.',
    ...statements.transactions,
  }),
  bills: operation({
    kind: 'read',
    summary: 'The bills of a customer by the time of their issue, newest first. Refused as `balances`.',
    ...statements.bills,
  }),
  refunds: operation({
    kind: 'read',
    summary: 'The refunds of a customer by the time of their request, newest first. Refused as `balances`.',
    ...statements.refunds,
  }),
  freight_bills: operation({
    kind: 'read',
    summary: 'What shipments cost a customer, by the time of billing, newest first. Refused as `balances`.',
    ...statements.freight_bills,
  }),
  sign_in: operation({
    kind: 'read',
    summary:
      'Checks a name and password of one of the ERP’s accounts and opens a session of it. Refused with ' +
      '`bad_credentials`, the same and in the same time for an unknown name. `capabilities`, when given, ' +
      'narrows what the channel’s plan allows.',
    input: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(1000) }),
    output: z.object({
      account_id: word,
      name,
      customer_code: word,
      capabilities: z.array(word).max(100).optional(),
      /** How the account ships unless an order says otherwise. */
      preferences: z.object({ shipping_method_id: word, address_id: word.nullable() }).optional(),
      session: z.string().min(1).max(4000),
      session_expires_at: z.iso.datetime(),
    }),
  }),
}

export type Operations = typeof operations
export type OperationId = keyof Operations
export type Input<Id extends OperationId> = z.input<Operations[Id]['input']>
export type Output<Id extends OperationId> = z.output<Operations[Id]['output']>

export type Capabilities = z.output<typeof capabilities>
export type ErpWarehouse = z.output<typeof erpWarehouse>
export type StockFigure = z.output<typeof stockFigure>
export type ErpProduct = z.output<typeof erpProduct>
export type ErpSku = z.output<typeof erpSku>
export type Names = z.output<typeof names>
export type ErpShippingMethod = z.output<typeof erpShippingMethod>
export type ErpAddress = z.output<typeof erpAddress>
