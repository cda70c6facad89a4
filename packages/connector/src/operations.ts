/**
 * The operations of an ERP. Each is a value with a kind (read or write) and the schemas of its input and output. The
 * type `Erp`, the HTTP server, the HTTP client and the conformance suite are derived from this table.
 *
 * Names are snake_case as in the public API. Amounts are integers in minor units of their currency.
 */
import { z } from 'zod'
import {
  delivery,
  erpDocument,
  incoming,
  maxLines,
  orderLine,
  orderTypes,
  paymentMethods,
  quote,
  reference,
} from './documents.ts'
import { currency } from './money.ts'
import { statements } from './statements.ts'

/** The maximum number of rows, SKUs or styles in one request or response. */
export const maxPerCall = 2000

/** The maximum number of documents in one request or response. */
export const maxDocuments = 200

/** The largest quantity or amount: a JSON number represents it exactly. */
export const maxAmount = Number.MAX_SAFE_INTEGER

const word = z.string().min(1).max(64)
const name = z.string().min(1).max(200)
const cursor = z.string().min(1).max(400)
const limit = z.int().min(1).max(maxPerCall)
const amount = z.int().min(0).max(maxAmount)
const quantity = z.int().min(-maxAmount).max(maxAmount)
const countryCode = z.string().regex(/^[A-Z]{2}$/)

/** The reasons for which an ERP may refuse a call. A refused call has created and changed nothing. */
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

/**
 * What the connected ERP supports. The gateway chooses its algorithms by these values, and prints what it can guarantee
 * with them.
 */
export const capabilities = z.object({
  /** A write with a known reference returns the existing document instead of creating another one. */
  dedupes_by_reference: z.boolean(),
  /**
   * Look-ups by reference see every commit (`strong`), see it after `lookup_lag_ms` (`eventual`), or are not supported
   * (`none`).
   */
  lookup: z.enum(['strong', 'eventual', 'none']),
  lookup_lag_ms: z.int().min(0),
  /** The number of milliseconds after which a sent request no longer takes effect. */
  max_request_ms: z.int().min(1),
  changes: z.enum(['push', 'poll', 'none']),
  /** Whether stock figures carry the ERP's counter, which shows which of two figures is newer. */
  stock_seq: z.boolean(),
  holds: z.enum(['expiring', 'plain', 'none']),
  /** Which calls must not run concurrently. The gateway queues allocations accordingly. */
  serialise: z.enum(['nothing', 'sku', 'warehouse', 'everything']),
  /** Whether the ERP has customer accounts and returns their statements. */
  ledger: z.boolean(),
  sign_in: z.boolean(),
  // The capabilities below are newer than the first connectors, so each has the value that such a connector means.
  /** Whether `settle` finishes or fences a write that was begun. */
  settles: z.boolean().default(false),
  /** The longest time in milliseconds from the commit of a change to its hint. */
  hint_lag_ms: z.int().min(0).default(0),
  /** Whether one order is allocated from one warehouse only, or from several. */
  allocates_from: z.enum(['one', 'many']).default('many'),
  /** The largest number of lines of a quote, a hold or an order. */
  max_lines: z.int().min(1).max(maxLines).default(maxLines),
})

/** A physical warehouse of the ERP. The gateway adds views over several warehouses. */
export const erpWarehouse = z.object({
  warehouse_code: word,
  name,
  country_code: countryCode.describe('ISO 3166-1, two letters'),
  timezone: word.describe('A name of the IANA time zone database, such as Australia/Sydney'),
  currency: currency.describe('The currency of every price in this warehouse; ISO 4217'),
  status: z.enum(['active', 'closed']),
})

/**
 * The figures of one SKU in one warehouse. `quantity_available` excludes all holds and allocations. Both quantities may
 * be negative. `stock_seq` never decreases for newer figures of the same SKU.
 */
export const stockFigure = z.object({
  sku: word,
  product_code: word.describe('The style that lists this SKU'),
  quantity_on_hand: quantity.describe('The units in the warehouse'),
  quantity_available: quantity.describe(
    'The units on hand without all holds and allocations; may be negative',
  ),
  price_wholesale: amount,
  price_retail: amount,
  currency,
  incoming: z.array(incoming).max(50).describe('Goods on their way; an empty list if there are none'),
  stock_seq: z.int().min(0).nullable().describe('Null without the capability `stock_seq`'),
})

/** A name in up to three languages. The gateway falls back to the first that exists: en, zh, ko. */
export const names = z.object({ en: name.optional(), zh: name.optional(), ko: name.optional() })

/** One orderable variant of a style. */
export const erpSku = z.object({
  sku: word,
  barcode: word.nullable(),
  color: z.string().max(64).nullable(),
  size: z.string().max(64).nullable(),
  price_wholesale: amount,
  price_retail: amount,
  weight_g: z.int().min(0).nullable().describe('Grams'),
})

/** A style with its SKUs and list prices in the ERP's base currency. */
export const erpProduct = z.object({
  product_code: word,
  names: names.describe('At least one language'),
  brand: z.string().max(100).nullable(),
  category: z.string().max(100).nullable(),
  season: z.string().max(64).nullable(),
  status: z.enum(['active', 'discontinued']),
  images: z.array(z.url().max(2000)).max(20),
  price_wholesale: amount.describe('The list price of the style; each SKU has its own'),
  price_retail: amount,
  currency,
  skus: z.array(erpSku).min(1).max(500),
  updated_at: z.iso.datetime().describe('The time of the last change, in UTC and with Z'),
})

export const erpShippingMethod = z.object({
  shipping_method_id: word,
  name,
  kind: z.enum(['delivery', 'pickup']),
  requires_address: z.boolean().describe('Whether an order needs an address; usually false for pick-up'),
  carrier: z.string().max(100).nullable(),
  warehouse_codes: z
    .array(word)
    .max(100)
    .describe('Every warehouse that the method serves. A method without a warehouse is offered to nobody'),
  estimated_days: z.object({ min: z.int().min(0), max: z.int().min(0) }).describe('Days in transit'),
  price: amount.describe('The list price; a quote has the freight of an order'),
  currency,
  is_default: z
    .boolean()
    .describe('For display. An order that names no method uses `preferences` of `sign_in`'),
})

export const erpAddress = z.object({
  address_id: word,
  name,
  phone: z.string().max(32).nullable(),
  company: z.string().max(200).nullable(),
  address: z.string().max(400).describe('Street and number'),
  country_code: countryCode,
  state: z.string().max(100).nullable(),
  city: z.string().max(100),
  postal_code: z.string().max(20).nullable(),
  is_default: z.boolean(),
  updated_at: z.iso.datetime().describe('The time of the last change, in UTC and with Z'),
})

interface Declaration<Input extends z.ZodType, Output extends z.ZodType> {
  readonly kind: 'read' | 'write'
  readonly summary: string
  readonly input: Input
  readonly output: Output
}

function declareOperation<Input extends z.ZodType, Output extends z.ZodType>(
  declaration: Declaration<Input, Output>,
): Declaration<Input, Output> {
  return declaration
}

const hints = { cursor, everything: z.boolean() }

/** The common fields of order requests: who orders what, from which warehouses, with which delivery and payment. */
const request = {
  order_type: z.enum(orderTypes),
  customer_code: word,
  /** The session of the account that orders, from `sign_in`. Allocation rules and prices depend on it. */
  session: z.string().min(1).max(4000),
  lines: z.array(orderLine).min(1).max(maxLines),
  /** Only these warehouses may be allocated from. */
  warehouse_codes: z.array(word).min(1).max(1000),
  /** Null for a reservation. */
  delivery: delivery.nullable(),
  payment_method: z.enum(paymentMethods),
}

/** The newest figures of every SKU that a write changed. */
const figures = z
  .array(z.object({ warehouse_code: word, rows: z.array(stockFigure).max(maxPerCall) }))
  .max(1000)

/** Every operation of the protocol by its id. On the wire: `POST {url}/{id}`. */
export const operations = {
  describe: declareOperation({
    kind: 'read',
    summary:
      'Returns the name and the capabilities of the ERP. The gateway calls it at start and after a reconnection.',
    input: z.object({}),
    output: z.object({ name, sandbox: z.boolean(), capabilities }),
  }),
  warehouses: declareOperation({
    kind: 'read',
    summary: 'Returns the physical warehouses.',
    input: z.object({}),
    output: z.object({ warehouses: z.array(erpWarehouse).max(1000) }),
  }),
  'stock.snapshot': declareOperation({
    kind: 'read',
    summary:
      'Returns one page of a warehouse in ascending order of SKU, after the SKU `after`. `next` is null on the last ' +
      'page. Pages need not be consistent with one another: `stock.changed` reports what changes meanwhile.',
    input: z.object({ warehouse_code: word, after: word.nullable(), limit }),
    output: z.object({
      rows: z.array(stockFigure).max(maxPerCall),
      next: word.nullable(),
      stock_seq: z.int().min(0).nullable(),
    }),
  }),
  'stock.read': declareOperation({
    kind: 'read',
    summary:
      'Returns the figures of the given SKUs. A SKU that the warehouse does not carry (any longer) is left out.',
    input: z.object({ warehouse_code: word, skus: z.array(word).min(1).max(maxPerCall) }),
    output: z.object({ rows: z.array(stockFigure).max(maxPerCall), stock_seq: z.int().min(0).nullable() }),
  }),
  'stock.changed': declareOperation({
    kind: 'read',
    summary:
      'Returns hints: SKUs of a warehouse that may have changed since the cursor. Hints may repeat and over-report, but ' +
      'never miss a change. Without a cursor: the current one and no SKUs. `everything` requests a snapshot. `more` ' +
      'requests another call at once.',
    input: z.object({ warehouse_code: word, cursor: cursor.nullable() }),
    output: z.object({ ...hints, skus: z.array(word).max(maxPerCall), more: z.boolean() }),
  }),
  'products.snapshot': declareOperation({
    kind: 'read',
    summary: 'Returns one page of the styles in ascending order of `product_code`, after `after`.',
    input: z.object({ after: word.nullable(), limit }),
    output: z.object({ products: z.array(erpProduct).max(maxPerCall), next: word.nullable() }),
  }),
  'products.read': declareOperation({
    kind: 'read',
    summary: 'Returns the given styles. A style that does not exist (any longer) is left out.',
    input: z.object({ product_codes: z.array(word).min(1).max(maxPerCall) }),
    output: z.object({ products: z.array(erpProduct).max(maxPerCall) }),
  }),
  'products.changed': declareOperation({
    kind: 'read',
    summary: 'Returns hints for styles, like `stock.changed`.',
    input: z.object({ cursor: cursor.nullable() }),
    output: z.object({ ...hints, product_codes: z.array(word).max(maxPerCall), more: z.boolean() }),
  }),
  shipping_methods: declareOperation({
    kind: 'read',
    summary: 'Returns all shipping methods, including pick-up.',
    input: z.object({}),
    output: z.object({ shipping_methods: z.array(erpShippingMethod).max(500) }),
  }),
  addresses: declareOperation({
    kind: 'read',
    summary:
      'Returns the delivery addresses of a customer. Refused with `not_found` for an unknown customer.',
    input: z.object({ customer_code: word }),
    output: z.object({ addresses: z.array(erpAddress).max(maxPerCall) }),
  }),
  sellable: declareOperation({
    kind: 'read',
    summary:
      'Returns what a customer may order: `only` the listed SKUs, or `all_but` them. Refused with `not_found` for an ' +
      'unknown customer.',
    input: z.object({ customer_code: word }),
    output: z.object({ rule: z.enum(['only', 'all_but']), skus: z.array(word).max(2_000_000) }),
  }),
  quote: declareOperation({
    kind: 'read',
    summary:
      'Returns what an order would be allocated, when it would arrive and what it would cost. Holds nothing. Refused ' +
      'with `not_found`, `sku_blocked` or `invalid_field`. A shortage is a successful result, and a hold that is not ' +
      'active counts for nothing.',
    input: z.object({
      ...request,
      allow_partial: z.boolean(),
      /** A hold whose stock counts as available, because the order would consume it. */
      hold_reference: reference.nullable().optional(),
    }),
    output: z.object({ quote }),
  }),
  hold: declareOperation({
    kind: 'write',
    summary:
      'Holds stock for a drop-ship preview or a reservation until it is released or submitted, at most until ' +
      '`expires_at`: all lines or none (`document` is null, and nothing was created). `replaces` is released in the ' +
      'same step. A known reference returns the existing hold.',
    input: z.object({
      ...request,
      reference,
      replaces: reference.nullable(),
      expires_at: z.iso.datetime(),
    }),
    output: z.object({ quote, document: erpDocument.nullable(), figures }),
  }),
  release: declareOperation({
    kind: 'write',
    summary:
      'Releases a hold and returns its stock. A repeated call returns the same result. Refused with `not_found`, or ' +
      'with `invalid_state` if an order has consumed the hold.',
    input: z.object({ reference, reason: z.enum(['release', 'expiry']) }),
    output: z.object({ document: erpDocument, figures }),
  }),
  submit: declareOperation({
    kind: 'write',
    summary:
      'Creates an order and allocates its stock in one step, from the given hold first. Unless `allow_partial` is set, ' +
      'a short line refuses the order with `insufficient_stock` and the shortages. Refused with `price_changed` if the ' +
      'total is not `expected_total` or is above `max_total`, with `hold_expired` if the hold is not active, and with ' +
      '`insufficient_balance`, `sku_blocked`, `not_found` or `invalid_field`. A known reference returns the existing ' +
      'order.',
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
  void: declareOperation({
    kind: 'write',
    summary:
      'Cancels an order and returns its stock. After the hand-over to the warehouse the order is intercepted. A ' +
      'repeated call returns the same result. Refused with `already_shipped` or `not_found`.',
    input: z.object({ reference }),
    output: z.object({ document: erpDocument, figures }),
  }),
  lookup: declareOperation({
    kind: 'read',
    summary:
      'Returns the state of a reference: `found`, `in_progress` (started and not committed yet) or `absent`. The ' +
      'capability `lookup` says whether `absent` is reliable. `fenced` says whether `settle` has made sure that nothing ' +
      'is created under the reference any more.',
    input: z.object({ reference }),
    output: z.object({
      state: z.enum(['found', 'in_progress', 'absent']),
      document: erpDocument.nullable(),
      /** Connectors of before it do not say it. */
      fenced: z.boolean().optional(),
    }),
  }),
  settle: declareOperation({
    kind: 'write',
    summary:
      'Ends what was begun under a reference, and never begins anything: a hold or an order that was left half done is ' +
      'finished or taken back. `found` returns the document in its final state. `absent` means that nothing exists ' +
      'under the reference, and that no hold or submit that was sent earlier can still create it: such a call is ' +
      'refused with `invalid_state` when it arrives. A repeated call returns the same. Refused with `not_supported` ' +
      'without the capability `settles`.',
    input: z.object({ reference }),
    output: z.object({ state: z.enum(['found', 'absent']), document: erpDocument.nullable() }),
  }),
  'documents.changed': declareOperation({
    kind: 'read',
    summary: 'Returns hints for documents that carry a reference, like `stock.changed`.',
    input: z.object({ cursor: cursor.nullable() }),
    output: z.object({ ...hints, references: z.array(reference).max(maxPerCall), more: z.boolean() }),
  }),
  'documents.read': declareOperation({
    kind: 'read',
    summary: 'Returns the current state of the given documents. A reference without a document is left out.',
    input: z.object({ references: z.array(reference).min(1).max(maxDocuments) }),
    output: z.object({ documents: z.array(erpDocument).max(maxDocuments) }),
  }),
  balances: declareOperation({
    kind: 'read',
    summary:
      'Returns the current account of a customer in each currency. Refused with `not_found` for an unknown customer, ' +
      'and with `invalid_field` for a currency in which the customer has no account.',
    ...statements.balances,
  }),
  transactions: declareOperation({
    kind: 'read',
    summary:
      'Returns the transactions on a customer’s accounts by booking time, newest first. Nothing is booked before a ' +
      'transaction that was returned already. `balances` holds the balance before the oldest row and after the newest ' +
      'row in each currency; for a page without rows, the balance at the start of the period. Refused like `balances`.',
    ...statements.transactions,
  }),
  bills: declareOperation({
    kind: 'read',
    summary: 'Returns the bills of a customer by time of issue, newest first. Refused like `balances`.',
    ...statements.bills,
  }),
  refunds: declareOperation({
    kind: 'read',
    summary: 'Returns the refunds of a customer by time of request, newest first. Refused like `balances`.',
    ...statements.refunds,
  }),
  freight_bills: declareOperation({
    kind: 'read',
    summary:
      'Returns the freight bills of a customer by time of billing, newest first. Refused like `balances`.',
    ...statements.freight_bills,
  }),
  sign_in: declareOperation({
    kind: 'read',
    summary:
      'Checks the username and password of an account of the ERP and opens a session. Refused with `bad_credentials`, ' +
      'with the same message and in the same time for an unknown name. If `capabilities` is present, it restricts what ' +
      'the channel’s plan allows.',
    input: z.object({ username: z.string().min(1).max(200), password: z.string().min(1).max(1000) }),
    output: z.object({
      account_id: word.describe('The ERP’s id of the account; stays the same when the username changes'),
      name,
      customer_code: word.describe(
        'The customer of the account; a channel of the gateway names the same code',
      ),
      capabilities: z.array(word).max(100).optional(),
      preferences: z
        .object({ shipping_method_id: word, address_id: word.nullable() })
        .optional()
        .describe('The shipping method and address of an order of the account that names none'),
      session: z
        .string()
        .min(1)
        .max(4000)
        .describe(
          'What the ERP requires to act for the account. The gateway stores it encrypted and sends it with each order. An ' +
            'ERP without sessions may return a signed text of account and expiry',
        ),
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
