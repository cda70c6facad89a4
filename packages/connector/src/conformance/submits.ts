import { isDeepStrictEqual } from 'node:util'
import type { ErpResult } from '../erp.ts'
import type { Output } from '../operations.ts'
import { callChecked, callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import {
  isSumOfLines,
  requireSameDocument,
  skipWithoutDeduplication,
  skipWithoutHolds,
  tooMany,
} from './holds.ts'
import {
  type Buyer,
  createInvalidRequest,
  defineOrderCheck,
  type OrderProbe,
  refusesOrders,
} from './order-probe.ts'

/** Lists the checks of orders: submit, void, and rules for all writes. */
export function listSubmitChecks(buyer: Buyer): Check[] {
  const defineSubmitCheck = (
    id: string,
    states: string,
    look: (probe: OrderProbe) => Promise<Skipped | undefined>,
  ) => defineOrderCheck(buyer, { id, states }, look)
  return [
    defineNoOrdersCheck(buyer),
    defineSubmitCheck(
      'session',
      'A session that is not open is refused with session_expired.',
      requireSessionRefused,
    ),
    defineSubmitCheck(
      'foreign_customer',
      'The session of one customer is refused for another one, and nothing is changed.',
      requireForeignCustomerRefused,
    ),
    defineSubmitCheck(
      'unknown',
      'Releasing or voiding an unknown reference is refused with not_found.',
      requireUnknownRefused,
    ),
    defineSubmitCheck(
      'figures',
      'The result of a write has the newest figures of the SKUs that it changed.',
      requireWriteFigures,
    ),
    defineSubmitCheck(
      'submit.exact',
      'An order at the quoted total is open, has the quoted prices, and lowers the available quantity by its units.',
      requireExactSubmit,
    ),
    defineSubmitCheck('submit.once', 'A repeated reference returns the existing order.', requireSameOrder),
    defineSubmitCheck(
      'submit.short',
      'An order with a short line is refused with the shortages, and changes nothing.',
      requireShortRefused,
    ),
    defineSubmitCheck(
      'submit.price',
      'An order whose total is not the expected one is refused, and changes nothing.',
      requireOtherTotalRefused,
    ),
    defineSubmitCheck(
      'submit.hold',
      'An order takes its stock from the given hold, and consumes the hold.',
      skipWithoutHolds(requireHoldConsumed),
    ),
    defineSubmitCheck(
      'submit.hold_expired',
      'An order with a hold that is not active is refused with hold_expired, and changes nothing.',
      skipWithoutHolds(requireReleasedHoldRefused),
    ),
    defineSubmitCheck(
      'void',
      'A void returns the stock of an order, and a repeated void returns the same result.',
      requireSameVoid,
    ),
  ]
}

function defineNoOrdersCheck({ now }: Buyer): Check {
  return {
    id: 'orders.none',
    states: 'An ERP that takes no orders refuses all order operations with not_supported.',
    async run(erp) {
      if (!(await refusesOrders(erp))) return skip('The ERP takes orders.')
      const reference = 'no-such-reference'
      const request = { ...createInvalidRequest(), lines: [{ sku: 'NOTHING', quantity: 1 }], reference }
      const expires_at = new Date(now()).toISOString()
      await callRefused(erp, 'hold', { ...request, replaces: null, expires_at }, 'not_supported')
      const limits = { expected_total: null, max_total: null, client_order_number: null, remark: null }
      const order = { ...request, ...limits, hold_reference: null, allow_partial: false }
      await callRefused(erp, 'submit', order, 'not_supported')
      await callRefused(erp, 'release', { reference, reason: 'release' }, 'not_supported')
      await callRefused(erp, 'void', { reference }, 'not_supported')
      await callRefused(erp, 'lookup', { reference }, 'not_supported')
      await callRefused(erp, 'settle', { reference }, 'not_supported')
      await callRefused(erp, 'documents.changed', { cursor: null }, 'not_supported')
      await callRefused(erp, 'documents.read', { references: [reference] }, 'not_supported')
      return undefined
    },
  }
}

async function requireSessionRefused(probe: OrderProbe): Promise<undefined> {
  const session = 'no-such-session'
  await callRefused(probe.erp, 'quote', probe.createQuoteInput(1, { session }), 'session_expired')
  await callRefused(probe.erp, 'submit', probe.createSubmitInput(1, { session }), 'session_expired')
}

async function requireForeignCustomerRefused(probe: OrderProbe): Promise<undefined> {
  const { erp, capabilities } = probe
  for (const customer_code of probe.listOtherCustomers()) {
    await probe.requireLowered(0, `an order for ${customer_code}`, async () => {
      const quote = await callChecked(erp, 'quote', probe.createQuoteInput(1, { customer_code }))
      requireRefused(quote, 'quote', customer_code)
      const submit = await callChecked(erp, 'submit', probe.createSubmitInput(1, { customer_code }))
      requireRefused(submit, 'submit', customer_code)
      if (capabilities.holds === 'none') return
      const hold = await callChecked(erp, 'hold', probe.createHoldInput(1, { customer_code }))
      requireRefused(hold, 'hold', customer_code)
    })
  }
}

function requireRefused(result: ErpResult<unknown>, operation: string, customer_code: string): void {
  if ('rejected' in result) return
  throw new ConformanceFailure({
    expected: `${operation} for the customer ${customer_code} to be refused, as the session is of another one`,
    actual: 'ok',
    remedy:
      'Compare customer_code with the customer of the session: one customer must not order for another.',
  })
}

async function requireUnknownRefused(probe: OrderProbe): Promise<undefined> {
  const reference = probe.createReference()
  await callRefused(probe.erp, 'void', { reference }, 'not_found')
  if (probe.capabilities.holds === 'none') return
  await callRefused(probe.erp, 'release', { reference, reason: 'release' }, 'not_found')
}

async function requireWriteFigures(probe: OrderProbe): Promise<undefined> {
  const order = probe.createReference()
  const held = probe.createReference()
  await requireCurrentFigures(probe, 'submit', () => probe.submit(1, { reference: order }))
  await requireCurrentFigures(probe, 'void', () => callOk(probe.erp, 'void', { reference: order }))
  if (probe.capabilities.holds === 'none') return
  await requireCurrentFigures(probe, 'hold', () => probe.hold(1, { reference: held }))
  const release = { reference: held, reason: 'release' } as const
  await requireCurrentFigures(probe, 'release', () => callOk(probe.erp, 'release', release))
}

async function requireCurrentFigures(
  probe: OrderProbe,
  operation: string,
  work: () => Promise<Pick<Output<'submit'>, 'figures'>>,
) {
  const { warehouse_code, sku } = probe
  const { figures } = await work()
  const written = figures
    .find((one) => one.warehouse_code === warehouse_code)
    ?.rows.find((row) => row.sku === sku)
  const [read] = (await callOk(probe.erp, 'stock.read', { warehouse_code, skus: [sku] })).rows
  if (written && isDeepStrictEqual(written, read)) return
  throw new ConformanceFailure({
    expected: `the figures of ${operation} for ${sku} to equal those of stock.read afterwards`,
    actual: written
      ? `${JSON.stringify(written)} and ${JSON.stringify(read)}`.slice(0, 500)
      : 'no figures for it',
    remedy: 'Read the figures of every changed SKU in the transaction of the write.',
  })
}

async function requireExactSubmit(probe: OrderProbe): Promise<undefined> {
  const quote = await probe.quote(7)
  const { total } = quote.costs
  const reference = probe.createReference()
  const limits = { reference, expected_total: total, max_total: total }
  const { document } = await probe.requireLowered(7, 'an order of 7', () => probe.submit(7, limits))
  const { lines, costs } = document
  const [line] = lines
  const [quoted] = quote.lines
  const isOpen = document.kind === 'order' && document.status === 'open' && document.reference === reference
  const isQuoted = line?.unit_price === quoted?.unit_price && line?.line_total === quoted?.line_total
  const isCharged = costs?.total === total && isSumOfLines(lines, costs)
  if (isOpen && line?.quantity_allocated === 7 && isQuoted && isCharged) return
  throw new ConformanceFailure({
    expected: `an open order of 7 ${probe.sku} for ${total}, with the unit_price ${quoted?.unit_price} and the line_total ${quoted?.line_total}, as quoted, and with goods = the sum of line_total`,
    actual: JSON.stringify({ ...document, lines: line }).slice(0, 400),
    remedy: 'Compute the costs of quotes and orders by the same rules.',
  })
}

async function requireSameOrder(probe: OrderProbe): Promise<Skipped | undefined> {
  const forgets = skipWithoutDeduplication(probe)
  if (forgets) return forgets
  const input = probe.createSubmitInput(4)
  await probe.requireLowered(4, 'an order of 4 that was submitted twice', async () => {
    const once = await callOk(probe.erp, 'submit', input)
    const again = await callOk(probe.erp, 'submit', input)
    requireSameDocument(once.document, again.document, 'submit')
  })
  return undefined
}

async function requireShortRefused(probe: OrderProbe): Promise<undefined> {
  const input = probe.createSubmitInput(tooMany)
  const submit = () => callRefused(probe.erp, 'submit', input, 'insufficient_stock')
  const { shortages } = await probe.requireLowered(0, 'an order that is refused', submit)
  const short = shortages?.find(({ sku }) => sku === probe.sku)
  if (short && short.quantity === tooMany && short.quantity_available < tooMany) return
  throw new ConformanceFailure({
    expected: `insufficient_stock to have shortages with ${probe.sku}, its ordered and its available quantity`,
    actual: JSON.stringify(shortages ?? 'none').slice(0, 300),
    remedy: 'List every short SKU once.',
  })
}

async function requireOtherTotalRefused(probe: OrderProbe): Promise<undefined> {
  const { total } = (await probe.quote(2)).costs
  await probe.requireLowered(0, 'an order that is refused', async () => {
    await callRefused(
      probe.erp,
      'submit',
      probe.createSubmitInput(2, { expected_total: total + 1 }),
      'price_changed',
    )
    if (total === 0) return
    await callRefused(
      probe.erp,
      'submit',
      probe.createSubmitInput(2, { max_total: total - 1 }),
      'price_changed',
    )
  })
}

async function requireHoldConsumed(probe: OrderProbe): Promise<undefined> {
  const hold_reference = probe.createReference()
  await probe.hold(5, { reference: hold_reference })
  await probe.requireLowered(0, 'an order with a hold for all of its units', () =>
    probe.submit(5, { hold_reference }),
  )
  await callRefused(probe.erp, 'release', { reference: hold_reference, reason: 'release' }, 'invalid_state')
  const status = (await probe.readDocument(hold_reference))?.status
  if (status === 'consumed') return
  throw new ConformanceFailure({
    expected: 'the hold of an order to be consumed',
    actual: status ?? 'no document',
    remedy: 'Transfer its stock to the order and end the hold, in one transaction.',
  })
}

async function requireReleasedHoldRefused(probe: OrderProbe): Promise<undefined> {
  const hold_reference = probe.createReference()
  await probe.requireLowered(0, 'an order that is refused', async () => {
    await probe.hold(2, { reference: hold_reference })
    await callOk(probe.erp, 'release', { reference: hold_reference, reason: 'release' })
    await callRefused(probe.erp, 'submit', probe.createSubmitInput(2, { hold_reference }), 'hold_expired')
  })
}

async function requireSameVoid(probe: OrderProbe): Promise<undefined> {
  const reference = probe.createReference()
  const voidOnce = () => callChecked(probe.erp, 'void', { reference })
  const [once, again] = await probe.requireLowered(0, 'an order that was voided', async () => {
    await probe.submit(6, { reference })
    return [await voidOnce(), await voidOnce()]
  })
  const isCancelled = 'ok' in once && ['cancelled', 'intercepted'].includes(once.ok.document.status)
  if (isCancelled && 'ok' in again && isDeepStrictEqual(once.ok.document, again.ok.document)) return
  throw new ConformanceFailure({
    expected: 'a void to return the cancelled order, and the same when it is repeated',
    actual: [once, again]
      .map((one) => ('ok' in one ? one.ok.document.status : one.rejected.reason))
      .join(' and '),
    remedy: 'The gateway repeats a void whose response was lost: return the existing document.',
  })
}
