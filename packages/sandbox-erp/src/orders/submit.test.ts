import { type Answer, accepted, type Input } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fundsOf } from '../ledger/accounts.ts'
import {
  availableIn,
  holdInput,
  openTestErp,
  plentiful,
  quoteInput,
  stockOf,
  submitInput,
  type TestErp,
  toConsumer,
} from './test-erp.ts'

let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => erp.close())

type Lines = Readonly<Record<string, number>>

async function submitted(reference: string, lines: Lines, more: Partial<Input<'submit'>> = {}) {
  return accepted(await erp.erp.submit(submitInput(erp, reference, lines, more)))
}

async function refused(reference: string, lines: Lines, more: Partial<Input<'submit'>> = {}) {
  return reasonOf(await erp.erp.submit(submitInput(erp, reference, lines, more)))
}

function reasonOf(answer: Answer<unknown>) {
  return 'rejected' in answer ? answer.rejected.reason : 'ok'
}

async function totalOf(lines: Lines, more: Partial<Input<'quote'>> = {}) {
  return accepted(await erp.erp.quote(quoteInput(erp, lines, more))).quote.costs.total
}

/** What was booked on the customer's account, and what is set aside on it. */
function funds(customer = 'CUST-HARBOUR') {
  const [account] = fundsOf(erp.store, customer, 'AUD')
  return [account?.balance, account?.frozen]
}

describe('an order', () => {
  it('allocates, charges the quoted total and answers the new figures', async () => {
    const total = await totalOf({ [plentiful]: 4 })
    const { document, figures } = await submitted(
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
    expect(availableIn(figures)).toEqual([`AUSYD1 ${plentiful}: 9996`])
    expect(stockOf(erp, plentiful)).toEqual([10_000, 4])
  })

  it('exists once for one reference, and each has its own number', async () => {
    const once = await submitted('o-1', { [plentiful]: 4 })
    expect(await submitted('o-1', { [plentiful]: 4 })).toEqual(once)
    expect((await submitted('o-2', { [plentiful]: 4 })).document.number).toBe('SO-000002')
    expect(stockOf(erp, plentiful)).toEqual([10_000, 8])
  })

  it('exists twice in an ERP that does not notice, which look-ups do not show and the list of all does', async () => {
    const careless = await openTestErp({ capabilities: { dedupes_by_reference: false } })
    const input = submitInput(careless, 'o-1', { [plentiful]: 4 })
    const one = accepted(await careless.erp.submit(input)).document
    const other = accepted(await careless.erp.submit(input)).document
    expect(one.number).not.toBe(other.number)
    expect(stockOf(careless, plentiful)).toEqual([10_000, 8])
    expect(accepted(await careless.erp.lookup({ reference: 'o-1' })).document?.number).toBe(one.number)
    const { documents } = careless.steering.documents()
    expect(documents.map(({ reference, copy }) => [reference, copy])).toEqual([
      ['o-1', 0],
      ['o-1', 1],
    ])
    careless.close()
  })

  it('that is short changes nothing and says what there is', async () => {
    const answer = await erp.erp.submit(submitInput(erp, 'o-1', { [plentiful]: 1, 'SBX-SHORT-3': 7 }))
    expect(answer).toMatchObject({
      rejected: {
        reason: 'insufficient_stock',
        shortages: [{ sku: 'SBX-SHORT-3', quantity: 7, quantity_available: 6 }],
      },
    })
    expect(stockOf(erp, plentiful)).toEqual([10_000, 0])
    expect(accepted(await erp.erp.lookup({ reference: 'o-1' }))).toEqual({ state: 'absent', document: null })
    expect(funds()).toEqual([5_000_000, 0])
  })

  it('takes with allow_partial what there is, charges that, and is refused where there is nothing', async () => {
    const { document } = await submitted('o-1', { 'SBX-OOS': 2, 'SBX-SHORT-3': 7 }, { allow_partial: true })
    expect(document.lines.map((line) => [line.quantity, line.quantity_allocated, line.line_total])).toEqual([
      [2, 0, 0],
      [7, 6, 6000],
    ])
    expect(await refused('o-2', { 'SBX-OOS': 2 }, { allow_partial: true })).toBe('insufficient_stock')
  })

  it('is refused where the total is another than expected, or more than the most', async () => {
    const total = await totalOf({ [plentiful]: 4 })
    expect(await refused('o-1', { [plentiful]: 4 }, { expected_total: total + 1 })).toBe('price_changed')
    expect(await refused('o-1', { [plentiful]: 4 }, { max_total: total - 1 })).toBe('price_changed')
    erp.steering.setPrice({ sku: plentiful, price_wholesale: 1001 })
    expect(await refused('o-1', { [plentiful]: 4 }, { expected_total: total })).toBe('price_changed')
    expect(stockOf(erp, plentiful)).toEqual([10_000, 0])
  })

  it('says of a total that is too high, or cannot be paid, in which currency it is', async () => {
    const lines = { [plentiful]: 4 }
    const total = await totalOf(lines)
    const shown = (amount: number) => `${(amount / 100).toFixed(2)} AUD`
    const said = async (more: Partial<Input<'submit'>>) => {
      const answer = await erp.erp.submit(submitInput(erp, 'o-1', lines, more))
      return 'rejected' in answer ? answer.rejected.message : 'ok'
    }
    expect(await said({ max_total: total - 1 })).toBe(
      `The total is ${shown(total)}, more than ${shown(total - 1)}.`,
    )
    expect(await said({ expected_total: total + 1 })).toBe(
      `The total is ${shown(total)} now, not ${shown(total + 1)}.`,
    )
  })

  it('consumes the named hold, whatever is left beside it', async () => {
    await erp.erp.hold(holdInput(erp, 'h-1', { 'SBX-LAST-1': 2 }))
    expect(await refused('o-1', { 'SBX-LAST-1': 2 })).toBe('insufficient_stock')
    const { document } = await submitted('o-1', { 'SBX-LAST-1': 2 }, { hold_reference: 'h-1' })
    expect(document.lines[0]?.allocations).toHaveLength(2)
    expect(stockOf(erp, 'SBX-LAST-1')).toEqual([1, 1])
    const hold = accepted(await erp.erp.lookup({ reference: 'h-1' })).document
    expect(hold).toMatchObject({ status: 'consumed', status_raw: 'CONSUMED' })
  })

  it('gets what was held for it even where the SKU was withdrawn meanwhile', async () => {
    await erp.erp.hold(holdInput(erp, 'h-1', { [plentiful]: 2 }))
    erp.store.run('update stock set withdrawn = 1 where sku = ?', plentiful)
    expect(await refused('o-1', { [plentiful]: 1 })).toBe('insufficient_stock')
    expect((await submitted('o-2', { [plentiful]: 2 }, { hold_reference: 'h-1' })).document.status).toBe(
      'open',
    )
  })

  it('with other lines takes from the hold what fits, adds the rest and gives back what is left', async () => {
    await erp.erp.hold(holdInput(erp, 'h-1', { 'SBX-SHORT-3': 5, [plentiful]: 9 }))
    const { document, figures } = await submitted(
      'o-1',
      { 'SBX-SHORT-3': 6, [plentiful]: 1 },
      { hold_reference: 'h-1' },
    )
    expect(document.lines.map(({ quantity_allocated }) => quantity_allocated)).toEqual([6, 1])
    expect([stockOf(erp, 'SBX-SHORT-3')[1], stockOf(erp, 'SBX-SHORT-3', 'AUSYD2')[1]]).toEqual([3, 3])
    expect(stockOf(erp, plentiful)).toEqual([10_000, 1])
    expect(availableIn(figures)).toContain(`AUSYD1 ${plentiful}: 9999`)
  })

  it('is refused with hold_expired where the named hold holds nothing', async () => {
    const lines = { [plentiful]: 1 }
    expect(await refused('o-1', lines, { hold_reference: 'never' })).toBe('hold_expired')
    await erp.erp.hold(holdInput(erp, 'h-1', lines))
    erp.pass(15 * 60_000)
    expect(await refused('o-1', lines, { hold_reference: 'h-1' })).toBe('hold_expired')
    await erp.erp.hold(holdInput(erp, 'h-2', lines))
    await submitted('o-2', lines, { hold_reference: 'h-2' })
    expect(await refused('o-3', lines, { hold_reference: 'h-2' })).toBe('hold_expired')
    expect(stockOf(erp, plentiful)).toEqual([10_000, 1])
  })

  it('is charged to the account, its freight set aside, whether it is paid, owed, or paid by a link', async () => {
    const { costs } = accepted(await erp.erp.quote(quoteInput(erp, { [plentiful]: 4 }))).quote
    const charge = costs.total - costs.freight
    const by = async (payment_method: 'balance' | 'invoice' | 'wechat' | 'alipay') => {
      const { document } = await submitted(`o-${payment_method}`, { [plentiful]: 4 }, { payment_method })
      return [document.paid, document.payment_url, ...funds()]
    }
    const after = (orders: number) => [5_000_000 - orders * charge, orders * costs.freight]
    const link = (method: string, number: number) => `https://pay.sandbox.example/${method}/SO-00000${number}`
    expect(await by('balance')).toEqual([true, null, ...after(1)])
    expect(await by('invoice')).toEqual([false, null, ...after(2)])
    expect(await by('wechat')).toEqual([false, link('wechat', 3), ...after(3)])
    expect(await by('alipay')).toEqual([false, link('alipay', 4), ...after(4)])
  })

  it('cannot spend what a drop-ship hold has set aside, unless it consumes that hold', async () => {
    const delivery = {
      session: erp.sessions[1],
      customer_code: 'CUST-LANTERN',
      payment_method: 'balance',
    } as const
    const parcel = { ...toConsumer(), ...delivery }
    const held = accepted(await erp.erp.hold(holdInput(erp, 'h-1', { [plentiful]: 10 }, parcel))).document
    const total = held?.costs?.total ?? 0
    expect(funds('CUST-LANTERN')).toEqual([20_000, total])
    expect(await refused('o-1', { [plentiful]: 10 }, parcel)).toBe('insufficient_balance')
    const { document } = await submitted('o-2', { [plentiful]: 10 }, { ...parcel, hold_reference: 'h-1' })
    const { freight } = document.costs ?? { freight: 0 }
    expect(funds('CUST-LANTERN')).toEqual([20_000 - total + freight, freight])
  })

  it('is refused where the customer cannot pay', async () => {
    const delivery = { to: 'address', shipping_method_id: 'au-pickup', address_id: null } as const
    const poor = {
      session: erp.sessions[1],
      customer_code: 'CUST-LANTERN',
      delivery,
      payment_method: 'balance',
    } as const
    expect(await refused('o-1', { [plentiful]: 20 }, poor)).toBe('insufficient_balance')
    expect(await refused('o-2', { [plentiful]: 10 }, poor)).toBe('ok')
    expect(await refused('o-3', { [plentiful]: 10 }, poor)).toBe('insufficient_balance')
    erp.store.run('update ledger_accounts set credit_limit = 1000 - balance')
    expect(await refused('o-4', { [plentiful]: 10 })).toBe('insufficient_balance')
  })

  it('is refused for what is no order', async () => {
    await erp.erp.hold(holdInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(await refused('h-1', { [plentiful]: 1 })).toBe('invalid_state')
    expect(await refused('o-1', { [plentiful]: 1 }, { order_type: 'reservation', delivery: null })).toBe(
      'invalid_field',
    )
    expect(await refused('o-1', { [plentiful]: 1 }, toConsumer('normal', 'AQ'))).toBe('invalid_field')
    expect(await refused('o-1', { 'SBX-BLOCKED': 1 })).toBe('sku_blocked')
    expect(await refused('o-1', { [plentiful]: 1 }, { session: 'unknown' })).toBe('session_expired')
    await submitted('o-2', { [plentiful]: 1 })
    expect(reasonOf(await erp.erp.hold(holdInput(erp, 'o-2', { [plentiful]: 1 })))).toBe('invalid_state')
  })
})

describe('void', () => {
  it('gives stock and money back, and twice is the same', async () => {
    await submitted('o-1', { [plentiful]: 4 }, { payment_method: 'balance' })
    await submitted('o-2', { [plentiful]: 1 })
    const { costs } = accepted(await erp.erp.lookup({ reference: 'o-2' })).document ?? {}
    const { total = 0, freight = 0 } = costs ?? {}
    const once = accepted(await erp.erp.void({ reference: 'o-1' }))
    expect(once.document).toMatchObject({
      status: 'cancelled',
      status_raw: 'VOID',
      paid: false,
      cancelled_at: '2026-11-21T12:00:00.000Z',
    })
    expect(availableIn(once.figures)).toEqual([`AUSYD1 ${plentiful}: 9999`])
    erp.pass(1000)
    expect(accepted(await erp.erp.void({ reference: 'o-1' }))).toEqual(once)
    expect(stockOf(erp, plentiful)).toEqual([10_000, 1])
    expect(funds()).toEqual([5_000_000 - total + freight, freight])
  })

  it('is refused for what is no order', async () => {
    await erp.erp.hold(holdInput(erp, 'h-1', { [plentiful]: 1 }))
    expect(reasonOf(await erp.erp.void({ reference: 'h-1' }))).toBe('not_found')
    expect(reasonOf(await erp.erp.void({ reference: 'never' }))).toBe('not_found')
  })
})
