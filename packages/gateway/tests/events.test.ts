import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { en } from '../src/contract/texts/en.ts'
import { deriveEventId } from '../src/events/outbox.ts'
import { pruneEvents } from '../src/events/prune.ts'
import { buildSharedEventsQuery } from '../src/events/read.ts'
import { publishStockChanges } from '../src/events/stock-changed.ts'
import { prune } from '../src/housekeeping.ts'
import { orderSubmit } from '../src/orders/submit.ts'
import { toJson } from '../src/store/json.ts'
import type { IntentRow } from '../src/store/tables.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { SettledElsewhere } from '../src/writes/intent.ts'
import { applyOutcome } from '../src/writes/perform.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
  type World,
} from './harness.ts'
import {
  deliverDue,
  listDeliveries,
  openReceiver,
  privateNets,
  type Receiver,
  readNewest,
  registerEndpoint,
} from './receiver.ts'
import {
  type Buyer,
  buildDropship,
  createDraft,
  expectData,
  expectError,
  openShop,
  setStock,
} from './trade.ts'

let house: TestGateway
let shop: Buyer

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  shop = openShop(house)
  // The gateway's calls to the sandbox ERP's controls do nothing here, so the ERP's clock is never advanced and may
  // differ from the gateway's.
  Object.assign(house.gateway.upstream, { steer: async () => ({ status: 200, body: {} }) })
  await publishStockChanges(house.gateway)
})
afterAll(() => house.close())

const day = 24 * 60 * 60_000

/** Changes the stock of a SKU in the ERP and syncs it. */
async function moveStock(warehouse: string, sku: string, on_hand: number) {
  setStock(house, warehouse, sku, on_hand)
  await house.settle()
}

async function publishAndNumberStockEvents() {
  await publishStockChanges(house.gateway)
  while (await sequenceEvents(house.gateway));
}

/** Reads all events of a channel, page by page. */
async function readEvents(token: string, pageSize = 200, since?: string): Promise<LooseJson[]> {
  const found: LooseJson[] = []
  for (let cursor = since, more = true; more; ) {
    const query = cursor === undefined ? '' : `&since=${cursor}`
    const { json } = await call(house, 'GET', `/api/v1/events?page_size=${pageSize}${query}`, { token })
    found.push(...json.data)
    cursor = found.at(-1)?.event_id ?? cursor
    more = json.has_more
  }
  return found
}

describe('stock.changed', () => {
  let receiver: Receiver
  let channel: World
  beforeEach(async () => {
    receiver = await openReceiver()
    channel = await createWorld(house)
    house.clock.advance(10_000)
    await publishAndNumberStockEvents()
    await deliverDue(house)
  })

  const types = { event_types: ['stock.changed'] }
  const listWarehouseCodes = () => receiver.received.map(({ event }) => event.data.warehouse_code).sort()

  it('is one for a warehouse in five seconds, with the rows that changed since the one before', async () => {
    await registerEndpoint(house, channel.token, receiver.url, types)
    const skus = [await shop.createSku(), await shop.createSku()]
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    await deliverDue(house)
    const before = receiver.received.find(({ event }) => event.data.warehouse_code === 'AUSYD1')?.event.data
      .version
    receiver.received.length = 0
    await moveStock('AUSYD1', skus[0] ?? '', 41)
    await publishAndNumberStockEvents()
    house.clock.advance(4_999)
    await moveStock('AUSYD1', skus[1] ?? '', 42)
    await moveStock('AUSYD1', skus[0] ?? '', 43)
    await publishAndNumberStockEvents()
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    house.clock.advance(1)
    await publishAndNumberStockEvents()
    await publishAndNumberStockEvents()
    await deliverDue(house)
    expect(receiver.received).toHaveLength(1)
    const { data } = readNewest(receiver).event
    const feed = await call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock/changes?since=${before}`, {
      token: channel.token,
    })
    expect(data).toMatchObject({
      warehouse_code: 'AUSYD1',
      since: before,
      version: feed.json.version,
      latest: feed.json.version,
      changed_count: 2,
      truncated: false,
      changes_url: `/api/v1/warehouses/AUSYD1/stock/changes?since=${before}`,
    })
    expect(data.rows).toEqual(feed.json.data)
    expect(data.rows.map((row: LooseJson) => row.quantity_on_hand).sort()).toEqual([42, 43])
  })

  it('is not silenced by a clock that was ahead when the one before was told', async () => {
    const countTold = async () =>
      (await house.gateway.store.db.selectFrom('outbox').selectAll().execute()).length +
      (
        await house.gateway.store.db
          .selectFrom('events')
          .where('type', '=', 'stock.changed')
          .selectAll()
          .execute()
      ).length
    const sku = await shop.createSku()
    await moveStock('AUSYD1', sku, 51)
    await publishAndNumberStockEvents()
    const ahead = house.clock.now() + 24 * 60 * 60_000
    await house.gateway.store.db.updateTable('stock_marks').set({ marked_at: ahead }).execute()
    const before = await countTold()
    await moveStock('AUSYD1', sku, 52)
    await publishStockChanges(house.gateway)
    expect(await countTold()).toBeGreaterThan(before)
  })

  it('follows its predecessor in the feed even if the clock went back in between', async () => {
    const sku = await shop.createSku()
    await moveStock('AUSYD1', sku, 61)
    await publishStockChanges(house.gateway)
    const before = await countOutboxEvents()
    expect(before).toBeGreaterThan(0)
    await moveStock('AUSYD1', sku, 62)
    house.clock.advance(-60_000)
    await publishAndNumberStockEvents()
    await publishAndNumberStockEvents()
    house.clock.advance(60_000)
    const query = house.gateway.store.db.selectFrom('events').select(['number', 'data'])
    const rows = await query.where('type', '=', 'stock.changed').orderBy('number').execute()
    const versions = rows
      .map(({ data }) => JSON.parse(data))
      .filter(({ warehouse_code }) => warehouse_code === 'AUSYD1')
      .map(({ version }) => Number(version))
    expect(versions).toEqual(versions.toSorted((a, b) => a - b))
    expect(versions.at(-1)).toBe(house.gateway.mirror.stock.snapshot('AUSYD1')?.version)
  })

  it('adds the rows as they are when it is sent', async () => {
    await registerEndpoint(house, channel.token, receiver.url, types)
    const sku = await shop.createSku({ CHNZJ1: 987 })
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    receiver.answers = Array.from({ length: 9 }, () => 500)
    await deliverDue(house)
    receiver.answers = []
    receiver.received.length = 0
    await moveStock('CHNZJ1', sku, 77)
    house.clock.advance(30_000)
    await deliverDue(house)
    const told = receiver.received.find(({ event }) => event.data.warehouse_code === 'CHNZJ1')?.event.data
    expect(told.rows.find((row: LooseJson) => row.sku === sku).quantity_on_hand).toBe(77)
    expect(told.latest).toBeGreaterThan(told.version)
  })

  it('carries at most 100 rows and says where the others are', async () => {
    const rows = house.sandbox.store.all(
      "select sku from stock where warehouse_code = 'AUSYD2' and sku not like 'SBX-%' limit 130",
    )
    await registerEndpoint(house, channel.token, receiver.url, { ...types, warehouse_codes: ['AUSYD2'] })
    for (const { sku } of rows) setStock(house, 'AUSYD2', String(sku), 321)
    await house.settle()
    await publishAndNumberStockEvents()
    await deliverDue(house)
    const { data } = readNewest(receiver).event
    expect(data.rows).toHaveLength(100)
    expect(data).toMatchObject({ truncated: true })
    expect(data.changed_count).toBeGreaterThan(100)
  })

  it('tells of a view only where the allowlist or the endpoint names it', async () => {
    const named = await createWorld(house)
    const onList = await createWorld(house, { warehouse_allowlist: ['AU'] })
    const changeStock = async () => {
      const sku = await shop.createSku()
      house.clock.advance(5_000)
      await moveStock('AUSYD1', sku, 91)
      receiver.received.length = 0
      await publishAndNumberStockEvents()
      await deliverDue(house)
    }
    await registerEndpoint(house, channel.token, receiver.url, types)
    await changeStock()
    expect(listWarehouseCodes()).not.toContain('AU')
    expect(listWarehouseCodes()).toContain('AUSYD1')
    await registerEndpoint(house, named.token, `${receiver.url}/named`, { ...types, warehouse_codes: ['AU'] })
    await registerEndpoint(house, onList.token, `${receiver.url}/listed`, types)
    await changeStock()
    const listCodesAt = (path: string) =>
      receiver.received.filter((each) => each.path === path).map(({ event }) => event.data.warehouse_code)
    expect(listCodesAt('/hook/named')).toEqual(['AU'])
    expect(listCodesAt('/hook/listed')).toEqual(['AU'])
    expect((await readEvents(named.token)).map(({ data }) => data.warehouse_code)).toContain('AU')
    expect(new Set((await readEvents(onList.token)).map(({ data }) => data.warehouse_code))).toEqual(
      new Set(['AU']),
    )
    expect((await readEvents(channel.token)).map(({ data }) => data.warehouse_code)).not.toContain('AU')
  })

  it('can be read by its id after its endpoint was deleted', async () => {
    const codes = { ...types, warehouse_codes: ['AU'] }
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, receiver.url, codes)
    house.clock.advance(5_000)
    await moveStock('AUSYD1', await shop.createSku(), 92)
    await publishAndNumberStockEvents()
    await deliverDue(house)
    const { event_id } = readNewest(receiver).event
    expectData(await call(house, 'DELETE', `/api/v1/webhook-endpoints/${endpoint_id}`, { token }))
    const event = expectData(await call(house, 'GET', `/api/v1/events/${event_id}`, { token }))
    expect(event).toMatchObject({ event_id, data: { warehouse_code: 'AU' } })
  })

  it('follows the allowlist as it is at the attempt and at the reading', async () => {
    await registerEndpoint(house, channel.token, receiver.url, types)
    const sku = await shop.createSku({ CHNZJ1: 988, AUSYD1: 989 })
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    const seen = await readEvents(channel.token)
    const chinese = seen.findLast(({ data }) => data.warehouse_code === 'CHNZJ1')
    await house.gateway.store.db
      .updateTable('channels')
      .set({ warehouse_allowlist: '["AUSYD1"]' })
      .where('channel_code', '=', channel.channel_code)
      .execute()
    house.gateway.sessions.forget()
    await deliverDue(house)
    expect(sku).not.toBe('')
    expect(new Set(listWarehouseCodes())).toEqual(new Set(['AUSYD1']))
    for (const { raw } of receiver.received) expect(raw).not.toContain('CHNZJ1')
    const withheld = await listDeliveries(house, channel.token, `&event_id=${chinese?.event_id}`)
    expect(withheld).toMatchObject([{ status: 'cancelled', last_error: 'not_allowed', attempts: 0 }])
    expect(new Set((await readEvents(channel.token)).map(({ data }) => data.warehouse_code))).toEqual(
      new Set(['AUSYD1']),
    )
    expectError(
      await call(house, 'GET', `/api/v1/events/${chinese?.event_id}`, { token: channel.token }),
      'WAREHOUSE_DENIED',
    )
  })

  it('is kept once for all channels, without rows', async () => {
    await registerEndpoint(house, channel.token, receiver.url, types)
    await registerEndpoint(house, (await createWorld(house)).token, receiver.url, types)
    await shop.createSku()
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    const rows = await house.gateway.store.db.selectFrom('events').select(['channel_code', 'data']).execute()
    const stock = rows.filter(({ channel_code }) => channel_code === '')
    expect(stock.length).toBeGreaterThan(0)
    for (const { data } of stock) expect(data).not.toContain('rows')
    const [newest] = (await readEvents(channel.token)).toReversed()
    expect(newest?.data.rows).toEqual([])
    expect(newest?.channel_code).toBe(channel.channel_code)
  })

  it('is noticed by several processes at once and told once', async () => {
    await shop.createSku()
    house.clock.advance(5_000)
    const before = await countOutboxEvents()
    await Promise.all(Array.from({ length: 6 }, () => publishStockChanges(house.gateway)))
    const told = (await countOutboxEvents()) - before
    expect(told).toBeGreaterThan(0)
    const subjects = await house.gateway.store.db.selectFrom('outbox').select('data').execute()
    expect(new Set(subjects.map(({ data }) => data)).size).toBe(subjects.length)
  })
})

async function countOutboxEvents(): Promise<number> {
  return (await house.gateway.store.db.selectFrom('outbox').select('event_id').execute()).length
}

describe('GET /events', () => {
  const placeOrder = async () =>
    expectData(await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku())))
  const sequenceAll = async () => {
    while (await sequenceEvents(house.gateway));
  }
  const listOrderIds = (list: readonly LooseJson[]) =>
    list
      .filter(({ type }) => type === 'order.created')
      .map(({ data }) => data.dropship_order_id ?? data.order_id)

  it('answers everything from the start, oldest first, whatever the size of a page', async () => {
    const ids = []
    for (let each = 0; each < 7; each++) {
      house.clock.advance(1)
      ids.push((await placeOrder()).dropship_order_id)
    }
    await sequenceAll()
    const token = await shop.token()
    const whole = await readEvents(token)
    expect(listOrderIds(whole).slice(-7)).toEqual(ids)
    for (const size of [1, 3, 200]) expect(await readEvents(token, size)).toEqual(whole)
    const middle = whole.at(-4)
    expect(await readEvents(token, 2, middle?.event_id)).toEqual(whole.slice(-3))
    expect(await readEvents(token, 2, whole.at(-1)?.event_id)).toEqual([])
  })

  it('answers one type alone where it is asked for, from any event on', async () => {
    await publishAndNumberStockEvents()
    const token = await shop.token()
    const readPageOf = async (query: string) =>
      (await call(house, 'GET', `/api/v1/events?page_size=200${query}`, { token })).json.data
    const whole = await readEvents(token)
    const filterByType = (type: string) => whole.filter((each) => each.type === type)
    expect(filterByType('order.created').length * filterByType('stock.changed').length).toBeGreaterThan(0)
    for (const type of ['order.created', 'stock.changed'])
      expect(await readPageOf(`&type=${type}`)).toEqual(filterByType(type))
    const [stock] = filterByType('stock.changed')
    const later = whole.slice(whole.indexOf(stock ?? {}) + 1).filter(({ type }) => type === 'order.created')
    expect(await readPageOf(`&type=order.created&since=${stock?.event_id}`)).toEqual(later)
    expectError(await shop.get('/events?type=webhook.test'), 'VALIDATION_FAILED', { param: 'type' })
  })

  it('reads one event as it is delivered, and no other channel’s', async () => {
    const { dropship_order_id: id } = await placeOrder()
    await sequenceAll()
    const event_id = deriveEventId('order.created', id, undefined)
    expect(expectData(await shop.get(`/events/${event_id}`))).toMatchObject({
      event_id,
      type: 'order.created',
    })
    const { token } = await createWorld(house)
    expectError(await call(house, 'GET', `/api/v1/events/${event_id}`, { token }), 'OWNERSHIP_DENIED')
    expectError(await call(house, 'GET', `/api/v1/events?since=${event_id}`, { token }), 'OWNERSHIP_DENIED')
    expect(listOrderIds(await readEvents(token))).toEqual([])
  })

  it('holds in data what GET /events/types says of the type', async () => {
    await placeOrder()
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    await sequenceAll()
    const all = await readEvents(await shop.token())
    const types = (await shop.get('/events/types')).json.data
    expect(types.map(({ type }: LooseJson) => type)).toEqual(['stock.changed', 'order.created'])
    for (const { type, data_schema } of types) {
      const event = all.findLast((each) => each.type === type)
      expect(Object.keys(Object(event?.data)).sort()).toEqual(Object.keys(data_schema.properties).sort())
      expect(z.fromJSONSchema(data_schema).safeParse(event?.data).error).toBeUndefined()
    }
  })

  it('describes its types in the language of the reader', async () => {
    const readTextIn = async (language: string) => {
      const headers = { 'accept-language': language }
      const answer = await call(house, 'GET', '/api/v1/events/types', { token: await shop.token(), headers })
      expect(answer.headers.get('content-language')).toBe(language)
      const [first] = answer.json.data
      return [first.summary, first.data_schema.properties.truncated.description]
    }
    expect(await readTextIn('en')).toEqual([
      'The stock of a warehouse changed',
      'Whether more rows changed than the event contains',
    ])
    expect(await readTextIn('zh')).toEqual(['仓库库存有变更', '变更的行是否多于事件所含的行'])
  })

  it('says so where a cursor is not known any more', async () => {
    expectError(await shop.get('/events?since=evt_00000000000000000000000000'), 'NOT_FOUND', {
      param: 'since',
      hint: en.sentences.hint_cursor_gone,
    })
    expectError(await shop.get('/events/evt_00000000000000000000000000'), 'NOT_FOUND')
  })

  it('keeps order.created for 30 days and stock.changed for 7', async () => {
    const { token } = await createWorld(house)
    const receiver = await openReceiver()
    await registerEndpoint(house, token, receiver.url, { event_types: ['stock.changed'] })
    const { dropship_order_id: id } = await placeOrder()
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    await deliverDue(house)
    const countEvents = async (type: string) =>
      (await readEvents(await shop.token())).filter((each) => each.type === type).length
    house.clock.advance(7 * day - 6_000)
    await prune(house.gateway)
    expect(await countEvents('stock.changed')).toBeGreaterThan(0)
    house.clock.advance(7_000)
    await prune(house.gateway)
    expect(await countEvents('stock.changed')).toBe(0)
    const left = await house.gateway.store.db
      .selectFrom('webhook_deliveries')
      .select('event_type')
      .where('event_type', '=', 'stock.changed')
      .execute()
    expect(left).toEqual([])
    house.clock.advance(23 * day - 7_000)
    await prune(house.gateway)
    expect(listOrderIds(await readEvents(await shop.token()))).toContain(id)
    house.clock.advance(2_000)
    await prune(house.gateway)
    expect(listOrderIds(await readEvents(await shop.token()))).not.toContain(id)
    await receiver.close()
  })
})

describe('an old event with more deliveries than one turn deletes', () => {
  it('is kept until the last of them is gone', async () => {
    const { db } = house.gateway.store
    const receiver = await openReceiver()
    const { token } = await createWorld(house)
    await registerEndpoint(house, token, receiver.url, { event_types: ['stock.changed'] })
    await shop.createSku()
    house.clock.advance(5_000)
    await publishAndNumberStockEvents()
    const { event_id } = await db
      .selectFrom('events')
      .select('event_id')
      .where('type', '=', 'stock.changed')
      .executeTakeFirstOrThrow()
    await sql`insert into webhook_deliveries (delivery_id, channel_code, endpoint_id, event_id, event_number,
        event_type, status, attempts, due_at, ahead_ms, created_at)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 501)
      select 'whd_many_' || i, 'nobody', 'whe_many_' || i, ${sql.lit(event_id)}, i, 'stock.changed', 'delivered', 1,
        0, 0, 0 from n`.execute(db)
    house.clock.advance(8 * day)
    const countLeft = async (table: 'events' | 'webhook_deliveries') =>
      (await db.selectFrom(table).select('event_id').where('event_id', '=', event_id).execute()).length
    await pruneEvents(house.gateway, { deliveryBatches: 1 })
    expect(await countLeft('webhook_deliveries')).toBeGreaterThan(0)
    expect(await countLeft('events')).toBe(1)
    await pruneEvents(house.gateway, { deliveryBatches: 1 })
    expect([await countLeft('webhook_deliveries'), await countLeft('events')]).toEqual([0, 0])
    await receiver.close()
  })
})

describe('an event', () => {
  /** What the ERP reports of a draft's submit, and the intent of that submit, which is not stored. */
  async function prepareOutcome() {
    const { order_id } = await createDraft(shop, await shop.createSku())
    const { reference, channel_code } = await house.gateway.store.db
      .selectFrom('orders')
      .selectAll()
      .where('order_id', '=', order_id)
      .executeTakeFirstOrThrow()
    const document = {
      reference,
      number: 'SO-1',
      kind: 'order' as const,
      order_type: 'wholesale' as const,
      status: 'open' as const,
      status_raw: 'OPEN',
      lines: [],
      costs: null,
      arrival: null,
      currency: 'AUD',
      paid: false,
      payment_url: null,
      expires_at: null,
      submitted_at: null,
      cancelled_at: null,
      shipments: [],
    }
    const intent: IntentRow = {
      document_id: order_id,
      lock_name: 'x',
      kind: 'order.submit',
      reference,
      channel_code,
      scope: null,
      http_status: 200,
      detail: toJson<unknown>({ hold_reference: null, ended: null, before: {} }),
      request_id: 'req-of-nobody',
      sent_at: 0,
      missed_at: null,
      looked_at: null,
    }
    return { order_id, intent, written: { document, figures: [] } }
  }

  it('is not made by a change that is rolled back', async () => {
    const { order_id, ...outcome } = await prepareOutcome()
    const before = await countOutboxEvents()
    // The database has no such intent, so another process has settled it.
    await expect(
      applyOutcome({ gateway: house.gateway, call: undefined }, orderSubmit, outcome),
    ).rejects.toThrow(SettledElsewhere)
    expect(await countOutboxEvents()).toBe(before)
    expect(expectData(await shop.get(`/orders/${order_id}`)).status).toBe('draft')
  })

  it('is not made if the commit of its order fails at its end', async () => {
    const { order_id, ...outcome } = await prepareOutcome()
    const { db } = house.gateway.store
    await db.insertInto('intents').values(outcome.intent).execute()
    const before = await countOutboxEvents()
    const failing = { ...outcome, record: () => Promise.reject(new Error('The audit log is full.')) }
    await expect(
      applyOutcome({ gateway: house.gateway, call: undefined }, orderSubmit, failing),
    ).rejects.toThrow('The audit log is full.')
    expect(await countOutboxEvents()).toBe(before)
    expect(expectData(await shop.get(`/orders/${order_id}`)).status).toBe('draft')
    const { numDeletedRows } = await db
      .deleteFrom('intents')
      .where('document_id', '=', order_id)
      .executeTakeFirstOrThrow()
    expect(numDeletedRows).toBe(1n)
  })

  it('is made once for an order whose outcome was in doubt, when it is settled', async () => {
    const receiver = await openReceiver()
    await registerEndpoint(house, await shop.token(), receiver.url)
    const wish = buildDropship(await shop.createSku())
    const fault = { 'x-sandbox-fault': 'UPSTREAM_ERROR;after=commit', 'idempotency-key': 'in-doubt-1' }
    expectError(await shop.post('/dropship-orders/submit', wish, fault), 'UPSTREAM_ERROR')
    await house.settle()
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    await settleAll(house.gateway, writes)
    await settleAll(house.gateway, writes)
    await house.settle()
    await deliverDue(house)
    const again = expectData(
      await shop.post('/dropship-orders/submit', wish, { 'idempotency-key': 'in-doubt-1' }),
    )
    await house.settle()
    await deliverDue(house)
    expect(receiver.received.map(({ event }) => event.data.dropship_order_id)).toEqual([
      again.dropship_order_id,
    ])
    await receiver.close()
  })

  it('is made once where the retry with the key settles the order', async () => {
    const receiver = await openReceiver()
    await registerEndpoint(house, await shop.token(), receiver.url)
    const draft = await createDraft(shop, await shop.createSku())
    const path = `/orders/${draft.order_id}/submit`
    const key = { 'idempotency-key': 'in-doubt-2' }
    expectError(
      await shop.post(path, {}, { ...key, 'x-sandbox-fault': 'UPSTREAM_ERROR;after=commit' }),
      'UPSTREAM_ERROR',
    )
    expectData(await shop.post(path, {}, key))
    expectData(await shop.post(path, {}, key))
    await deliverDue(house)
    expect(receiver.received.map(({ event }) => event.data.order_id)).toEqual([draft.order_id])
    expect(readNewest(receiver).headers['x-request-id']).toMatch(/^req_/)
    await receiver.close()
  })

  it('is not made for an order that the ERP never got', async () => {
    const receiver = await openReceiver()
    await registerEndpoint(house, await shop.token(), receiver.url)
    const fault = { 'x-sandbox-fault': 'UPSTREAM_ERROR', 'idempotency-key': 'in-doubt-3' }
    expectError(
      await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku()), fault),
      'UPSTREAM_ERROR',
    )
    for (let turn = 0; turn < 4; turn++) {
      house.clock.advance(120_000)
      await settleAll(house.gateway, writes)
    }
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    await receiver.close()
  })
})

describe('a channel that sees only a quiet warehouse', () => {
  const [quiet, busy] = ['AUSYD2', 'AUSYD1']
  const perInsert = 200
  let quietHouse: TestGateway
  let reader: World

  beforeAll(async () => {
    quietHouse = await openTestGateway({ styles: 2 })
    const { db, kind } = quietHouse.gateway.store
    reader = await createWorld(quietHouse, { warehouse_allowlist: [quiet] })
    const count = 6_000
    for (let from = 1; from <= count; from += perInsert) {
      const numbers = Array.from({ length: perInsert }, (_, index) => from + index)
      const values = numbers.map((number) => {
        const warehouse_code = number % 2_000 === 0 ? quiet : busy
        const data = { warehouse_code, since: number, version: number + 1, changed_count: 1 }
        return {
          event_id: `evt_${number}`,
          number,
          type: 'stock.changed',
          channel_code: '',
          warehouse_code,
          request_id: 'stock-sync',
          occurred_at: quietHouse.clock.now(),
          data: JSON.stringify(data),
          trace_parent: null,
        }
      })
      await db.insertInto('events').values(values).execute()
    }
    await db.updateTable('counters').set({ value: count }).where('name', '=', 'events').execute()
    if (kind === 'postgres') await sql`analyze events`.execute(db)
  })
  afterAll(() => quietHouse.close())

  it('reads its events page by page, without those of the busy one', async () => {
    const seen: string[] = []
    let next = ''
    for (let page = 0; page < 5; page++) {
      const query = next === '' ? '' : `&cursor=${next}`
      const { json } = await call(quietHouse, 'GET', `/api/v1/events?page_size=1${query}`, {
        token: reader.token,
      })
      seen.push(...json.data.map(({ event_id }: LooseJson) => event_id))
      if (!json.has_more) break
      next = json.next_cursor
    }
    expect(seen).toEqual(['evt_2000', 'evt_4000', 'evt_6000'])
  })

  it('has them found by the index of warehouses, however many others there are', async () => {
    const { db, kind } = quietHouse.gateway.store
    const span = { from: 0, to: 6_000, limit: 51 }
    const query = buildSharedEventsQuery(db, [quiet, 'CHNZJ1'], span)
    const explain = sql.raw(kind === 'sqlite' ? 'explain query plan' : 'explain')
    const { rows } = await sql`${explain} ${query}`.execute(db)
    const plan = JSON.stringify(rows)
    expect(plan).toContain('events_by_warehouse')
    expect(plan).not.toMatch(/Seq Scan|SCAN events|events_by_channel/)
  })
})

describe('a test event as the last one that a reader has', () => {
  it('is followed by the events that were numbered after it, also if they happened before', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, 'https://hooks.example.com/test')
    const { db } = house.gateway.store
    await db.deleteFrom('outbox').execute()
    await db.insertInto('outbox').values(buildShared('earlier')).execute()
    while (await sequenceEvents(house.gateway));
    const sent = expectData(
      await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token }),
    )
    await db.insertInto('outbox').values(buildShared('later')).execute()
    while (await sequenceEvents(house.gateway));
    const after = await readEvents(token, 200, sent.event_id)
    expect(after.map(({ event_id }) => event_id)).toEqual(['evt_later'])
  })

  function buildShared(name: string) {
    const { clock } = house.gateway
    const data = { warehouse_code: 'AUSYD1', since: 1, version: 2, changed_count: 1 }
    return {
      event_id: `evt_${name}`,
      type: 'stock.changed',
      channel_code: '',
      warehouse_code: 'AUSYD1',
      request_id: 'stock-sync',
      occurred_at: clock.now() - 60_000,
      data: JSON.stringify(data),
      trace_parent: null,
    }
  }
})

describe('the sandbox inbox', () => {
  const inbox = '/sandbox/inbox/my-hooks'
  const url = `http://127.0.0.1:8080${inbox}`
  const readInbox = async (token: string) => expectData(await call(house, 'GET', inbox, { token }))
  const inboxName =
    'The name of a sandbox inbox has 1 to 64 characters: letters A to Z and a to z, digits, _ and -.'

  it('receives in process, verifies and shows what came, to its channel alone', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, url)
    const sent = expectData(
      await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token }),
    )
    await deliverDue(house, { dial: () => expect.unreachable('a socket was opened') })
    const { messages } = await readInbox(token)
    expect(messages).toMatchObject([
      { event_id: sent.event_id, verified: true, status: 200, event: { type: 'webhook.test' } },
    ])
    expect(messages[0].headers['X-Service-Signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
    expect((await readInbox((await createWorld(house)).token)).messages).toEqual([])
    expectData(await call(house, 'DELETE', inbox, { token }))
    expect((await readInbox(token)).messages).toEqual([])
  })

  it('answers 500 as often as it is told, and one step of the sandbox’s clock shows the dead letter at once', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, url)
    expectData(await call(house, 'PATCH', inbox, { token, body: { fail_times: 6 } }))
    await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    await deliverDue(house)
    expect(await listDeliveries(house, token)).toMatchObject([{ status: 'pending', attempts: 1 }])
    const body = { advance_seconds: 8 * 60 * 60 }
    const steerless = await call(house, 'POST', '/sandbox/clock', { admin: adminToken, body })
    expect(steerless.status).toBe(200)
    await deliverDue(house)
    expect(await listDeliveries(house, token)).toMatchObject([{ status: 'dead_letter', attempts: 6 }])
    expect((await readInbox(token)).messages.map((each: LooseJson) => each.status)).toEqual([
      500, 500, 500, 500, 500, 500,
    ])
    expect((await call(house, 'GET', '/api/v1/me', { token })).json.data.webhook_health.dead_letters).toBe(1)
    const [{ delivery_id } = { delivery_id: '' }] = await listDeliveries(house, token)
    await call(house, 'POST', `/api/v1/webhook-deliveries/${delivery_id}/redeliver`, { token })
    await deliverDue(house)
    expect((await readInbox(token)).messages[0]).toMatchObject({ status: 200, verified: true })
  })

  it('brings waiting deliveries forward by as much as the clock was set, and no further', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, url)
    expectData(await call(house, 'PATCH', inbox, { token, body: { fail_times: 9 } }))
    await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    await deliverDue(house)
    const advanceClock = async (advance_seconds: number) => {
      await call(house, 'POST', '/sandbox/clock', { admin: adminToken, body: { advance_seconds } })
      await deliverDue(house)
      return (await listDeliveries(house, token))[0]?.attempts
    }
    expect(await advanceClock(29)).toBe(1)
    expect(await advanceClock(1)).toBe(2)
    expect(await advanceClock(120 + 600)).toBe(4)
    expect(await advanceClock(3_599)).toBe(4)
    expect(await advanceClock(1 + 21_599)).toBe(5)
    expect(await advanceClock(1)).toBe(6)
  })

  it('has a name of its own kind, wherever webhooks may go', async () => {
    const strict = await openTestGateway()
    for (const each of [house, strict]) {
      const { token } = await createWorld(each)
      for (const name of ['a%20b', 'a b', 'a/b', 'a.b', 'ä', '', 'x'.repeat(65)]) {
        const body = { url: `http://127.0.0.1:8080/sandbox/inbox/${name}`, event_types: ['order.created'] }
        const answer = await call(each, 'POST', '/api/v1/webhook-endpoints', { token, body })
        expectError(answer, 'VALIDATION_FAILED', { param: 'url', message: inboxName })
      }
    }
    await strict.close()
  })

  it('is bounded, and is an ordinary private address in front of a real ERP', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, url)
    for (let each = 0; each < 60; each++)
      await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    await deliverDue(house)
    expect((await readInbox(token)).messages).toHaveLength(50)
    expectError(
      await call(house, 'PATCH', '/sandbox/inbox/a%20b', { token, body: { fail_times: 1 } }),
      'NOT_FOUND',
      { hint: inboxName },
    )
  })
})
