/**
 * The checks of orders buy a few units of one SKU in one warehouse, for the configured account, and cancel what they
 * created. Stock may change while a check runs. A check therefore fails only if it fails three times, each time with
 * new references.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { ErpDocument, Quote } from '../documents.ts'
import { callOperation, type Erp, withTimeout } from '../erp.ts'
import type { Capabilities, Input, OperationId, Output, StockFigure } from '../operations.ts'
import { callChecked, callOk, callTimeoutMs } from './call.ts'
import { type Check, ConformanceFailure, type ConformanceOptions, type Skipped, skip } from './check.ts'
import { createUnknownKey } from './listing.ts'

const maxTries = 3
const pollMs = 250
/** The duration of the holds that the suite creates, in milliseconds: longer than any check takes. */
const holdMs = 10 * 60 * 1000

/** The account that the checks order with, the goods that it can order, and the time limits. */
export interface Buyer {
  readonly credentials: ConformanceOptions['credentials']
  readonly ordering: ConformanceOptions['ordering']
  /** A customer to which the account does not belong. */
  readonly other_customer_code: string | undefined
  readonly now: () => number
  readonly patience_ms: number
}

type Request = Omit<Input<'quote'>, 'lines' | 'allow_partial' | 'hold_reference'>

/** Defines a check of orders. It is skipped without `ordering` options, or if the ERP takes no orders. */
export function defineOrderCheck(
  buyer: Buyer,
  { id, states }: Pick<Check, 'id' | 'states'>,
  look: (probe: OrderProbe) => Promise<Skipped | undefined>,
): Check {
  return {
    id: `orders.${id}`,
    states,
    async run(erp) {
      const request = await prepareRequest(erp, buyer)
      if ('skipped' in request) return request
      const { capabilities } = await callOk(erp, 'describe', {})
      let failure: ConformanceFailure | undefined
      for (let tries = 0; tries < maxTries; tries++) {
        const probe = new OrderProbe(erp, { capabilities, request, buyer })
        try {
          return await look(probe)
        } catch (error) {
          if (!(error instanceof ConformanceFailure)) throw error
          failure = error
        } finally {
          await probe.cancelCreated()
        }
      }
      throw failure
    },
  }
}

/** Creates a request without a valid customer, session or warehouse, for an ERP that may not take orders. */
export function createInvalidRequest(): Request {
  return {
    order_type: 'wholesale',
    customer_code: 'NOBODY',
    session: 'no-such-session',
    warehouse_codes: ['NOWHERE'],
    delivery: { to: 'address', shipping_method_id: 'NONE', address_id: null },
    payment_method: 'invoice',
  }
}

/** Whether the ERP takes no orders, which it shows by refusing a quote with `not_supported`. */
export async function refusesOrders(erp: Erp): Promise<boolean> {
  const lines = [{ sku: 'NOTHING', quantity: 1 }]
  const result = await callChecked(erp, 'quote', { ...createInvalidRequest(), lines, allow_partial: false })
  return 'rejected' in result && result.rejected.reason === 'not_supported'
}

async function prepareRequest(erp: Erp, { credentials, ordering }: Buyer): Promise<Request | Skipped> {
  if (await refusesOrders(erp)) return skip('The ERP takes no orders (not_supported).')
  if (!credentials || !ordering) return skip('No account, warehouse and SKU for orders were given.')
  if (!(await callOk(erp, 'describe', {})).capabilities.sign_in)
    return skip('The ERP has no accounts (sign_in).')
  const { customer_code, session } = await callOk(erp, 'sign_in', credentials)
  const { warehouse_code } = ordering
  const { shipping_methods } = await callOk(erp, 'shipping_methods', {})
  const serving = shipping_methods.filter(({ warehouse_codes }) => warehouse_codes.includes(warehouse_code))
  const method = serving.find(({ is_default }) => is_default) ?? serving[0]
  const { addresses } = await callOk(erp, 'addresses', { customer_code })
  const address = addresses.find(({ is_default }) => is_default) ?? addresses[0]
  if (!method || !address) return skip(`Nothing can be sent from ${warehouse_code} to ${customer_code}.`)
  const { shipping_method_id } = method
  return {
    ...createInvalidRequest(),
    customer_code,
    session,
    warehouse_codes: [warehouse_code],
    delivery: { to: 'address', shipping_method_id, address_id: address.address_id },
  }
}

interface ProbeOptions {
  readonly capabilities: Capabilities
  readonly request: Request
  readonly buyer: Buyer
}

/** One attempt of one check. It records what the check creates, so that it can be cancelled. */
export class OrderProbe {
  readonly erp: Erp
  readonly capabilities: Capabilities
  readonly request: Request
  readonly warehouse_code: string
  readonly sku: string
  readonly #buyer: Buyer
  readonly #prefix = `conformance-${randomUUID().slice(0, 13)}`
  #referenceCount = 0
  readonly #created: { operation: 'release' | 'void'; reference: string }[] = []

  constructor(erp: Erp, { capabilities, request, buyer }: ProbeOptions) {
    this.erp = erp
    this.capabilities = capabilities
    this.request = request
    this.warehouse_code = request.warehouse_codes[0] ?? ''
    this.sku = buyer.ordering?.sku ?? ''
    this.#buyer = buyer
  }

  /** Lists codes of customers to which the account does not belong. */
  listOtherCustomers(): string[] {
    const { other_customer_code } = this.#buyer
    return [createUnknownKey(1), ...(other_customer_code === undefined ? [] : [other_customer_code])]
  }

  /** Returns a reference that no document has. */
  createReference(): string {
    this.#referenceCount += 1
    return `${this.#prefix}-${this.#referenceCount}`
  }

  createQuoteInput(quantity: number, more: Partial<Input<'quote'>> = {}): Input<'quote'> {
    return { ...this.request, lines: [{ sku: this.sku, quantity }], allow_partial: false, ...more }
  }

  createHoldInput(quantity: number, more: Partial<Input<'hold'>> = {}): Input<'hold'> {
    const reference = more.reference ?? this.createReference()
    this.#created.push({ operation: 'release', reference })
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

  createSubmitInput(quantity: number, more: Partial<Input<'submit'>> = {}): Input<'submit'> {
    const reference = more.reference ?? this.createReference()
    this.#created.push({ operation: 'void', reference })
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
    return (await callOk(this.erp, 'quote', this.createQuoteInput(quantity))).quote
  }

  /** Holds units that are available. Throws if the ERP does not hold them. */
  async hold(
    quantity: number,
    more: Partial<Input<'hold'>> = {},
  ): Promise<Output<'hold'> & { document: ErpDocument }> {
    const result = await callOk(this.erp, 'hold', this.createHoldInput(quantity, more))
    if (result.document) return { ...result, document: result.document }
    throw new ConformanceFailure({
      expected: `${quantity} of ${this.sku} in ${this.warehouse_code} to be held`,
      actual: `no document, because of ${result.quote.unfulfillable_reasons.join(', ') || 'no reason'}`,
      remedy: 'Hold what a quote reports as available, or give a SKU with more stock.',
    })
  }

  submit(quantity: number, more: Partial<Input<'submit'>> = {}): Promise<Output<'submit'>> {
    return callOk(this.erp, 'submit', this.createSubmitInput(quantity, more))
  }

  /** Sends a submit again under a reference. Returns its document; undefined if it was refused. */
  async submitAgain(reference: string, quantity: number): Promise<ErpDocument | undefined> {
    const result = await callChecked(this.erp, 'submit', this.createSubmitInput(quantity, { reference }))
    return 'ok' in result ? result.ok.document : undefined
  }

  async readAvailable(): Promise<number> {
    return (await this.#readFigure()).quantity_available
  }

  async readOnHand(): Promise<number> {
    return (await this.#readFigure()).quantity_on_hand
  }

  async #readFigure(): Promise<StockFigure> {
    const { warehouse_code, sku } = this
    const [row] = (await callOk(this.erp, 'stock.read', { warehouse_code, skus: [sku] })).rows
    if (row) return row
    throw new ConformanceFailure({
      expected: `${sku}, the SKU given for orders, to be in ${warehouse_code}`,
      actual: 'no figures for it',
      remedy: 'Give a SKU that the warehouse carries.',
    })
  }

  /** Runs `work` and requires that it lowers the available quantity by exactly `by`. */
  async requireLowered<T>(by: number, what: string, work: () => Promise<T>): Promise<T> {
    const before = await this.readAvailable()
    const result = await work()
    const after = await this.readAvailable()
    if (before - after === by) return result
    throw new ConformanceFailure({
      expected: `${what} to lower quantity_available of ${this.sku} by ${by}`,
      actual: `${before} before it and ${after} after it`,
      remedy: 'Subtract holds and open orders exactly once, in the same transaction.',
    })
  }

  /** Reads a document. If the ERP's look-ups are only eventually consistent, waits until the document is visible. */
  async readDocument(reference: string): Promise<ErpDocument | undefined> {
    return this.pollUntilFound(async () => {
      const { documents } = await callOk(this.erp, 'documents.read', { references: [reference] })
      return documents.find((one) => one.reference === reference)
    })
  }

  /**
   * Polls until `ask` returns a value. Calls it once if the ERP's look-ups are strongly consistent; otherwise until
   * their declared lag is over.
   */
  async pollUntilFound<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
    const { lookup, lookup_lag_ms } = this.capabilities
    const lag = lookup === 'eventual' ? lookup_lag_ms + this.#buyer.patience_ms : 0
    for (let waited = 0; ; waited += pollMs) {
      const result = await ask()
      if (result !== undefined || waited >= lag) return result
      await pause(pollMs)
    }
  }

  /** Cancels what this attempt created. Errors are ignored here, because other checks find them. */
  async cancelCreated(): Promise<void> {
    for (const { operation, reference } of this.#created.toReversed()) {
      await this.#tryCall(operation, operation === 'void' ? { reference } : { reference, reason: 'release' })
    }
  }

  async #tryCall(operation: OperationId, input: unknown): Promise<void> {
    await callOperation(this.erp, operation, input, withTimeout(callTimeoutMs)).catch(() => undefined)
  }
}
