/**
 * Where the checks of orders buy: some units of one SKU in one warehouse, for the account that was named. Each check
 * takes what it made back. Goods may move meanwhile, so that a check counts as failed only where it fails each of
 * three times, with new references.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ErpDocument, Quote } from '../documents.ts'
import { callAny, type Erp, within } from '../erp.ts'
import type { Capabilities, Input, OperationId, Output } from '../operations.ts'
import { answered, asked, callTimeoutMs } from './ask.ts'
import { type Check, ConformanceFailure, type ConformanceOptions, type Skipped, skip } from './check.ts'

const mostTries = 3
const pollMs = 250
/** Longer than any check takes. */
const holdMs = 10 * 60 * 1000

/** What a run of the suite knows of the ERP's customers and goods. */
export interface Buyer {
  readonly credentials: ConformanceOptions['credentials']
  readonly ordering: ConformanceOptions['ordering']
  readonly now: () => number
  readonly patience_ms: number
}

type Request = Omit<Input<'quote'>, 'lines' | 'allow_partial' | 'hold_reference'>

/** A check of orders; skipped where there is nothing to order with, or the ERP takes no orders. */
export function orderCheck(
  buyer: Buyer,
  { id, states }: Pick<Check, 'id' | 'states'>,
  look: (shop: Shop) => Promise<Skipped | undefined>,
): Check {
  return {
    id: `orders.${id}`,
    states,
    async run(erp) {
      const request = await requestOf(erp, buyer)
      if ('skipped' in request) return request
      const { capabilities } = await asked(erp, 'describe', {})
      let failure: ConformanceFailure | undefined
      for (let tries = 0; tries < mostTries; tries++) {
        const shop = new Shop(erp, capabilities, request, buyer)
        try {
          return await look(shop)
        } catch (error) {
          if (!(error instanceof ConformanceFailure)) throw error
          failure = error
        } finally {
          await shop.tidy()
        }
      }
      throw failure
    },
  }
}

/** What is asked of an ERP that may not take orders at all, by nobody. */
export function requestOfNobody(): Request {
  return {
    order_type: 'wholesale',
    customer_code: 'NOBODY',
    session: 'no-such-session',
    warehouse_codes: ['NOWHERE'],
    delivery: { to: 'address', shipping_method_id: 'NONE', address_id: null },
    payment_method: 'invoice',
  }
}

/** Whether the ERP refuses to quote with `not_supported`. */
export async function takesNoOrders(erp: Erp): Promise<boolean> {
  const lines = [{ sku: 'NOTHING', quantity: 1 }]
  const answer = await answered(erp, 'quote', { ...requestOfNobody(), lines, allow_partial: false })
  return 'rejected' in answer && answer.rejected.reason === 'not_supported'
}

async function requestOf(erp: Erp, { credentials, ordering }: Buyer): Promise<Request | Skipped> {
  if (await takesNoOrders(erp)) return skip('The ERP takes no orders (not_supported).')
  if (!credentials || !ordering) return skip('No account, warehouse and SKU were given to order with.')
  if (!(await asked(erp, 'describe', {})).capabilities.sign_in)
    return skip('The ERP has no accounts (sign_in).')
  const { customer_code, session } = await asked(erp, 'sign_in', credentials)
  const { warehouse_code } = ordering
  const { shipping_methods } = await asked(erp, 'shipping_methods', {})
  const serving = shipping_methods.filter(({ warehouse_codes }) => warehouse_codes.includes(warehouse_code))
  const method = serving.find(({ is_default }) => is_default) ?? serving[0]
  const { addresses } = await asked(erp, 'addresses', { customer_code })
  const address = addresses.find(({ is_default }) => is_default) ?? addresses[0]
  if (!method || !address) return skip(`Nothing can be sent from ${warehouse_code} to ${customer_code}.`)
  const { shipping_method_id } = method
  return {
    ...requestOfNobody(),
    customer_code,
    session,
    warehouse_codes: [warehouse_code],
    delivery: { to: 'address', shipping_method_id, address_id: address.address_id },
  }
}

/** One try of one check. */
export class Shop {
  readonly erp: Erp
  readonly capabilities: Capabilities
  readonly request: Request
  readonly warehouse_code: string
  readonly sku: string
  readonly #buyer: Buyer
  readonly #name = `conformance-${randomUUID().slice(0, 13)}`
  #names = 0
  readonly #made: { operation: 'release' | 'void'; reference: string }[] = []

  constructor(erp: Erp, capabilities: Capabilities, request: Request, buyer: Buyer) {
    this.erp = erp
    this.capabilities = capabilities
    this.request = request
    this.warehouse_code = request.warehouse_codes[0] ?? ''
    this.sku = buyer.ordering?.sku ?? ''
    this.#buyer = buyer
  }

  /** A reference that no document has. */
  newReference(): string {
    this.#names += 1
    return `${this.#name}-${this.#names}`
  }

  quoteInput(quantity: number, more: Partial<Input<'quote'>> = {}): Input<'quote'> {
    return { ...this.request, lines: [{ sku: this.sku, quantity }], allow_partial: false, ...more }
  }

  holdInput(quantity: number, more: Partial<Input<'hold'>> = {}): Input<'hold'> {
    const reference = more.reference ?? this.newReference()
    this.#made.push({ operation: 'release', reference })
    return {
      ...this.request,
      order_type: 'reservation',
      delivery: null,
      lines: [{ sku: this.sku, quantity }],
      replaces: null,
      expires_at: new Date(this.#buyer.now() + holdMs).toISOString(),
      ...more,
      reference,
    }
  }

  submitInput(quantity: number, more: Partial<Input<'submit'>> = {}): Input<'submit'> {
    const reference = more.reference ?? this.newReference()
    this.#made.push({ operation: 'void', reference })
    return {
      ...this.request,
      lines: [{ sku: this.sku, quantity }],
      hold_reference: null,
      allow_partial: false,
      expected_total: null,
      max_total: null,
      client_order_number: null,
      remark: null,
      ...more,
      reference,
    }
  }

  async quote(quantity: number): Promise<Quote> {
    return (await asked(this.erp, 'quote', this.quoteInput(quantity))).quote
  }

  /** A hold of so many units, which there are. */
  async hold(
    quantity: number,
    more: Partial<Input<'hold'>> = {},
  ): Promise<Output<'hold'> & { document: ErpDocument }> {
    const answer = await asked(this.erp, 'hold', this.holdInput(quantity, more))
    if (answer.document) return { ...answer, document: answer.document }
    throw new ConformanceFailure({
      expected: `${quantity} of ${this.sku} in ${this.warehouse_code} to be held`,
      came: `no document, for ${answer.quote.unfulfillable_reasons.join(', ') || 'no reason'}`,
      remedy: 'Hold what a quote says is there; or name a SKU of which there is more.',
    })
  }

  submit(quantity: number, more: Partial<Input<'submit'>> = {}): Promise<Output<'submit'>> {
    return asked(this.erp, 'submit', this.submitInput(quantity, more))
  }

  async available(): Promise<number> {
    const { warehouse_code, sku } = this
    const [row] = (await asked(this.erp, 'stock.read', { warehouse_code, skus: [sku] })).rows
    if (row) return row.quantity_available
    throw new ConformanceFailure({
      expected: `${sku} to be in ${warehouse_code}, as it was named to order with`,
      came: 'no figure of it',
      remedy: 'Name a SKU that the warehouse carries.',
    })
  }

  /** Holds that `work` lowers what is available by exactly `by`. */
  async lowers<T>(by: number, what: string, work: () => Promise<T>): Promise<T> {
    const before = await this.available()
    const result = await work()
    const after = await this.available()
    if (before - after === by) return result
    throw new ConformanceFailure({
      expected: `${what} to lower quantity_available of ${this.sku} by ${by}`,
      came: `${before} before and ${after} after it`,
      remedy: 'Net out holds and open orders, each once, in the same transaction.',
    })
  }

  /** The document as the ERP now tells of it, as soon as look-ups see it. */
  async read(reference: string): Promise<ErpDocument | undefined> {
    return this.eventually(async () => {
      const { documents } = await asked(this.erp, 'documents.read', { references: [reference] })
      return documents.find((one) => one.reference === reference)
    })
  }

  /** Asks until there is an answer, at most as long as look-ups may lag; at once where they do not. */
  async eventually<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
    const { lookup, lookup_lag_ms } = this.capabilities
    const lag = lookup === 'eventual' ? lookup_lag_ms + this.#buyer.patience_ms : 0
    for (let waited = 0; ; waited += pollMs) {
      const answer = await ask()
      if (answer !== undefined || waited >= lag) return answer
      await pause(pollMs)
    }
  }

  /** Takes back what this try made. Whatever goes wrong here is for other checks to find. */
  async tidy(): Promise<void> {
    for (const { operation, reference } of this.#made.toReversed()) {
      await this.#attempt(operation, operation === 'void' ? { reference } : { reference, reason: 'release' })
    }
  }

  async #attempt(operation: OperationId, input: unknown): Promise<void> {
    await callAny(this.erp, operation, input, within(callTimeoutMs)).catch(() => undefined)
  }
}
