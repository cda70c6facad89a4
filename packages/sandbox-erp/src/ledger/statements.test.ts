import { type Input, unwrap } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createDropshipFields,
  createSubmitInput,
  openTestErp,
  plentiful,
  type TestErp,
  testStart,
} from '../testing/test-erp.ts'

const dayMs = 24 * 60 * 60 * 1000
const customer_code = 'CUST-HARBOUR'
let erp: TestErp
beforeEach(async () => {
  erp = await openTestErp()
})
afterEach(() => erp.close())

const createListInput = (more: Partial<Input<'transactions'>> = {}) => ({
  ...{ customer_code, currency: null, from: new Date(testStart - 400 * dayMs).toISOString(), to: null },
  ...{ after: null, skip: 0, limit: 200, ...more },
})
const readTransactions = async (more = {}, from = erp) =>
  unwrap(await from.erp.transactions(createListInput(more)))
const readBills = async (more = {}) =>
  unwrap(await erp.erp.bills({ ...createListInput(more), status: null })).bills
const readRefunds = async () => unwrap(await erp.erp.refunds({ ...createListInput(), status: null })).refunds
const readBalance = async (currency: string) =>
  unwrap(await erp.erp.balances({ customer_code, currency })).balances[0]
const submit = async (reference: string, quantity: number, more: Partial<Input<'submit'>> = {}) =>
  unwrap(await erp.erp.submit(createSubmitInput(erp, reference, { [plentiful]: quantity }, more))).document

describe('the history', () => {
  it.each(['AUD', 'CNY'])(
    'has %s of every kind within the 89 days before the first start, and none after',
    async (currency) => {
      const rows = (await readTransactions({ currency })).transactions
      expect(new Set(rows.map(({ type }) => type))).toEqual(
        new Set(['order_charge', 'freight', 'refund', 'payment', 'topup', 'adjustment']),
      )
      const days = rows.map(({ occurred_at }) => (testStart - Date.parse(occurred_at)) / dayMs)
      expect(Math.min(...days)).toBeGreaterThan(0)
      expect(Math.max(...days)).toBeLessThan(90)
    },
  )

  it('leaves 50,000.00 AUD, and in CNY an open bill that is paid in part', async () => {
    expect(await readBalance('AUD')).toMatchObject({ balance: 5_000_000, frozen: 0, credit_used: 0 })
    const [newest, ...older] = await readBills({ currency: 'CNY' })
    expect(newest).toMatchObject({ status: 'open', period_start: '2026-10-01', period_end: '2026-10-31' })
    expect(newest?.amount_paid).toBeGreaterThan(0)
    expect(older.map(({ status }) => status)).toEqual(older.map(() => 'paid'))
  })

  it('is the same for the same seed and day, and another one for another seed', async () => {
    const [again, other] = [await openTestErp({ seed: 1 }), await openTestErp({ seed: 2 })]
    const rows = (await readTransactions()).transactions
    expect((await readTransactions({}, again)).transactions).toEqual(rows)
    expect((await readTransactions({}, other)).transactions).not.toEqual(rows)
    again.close()
    other.close()
  })
})

describe('an order', () => {
  it('is charged without its freight, and each shipment its part of that when it leaves', async () => {
    erp.steering.setStock({ warehouse_code: 'AUSYD1', sku: plentiful, on_hand: 40 })
    const { number, costs } = await submit('o-1', 100)
    const { total = 0, freight = 0 } = costs ?? {}
    const [charge] = (await readTransactions()).transactions
    const document = { kind: 'order', number, reference: 'o-1' }
    expect(charge).toMatchObject({
      type: 'order_charge',
      amount: freight - total,
      document,
      bill_number: null,
    })
    expect(await readBalance('AUD')).toMatchObject({ balance: 5_000_000 + freight - total, frozen: freight })
    const { shipments } = erp.steering.ship('o-1')
    const { freight_bills } = unwrap(await erp.erp.freight_bills(createListInput({ limit: 2 })))
    expect(
      freight_bills.map(({ weight_g, chargeable_weight_g, zone }) => [weight_g, chargeable_weight_g, zone]),
    ).toEqual([
      [6_000, 6_000, 'AU-AU'],
      [4_000, 4_000, 'AU-AU'],
    ])
    expect(freight_bills.map((bill) => bill.shipment_number).toSorted()).toEqual(
      shipments.map((each) => each.number),
    )
    expect(freight_bills.map(({ order }) => order?.reference)).toEqual(['o-1', 'o-1'])
    expect(freight_bills.reduce((sum, { amount }) => sum + amount, 0)).toBe(freight)
    expect(await readBalance('AUD')).toMatchObject({ balance: 5_000_000 - total, frozen: 0 })
  })

  it('that is voided is refunded at once, and one that is intercepted when its goods are back', async () => {
    await submit('o-1', 3)
    await erp.erp.void({ reference: 'o-1' })
    expect((await readRefunds())[0]).toMatchObject({ status: 'completed', order: { reference: 'o-1' } })
    await submit('o-2', 3, createDropshipFields())
    const before = (await readBalance('AUD'))?.balance
    erp.steering.intercept('o-2')
    const pending = { status: 'pending', completed_at: null, transaction_number: null }
    expect((await readRefunds())[0]).toMatchObject({
      ...pending,
      order: { order_type: 'dropship', reference: 'o-2' },
    })
    expect((await readBalance('AUD'))?.balance).toBe(before)
    erp.advance(dayMs + 1_000)
    const [refund] = await readRefunds()
    const [row] = (await readTransactions()).transactions
    expect(refund).toMatchObject({
      status: 'completed',
      transaction_number: row?.number,
      amount: row?.amount,
    })
    expect(await readBalance('AUD')).toMatchObject({ balance: 5_000_000, frozen: 0 })
  })

  it('that is paid by its link is booked and shown as paid, once', async () => {
    const { costs } = await submit('o-1', 3, { payment_method: 'wechat' })
    expect(erp.steering.payOrder('o-1')).toMatchObject({ reference: 'o-1', paid: true })
    expect((await readTransactions()).transactions[0]).toMatchObject({
      type: 'payment',
      amount: costs?.total,
    })
    expect(() => erp.steering.payOrder('o-1')).toThrow('paid')
    expect(() => erp.steering.payOrder('never')).toThrow('no order')
  })
})

describe('a month', () => {
  it('is billed when it is over by the clock of the ERP, and what is paid in settles bills in their order', async () => {
    await submit('o-1', 8_000)
    erp.steering.ship('o-1')
    const known = (await readBills({ currency: 'AUD' })).length
    erp.steering.advance(20 * 24 * 60 * 60)
    const all = await readBills({ currency: 'AUD' })
    expect(all).toHaveLength(known + 1)
    const [bill] = all
    const rows = (await readTransactions({ currency: 'AUD' })).transactions
    const own = rows.filter(({ bill_number }) => bill_number === bill?.number)
    expect(bill).toMatchObject({
      period_start: '2026-11-01',
      period_end: '2026-11-30',
      issued_at: '2026-12-01T00:00:00.000Z',
      due_date: '2026-12-15',
      amount_total: -own.reduce((sum, { amount }) => sum + amount, 0),
      amount_due: -((await readBalance('AUD'))?.balance ?? 0),
      status: 'open',
    })
    erp.steering.payIn({ customer_code, currency: 'AUD', amount: (bill?.amount_due ?? 0) - 1 })
    expect((await readBills({ currency: 'AUD' }))[0]).toMatchObject({ status: 'open', amount_due: 1 })
    erp.steering.payIn({ customer_code, currency: 'AUD', amount: 1 })
    expect((await readBills({ currency: 'AUD' }))[0]).toMatchObject({ status: 'paid', amount_due: 0 })
    expect(
      unwrap(await erp.erp.bills({ ...createListInput(), status: 'open' })).bills.map(
        ({ currency }) => currency,
      ),
    ).toEqual(['CNY', 'CNY'])
  })
})

describe('a page', () => {
  it('that ends at as_of is the same for ever, whatever is booked in the same millisecond', async () => {
    await submit('o-1', 1)
    const first = await readTransactions({ limit: 5 })
    const to = new Date(Date.parse(first.as_of) + 1).toISOString()
    await submit('o-2', 1)
    expect((await readTransactions({ limit: 5, to })).transactions).toEqual(first.transactions)
    const newest = (await readTransactions({ limit: 1 })).transactions[0]
    expect(newest?.document?.reference).toBe('o-2')
    expect(Date.parse(newest?.occurred_at ?? '')).toBeGreaterThan(Date.parse(first.as_of))
  })

  it('has the newest booking first, also where the clock was set back', async () => {
    await submit('o-1', 1)
    erp.advance(-dayMs)
    await submit('o-2', 1)
    const [second, first] = (await readTransactions({ limit: 2 })).transactions
    expect([first?.document?.reference, second?.document?.reference]).toEqual(['o-1', 'o-2'])
    expect(second?.balance_after).toBe((first?.balance_after ?? 0) + (second?.amount ?? 0))
  })

  it('begins after a place, passes rows over, and refuses a place that is none', async () => {
    const all = (await readTransactions()).transactions
    const { next } = await readTransactions({ limit: 3 })
    expect((await readTransactions({ after: next, skip: 2, limit: 4 })).transactions).toEqual(all.slice(5, 9))
    const answer = await erp.erp.transactions(createListInput({ after: 'nowhere' }))
    expect(answer).toMatchObject({ rejected: { reason: 'invalid_field' } })
  })

  it('without rows returns the balance at the start of its span', async () => {
    await submit('o-1', 1)
    const from = new Date(testStart + dayMs).toISOString()
    const { balance = 0 } = (await readBalance('AUD')) ?? {}
    const { transactions: rows, balances } = await readTransactions({ currency: 'AUD', from })
    expect([rows, balances]).toEqual([
      [],
      [{ currency: 'AUD', opening_balance: balance, closing_balance: balance }],
    ])
  })
})
