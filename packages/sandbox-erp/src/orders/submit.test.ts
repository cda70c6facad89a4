import { type ErpResult, type Input, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readFunds } from '../ledger/accounts.ts'
import {
  createDropshipFields,
  createHoldInput,
  createQuoteInput,
  createSubmitInput,
  listAvailable,
  openTestErp,
  plentiful,
  readStock,
  type TestErp,
} from '../testing/test-erp.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => erp.close())

type Lines = Readonly<Record<string, number>>

async function submitOrder(reference: string, lines: Lines, more: Partial<Input<'submit'>> = {}) {
  return unwrap(await erp.erp.submit(createSubmitInput(erp, reference, lines, more)))
}

async function submitForReason(reference: string, lines: Lines, more: Partial<Input<'submit'>> = {}) {
  return getReason(await erp.erp.submit(createSubmitInput(erp, reference, lines, more)))
}

function getReason(answer: ErpResult<unknown>) {
  return 'rejected' in answer ? answer.rejected.reason : 'ok'
}

async function quoteTotal(lines: Lines, more: Partial<Input<'quote'>> = {}) {
  return unwrap(await erp.erp.quote(createQuoteInput(erp, lines, more))).quote.costs.total
}

/** Reads the booked amounts and the reserved amount of the customer's account. */
function readAccount(customer = 'CUST-HARBOUR') {
  const [account] = readFunds(erp.store, customer, 'AUD')
  return [account?.balance, account?.frozen]
}

describe('an order', () => {
  it('allocates, charges the quoted total and returns the new figures', async () => {
    const total = await quoteTotal({ [plentiful]: 4 })
    const { document, figures } = await submitOrder(
      'o-1',
      { [plentiful]: 4 },
      { expected_total: total, max_total: total },
    )
    expect(document).toMatchObject({
      reference: 'o-1',
      number: 'SO-000001',
      kind: 'order',
      status: 'open',
      status_raw: 'ALLOCATED',
      currency: 'AUD',
      paid: false,
      payment_url: null,
      submitted_at: '2026-11-21T12:00:00.000Z',
      costs: { total },
      lines: [{ sku: plentiful, quantity: 4, quantity_allocated: 4, quantity_shipped: 0, line_total: 4000 }],
    })
    expect(listAvailable(figures)).toEqual([`AUSYD1 ${plentiful}: 9996`])
    expect(readStock(erp, plentiful)).toEqual([10_000, 4])
  })

  it('exists once for one reference, and each has its own number', async () => {
    const once = await submitOrder('o-1', { [plentiful]: 4 })
    expect(await submitOrder('o-1', { [plentiful]: 4 })).toEqual(once)
    expect((await submitOrder('o-2', { [plentiful]: 4 })).document.number).toBe('SO-000002')
    expect(readStock(erp, plentiful)).toEqual([10_000, 8])
  })

  it('exists twice in an ERP that does not notice, which look-ups do not show and the list of all does', async () => {
    const careless = await openTestErp({ capabilities: { dedupes_by_reference: false } })
    const input = createSubmitInput(careless, 'o-1', { [plentiful]: 4 })
    const one = unwrap(await careless.erp.submit(input)).document
    const other = unwrap(await careless.erp.submit(input)).document
    expect(one.number).not.toBe(other.number)
    expect(readStock(careless, plentiful)).toEqual([10_000, 8])
    expect(unwrap(await careless.erp.lookup({ reference: 'o-1' })).document?.number).toBe(one.number)
    const { documents } = careless.steering.listDocuments()
    expect(documents.map(({ reference, copy }) => [reference, copy])).toEqual([
      ['o-1', 0],
      ['o-1', 1],
    ])
    careless.close()
  })

  it('changes nothing if stock is short, and returns the available quantities', async () => {
    const answer = await erp.erp.submit(createSubmitInput(erp, 'o-1', { [plentiful]: 1, 'SBX-SHORT-3': 7 }))
    expect(answer).toMatchObject({
      rejected: {
        reason: 'insufficient_stock',
        message: 'Lines that are short: 1 of 2.',
        shortages: [{ sku: 'SBX-SHORT-3', quantity: 7, quantity_available: 6 }],
      },
    })
    expect(readStock(erp, plentiful)).toEqual([10_000, 0])
    expect(unwrap(await erp.erp.lookup({ reference: 'o-1' }))).toMatchObject({
      state: 'absent',
      document: null,
    })
    expect(readAccount()).toEqual([5_000_000, 0])
  })

  it('allocates and charges the available units with allow_partial, and is refused if there are none', async () => {
    const { document } = await submitOrder('o-1', { 'SBX-OOS': 2, 'SBX-SHORT-3': 7 }, { allow_partial: true })
    expect(document.lines.map((line) => [line.quantity, line.quantity_allocated, line.line_total])).toEqual([
      [2, 0, 0],
      [7, 6, 6000],
    ])
    expect(await submitForReason('o-2', { 'SBX-OOS': 2 }, { allow_partial: true })).toBe('insufficient_stock')
  })

  it('is refused where the total is another than expected, or more than the most', async () => {
    const total = await quoteTotal({ [plentiful]: 4 })
    expect(await submitForReason('o-1', { [plentiful]: 4 }, { expected_total: total + 1 })).toBe(
      'price_changed',
    )
    expect(await submitForReason('o-1', { [plentiful]: 4 }, { max_total: total - 1 })).toBe('price_changed')
    erp.steering.setPrice({ sku: plentiful, price_wholesale: 1001 })
    expect(await submitForReason('o-1', { [plentiful]: 4 }, { expected_total: total })).toBe('price_changed')
    expect(readStock(erp, plentiful)).toEqual([10_000, 0])
  })

  it('says of a total that is too high, or cannot be paid, in which currency it is', async () => {
    const lines = { [plentiful]: 4 }
    const total = await quoteTotal(lines)
    const formatAmount = (amount: number) => `${(amount / 100).toFixed(2)} AUD`
    const submitForMessage = async (more: Partial<Input<'submit'>>) => {
      const answer = await erp.erp.submit(createSubmitInput(erp, 'o-1', lines, more))
      return 'rejected' in answer ? answer.rejected.message : 'ok'
    }
    expect(await submitForMessage({ max_total: total - 1 })).toBe(
      `The total is ${formatAmount(total)}, more than ${formatAmount(total - 1)}.`,
    )
    expect(await submitForMessage({ expected_total: total + 1 })).toBe(
      `The total is ${formatAmount(total)} now, not ${formatAmount(total + 1)}.`,
    )
  })

  it('consumes the named hold, whatever is left beside it', async () => {
    await erp.erp.hold(createHoldInput(erp, 'h-1', { 'SBX-LAST-1': 2 }))
    expect(await submitForReason('o-1', { 'SBX-LAST-1': 2 })).toBe('insufficient_stock')
    const { document } = await submitOrder('o-1', { 'SBX-LAST-1': 2 }, { hold_reference: 'h-1' })
    expect(document.lines[0]?.allocations).toHaveLength(2)
    expect(readStock(erp, 'SBX-LAST-1')).toEqual([1, 1])
    const hold = unwrap(await erp.erp.lookup({ reference: 'h-1' })).document
    expect(hold).toMatchObject({ status: 'consumed', status_raw: 'CONSUMED' })
  })

  it('gets what was held for it even where the SKU was withdrawn meanwhile', async () => {
    await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 2 }))
    erp.store.run('update stock set withdrawn = 1 where sku = ?', plentiful)
    expect(await submitForReason('o-1', { [plentiful]: 1 })).toBe('insufficient_stock')
    expect((await submitOrder('o-2', { [plentiful]: 2 }, { hold_reference: 'h-1' })).document.status).toBe(
      'open',
    )
  })

  it('with other lines takes from the hold what fits, adds the rest and gives back what is left', async () => {
    await erp.erp.hold(createHoldInput(erp, 'h-1', { 'SBX-SHORT-3': 5, [plentiful]: 9 }))
    const { document, figures } = await submitOrder(
      'o-1',
      { 'SBX-SHORT-3': 6, [plentiful]: 1 },
      { hold_reference: 'h-1' },
    )
    expect(document.lines.map(({ quantity_allocated }) => quantity_allocated)).toEqual([6, 1])
    expect([readStock(erp, 'SBX-SHORT-3')[1], readStock(erp, 'SBX-SHORT-3', 'AUSYD2')[1]]).toEqual([3, 3])
    expect(readStock(erp, plentiful)).toEqual([10_000, 1])
    expect(listAvailable(figures)).toContain(`AUSYD1 ${plentiful}: 9999`)
  })

  it('is refused with hold_expired if the given hold has ended', async () => {
    const lines = { [plentiful]: 1 }
    expect(await submitForReason('o-1', lines, { hold_reference: 'never' })).toBe('hold_expired')
    await erp.erp.hold(createHoldInput(erp, 'h-1', lines))
    erp.advance(15 * 60_000)
    expect(await submitForReason('o-1', lines, { hold_reference: 'h-1' })).toBe('hold_expired')
    await erp.erp.hold(createHoldInput(erp, 'h-2', lines))
    await submitOrder('o-2', lines, { hold_reference: 'h-2' })
    expect(await submitForReason('o-3', lines, { hold_reference: 'h-2' })).toBe('hold_expired')
    expect(readStock(erp, plentiful)).toEqual([10_000, 1])
  })

  it('is charged to the account, its freight set aside, whether it is paid, owed, or paid by a link', async () => {
    const { costs } = unwrap(await erp.erp.quote(createQuoteInput(erp, { [plentiful]: 4 }))).quote
    const charge = costs.total - costs.freight
    const payBy = async (payment_method: 'balance' | 'invoice' | 'wechat' | 'alipay') => {
      const { document } = await submitOrder(`o-${payment_method}`, { [plentiful]: 4 }, { payment_method })
      return [document.paid, document.payment_url, ...readAccount()]
    }
    const computeAccount = (orders: number) => [5_000_000 - orders * charge, orders * costs.freight]
    const formatLink = (method: string, number: number) =>
      `https://pay.sandbox.example/${method}/SO-00000${number}`
    expect(await payBy('balance')).toEqual([true, null, ...computeAccount(1)])
    expect(await payBy('invoice')).toEqual([false, null, ...computeAccount(2)])
    expect(await payBy('wechat')).toEqual([false, formatLink('wechat', 3), ...computeAccount(3)])
    expect(await payBy('alipay')).toEqual([false, formatLink('alipay', 4), ...computeAccount(4)])
  })

  it('cannot spend what a drop-ship hold has set aside, unless it consumes that hold', async () => {
    const delivery = {
      session: erp.sessions[1],
      customer_code: 'CUST-LANTERN',
      payment_method: 'balance',
    } as const
    const parcel = { ...createDropshipFields(), ...delivery }
    const held = unwrap(await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 10 }, parcel))).document
    const total = held?.costs?.total ?? 0
    expect(readAccount('CUST-LANTERN')).toEqual([20_000, total])
    expect(await submitForReason('o-1', { [plentiful]: 10 }, parcel)).toBe('insufficient_balance')
    const { document } = await submitOrder('o-2', { [plentiful]: 10 }, { ...parcel, hold_reference: 'h-1' })
    const { freight } = document.costs ?? { freight: 0 }
    expect(readAccount('CUST-LANTERN')).toEqual([20_000 - total + freight, freight])
  })

  it('is refused where the customer cannot pay', async () => {
    const delivery = { to: 'address', shipping_method_id: 'au-pickup', address_id: null } as const
    const poor = {
      session: erp.sessions[1],
      customer_code: 'CUST-LANTERN',
      delivery,
      payment_method: 'balance',
    } as const
    expect(await submitForReason('o-1', { [plentiful]: 20 }, poor)).toBe('insufficient_balance')
    expect(await submitForReason('o-2', { [plentiful]: 10 }, poor)).toBe('ok')
    expect(await submitForReason('o-3', { [plentiful]: 10 }, poor)).toBe('insufficient_balance')
    erp.store.run('update ledger_accounts set credit_limit = 1000 - balance')
    expect(await submitForReason('o-4', { [plentiful]: 10 })).toBe('insufficient_balance')
  })

  it('is refused for what is no order', async () => {
    await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(await submitForReason('h-1', { [plentiful]: 1 })).toBe('invalid_state')
    expect(
      await submitForReason('o-1', { [plentiful]: 1 }, { order_type: 'reservation', delivery: null }),
    ).toBe('invalid_field')
    expect(await submitForReason('o-1', { [plentiful]: 1 }, createDropshipFields('normal', 'AQ'))).toBe(
      'invalid_field',
    )
    expect(await submitForReason('o-1', { 'SBX-BLOCKED': 1 })).toBe('sku_blocked')
    expect(await submitForReason('o-1', { [plentiful]: 1 }, { session: 'unknown' })).toBe('session_expired')
    await submitOrder('o-2', { [plentiful]: 1 })
    expect(getReason(await erp.erp.hold(createHoldInput(erp, 'o-2', { [plentiful]: 1 })))).toBe(
      'invalid_state',
    )
  })
})

describe('void', () => {
  it('gives stock and money back, and twice is the same', async () => {
    await submitOrder('o-1', { [plentiful]: 4 }, { payment_method: 'balance' })
    await submitOrder('o-2', { [plentiful]: 1 })
    const { costs } = unwrap(await erp.erp.lookup({ reference: 'o-2' })).document ?? {}
    const { total = 0, freight = 0 } = costs ?? {}
    const once = unwrap(await erp.erp.void({ reference: 'o-1' }))
    expect(once.document).toMatchObject({
      status: 'cancelled',
      status_raw: 'VOID',
      paid: false,
      cancelled_at: '2026-11-21T12:00:00.000Z',
    })
    expect(listAvailable(once.figures)).toEqual([`AUSYD1 ${plentiful}: 9999`])
    erp.advance(1000)
    expect(unwrap(await erp.erp.void({ reference: 'o-1' }))).toEqual(once)
    expect(readStock(erp, plentiful)).toEqual([10_000, 1])
    expect(readAccount()).toEqual([5_000_000 - total + freight, freight])
  })

  it('is refused for what is no order', async () => {
    await erp.erp.hold(createHoldInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(getReason(await erp.erp.void({ reference: 'h-1' }))).toBe('not_found')
    expect(getReason(await erp.erp.void({ reference: 'never' }))).toBe('not_found')
  })
})
