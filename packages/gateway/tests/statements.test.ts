/**
 * Reconciliation over HTTP (contract §4, §10): the ERP's ledger with the gateway's field names, page by page, as JSON
 * and CSV.
 */

import {
  callOperation,
  createErp,
  operations,
  rejected,
  UnknownOutcome,
  withoutLedger,
} from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { buyers, call, createWorld, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  type Buyer,
  buildDropship,
  buildIdPattern,
  createDraft,
  expectData,
  expectError,
  findReference,
  openShop,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let other: Buyer
/** The requests that reached the ERP. */
const asked: LooseJson[] = []
/** How the ERP responds to them. */
let mood: 'well' | 'away' | 'late' | 'poor' | 'forgetful' | 'mute' | 'stubborn' = 'well'

const lists = ['balances', 'transactions', 'bills', 'refunds', 'freight-bills'] as const
const ledgerOperations: readonly string[] = ['balances', 'transactions', 'bills', 'refunds', 'freight_bills']
const dayMs = 24 * 60 * 60 * 1000
/** A period that contains the whole history of the sandbox. */
const everything = 'start_date=2026-08-01&end_date=2026-12-31'

beforeAll(async () => {
  house = await openTestGateway({
    styles: 60,
    wrapErp: (erp) =>
      createErp((id, input, options) => {
        if (mood === 'mute' && id === 'submit') {
          return callOperation(erp, id, input, options).then(() =>
            Promise.reject(new UnknownOutcome('timeout', 'Its answer is lost.')),
          )
        }
        if (!ledgerOperations.includes(id)) return callOperation(erp, id, input, options)
        asked.push({ id, ...Object(input) })
        if (mood === 'well' || (mood === 'forgetful' && Object(input).after === null))
          return callOperation(erp, id, input, options)
        if (mood === 'stubborn') return Promise.resolve(rejected('invalid_field', 'Not on a Sunday.'))
        if (mood === 'forgetful') return Promise.resolve(rejected('invalid_field', 'No such place.'))
        if (mood === 'poor') return callOperation({ ...erp, ...withoutLedger }, id, input, options)
        const kind = mood === 'late' ? 'timeout' : 'unreachable'
        return Promise.reject(new UnknownOutcome(kind, 'It is away.'))
      }),
  })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

const readPage = async (path: string, from = shop): Promise<LooseJson> => {
  const answer = await from.get(path)
  expectData(answer)
  return answer.json
}
const readRows = async (path: string, from = shop): Promise<LooseJson[]> => (await readPage(path, from)).data
const toMinorUnits = (amount: number) => Math.round(amount * 100)
const readBalance = async (currency = 'AUD') => {
  const [balance] = await readRows(`/balances?currency=${currency}`)
  return {
    balance: toMinorUnits(balance?.balance),
    frozen: toMinorUnits(balance?.frozen),
    available: toMinorUnits(balance?.available),
  }
}

/** Reads every page of a list, as a client would. */
async function readAllPages(path: string, pageSize: number, from = shop): Promise<LooseJson[]> {
  const pages: LooseJson[] = []
  let more = ''
  for (let number = 1; number < 200; number++) {
    const json = await readPage(`${path}&page_size=${pageSize}&page=${number}${more}`, from)
    pages.push(json)
    if (!json.has_more) return pages
    more = `&as_of=${json.as_of}`
  }
  throw new Error('The list has no end.')
}

/** A page without its cursor, which is encrypted anew for each response. */
function omitCursor({ next_cursor: _cursor, ...page }: LooseJson = {}) {
  return page
}

/** Advances the clock until writes of unknown outcome are looked up again, and settles them. */
async function settleOpenWrites() {
  for (let turn = 0; turn < 4; turn++) {
    await settleAll(house.gateway, writes)
    house.clock.advance(6_000)
  }
}

async function createShippedOrder(): Promise<{ order: LooseJson; shipments: LooseJson[] }> {
  const draft = await createDraft(shop, await shop.createSku({ AUSYD1: 5 }))
  const order = expectData(await shop.post(`/orders/${draft.order_id}/submit`))
  house.sandbox.steering.ship(await findReference(house, order.order_id))
  await house.settle()
  return { order, shipments: await readRows(`/shipments?order_id=${order.order_id}`) }
}

describe('the transactions', () => {
  it('are a chain in each currency over every page break, and each page tells what is around it', async () => {
    const pages = await readAllPages(`/transactions?${everything}`, 7)
    const rows: LooseJson[] = pages.flatMap(({ data }) => data)
    expect(rows.length).toBeGreaterThan(100)
    expect(new Set(rows.map(({ transaction_id }) => transaction_id)).size).toBe(rows.length)
    for (const currency of ['AUD', 'CNY']) {
      const own = rows.filter((row) => row.currency === currency).toReversed()
      let before = 0
      for (const row of own) {
        expect([row.transaction_id, toMinorUnits(row.balance_after)]).toEqual([
          row.transaction_id,
          before + toMinorUnits(row.amount),
        ])
        before = toMinorUnits(row.balance_after)
      }
      const seams = pages.map(({ balances }) =>
        balances.find((each: LooseJson) => each.currency === currency),
      )
      seams.forEach((seam, index) => {
        const sum = pages[index]?.data
          .filter((row: LooseJson) => row.currency === currency)
          .reduce((total: number, { amount }: LooseJson) => total + toMinorUnits(amount), 0)
        expect(toMinorUnits(seam.opening_balance) + sum).toBe(toMinorUnits(seam.closing_balance))
        expect(seam.closing_balance).toBe(seams[index - 1]?.opening_balance ?? seam.closing_balance)
      })
      expect([seams[0].closing_balance, seams.at(-1).opening_balance]).toEqual([before / 100, 0])
    }
  })

  it('go on from the ERP’s place by cursor, and pass rows over where a page is jumped to', async () => {
    const pages = await readAllPages(`/transactions?${everything}`, 30)
    asked.length = 0
    const cursor = `/transactions?${everything}&page_size=30&cursor=${pages[0]?.next_cursor}`
    expect(omitCursor(await readPage(cursor))).toEqual(omitCursor(pages[1]))
    expect(asked).toMatchObject([{ skip: 0, after: expect.any(String), limit: 30 }])
    const rows = pages.flatMap(({ data }) => data)
    const at = `/transactions?${everything}&as_of=${pages[0]?.as_of}`
    expect(await readRows(`${at}&page_size=31&page=3`)).toEqual(rows.slice(62, 93))
    expect(asked[1]).toMatchObject({ skip: 62, after: null, limit: 31 })
  })

  it('take a cursor of this channel, list and filter only, and none that was changed', async () => {
    const { next_cursor } = await readPage(`/transactions?${everything}&page_size=2`)
    expect(next_cursor).toBeTypeOf('string')
    const read = (path: string, from = shop) => from.get(`${path}&page_size=2`)
    const changed = `${next_cursor.slice(0, -4)}${next_cursor.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
    const path = `/transactions?${everything}`
    expectData(await read(`${path}&cursor=${next_cursor}`))
    for (const answer of [
      await read(`${path}&cursor=${next_cursor}`, other),
      await read(`/bills?${everything}&cursor=${next_cursor}`),
      await read(`${path}&currency=AUD&cursor=${next_cursor}`),
      await read(`/transactions?start_date=2026-08-02&end_date=2026-12-31&cursor=${next_cursor}`),
      await read(`${path}&cursor=${changed}`),
      await read(`${path}&cursor=x`),
    ])
      expectError(answer, 'VALIDATION_FAILED', { param: 'cursor' })
  })

  it('keep the ERP’s own cursor from the reader', async () => {
    const { next_cursor } = await readPage(`/transactions?${everything}&page_size=2`)
    asked.length = 0
    await readPage(`/transactions?${everything}&page_size=2&cursor=${next_cursor}`)
    const inside = Buffer.from(next_cursor, 'base64url').toString('latin1')
    expect(asked[0]?.after).toBeTypeOf('string')
    expect(inside).not.toContain(asked[0]?.after)
  })

  it('go on from a place of their own, whoever else reads, and whatever else', async () => {
    const { as_of } = await readPage(`/transactions?${everything}&page_size=1`)
    const lists = [
      ['', shop],
      ['', other],
      ['&currency=AUD', shop],
      ['&currency=CNY', shop],
    ] as const
    const read = ([more, from]: (typeof lists)[number], rest: string) =>
      readPage(`/transactions?${everything}&page_size=17&${rest}${more}`, from)
    const first = await Promise.all(lists.map((list) => read(list, `as_of=${as_of}`)))
    asked.length = 0
    for (const [index, list] of lists.entries()) {
      const [more, from] = list
      const whole = await readRows(`/transactions?${everything}&page_size=34&as_of=${as_of}${more}`, from)
      const { data } = await read(list, `cursor=${first[index]?.next_cursor}`)
      expect(data).toEqual(whole.slice(17))
      expect(asked.at(-1)).toMatchObject({ skip: 0, after: expect.any(String) })
    }
  })

  it('of as_of stay as they were, whatever is booked afterwards, and without it the newest is there', async () => {
    const known = await readPage('/transactions?page_size=5')
    const { order } = await createShippedOrder()
    const again = await readPage(`/transactions?page_size=5&as_of=${known.as_of}`)
    expect(omitCursor(again)).toEqual(omitCursor(known))
    const [freight, charge] = await readRows('/transactions?page_size=2')
    expect([freight?.type, charge?.reference_id]).toEqual(['freight', order.order_id])
  })
})

describe('an order', () => {
  it('is charged under our id; its freight is billed under the shipment’s; together they are its total', async () => {
    const { order, shipments } = await createShippedOrder()
    const [freight, charge] = await readRows('/transactions?page_size=2')
    const [bill] = await readRows('/freight-bills?page_size=1')
    expect(charge).toMatchObject({
      type: 'order_charge',
      reference_type: 'order',
      reference_id: order.order_id,
      currency: 'AUD',
      bill_id: null,
    })
    expect(freight).toMatchObject({ reference_type: 'freight_bill', reference_id: bill?.freight_bill_id })
    expect(bill).toMatchObject({
      transaction_id: freight?.transaction_id,
      shipment_id: shipments[0]?.shipment_id,
      order_id: order.order_id,
      dropship_order_id: null,
      tracking_number: shipments[0]?.tracking_number,
      amount: -freight?.amount,
      zone: 'AU-AU',
    })
    expect(toMinorUnits(charge?.amount) + toMinorUnits(freight?.amount)).toBe(
      -toMinorUnits(order.costs.total),
    )
  })

  it('is named by our id before its answer came, and its shipment once we know of it, never by two names', async () => {
    const draft = await createDraft(shop, await shop.createSku({ AUSYD1: 5 }))
    mood = 'mute'
    await shop.post(`/orders/${draft.order_id}/submit`).finally(() => {
      mood = 'well'
    })
    const { db } = house.gateway.store
    const kept = await db
      .selectFrom('orders')
      .select('in_doubt')
      .where('order_id', '=', draft.order_id)
      .executeTakeFirstOrThrow()
    expect(kept.in_doubt).not.toBe(0)
    const [charge] = await readRows('/transactions?page_size=1')
    expect(charge).toMatchObject({ reference_type: 'order', reference_id: draft.order_id })

    house.sandbox.steering.ship(await findReference(house, draft.order_id))
    const [unknown] = await readRows('/freight-bills?page_size=1')
    expect(unknown).toMatchObject({ order_id: draft.order_id, shipment_id: null })
    expect(unknown?.shipment_number).toMatch(/^SH-/)
    await settleOpenWrites()
    await house.settle()
    const [shipment] = await readRows(`/shipments?order_id=${draft.order_id}`)
    const [known] = await readRows('/freight-bills?page_size=1')
    expect(shipment?.shipment_id).toBeTypeOf('string')
    expect(known).toEqual({ ...unknown, shipment_id: shipment?.shipment_id })
  })

  it('that is voided is refunded by a transaction of the same amount', async () => {
    const before = await readBalance()
    const sku = await shop.createSku({ AUSYD1: 5 })
    const { dropship_order_id, costs } = expectData(
      await shop.post('/dropship-orders/submit', buildDropship(sku)),
    )
    const during = await readBalance()
    expect(during.available).toBe(before.available - toMinorUnits(costs.total))
    expectData(await shop.send('DELETE', `/dropship-orders/${dropship_order_id}`))
    const [refund] = await readRows('/refunds?page_size=1')
    const [booked] = await readRows('/transactions?page_size=1')
    expect(refund).toMatchObject({
      order_type: 'dropship',
      order_id: null,
      dropship_order_id,
      status: 'completed',
    })
    expect(refund).toMatchObject({ transaction_id: booked?.transaction_id, amount: booked?.amount })
    expect(booked).toMatchObject({ reference_type: 'dropship_order', reference_id: dropship_order_id })
    expect(await readBalance()).toEqual(before)
  })

  it('in preview sets its total aside until it is released', async () => {
    const before = await readBalance()
    const body = buildDropship(await shop.createSku({ AUSYD1: 5 }))
    const { dropship_order_id, costs } = expectData(
      await shop.post('/dropship-orders/allocation-preview', body),
    )
    const frozen = before.frozen + toMinorUnits(costs.total)
    expect(await readBalance()).toEqual({
      ...before,
      frozen,
      available: before.available - toMinorUnits(costs.total),
    })
    expectData(await shop.send('DELETE', `/dropship-orders/${dropship_order_id}/allocation`))
    expect(await readBalance()).toEqual(before)
  })
})

describe('the records', () => {
  it('of the ERP alone have ids of ours that stay the same, and its own numbers beside no id where we have no document', async () => {
    const [transactions, bills, refunds, freight] = [
      await readRows(`/transactions?${everything}&page_size=200`),
      await readRows(`/bills?${everything}`),
      await readRows(`/refunds?${everything}&page_size=200`),
      await readRows(`/freight-bills?${everything}&page_size=200`),
    ]
    expect(transactions.every(({ transaction_id }) => buildIdPattern('trx').test(transaction_id))).toBe(true)
    expect(bills.every(({ bill_id }) => buildIdPattern('bil').test(bill_id))).toBe(true)
    expect(refunds.every(({ refund_id }) => buildIdPattern('rfd').test(refund_id))).toBe(true)
    expect(freight.every(({ freight_bill_id }) => buildIdPattern('frb').test(freight_bill_id))).toBe(true)
    expect(await readRows(`/bills?${everything}`)).toEqual(bills)
    const old = freight.at(-1)
    expect(old).toMatchObject({ shipment_id: null, order_id: null, dropship_order_id: null })
    expect([old?.order_number, old?.shipment_number]).toEqual([
      expect.stringMatching(/^SO-H/),
      expect.stringMatching(/^SH-H/),
    ])
    expect(refunds.at(-1)).toMatchObject({ order_id: null, dropship_order_id: null })
    expect(refunds.at(-1)?.order_number).toMatch(/^SO-H/)
  })

  it('fit together: bills are their transactions, and refunds and freight bills are booked', async () => {
    const transactions = (await readAllPages(`/transactions?${everything}`, 200)).flatMap(({ data }) => data)
    const byId = new Map<string, LooseJson>(transactions.map((row) => [row.transaction_id, row]))
    const bills = await readRows(`/bills?${everything}`)
    expect(bills.length).toBeGreaterThan(2)
    for (const bill of bills) {
      const own = transactions.filter(({ bill_id }) => bill_id === bill.bill_id)
      expect(own.reduce((sum, { amount }) => sum - toMinorUnits(amount), 0)).toBe(
        toMinorUnits(bill.amount_total),
      )
      expect(toMinorUnits(bill.amount_due)).toBe(
        toMinorUnits(bill.amount_total) - toMinorUnits(bill.amount_paid),
      )
    }
    for (const refund of await readRows(`/refunds?${everything}&status=completed&page_size=200`))
      expect(byId.get(refund.transaction_id)).toMatchObject({ type: 'refund', amount: refund.amount })
    for (const bill of (await readAllPages(`/freight-bills?${everything}`, 200)).flatMap(({ data }) => data))
      expect(byId.get(bill.transaction_id)).toMatchObject({ type: 'freight', amount: -bill.amount })
  })
})

describe('a list', () => {
  const dated = [
    ['transactions', 'occurred_at'],
    ['bills', 'issued_at'],
    ['refunds', 'requested_at'],
    ['freight-bills', 'billed_at'],
  ] as const

  it.each(dated)(
    'of %s is dated by %s: the days asked for, both included, else the last 30',
    async (list, field) => {
      const all = (await readAllPages(`/${list}?${everything}`, 200)).flatMap(({ data }) => data)
      const readDay = (row: LooseJson) => String(row[field]).slice(0, 10)
      const [start, end] = ['2026-09-05', '2026-11-01']
      const within = all.filter((row) => readDay(row) >= start && readDay(row) <= end)
      expect(within.length).toBeGreaterThan(0)
      const asked = (await readAllPages(`/${list}?start_date=${start}&end_date=${end}`, 200)).flatMap(
        ({ data }) => data,
      )
      expect(asked).toEqual(within)
      const recent = all.filter((row) => readDay(row) >= '2026-10-23')
      expect((await readAllPages(`/${list}?`, 200)).flatMap(({ data }) => data)).toEqual(recent)
    },
  )

  it('of balances has no window, and with days those that were booked on last within them', async () => {
    expect((await readRows('/balances')).map(({ currency }) => currency)).toEqual(['AUD', 'CNY'])
    expect(await readRows('/balances?start_date=2026-08-01&end_date=2026-08-02')).toEqual([])
    expect(await readPage('/balances?page=2&page_size=1')).toMatchObject({
      has_more: false,
      page: 2,
      data: [{ currency: 'CNY' }],
    })
  })

  it.each(lists)('of %s refuses a span that is none, and charges nothing for it', async (list) => {
    // Refused calls of the tests before count in the same minute.
    house.clock.advance(60_000)
    const reversed = await shop.get(`/${list}?start_date=2026-11-02&end_date=2026-11-01`)
    expectError(reversed, 'VALIDATION_FAILED', { param: 'start_date' })
    expect(reversed.headers.get('ratelimit-cost')).toBe('0')
    const long = await shop.get(`/${list}?start_date=2025-11-01&end_date=2026-11-02`)
    expectError(long, 'VALIDATION_FAILED', { param: 'start_date' })
    expect((await shop.get(`/${list}?start_date=2025-11-02&end_date=2026-11-02`)).status).toBe(200)
  })

  it.each(dated)(
    'of %s asks the ERP for times that its connector accepts, up to the ends of the calendar',
    async (list) => {
      const id = list === 'freight-bills' ? 'freight_bills' : list
      for (const ends of [
        'end_date=9999-12-31',
        'end_date=9999-12-30',
        'start_date=1970-01-01&end_date=1970-01-01',
        'as_of=9999-12-31T23:59:59.999Z',
        'as_of=0000-01-01T00:00:00.000Z',
        'as_of=9999-12-31T23:59:59.999Z&end_date=9999-12-31',
      ]) {
        asked.length = 0
        expectData(await shop.get(`/${list}?${ends}`))
        expect(asked.length).toBeGreaterThan(0)
        expect(asked.map((each) => operations[id].input.safeParse(each).error)).toEqual(
          asked.map(() => undefined),
        )
      }
    },
  )

  it.each(lists)(
    'of %s takes a currency, and refuses one that is none or of which there is no account',
    async (list) => {
      const days = list === 'balances' ? '' : `${everything}&`
      const whole = (await readAllPages(`/${list}?${days}`, 200)).flatMap(({ data }) => data)
      const own = (await readAllPages(`/${list}?${days}currency=CNY`, 200)).flatMap(({ data }) => data)
      expect(own.length).toBeGreaterThan(0)
      expect(own).toEqual(whole.filter(({ currency }) => currency === 'CNY'))
      for (const currency of ['XYZ', 'aud', 'AU', '']) {
        const answer = await shop.get(`/${list}?currency=${currency}`)
        expectError(answer, 'VALIDATION_FAILED', { param: 'currency', reason: 'invalid_field' })
        expect(Number(answer.headers.get('ratelimit-cost'))).toBeLessThanOrEqual(1)
      }
      const { message } = expectError(await shop.get(`/${list}?currency=EUR`), 'VALIDATION_FAILED', {
        param: 'currency',
      })
      expect(message).toContain('EUR')
    },
  )

  it.each([
    ['bills', 'open', 'paid'],
    ['refunds', 'completed', 'rejected'],
  ])('of %s takes a status, %s or %s, and refuses an unknown word', async (list, ...states) => {
    const all = (await readAllPages(`/${list}?${everything}`, 200)).flatMap(({ data }) => data)
    for (const status of states) {
      const some = await readRows(`/${list}?${everything}&status=${status}&page_size=200`)
      expect(some.length).toBeGreaterThan(0)
      expect(some).toEqual(all.filter((row) => row.status === status))
    }
    expectError(await shop.get(`/${list}?status=shipped`), 'VALIDATION_FAILED', { param: 'status' })
    expectError(await shop.get('/transactions?status=open'), 'VALIDATION_FAILED', { param: 'status' })
  })

  it.each(lists)('of %s costs 1 point', async (list) => {
    expect((await shop.get(`/${list}`)).headers.get('ratelimit-cost')).toBe('1')
  })
})

describe('a channel', () => {
  it.each(lists)('sees nothing of another one in %s', async (list) => {
    const days = list === 'balances' ? '' : everything
    await createShippedOrder()
    const [own, theirs] = [
      await readRows(`/${list}?${days}&page_size=200`),
      await readRows(`/${list}?${days}&page_size=200`, other),
    ]
    expect(theirs.length).toBeGreaterThan(0)
    const known = new Set(own.map((row) => JSON.stringify(row)))
    expect(theirs.filter((row) => known.has(JSON.stringify(row)))).toEqual([])
    expect(asked.at(-1)).toMatchObject({ customer_code: 'CUST-LANTERN' })
  })

  it('is told the ERP’s number, not the id, of an order that is not its own', async () => {
    const { order } = await createShippedOrder()
    const { db } = house.gateway.store
    const assignToChannel = (channel_code: string) =>
      db.updateTable('orders').set({ channel_code }).where('order_id', '=', order.order_id).execute()
    await assignToChannel('a-channel-that-was')
    const [bill] = await readRows('/freight-bills?page_size=1')
    const [, charge] = await readRows('/transactions?page_size=2')
    await assignToChannel('channel-of-CUST-HARBOUR')
    expect(charge?.reference_id).toMatch(/^SO-/)
    expect(bill).toMatchObject({ order_id: null, shipment_id: null, order_number: charge?.reference_id })
    expect(bill?.shipment_number).toMatch(/^SH-/)
  })

  it.each(lists)('without a customer has no %s, and the ERP is not asked', async (list) => {
    const { token } = await createWorld(house)
    asked.length = 0
    const { json } = await call(house, 'GET', `/api/v1/${list}`, { token })
    expect(json).toMatchObject({ data: [], has_more: false })
    expect(asked).toEqual([])
  })

  it.each(lists)(
    'without a customer is refused a currency that is none in %s, as any other is',
    async (list) => {
      const { token } = await createWorld(house)
      const answer = await call(house, 'GET', `/api/v1/${list}?currency=XYZ`, { token })
      expectError(answer, 'VALIDATION_FAILED', { param: 'currency', reason: 'invalid_field' })
    },
  )

  it.each(lists)('of the plan trader may not read %s', async (list) => {
    const { token } = await createWorld(house, { plan: 'trader' })
    const error = { required_capability: 'statements.read', plan: 'trader', required_plan: 'full' }
    expectError(await call(house, 'GET', `/api/v1/${list}`, { token }), 'SCOPE_DENIED', error)
  })
})

describe('an ERP', () => {
  it.each(lists)('that is away has no %s to tell, and late is told apart', async (list) => {
    try {
      mood = 'away'
      const away = await shop.get(`/${list}`)
      expectError(away, 'UPSTREAM_ERROR', { retryable: true })
      expect(away.headers.get('retry-after')).toBe('2')
      mood = 'late'
      expectError(await shop.get(`/${list}`), 'UPSTREAM_TIMEOUT', { retryable: true })
      mood = 'poor'
      expectError(await shop.get(`/${list}`), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    } finally {
      mood = 'well'
      house.clock.advance(10_000)
    }
  })
})

describe('an ERP that refuses a question for a reason of its own', () => {
  it.each(lists)('is quoted in %s, and the currency is not blamed for it', async (list) => {
    try {
      mood = 'stubborn'
      const { message } = expectError(await shop.get(`/${list}?currency=AUD`), 'UPSTREAM_REJECTED')
      expect(message).toContain('Not on a Sunday.')
      asked.length = 0
      expectError(await shop.get(`/${list}`), 'UPSTREAM_REJECTED')
      expect(asked).toHaveLength(1)
    } finally {
      mood = 'well'
      house.clock.advance(10_000)
    }
  })
})

describe('an ERP that forgot a place', () => {
  it('is asked to pass rows over instead', async () => {
    const pages = await readAllPages(`/transactions?${everything}&currency=AUD`, 23)
    const at = `/transactions?${everything}&currency=AUD&page_size=23&cursor=${pages[0]?.next_cursor}`
    try {
      mood = 'forgetful'
      expect(omitCursor(await readPage(at))).toEqual(omitCursor(pages[1]))
      expect(asked.slice(-2)).toMatchObject([{ after: expect.any(String) }, { after: null, skip: 23 }])
    } finally {
      mood = 'well'
    }
  })
})

describe('CSV', () => {
  const readCsv = (path: string, accept = 'text/csv') => shop.send('GET', path, { headers: { accept } })

  it.each(lists)('of %s has the rows of the JSON under the names of its fields', async (list) => {
    const days = list === 'balances' ? '' : `${everything}&`
    const { data, as_of, has_more } = await readPage(`/${list}?${days}page_size=3`)
    const answer = await readCsv(`/${list}?${days}page_size=3&as_of=${as_of}`)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Encoding')
    const [header = '', ...lines] = answer.text.split('\r\n').slice(0, -1)
    expect(header.split(',')).toEqual(Object.keys(data[0]))
    expect(lines).toEqual(data.map((row: LooseJson) => Object.values(row).map(toCell).join(',')))
    expect(answer.headers.has('link')).toBe(has_more)
  })

  function toCell(value: unknown): string {
    const text = value === null ? '' : String(value)
    return text.includes(',') ? `"${text}"` : text
  }

  it('is read on page by page by its link, which keeps later rows out', async () => {
    const whole = (await readAllPages(`/freight-bills?${everything}`, 200)).flatMap(({ data }) => data)
    let path: string | undefined = `/freight-bills?${everything}&page_size=9`
    const ids: string[] = []
    while (path !== undefined) {
      const answer = await readCsv(path)
      ids.push(
        ...answer.text
          .split('\r\n')
          .slice(1, -1)
          .map((line) => line.split(',')[0] ?? ''),
      )
      path = /^<\/api\/v1(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
      if (path !== undefined) expect(path).toContain('cursor=')
    }
    expect(ids).toEqual(whole.map(({ freight_bill_id }) => freight_bill_id))
  })

  it('is what Accept asks for by weight, and JSON otherwise; a failure is JSON', async () => {
    const readType = async (accept: string) =>
      (await readCsv('/balances', accept)).headers.get('content-type')
    expect(await readType('application/json;q=0.5, text/csv')).toMatch(/^text\/csv/)
    expect(await readType('text/csv;q=0.5, application/json')).toMatch(/^application\/json/)
    expect(await readType('*/*')).toMatch(/^application\/json/)
    const failed = await readCsv('/balances?currency=XYZ')
    expectError(failed, 'VALIDATION_FAILED')
    expect((await shop.get('/balances')).headers.get('vary')).toBe('Accept, Accept-Encoding')
  })

  it('runs no formula that came in as an order number', async () => {
    const body = buildDropship(await shop.createSku({ AUSYD1: 5 }), { client_order_number: '=1+2' })
    expectData(await shop.post('/dropship-orders/submit', body))
    const [charge] = await readRows('/transactions?page_size=1')
    expect(charge?.client_order_number).toBe('=1+2')
    expect((await readCsv('/transactions?page_size=1')).text).toContain(`,'=1+2,`)
  })
})

describe('what was booked a moment ago', () => {
  it('is there also where the ERP’s clock is ahead of ours', async () => {
    house.sandbox.steering.advance(90)
    const { order } = await createShippedOrder()
    const [, charge] = await readRows('/transactions?page_size=2')
    expect(charge?.reference_id).toBe(order.order_id)
    expect(Date.parse(charge?.occurred_at)).toBeGreaterThan(house.clock.now())
  })
})

describe('a list without days that is read over midnight', () => {
  it('has one beginning, the day of its as_of, also where the ERP’s day begins before ours', async () => {
    const late = await openTestGateway({ styles: 10, erpAheadMs: 60_000 })
    try {
      const reader = openShop(late)
      const all = (await readAllPages(`/freight-bills?${everything}`, 200, reader)).flatMap(
        ({ data }) => data,
      )
      // The list begins 30 days before its `as_of`. The day that drops out at midnight must have rows, so that pages
      // with different beginnings would differ.
      const oldest = all
        .map(({ billed_at }) => String(billed_at).slice(0, 10))
        .findLast((day) => day >= '2026-10-23')
      late.clock.set(Date.parse(oldest ?? '') + 30 * dayMs - 30_000)
      const wanted = all.filter(({ billed_at }) => billed_at.slice(0, 10) > String(oldest))
      expect(wanted.length).toBeGreaterThan(4)
      const whole = await readPage('/freight-bills?page_size=200', reader)
      expect(whole.as_of.slice(10)).toBe('T00:00:30.000Z')
      const old = whole.data.slice(-wanted.length)
      expect(old).toEqual(wanted)
      const first = await readPage('/freight-bills?page_size=4', reader)
      const rows = [...first.data]
      let hasMore = first.has_more
      for (let number = 2; hasMore; number++) {
        late.clock.advance(60_000)
        const next = await readPage(`/freight-bills?page_size=4&page=${number}&as_of=${first.as_of}`, reader)
        rows.push(...next.data)
        hasMore = next.has_more
      }
      expect(rows).toEqual(whole.data)
    } finally {
      await late.close()
    }
  })
})
