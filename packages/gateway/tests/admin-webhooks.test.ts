/** Webhooks as the operator sees them: every channel's endpoints and deliveries, and redelivery of one or of many. */

import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deleteOldEndpoints } from '../src/webhooks/old-endpoints.ts'
import { countSelected, start } from '../src/webhooks/selection.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import { deliverDue, openReceiver, privateNets, type Receiver, registerEndpoint } from './receiver.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  buildIdPattern,
  expectData,
  expectError,
  openSecondGateway,
  openShop,
} from './trade.ts'

const minute = 60_000
const perCall = 500

let house: TestGateway
let shop: Buyer
let other: Buyer
let receiver: Receiver

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

beforeEach(async () => {
  receiver = await openReceiver(() => house.clock.now())
})
afterEach(async () => {
  const { db } = house.gateway.store
  for (const table of ['webhook_deliveries', 'events', 'webhook_redeliveries', 'admin_audit'] as const)
    await db.deleteFrom(table).execute()
  await db.updateTable('webhook_endpoints').set({ deleted_at: 1 }).execute()
  await receiver.close()
})

const send = (method: string, path: string, body?: unknown, at: TestGateway = house) =>
  call(at, method, `/admin/api${path}`, {
    admin: adminToken,
    headers: { 'x-admin-actor': 'Kim' },
    ...(body === undefined ? {} : { body }),
  })
const list = async (path: string) => (await send('GET', path)).json
const count = async (body: object) =>
  expectData(await send('POST', '/webhook-redeliveries/count', body)).count as number
const redeliver = (body: object, at?: TestGateway) => send('POST', '/webhook-redeliveries', body, at)

const register = async (buyer: Buyer, more: LooseJson = {}) =>
  registerEndpoint(house, await buyer.token(), receiver.url, more)

const submitOrder = async (buyer: Buyer, requestId: string) =>
  expectData(
    await buyer.post('/dropship-orders/submit', buildDropship(await buyer.createSku()), {
      'x-request-id': requestId,
    }),
  )

const codeOf = (buyer: Buyer) => (buyer === shop ? 'channel-of-CUST-HARBOUR' : 'channel-of-CUST-LANTERN')

/** A selection of one endpoint as a redelivery that begins now reads it. */
const remainderOf = (which: 'missing' | 'all' | 'dead', endpoint_id: string) => ({
  selection: { which, endpoint_id },
  after: start,
  startedAt: house.clock.now(),
})

let made = 0

/** Adds events of a channel, one a millisecond, each with a delivery in `status` unless it is undefined. */
async function addEvents(
  buyer: Buyer,
  { endpoint_id, amount, status }: { endpoint_id: string; amount: number; status?: string },
): Promise<string[]> {
  const { db, bulk } = house.gateway.store
  const now = house.clock.now()
  const events = Array.from({ length: amount }, (_, at) => ({
    event_id: `evt_made_${String(++made).padStart(8, '0')}`,
    number: 1_000_000 + made,
    type: 'order.created',
    channel_code: codeOf(buyer),
    warehouse_code: null,
    request_id: 'made',
    occurred_at: now + at,
    data: '{}',
  }))
  house.clock.advance(amount)
  const columns = [
    'event_id',
    'number',
    'type',
    'channel_code',
    'warehouse_code',
    'request_id',
    'occurred_at',
    'data',
  ] as const
  await db
    .insertInto('events')
    .columns([...columns])
    .expression(bulk.rows('events', columns, events))
    .execute()
  if (status !== undefined) {
    await sql`
      insert into webhook_deliveries (delivery_id, channel_code, endpoint_id, event_id, event_number, event_type, status,
        attempts, due_at, ahead_ms, created_at)
      select 'whd_' || event_id, channel_code, ${endpoint_id}, event_id, number, type, ${status}, 6, null, 0, occurred_at
      from events where event_id in ${bulk.texts(events.map(({ event_id }) => event_id))}`.execute(db)
  }
  return events.map(({ event_id }) => event_id)
}

const countReceived = () => {
  const times = new Map<string, number>()
  for (const { event } of receiver.received) times.set(event.event_id, (times.get(event.event_id) ?? 0) + 1)
  return times
}

/** Repeats the call until nothing is left, and returns what each call sent. */
async function redeliverAll(body: object, expected_count: number): Promise<number[]> {
  const sent: number[] = []
  for (let remaining = 1; remaining > 0; ) {
    const done = expectData(await redeliver({ ...body, expected_count }))
    sent.push(done.redelivered)
    remaining = done.remaining
  }
  return sent
}

describe('the list of endpoints', () => {
  it('has those of every channel with what waits for them, and no secret', async () => {
    const mine = await register(shop, {
      description: 'the shop',
      event_types: ['order.created', 'stock.changed'],
    })
    house.clock.advance(1)
    const theirs = await register(other)
    await addEvents(shop, { endpoint_id: mine.endpoint_id, amount: 3, status: 'dead_letter' })
    receiver.usual = 500
    const created = house.clock.now()
    await submitOrder(shop, 'endpoint-list')
    await deliverDue(house)
    const { data } = await list('/webhook-endpoints')
    expect(data.map((row: LooseJson) => row.endpoint_id)).toEqual([theirs.endpoint_id, mine.endpoint_id])
    expect(data[1]).toEqual({
      endpoint_id: mine.endpoint_id,
      channel_code: codeOf(shop),
      url: receiver.url,
      event_types: ['stock.changed', 'order.created'],
      warehouse_codes: [],
      description: 'the shop',
      created_at: mine.created_at,
      updated_at: mine.updated_at,
      pending: 1,
      oldest_pending_at: new Date(created).toISOString(),
      dead_letters: 3,
      last_failure_at: new Date(created).toISOString(),
      last_failure_status: 500,
    })
    expect(data[0]).toMatchObject({
      pending: 0,
      oldest_pending_at: null,
      dead_letters: 0,
      last_failure_at: null,
    })
    const ofShop = await list(`/webhook-endpoints?channel_code=${codeOf(shop)}`)
    expect(ofShop.data).toHaveLength(1)
  })

  it('comes in pages by cursor, and leaves deleted endpoints out', async () => {
    const made = []
    for (let each = 0; each < 3; each++) {
      made.push((await register(shop)).endpoint_id)
      house.clock.advance(1)
    }
    await shop.send('DELETE', `/webhook-endpoints/${made[1]}`)
    const first = await list('/webhook-endpoints?page_size=1')
    const second = await list(`/webhook-endpoints?page_size=1&cursor=${first.next_cursor}`)
    expect([first.data[0].endpoint_id, second.data[0].endpoint_id]).toEqual([made[2], made[0]])
    expect([first.has_more, second.has_more, second.next_cursor]).toEqual([true, false, null])
    expectError(await send('GET', '/webhook-endpoints?cursor=nonsense'), 'VALIDATION_FAILED', {
      param: 'cursor',
    })
  })
})

describe('deliveries of every channel', () => {
  it('are found by each filter and by all of them together', async () => {
    const mine = await register(shop)
    const theirs = await register(other)
    await addEvents(shop, { endpoint_id: mine.endpoint_id, amount: 2, status: 'dead_letter' })
    const [event_id = ''] = await addEvents(shop, {
      endpoint_id: mine.endpoint_id,
      amount: 1,
      status: 'delivered',
    })
    await addEvents(other, { endpoint_id: theirs.endpoint_id, amount: 3, status: 'delivered' })
    const find = async (query: string) => (await list(`/webhook-deliveries?${query}`)).data.length
    expect(await find('')).toBe(6)
    expect(await find(`channel_code=${codeOf(shop)}`)).toBe(3)
    expect(await find(`endpoint_id=${theirs.endpoint_id}`)).toBe(3)
    expect(await find('endpoint_id=whe_unknown')).toBe(0)
    expect(await find(`event_id=${event_id}`)).toBe(1)
    expect(await find('status=dead_letter')).toBe(2)
    expect(await find('type=webhook.test')).toBe(0)
    const { data } = await list(`/webhook-deliveries?event_id=${event_id}`)
    const at = data[0].created_at
    expect(await find(`since=${at}`)).toBe(4)
    expect(await find(`until=${at}`)).toBe(2)
    const all = `channel_code=${codeOf(shop)}&endpoint_id=${mine.endpoint_id}&type=order.created&status=delivered`
    expect(await find(`${all}&event_id=${event_id}&since=${at}`)).toBe(1)
    expect(await find(`channel_code=${codeOf(other)}&endpoint_id=${mine.endpoint_id}`)).toBe(0)
    expectError(await send('GET', `/webhook-deliveries?since=${at}&until=${at}`), 'VALIDATION_FAILED', {
      param: 'until',
    })
  })

  it('come in pages that new deliveries do not shift', async () => {
    const { endpoint_id } = await register(shop)
    const events = await addEvents(shop, { endpoint_id, amount: 5, status: 'delivered' })
    const first = await list('/webhook-deliveries?page_size=2')
    await addEvents(shop, { endpoint_id, amount: 2, status: 'delivered' })
    const second = await list(`/webhook-deliveries?page_size=2&cursor=${first.next_cursor}`)
    const third = await list(`/webhook-deliveries?page_size=2&cursor=${second.next_cursor}`)
    const seen = [first, second, third].flatMap(({ data }) => data.map((row: LooseJson) => row.event_id))
    expect(seen).toEqual(events.toReversed())
    expect(third.next_cursor).toBeNull()
  })

  it('show the request and the data of the event, and no recipient', async () => {
    const { endpoint_id } = await register(shop)
    const order = await submitOrder(shop, 'the-cause-of-it')
    await deliverDue(house)
    const [{ client_order_number, ...row }] = (await list(`/webhook-deliveries?endpoint_id=${endpoint_id}`))
      .data
    expect(client_order_number).toBe(order.client_order_number)
    await house.gateway.store.db
      .updateTable('webhook_deliveries')
      .set({ last_response: 'Thank you' })
      .where('delivery_id', '=', row.delivery_id)
      .execute()
    const answer = await send('GET', `/webhook-deliveries/${row.delivery_id}`)
    const details = expectData(answer)
    expect(details).toMatchObject({
      ...row,
      delivery_id: expect.stringMatching(buildIdPattern('whd')),
      channel_code: codeOf(shop),
      type: 'order.created',
      status: 'delivered',
      attempts: 1,
      last_status: 200,
      last_error: null,
      last_response: 'Thank you',
      next_attempt_at: null,
      url: receiver.url,
      request_id: 'the-cause-of-it',
    })
    expect(details.data).toMatchObject({ dropship_order_id: order.dropship_order_id })
    for (const secret of [alex.name, alex.phone, alex.address]) expect(answer.text).not.toContain(secret)
  })
})

describe('a redelivery of one', () => {
  it('works for every channel, goes out under the same event_id, and is audited with before and after', async () => {
    const { endpoint_id } = await register(other)
    await submitOrder(other, 'one-again')
    await deliverDue(house)
    const [row] = (await list(`/webhook-deliveries?endpoint_id=${endpoint_id}`)).data
    const again = expectData(await send('POST', `/webhook-deliveries/${row.delivery_id}/redeliver`))
    expect(again).toMatchObject({ delivery_id: row.delivery_id, status: 'pending', attempts: 0 })
    await deliverDue(house)
    expect([...countReceived().values()]).toEqual([2])
    const [audited] = await readAudit('admin.webhook_deliveries.redeliver')
    expect(audited).toMatchObject({
      actor: 'Kim',
      before: { status: 'delivered' },
      after: { status: 'pending' },
    })
  })

  it('is refused for a deleted endpoint, and does not happen if the audit cannot be written', async () => {
    const { endpoint_id } = await register(shop)
    const [event_id = ''] = await addEvents(shop, { endpoint_id, amount: 1, status: 'dead_letter' })
    const path = `/webhook-deliveries/whd_${event_id}/redeliver`
    const { db } = house.gateway.store
    await sql`alter table admin_audit rename to admin_audit_away`.execute(db)
    for (const refused of [await send('POST', path), await redeliver({ which: 'dead', expected_count: 1 })]) {
      expectError(refused, 'INTERNAL')
    }
    await sql`alter table admin_audit_away rename to admin_audit`.execute(db)
    expect((await list('/webhook-deliveries')).data[0]).toMatchObject({ status: 'dead_letter', attempts: 6 })
    expect(await count({ which: 'dead' })).toBe(1)
    await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
    expectError(await send('POST', path), 'VALIDATION_FAILED', { reason: 'invalid_state' })
  })
})

describe('an endpoint of a deleted channel', () => {
  const readEndpoint = (id: string) =>
    house.gateway.store.db
      .selectFrom('webhook_endpoints')
      .selectAll()
      .where('endpoint_id', '=', id)
      .executeTakeFirst()

  /** Creates a channel with an endpoint that has received one event. */
  async function createReceivingChannel() {
    const { token, channel_code } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, receiver.url)
    await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    await deliverDue(house)
    const [delivery] = (await list(`/webhook-deliveries?endpoint_id=${endpoint_id}`)).data
    expect(delivery.status).toBe('delivered')
    return { channel_code, endpoint_id, delivery_id: delivery.delivery_id }
  }

  it('ends with its channel', async () => {
    const { channel_code, endpoint_id } = await createReceivingChannel()
    house.clock.advance(1)
    expectData(await send('DELETE', `/channels/${channel_code}`))
    expect(await readEndpoint(endpoint_id)).toMatchObject({ deleted_at: house.clock.now() })
  })

  it('is not listed, gets nothing again, and is removed, also if only the channel says that it was deleted', async () => {
    const { channel_code, endpoint_id, delivery_id } = await createReceivingChannel()
    const { db } = house.gateway.store
    const deleted_at = house.clock.now() - 31 * 24 * 60 * minute
    await db.updateTable('channels').set({ deleted_at }).where('channel_code', '=', channel_code).execute()
    expect((await list(`/webhook-endpoints?channel_code=${channel_code}`)).data).toEqual([])
    const refused = await send('POST', `/webhook-deliveries/${delivery_id}/redeliver`)
    expectError(refused, 'VALIDATION_FAILED', { reason: 'invalid_state' })
    expect((await list(`/webhook-deliveries/${delivery_id}`)).data.status).toBe('delivered')
    await deleteOldEndpoints(house.gateway)
    expect(await readEndpoint(endpoint_id), 'ended as its channel').toBeUndefined()
  })

  it('is no reason to remove those of other channels', async () => {
    const { endpoint_id } = await createReceivingChannel()
    await createReceivingChannel().then(({ channel_code }) => send('DELETE', `/channels/${channel_code}`))
    await deleteOldEndpoints(house.gateway)
    expect(await readEndpoint(endpoint_id)).toMatchObject({ deleted_at: null })
  })
})

describe('a redelivery of many', () => {
  it('sends each dead letter once, in batches, whatever else happens to it meanwhile', async () => {
    const { endpoint_id } = await register(shop)
    const theirs = await register(other)
    const dead = await addEvents(shop, { endpoint_id, amount: 2 * perCall + 100, status: 'dead_letter' })
    await addEvents(shop, { endpoint_id, amount: 10, status: 'delivered' })
    await addEvents(other, { endpoint_id: theirs.endpoint_id, amount: 10, status: 'dead_letter' })
    const body = { which: 'dead', channel_code: codeOf(shop) }
    expect(await count(body)).toBe(dead.length)

    expect(expectData(await redeliver({ ...body, expected_count: dead.length }))).toEqual({
      redelivered: perCall,
      remaining: perCall + 100,
    })
    // Those of the first batch are given up again before the second one.
    await house.gateway.store.db
      .updateTable('webhook_deliveries')
      .set({ status: 'dead_letter', due_at: null })
      .where('status', '=', 'pending')
      .execute()
    expect(await count(body)).toBe(perCall + 100)
    expect(await redeliverAll(body, dead.length)).toEqual([perCall, 100])
    await deliverDue(house)
    expect([...countReceived().keys()].toSorted()).toEqual(dead.slice(perCall))
    expect(await count(body), 'a new pass has those that died again').toBe(perCall)
    const audited = await readAudit('admin.webhook_redeliveries.create')
    expect(audited).toHaveLength(3)
    // All calls happened in one millisecond of the simulated clock.
    expect(audited.find(({ before }) => before.remaining === dead.length)).toMatchObject({
      actor: 'Kim',
      before: { ...body, remaining: dead.length },
      after: { ...body, remaining: perCall + 100, redelivered: perCall },
    })
  })

  it('sends one batch for one key, though the process ended before it could store anything more', async () => {
    const { endpoint_id } = await register(shop)
    const dead = await addEvents(shop, { endpoint_id, amount: perCall + 7, status: 'dead_letter' })
    const body = { which: 'dead', channel_code: codeOf(shop), expected_count: dead.length }
    const redeliverKeyed = () =>
      call(house, 'POST', '/admin/api/webhook-redeliveries', {
        admin: adminToken,
        headers: { 'x-admin-actor': 'Kim', 'idempotency-key': 'one-batch' },
        body,
      })
    const dying = vi
      .spyOn(house.gateway.store, 'executeAtOnce')
      .mockRejectedValue(new Error('The process ends here.'))
    const first = await redeliverKeyed().finally(() => dying.mockRestore())
    expect(expectData(first)).toEqual({ redelivered: perCall, remaining: 7 })
    const again = await redeliverKeyed()
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await redeliverAll({ which: 'dead', channel_code: codeOf(shop) }, 7)).toEqual([7])
  })

  it('sends all events of a period once, though they are delivered in between, and with another process', async () => {
    const { endpoint_id } = await register(shop)
    const before = await addEvents(shop, { endpoint_id, amount: 20, status: 'delivered' })
    const since = new Date(house.clock.now()).toISOString()
    const within = await addEvents(shop, { endpoint_id, amount: perCall + 200, status: 'delivered' })
    const until = new Date(house.clock.now()).toISOString()
    await addEvents(shop, { endpoint_id, amount: 20, status: 'delivered' })
    const body = { which: 'all', endpoint_id, since, until }
    expect(await count(body)).toBe(within.length)
    const second = await openSecondGateway(house, privateNets)
    const first = expectData(await redeliver({ ...body, expected_count: within.length }))
    expect(first).toEqual({ redelivered: perCall, remaining: 200 })
    await deliverDue(house)
    house.clock.advance(minute)
    const rest = expectData(await redeliver({ ...body, expected_count: 200 }, second))
    expect(rest).toEqual({ redelivered: 200, remaining: 0 })
    await deliverDue(house)
    await second.close()
    const received = countReceived()
    expect([...received.keys()].toSorted()).toEqual(within)
    expect(new Set(received.values())).toEqual(new Set([1]))
    expect(received.has(before[0] ?? '')).toBe(false)
    expect(await count(body), 'the same period can be sent again').toBe(within.length)
  })

  it('finds what an endpoint should have and has not: no more, no less', async () => {
    const early = await addEvents(shop, { endpoint_id: '', amount: 5 })
    const { endpoint_id } = await register(shop)
    const without = await addEvents(shop, { endpoint_id, amount: 5 })
    const cancelled = await addEvents(shop, { endpoint_id, amount: 5, status: 'cancelled' })
    const dead = await addEvents(shop, { endpoint_id, amount: 5, status: 'dead_letter' })
    await addEvents(shop, { endpoint_id, amount: 5, status: 'delivered' })
    await addEvents(other, { endpoint_id: '', amount: 5 })
    const missing = [...without, ...cancelled, ...dead]
    const body = { which: 'missing', endpoint_id }
    expect(await count(body)).toBe(missing.length)
    expect(await count({ which: 'missing', type: 'stock.changed' })).toBe(0)
    expect(await redeliverAll(body, missing.length)).toEqual([missing.length])
    expect(await count(body), 'what waits is not missing').toBe(0)
    await deliverDue(house)
    const received = countReceived()
    expect([...received.keys()].toSorted()).toEqual(missing)
    expect(early.some((id) => received.has(id))).toBe(false)
    expect(await count(body)).toBe(0)
  })

  it('is counted up to a bound, and the count says that there may be more', async () => {
    const { endpoint_id } = await register(shop)
    await register(other)
    await addEvents(shop, { endpoint_id, amount: 4_500 })
    const { selection, ...rest } = remainderOf('missing', endpoint_id)
    const countTo = (maxFullSlices: number) =>
      countSelected(house.gateway, { selection, ...rest }, maxFullSlices)
    expect(await countTo(1)).toEqual({ count: 2_000, has_more: true })
    expect(await countTo(3)).toEqual({ count: 4_500, has_more: false })
    let elapsedMs = 0
    const clock = { now: () => house.clock.now(), monotonic: () => (elapsedMs += 700), machine: () => 0 }
    const counted = await countSelected({ ...house.gateway, clock }, { selection, ...rest })
    expect(counted, 'after two seconds').toEqual({ count: 2_000, has_more: true })
    const asked = await send('POST', '/webhook-redeliveries/count', { which: 'missing', endpoint_id })
    expect(expectData(asked)).toEqual({ count: 4_500, has_more: false })
    const all = await send('POST', '/webhook-redeliveries/count', { which: 'missing' })
    expect(expectData(all)).toMatchObject({ has_more: false })
  })

  it('gives stock.changed only to endpoints that may see the warehouse', async () => {
    const { db } = house.gateway.store
    const types = { event_types: ['stock.changed'] }
    const sydney = await register(shop, { ...types, warehouse_codes: ['AUSYD1'] })
    const every = await register(other, types)
    for (const [at, warehouse_code] of ['AUSYD1', 'AUSYD2', 'AU'].entries()) {
      const data = JSON.stringify({ warehouse_code, since: 1, version: 2, changed_count: 1 })
      await db
        .insertInto('events')
        .values({
          event_id: `evt_stock_${at}`,
          number: 1 + at,
          type: 'stock.changed',
          channel_code: '',
          warehouse_code,
          request_id: 'stock-sync',
          occurred_at: house.clock.now(),
          data,
        })
        .execute()
    }
    expect(await count({ which: 'missing', endpoint_id: sydney.endpoint_id })).toBe(1)
    expect(await count({ which: 'all', endpoint_id: every.endpoint_id })).toBe(2)
    expect(await count({ which: 'all' })).toBe(3)
  })

  it('is refused if more is left than was confirmed, with the number that is left', async () => {
    const { endpoint_id } = await register(shop)
    await addEvents(shop, { endpoint_id, amount: 3, status: 'dead_letter' })
    const body = { which: 'dead', endpoint_id, expected_count: 2 }
    expect(
      expectError(await redeliver(body), 'VALIDATION_FAILED', { param: 'expected_count' }),
    ).toMatchObject({
      count: 3,
    })
    expect((await list('/webhook-deliveries?status=dead_letter')).data).toHaveLength(3)
    expect(expectData(await redeliver({ ...body, expected_count: 9 }))).toEqual({
      redelivered: 3,
      remaining: 0,
    })
    const at = new Date(house.clock.now()).toISOString()
    for (const path of ['/webhook-redeliveries', '/webhook-redeliveries/count']) {
      const reversed = {
        which: 'all',
        since: at,
        until: at,
        ...(path.endsWith('count') ? {} : { expected_count: 1 }),
      }
      expectError(await send('POST', path, reversed), 'VALIDATION_FAILED', { param: 'until' })
    }
  })

  it('begins again after an hour in which nobody continued it', async () => {
    const { endpoint_id } = await register(shop)
    await addEvents(shop, { endpoint_id, amount: perCall + 1, status: 'delivered' })
    const body = { which: 'all', endpoint_id }
    await redeliver({ ...body, expected_count: perCall + 1 })
    expect(await count(body)).toBe(1)
    house.clock.advance(60 * minute)
    expect(await count(body)).toBe(perCall + 1)
    expectError(await redeliver({ ...body, expected_count: 1 }), 'VALIDATION_FAILED')
    expect(await redeliverAll(body, perCall + 1)).toEqual([perCall, 1])
  })

  it('sends nothing twice where two calls come at once', async () => {
    const { endpoint_id } = await register(shop)
    const dead = await addEvents(shop, { endpoint_id, amount: 2 * perCall, status: 'dead_letter' })
    const body = { which: 'dead', endpoint_id, expected_count: dead.length }
    const second = await openSecondGateway(house, privateNets)
    const answers = await Promise.all([redeliver(body), redeliver(body, second)])
    await second.close()
    expect(answers.map((answer) => expectData(answer).redelivered)).toEqual([perCall, perCall])
    await deliverDue(house)
    expect([...countReceived().keys()].toSorted()).toEqual(dead)
  })
})

async function readAudit(action: string): Promise<LooseJson[]> {
  const rows = await house.gateway.store.db
    .selectFrom('admin_audit')
    .select(['actor', 'detail'])
    .where('action', '=', action)
    .orderBy('at')
    .orderBy('audit_id')
    .execute()
  return rows.map(({ actor, detail }) => ({ actor, ...JSON.parse(detail) }))
}
