import { isDeepStrictEqual } from 'node:util'
import type { Output } from '../operations.ts'
import { answered, asked, refused } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip } from './check.ts'
import { forgetsReferences, needingHolds, requireSame, tooMany } from './holds.ts'
import { type Buyer, orderCheck, requestOfNobody, type Shop, takesNoOrders } from './shop.ts'

/** Checks of orders: submit and void, and what is asked of any write. */
export function submitChecks(buyer: Buyer): Check[] {
  const check = (id: string, states: string, look: (shop: Shop) => Promise<Skipped | undefined>) =>
    orderCheck(buyer, { id, states }, look)
  return [
    {
      id: 'orders.none',
      states: 'An ERP that takes no orders refuses all that concerns them with not_supported.',
      async run(erp) {
        if (!(await takesNoOrders(erp))) return skip('The ERP takes orders.')
        const reference = 'no-such-reference'
        const request = { ...requestOfNobody(), lines: [{ sku: 'NOTHING', quantity: 1 }], reference }
        const expires_at = new Date(buyer.now()).toISOString()
        await refused(erp, 'hold', { ...request, replaces: null, expires_at }, 'not_supported')
        const limits = { expected_total: null, max_total: null, client_order_number: null, remark: null }
        const order = { ...request, ...limits, hold_reference: null, allow_partial: false }
        await refused(erp, 'submit', order, 'not_supported')
        await refused(erp, 'release', { reference, reason: 'release' }, 'not_supported')
        await refused(erp, 'void', { reference }, 'not_supported')
        await refused(erp, 'lookup', { reference }, 'not_supported')
        await refused(erp, 'documents.changed', { cursor: null }, 'not_supported')
        await refused(erp, 'documents.read', { references: [reference] }, 'not_supported')
        return undefined
      },
    },
    check('session', 'A session that is not open is refused with session_expired.', async (shop) => {
      const session = 'no-such-session'
      await refused(shop.erp, 'quote', shop.quoteInput(1, { session }), 'session_expired')
      await refused(shop.erp, 'submit', shop.submitInput(1, { session }), 'session_expired')
      return undefined
    }),
    check(
      'unknown',
      'A reference that there is not cannot be released or voided: not_found.',
      async (shop) => {
        const reference = shop.newReference()
        await refused(shop.erp, 'void', { reference }, 'not_found')
        if (shop.capabilities.holds === 'none') return undefined
        await refused(shop.erp, 'release', { reference, reason: 'release' }, 'not_found')
        return undefined
      },
    ),
    check('figures', 'The answer of a write carries the newest figures of what it touched.', compareFigures),
    check(
      'submit.exact',
      'An order of a quoted total is open and lowers what is available by its units.',
      submitExactly,
    ),
    check('submit.once', 'A reference that comes again answers the order that exists.', submitTwice),
    check(
      'submit.short',
      'An order that is short is refused with what there is, and changes nothing.',
      submitTooMany,
    ),
    check(
      'submit.price',
      'An order of another total than expected is refused, and changes nothing.',
      submitAtOtherTotal,
    ),
    check(
      'submit.hold',
      'An order takes what was held for it, and consumes the hold.',
      needingHolds(consume),
    ),
    check(
      'submit.hold_expired',
      'An order that names a hold which holds nothing is refused with hold_expired, and changes nothing.',
      needingHolds(nameReleasedHold),
    ),
    check('void', 'A void gives the stock of an order back; again: the same answer.', voidTwice),
  ]
}

async function compareFigures(shop: Shop): Promise<undefined> {
  const order = shop.newReference()
  const held = shop.newReference()
  await requireFigures(shop, 'submit', () => shop.submit(1, { reference: order }))
  await requireFigures(shop, 'void', () => asked(shop.erp, 'void', { reference: order }))
  if (shop.capabilities.holds === 'none') return
  await requireFigures(shop, 'hold', () => shop.hold(1, { reference: held }))
  const release = { reference: held, reason: 'release' } as const
  await requireFigures(shop, 'release', () => asked(shop.erp, 'release', release))
}

async function requireFigures(
  shop: Shop,
  operation: string,
  work: () => Promise<Pick<Output<'submit'>, 'figures'>>,
) {
  const { warehouse_code, sku } = shop
  const { figures } = await work()
  const told = figures
    .find((one) => one.warehouse_code === warehouse_code)
    ?.rows.find((row) => row.sku === sku)
  const [read] = (await asked(shop.erp, 'stock.read', { warehouse_code, skus: [sku] })).rows
  if (told && isDeepStrictEqual(told, read)) return
  throw new ConformanceFailure({
    expected: `the figures of ${operation} to hold ${sku} as stock.read then answers it`,
    came: told ? `${JSON.stringify(told)} and ${JSON.stringify(read)}`.slice(0, 500) : 'no figure of it',
    remedy: 'Read the figures of every SKU that the write touched inside its transaction.',
  })
}

async function submitExactly(shop: Shop): Promise<undefined> {
  const { total } = (await shop.quote(7)).costs
  const reference = shop.newReference()
  const limits = { reference, expected_total: total, max_total: total }
  const { document } = await shop.lowers(7, 'an order of 7', () => shop.submit(7, limits))
  const [line] = document.lines
  const isOpen = document.kind === 'order' && document.status === 'open' && document.reference === reference
  if (isOpen && line?.quantity_allocated === 7 && document.costs?.total === total) return
  throw new ConformanceFailure({
    expected: `an open order of 7 ${shop.sku} for ${total}, as quoted`,
    came: JSON.stringify({ ...document, lines: line }).slice(0, 400),
    remedy: 'Compute the costs of quotes and orders by the same rules.',
  })
}

async function submitTwice(shop: Shop): Promise<Skipped | undefined> {
  const forgets = forgetsReferences(shop)
  if (forgets) return forgets
  const input = shop.submitInput(4)
  await shop.lowers(4, 'an order of 4 that was submitted twice', async () => {
    const once = await asked(shop.erp, 'submit', input)
    const again = await asked(shop.erp, 'submit', input)
    requireSame(once.document, again.document, 'submit')
  })
  return undefined
}

async function submitTooMany(shop: Shop): Promise<undefined> {
  const input = shop.submitInput(tooMany)
  const submit = () => refused(shop.erp, 'submit', input, 'insufficient_stock')
  const { shortages } = await shop.lowers(0, 'an order that is refused', submit)
  const short = shortages?.find(({ sku }) => sku === shop.sku)
  if (short && short.quantity === tooMany && short.quantity_available < tooMany) return
  throw new ConformanceFailure({
    expected: `insufficient_stock to carry shortages with ${shop.sku}, what was ordered and what there is`,
    came: JSON.stringify(shortages ?? 'none').slice(0, 300),
    remedy: 'Name every short SKU once.',
  })
}

async function submitAtOtherTotal(shop: Shop): Promise<undefined> {
  const { total } = (await shop.quote(2)).costs
  await shop.lowers(0, 'an order that is refused', async () => {
    await refused(shop.erp, 'submit', shop.submitInput(2, { expected_total: total + 1 }), 'price_changed')
    if (total === 0) return
    await refused(shop.erp, 'submit', shop.submitInput(2, { max_total: total - 1 }), 'price_changed')
  })
}

async function consume(shop: Shop): Promise<undefined> {
  const hold_reference = shop.newReference()
  await shop.hold(5, { reference: hold_reference })
  await shop.lowers(0, 'an order of what was held for it', () => shop.submit(5, { hold_reference }))
  await refused(shop.erp, 'release', { reference: hold_reference, reason: 'release' }, 'invalid_state')
  const status = (await shop.read(hold_reference))?.status
  if (status === 'consumed') return
  throw new ConformanceFailure({
    expected: 'the hold that an order named to be consumed',
    came: status ?? 'no document',
    remedy: 'Pass its stock on to the order and end it, in one transaction.',
  })
}

async function nameReleasedHold(shop: Shop): Promise<undefined> {
  const hold_reference = shop.newReference()
  await shop.lowers(0, 'an order that is refused', async () => {
    await shop.hold(2, { reference: hold_reference })
    await asked(shop.erp, 'release', { reference: hold_reference, reason: 'release' })
    await refused(shop.erp, 'submit', shop.submitInput(2, { hold_reference }), 'hold_expired')
  })
}

async function voidTwice(shop: Shop): Promise<undefined> {
  const reference = shop.newReference()
  const voided = () => answered(shop.erp, 'void', { reference })
  const [once, again] = await shop.lowers(0, 'an order that was voided', async () => {
    await shop.submit(6, { reference })
    return [await voided(), await voided()]
  })
  const isCancelled = 'ok' in once && ['cancelled', 'intercepted'].includes(once.ok.document.status)
  if (isCancelled && 'ok' in again && isDeepStrictEqual(once.ok.document, again.ok.document)) return
  throw new ConformanceFailure({
    expected: 'a void to answer the cancelled order, and the same when it comes again',
    came: [once, again]
      .map((one) => ('ok' in one ? one.ok.document.status : one.rejected.reason))
      .join(' and '),
    remedy: 'A void may be repeated, since its answer may be lost: answer what exists.',
  })
}
