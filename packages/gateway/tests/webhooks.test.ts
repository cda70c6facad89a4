import { type KyselyPlugin, sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { prune } from '../src/housekeeping.ts'
import type { Store } from '../src/store/store.ts'
import { Dispatcher } from '../src/webhooks/dispatch.ts'
import { Egress, type PostResult, type Sender } from '../src/webhooks/egress.ts'
import { buildLiveEndpointsQuery } from '../src/webhooks/live-endpoints.ts'
import { deleteOldEndpoints } from '../src/webhooks/old-endpoints.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { waitUntil as untilWithin } from './faults/processes.ts'
import { call, createWorld, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  deliverDue,
  listDeliveries,
  openReceiver,
  privateNets,
  type Receiver,
  readNewest,
  registerEndpoint,
} from './receiver.ts'
import { type Buyer, buildDropship, createDraft, expectData, expectError, openShop } from './trade.ts'
import { verifyWebhook } from './verify-webhook.ts'

const waitUpToTenSeconds = (holds: () => Promise<boolean>) => untilWithin(holds, 10_000)

let house: TestGateway
let shop: Buyer
let receiver: Receiver

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  shop = openShop(house)
})
afterAll(() => house.close())

beforeEach(async () => {
  receiver = await openReceiver(() => house.clock.now())
})
afterEach(async () => {
  await deliverDue(house)
  const { json } = await shop.get('/webhook-endpoints')
  for (const { endpoint_id } of json.data) await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
  await receiver.close()
})

/** The webhook endpoint of the current test. */
let endpoint: LooseJson = {}
const registerCurrentEndpoint = async (more: LooseJson = {}) => {
  endpoint = await registerEndpoint(house, await shop.token(), receiver.url, more)
  return endpoint
}

/** Submits a drop-ship order and returns it. */
async function submitOrder(): Promise<LooseJson> {
  const sku = await shop.createSku()
  return expectData(await shop.post('/dropship-orders/submit', buildDropship(sku)))
}

async function readDelivery(): Promise<LooseJson> {
  const [first = {}] = await listDeliveries(house, await shop.token(), `&endpoint_id=${endpoint.endpoint_id}`)
  return first
}

const minute = 60_000
const schedule = [0, 30_000, 2 * minute, 10 * minute, 60 * minute, 360 * minute]

describe('a delivery', () => {
  it('is tried at 0 s, 30 s, 2 min, 10 min, 1 h and 6 h after the failure before, never earlier, then is a dead letter', async () => {
    await registerCurrentEndpoint()
    receiver.usual = 500
    const order = await submitOrder()
    await deliverDue(house)
    for (const [at, wait] of schedule.entries()) {
      if (at > 0) {
        house.clock.advance(wait - 1)
        await deliverDue(house)
        expect(receiver.received, `before attempt ${at + 1}`).toHaveLength(at)
        expect((await readDelivery()).status).toBe('pending')
        house.clock.advance(1)
        await deliverDue(house)
      }
      expect(receiver.received, `attempt ${at + 1}`).toHaveLength(at + 1)
    }
    house.clock.advance(1_000 * minute)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(6)
    expect(await readDelivery()).toMatchObject({
      status: 'dead_letter',
      attempts: 6,
      next_attempt_at: null,
      last_status: 500,
    })
    expect(new Set(receiver.received.map(({ event }) => event.event_id)).size).toBe(1)
    expect(receiver.received[0]?.event.data.dropship_order_id).toBe(order.dropship_order_id)
    const { json } = await shop.get('/me')
    expect(json.data.webhook_health.dead_letters).toBeGreaterThan(0)
    expect(json.data.webhook_health.last_failure_status).toBe(500)
  })

  it('is neither deleted nor put off by a clock that is a year ahead for a while', async () => {
    await registerCurrentEndpoint()
    await prune(house.gateway)
    receiver.answers = [503]
    await submitOrder()
    const now = house.clock.now()
    house.clock.set(now + 365 * 24 * 60 * minute)
    await deliverDue(house)
    await prune(house.gateway)
    house.clock.set(now)
    house.clock.advance(minute)
    await prune(house.gateway)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(2)
    expect(await readDelivery()).toMatchObject({ status: 'delivered', attempts: 2 })
  })

  it('is sent at once although a clock that was an hour ahead numbered its event', async () => {
    await registerCurrentEndpoint()
    await submitOrder()
    const now = house.clock.now()
    house.clock.set(now + 60 * minute)
    while (await sequenceEvents(house.gateway));
    house.clock.set(now)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    await prune(house.gateway)
    expect((await readDelivery()).next_attempt_at).toBe(new Date(now).toISOString())
    expect((await call(house, 'GET', '/statusz')).json.data.webhook_queue).toEqual({
      endpoints_due: 1,
      oldest_seconds: 0,
    })
    await deliverDue(house)
    expect(receiver.received).toHaveLength(1)
  })

  it('keeps its delay after an attempt by a process whose clock was an hour ahead', async () => {
    await registerCurrentEndpoint()
    receiver.answers = [503]
    await submitOrder()
    const now = house.clock.now()
    house.clock.set(now + 60 * minute)
    await deliverDue(house)
    house.clock.set(now)
    const { next_attempt_at } = await readDelivery()
    expect(next_attempt_at).toBe(new Date(now + 60 * minute + 30_000).toISOString())
    await prune(house.gateway)
    expect(await readDelivery()).toMatchObject({ next_attempt_at, attempts: 1 })
    house.clock.advance(60 * minute + 30_000)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(2)
  })

  it('does not wait for a lease that its process took and forgot', async () => {
    await registerCurrentEndpoint()
    await submitOrder()
    while (await sequenceEvents(house.gateway));
    const { store } = house.gateway
    let isBroken = true
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (
          isBroken &&
          node.kind === 'SelectQueryNode' &&
          JSON.stringify(node).includes('channel_deleted_at')
        )
          throw new Error('the connection broke')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const broken = { ...house.gateway, store: { ...store, db: store.db.withPlugin(failing) } }
    const dispatcher = new Dispatcher(broken, new Egress(house.gateway.config))
    const turn = () => dispatcher.turn().catch((error: unknown) => error)
    expect(await turn()).toEqual(new Error('the connection broke'))
    isBroken = false
    await dispatcher.drain()
    await dispatcher.stop()
    expect(receiver.received).toHaveLength(1)
  })

  it('shows in /statusz for as long as it is due and nobody takes it', async () => {
    const readQueue = async () => (await call(house, 'GET', '/statusz')).json.data.webhook_queue
    await registerCurrentEndpoint()
    await deliverDue(house)
    expect(await readQueue()).toEqual({ endpoints_due: 0, oldest_seconds: null })
    await submitOrder()
    while (await sequenceEvents(house.gateway));
    house.clock.advance(90_000)
    expect(await readQueue()).toEqual({ endpoints_due: 1, oldest_seconds: 90 })
    await deliverDue(house)
    expect(await readQueue()).toEqual({ endpoints_due: 0, oldest_seconds: null })
  })

  it('waits from the failure, not from the beginning', async () => {
    await registerCurrentEndpoint()
    receiver.answers = [500, 500]
    await submitOrder()
    await deliverDue(house)
    house.clock.advance(45_000)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(2)
    house.clock.advance(2 * minute - 1)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(2)
    house.clock.advance(1)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(3)
    expect(await readDelivery()).toMatchObject({ status: 'delivered', attempts: 3, last_error: null })
  })

  it.each([301, 302, 307, 308])('does not follow a %i', async (status) => {
    await registerCurrentEndpoint()
    const elsewhere = await openReceiver()
    receiver.answers = [(response) => response.writeHead(status, { location: elsewhere.url }).end()]
    await submitOrder()
    await deliverDue(house)
    expect(elsewhere.received).toHaveLength(0)
    expect(await readDelivery()).toMatchObject({
      status: 'pending',
      last_error: 'redirect',
      last_status: status,
    })
    await elsewhere.close()
  })

  it.each([204, 299])('takes %i for a success', async (status) => {
    await registerCurrentEndpoint()
    receiver.answers = [status]
    await submitOrder()
    await deliverDue(house)
    expect(await readDelivery()).toMatchObject({ status: 'delivered', last_status: status })
  })

  it('tells the failure in words and at most 200 printable characters of the answer', async () => {
    await registerCurrentEndpoint()
    receiver.answers = [(response) => response.writeHead(503).end(`no\u0007 \u0000room${'x'.repeat(500)}`)]
    await submitOrder()
    await deliverDue(house)
    const told = await readDelivery()
    expect(told.last_response).toMatch(/^no roomx{193}$/)
    expect(told).toMatchObject({ last_error: 'status', last_status: 503 })
  })

  it('reads no more than 64 kB of an endless answer, and counts its status', async () => {
    await registerCurrentEndpoint()
    let sent = 0
    receiver.answers = [
      (response) => {
        response.writeHead(200)
        const writeMore = () => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
        }
        response.on('drain', writeMore)
        writeMore()
      },
    ]
    await submitOrder()
    await deliverDue(house)
    expect(await readDelivery()).toMatchObject({ status: 'delivered', last_status: 200 })
    expect(sent).toBeLessThan(16 * 1024 * 1024)
  })

  it.each([
    ['200', 'a length that is not reached', { 'content-length': '100' }, 'delivered', null],
    ['202', 'chunks without an end', {}, 'delivered', null],
    ['503', 'a length that is not reached', { 'content-length': '100' }, 'pending', 'status'],
  ] as const)(
    'has the status %s although its body breaks off: %s',
    async (code, _how, headers, status, last_error) => {
      await registerCurrentEndpoint()
      receiver.answers = [
        (response) => {
          response.writeHead(Number(code), headers)
          response.write('{"ok":', () => setTimeout(() => response.destroy(), 20))
        },
      ]
      await submitOrder()
      await deliverDue(house)
      expect(await readDelivery()).toMatchObject({ status, last_error, last_status: Number(code) })
    },
  )

  it('is a failure where the connection breaks after a provisional status', async () => {
    await registerCurrentEndpoint()
    receiver.answers = [
      (response) => {
        response.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => response.destroy())
      },
    ]
    await submitOrder()
    await deliverDue(house)
    expect(await readDelivery()).toMatchObject({ status: 'pending', last_error: 'connection' })
  })

  it('is a failure where the connection breaks or is refused', async () => {
    await registerCurrentEndpoint()
    receiver.answers = [(response) => response.destroy()]
    await submitOrder()
    await deliverDue(house)
    expect(await readDelivery()).toMatchObject({
      status: 'pending',
      last_error: 'connection',
      last_status: null,
    })
  })

  it('no longer goes to an endpoint that was deleted', async () => {
    const { endpoint_id } = await registerCurrentEndpoint()
    receiver.usual = 500
    await submitOrder()
    await deliverDue(house)
    expectData(await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`))
    expectData(await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`))
    house.clock.advance(10 * minute)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(1)
    const told = await readDelivery()
    expect(told).toMatchObject({ status: 'cancelled', last_error: 'endpoint_deleted', attempts: 1 })
    const again = await shop.post(`/webhook-deliveries/${told.delivery_id}/redeliver`)
    const { hint } = expectError(again, 'VALIDATION_FAILED', { param: 'delivery_id' })
    expect(hint).toMatch(/^Read the event with `GET .*`, and register a webhook endpoint/)
    expectError(await shop.get(`/webhook-endpoints/${endpoint_id}`), 'NOT_FOUND', {
      hint: 'Send the id exactly as the gateway returned it, case included. The list endpoints show what exists.',
    })
  })

  it('can be sent again, under the same event_id and with the whole schedule before it', async () => {
    await registerCurrentEndpoint()
    await submitOrder()
    await deliverDue(house)
    const { delivery_id } = await readDelivery()
    receiver.answers = [500]
    const again = expectData(await shop.post(`/webhook-deliveries/${delivery_id}/redeliver`))
    expect(again).toMatchObject({ status: 'pending', attempts: 0 })
    await deliverDue(house)
    house.clock.advance(30_000)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(3)
    expect(new Set(receiver.received.map(({ event }) => event.event_id)).size).toBe(1)
    expect(await readDelivery()).toMatchObject({ status: 'delivered', attempts: 2 })
  })

  it.each([
    ['webhooks are switched off for the channel', { webhooks_enabled: 0 }, { webhooks_enabled: 1 }],
    ['the channel is paused', { paused: 1 }, { paused: 0 }],
  ])('waits as long as %s, and is made good afterwards', async (_what, off, on) => {
    await registerCurrentEndpoint()
    const channel = 'channel-of-CUST-HARBOUR'
    const { db } = house.gateway.store
    const changeChannel = (fields: { webhooks_enabled?: number; paused?: number }) =>
      db.updateTable('channels').set(fields).where('channel_code', '=', channel).execute()
    await submitOrder()
    await changeChannel(off)
    await deliverDue(house)
    house.clock.advance(5 * minute)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    await changeChannel(on)
    house.clock.advance(minute)
    await deliverDue(house)
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a signature', () => {
  it('verifies with a library of Standard Webhooks, and with ten lines for ours, over the raw body', async () => {
    const { secret } = await registerCurrentEndpoint()
    await submitOrder()
    await deliverDue(house)
    const { raw, headers } = readNewest(receiver)
    expect(verifySignatures(secret, raw, headers)).toEqual({ standard: true, ours: true })
    expect(verifySignatures(secret, `${raw} `, headers)).toEqual({ standard: false, ours: false })
    expect(verifySignatures(`whsec_${Buffer.alloc(32).toString('base64')}`, raw, headers)).toEqual({
      standard: false,
      ours: false,
    })
    expect(headers['content-type']).toBe('application/json')
    expect(headers['webhook-id']).toBe(JSON.parse(raw).event_id)
  })

  it('has a fresh time on every attempt', async () => {
    const { secret } = await registerCurrentEndpoint()
    receiver.answers = [500]
    await submitOrder()
    await deliverDue(house)
    house.clock.advance(30_000)
    await deliverDue(house)
    const [first, second] = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect((second ?? 0) - (first ?? 0)).toBe(30)
    for (const { raw, headers, at } of receiver.received) {
      expect(verifySignatures(secret, raw, headers, at)).toEqual({ standard: true, ours: true })
    }
  })

  it('is made with both secrets for a day after a rotation, and with the new one alone then', async () => {
    const { endpoint_id, secret: old } = await registerCurrentEndpoint()
    const rotated = expectData(await shop.post(`/webhook-endpoints/${endpoint_id}/secret-rotations`), 201)
    expect(rotated.secret).not.toBe(old)
    expect(rotated.former_secret_until).not.toBeNull()
    await submitOrder()
    await deliverDue(house)
    house.clock.advance(24 * 60 * minute - 1)
    await submitOrder()
    await deliverDue(house)
    house.clock.advance(1)
    await submitOrder()
    await deliverDue(house)
    const verifyAll = (secret: string) =>
      receiver.received.map(({ raw, headers, at }) => verifySignatures(secret, raw, headers, at))
    const yes = { standard: true, ours: true }
    expect(verifyAll(rotated.secret)).toEqual([yes, yes, yes])
    expect(verifyAll(old)).toEqual([yes, yes, { standard: false, ours: false }])
  })

  it('is made with every secret of the last day, however often it was rotated', async () => {
    const { endpoint_id, secret: first } = await registerCurrentEndpoint()
    const rotateSecret = async () =>
      expectData(await shop.post(`/webhook-endpoints/${endpoint_id}/secret-rotations`), 201).secret
    const second = await rotateSecret()
    house.clock.advance(minute)
    const third = await rotateSecret()
    await submitOrder()
    await deliverDue(house)
    const { raw, headers, at } = readNewest(receiver)
    for (const secret of [first, second, third])
      expect(verifySignatures(secret, raw, headers, at)).toEqual({ standard: true, ours: true })
  })

  it('is not rotated a fifth time within a day, so that every former secret signs for its day', async () => {
    const { endpoint_id, secret: first } = await registerCurrentEndpoint()
    const path = `/webhook-endpoints/${endpoint_id}/secret-rotations`
    const firstEnds = new Date(house.clock.now() + 24 * 60 * minute).toISOString()
    for (let rotation = 0; rotation < 4; rotation++) {
      expectData(await shop.post(path), 201)
      house.clock.advance(minute)
    }
    const refused = expectError(await shop.post(path), 'VALIDATION_FAILED', { reason: 'invalid_state' })
    expect(refused.message).toContain(firstEnds)
    house.clock.advance((24 * 60 - 4) * minute - 1)
    expectError(await shop.post(path), 'VALIDATION_FAILED', { reason: 'invalid_state' })
    await submitOrder()
    await deliverDue(house)
    const { raw, headers, at } = readNewest(receiver)
    expect(verifySignatures(first, raw, headers, at)).toEqual({ standard: true, ours: true })
    house.clock.advance(1)
    expectData(await shop.post(path), 201)
  })

  it('stays the one that a lost answer told, when the rotation is asked for again with its key', async () => {
    const { endpoint_id } = await registerCurrentEndpoint()
    const path = `/webhook-endpoints/${endpoint_id}/secret-rotations`
    const requestRotation = () => shop.post(path, undefined, { 'idempotency-key': 'rotation-1' })
    const told = await requestRotation()
    // The response that the key replays is stored in the same transaction as the rotation, so no crash can separate
    // them.
    const { state, resource_id } = await house.gateway.store.db
      .selectFrom('idempotency_keys')
      .select(['state', 'resource_id'])
      .where('idempotency_key', '=', 'rotation-1')
      .executeTakeFirstOrThrow()
    expect({ state, resource_id }).toEqual({ state: 'completed', resource_id: endpoint_id })
    expect((await requestRotation()).text).toBe(told.text)
  })

  it('verifies on every delivery while secrets are rotated under load', async () => {
    const { endpoint_id, secret } = await registerCurrentEndpoint()
    let [former, current] = [secret, secret]
    let failures = 0
    receiver.usual = (response, { raw, headers }) => {
      // Receivers accept the webhook whether they know the new secret or only the former one.
      const fits = [former, current].some((each) => verifySignatures(each, raw, headers).ours)
      failures += fits ? 0 : 1
      response.writeHead(fits ? 200 : 401).end()
    }
    for (let round = 0; round < 10; round++) {
      for (let each = 0; each < 5; each++) await shop.post(`/webhook-endpoints/${endpoint_id}/test`)
      const delivering = deliverDue(house)
      const { secret: next } = expectData(
        await shop.post(`/webhook-endpoints/${endpoint_id}/secret-rotations`),
        201,
      )
      ;[former, current] = [current, next]
      await delivering
      // At most four rotations fit into 24 hours.
      house.clock.advance(7 * 60 * minute)
    }
    expect(receiver.received).toHaveLength(50)
    expect(failures).toBe(0)
  })

  it('stands on a secret that is shown once and sealed at rest', async () => {
    const { endpoint_id, secret } = await registerCurrentEndpoint()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const answers = [
      await shop.get('/webhook-endpoints'),
      await shop.get(`/webhook-endpoints/${endpoint_id}`),
    ]
    for (const { text } of answers) expect(text).not.toContain(secret)
    const rows = await house.gateway.store.db.selectFrom('webhook_endpoints').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length))
  })
})

/**
 * Checks the webhook's signatures as receivers with this secret do, at the time `at`. Returns the verdicts of a
 * Standard Webhooks library and of `verifyWebhook`.
 */
function verifySignatures(secret: string, raw: string, headers: object, at = house.clock.now()) {
  const named = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  try {
    return { standard: matchesStandard(secret, raw, named), ours: verifyWebhook(raw, named, secret) }
  } finally {
    vi.useRealTimers()
  }
}

function matchesStandard(secret: string, raw: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(raw, headers)
    return true
  } catch {
    return false
  }
}

describe('an endpoint', () => {
  it('is registered, read, changed and listed by its channel alone', async () => {
    const { endpoint_id } = await registerCurrentEndpoint({
      description: 'orders',
      warehouse_codes: ['AUSYD1'],
    })
    const changed = expectData(
      await shop.send('PATCH', `/webhook-endpoints/${endpoint_id}`, {
        body: { description: null, warehouse_codes: null, event_types: ['stock.changed'] },
      }),
    )
    expect(changed).toMatchObject({ description: null, warehouse_codes: [], event_types: ['stock.changed'] })
    const { token } = await createWorld(house)
    const foreign = `/api/v1/webhook-endpoints/${endpoint_id}`
    for (const [method, path] of [
      ['GET', foreign],
      ['PATCH', foreign],
      ['DELETE', foreign],
      ['POST', `${foreign}/secret-rotations`],
      ['POST', `${foreign}/test`],
    ] as const) {
      const body = method === 'PATCH' ? { body: {} } : {}
      expectError(await call(house, method, path, { token, ...body }), 'OWNERSHIP_DENIED')
    }
    const { json } = await call(house, 'GET', '/api/v1/webhook-endpoints', { token })
    expect(json.data).toEqual([])
  })

  it('is one of at most five', async () => {
    const { token } = await createWorld(house)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        call(house, 'POST', '/api/v1/webhook-endpoints', {
          token,
          body: { url: receiver.url, event_types: ['order.created'] },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    const [refused] = answers.filter(({ status }) => status !== 201)
    const { error } = refused?.json ?? {}
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', reason: 'invalid_state' })
    // The fields are valid; the only problem is that there are too many endpoints.
    expect(error).not.toHaveProperty('param')
    expect(error.hint).toMatch(
      /^Delete one of the 5 with `DELETE \/api\/v1\/webhook-endpoints\/<endpoint_id>`/,
    )
  })

  it('refuses event types and warehouses that are none, or not the channel’s', async () => {
    const { token } = await createWorld(house, { warehouse_allowlist: ['CHNZJ1'] })
    const postEndpoint = (more: LooseJson) =>
      call(house, 'POST', '/api/v1/webhook-endpoints', {
        token,
        body: { url: receiver.url, event_types: ['stock.changed'], ...more },
      })
    expectError(await postEndpoint({ event_types: ['order.shipped'] }), 'VALIDATION_FAILED', {
      param: 'event_types[0]',
    })
    expectError(await postEndpoint({ event_types: ['webhook.test'] }), 'VALIDATION_FAILED', {
      param: 'event_types[0]',
    })
    expectError(await postEndpoint({ event_types: [] }), 'VALIDATION_FAILED', { param: 'event_types' })
    expectError(await postEndpoint({ warehouse_codes: ['NOWHERE'] }), 'WAREHOUSE_UNKNOWN', {
      param: 'warehouse_codes[0]',
    })
    expectError(await postEndpoint({ warehouse_codes: ['CHNZJ1', 'AUSYD1'] }), 'WAREHOUSE_DENIED', {
      param: 'warehouse_codes[1]',
    })
    expectError(await postEndpoint({ warehouse_codes: ['CN'] }), 'WAREHOUSE_DENIED')
  })

  it('is tried out with an event that is on no list', async () => {
    const { endpoint_id, secret } = await registerCurrentEndpoint()
    const headers = { 'x-request-id': 'req-of-a-test-1' }
    house.clock.advance(6 * minute)
    const sent = expectData(await shop.post(`/webhook-endpoints/${endpoint_id}/test`, undefined, headers))
    expect(sent).toMatchObject({ event_type: 'webhook.test', status: 'pending' })
    await deliverDue(house)
    const { raw, headers: got, event } = readNewest(receiver)
    expect(event).toMatchObject({ type: 'webhook.test', event_id: sent.event_id })
    expect(got['x-request-id']).toBe('req-of-a-test-1')
    expect(verifySignatures(secret, raw, got)).toEqual({ standard: true, ours: true })
    expectError(await shop.get(`/events/${sent.event_id}`), 'NOT_FOUND')
    // A client can continue reading after an event that was only a test.
    house.clock.advance(1)
    await submitOrder()
    await deliverDue(house)
    const since = expectData(await shop.get(`/events?since=${sent.event_id}`))
    expect(since.map(({ type }: { type: string }) => type)).toEqual(['order.created'])
  })

  it('tried out before an older event has its number, leaves none out that is read after it', async () => {
    const { endpoint_id } = await registerCurrentEndpoint()
    house.clock.advance(6 * minute)
    await submitOrder()
    house.clock.advance(10)
    const sent = expectData(await shop.post(`/webhook-endpoints/${endpoint_id}/test`))
    await deliverDue(house)
    const since = expectData(await shop.get(`/events?since=${sent.event_id}`))
    expect(since.map(({ type }: { type: string }) => type)).toEqual(['order.created'])
  })

  it('cannot be tried out, changed or rotated while webhooks are switched off, but read and deleted', async () => {
    const { token, channel_code } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, receiver.url)
    const { db } = house.gateway.store
    await db
      .updateTable('channels')
      .set({ webhooks_enabled: 0 })
      .where('channel_code', '=', channel_code)
      .execute()
    house.gateway.sessions.forget()
    const path = `/api/v1/webhook-endpoints/${endpoint_id}`
    for (const at of [`${path}/test`, `${path}/secret-rotations`])
      expectError(await call(house, 'POST', at, { token }), 'SCOPE_DENIED', { reason: 'switched_off' })
    expect((await call(house, 'GET', path, { token })).status).toBe(200)
    expect((await call(house, 'DELETE', path, { token })).status).toBe(200)
  })
})

describe('deliveries', () => {
  it('are listed and sent again by their channel alone', async () => {
    await registerCurrentEndpoint()
    await submitOrder()
    await deliverDue(house)
    const { delivery_id, event_id } = await readDelivery()
    const { token } = await createWorld(house)
    expectError(
      await call(house, 'POST', `/api/v1/webhook-deliveries/${delivery_id}/redeliver`, { token }),
      'OWNERSHIP_DENIED',
    )
    expect(await listDeliveries(house, token, `&event_id=${event_id}`)).toEqual([])
    expect(
      await listDeliveries(house, await shop.token(), `&event_id=${event_id}&status=delivered`),
    ).toHaveLength(1)
    expect(
      await listDeliveries(house, await shop.token(), `&event_id=${event_id}&status=dead_letter`),
    ).toEqual([])
  })
})

describe('order.created', () => {
  it('tells of a wholesale order once, when it is submitted, without the recipient', async () => {
    await registerCurrentEndpoint()
    const draft = await createDraft(shop, await shop.createSku(), 2, { client_order_number: 'WHOLE-1' })
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    expectData(await shop.post(`/orders/${draft.order_id}/submit`))
    expectData(await shop.post(`/orders/${draft.order_id}/submit`))
    await house.settle()
    await deliverDue(house)
    expect(receiver.received).toHaveLength(1)
    const { event, raw } = readNewest(receiver)
    expect(event).toMatchObject({
      type: 'order.created',
      channel_code: 'channel-of-CUST-HARBOUR',
      data: {
        order_type: 'wholesale',
        order_id: draft.order_id,
        dropship_order_id: null,
        client_order_number: 'WHOLE-1',
        status: 'confirmed',
        lines: [{ quantity: 2, quantity_allocated: 2 }],
        resource_url: `/api/v1/orders/${draft.order_id}`,
      },
    })
    const order = expectData(await shop.get(`/orders/${draft.order_id}`))
    expect(event.data.costs).toEqual(order.costs)
    expect(event.data.lines).toEqual(order.lines)
    expect(raw).not.toContain('Example Street')
    expectData(await shop.send('DELETE', `/orders/${draft.order_id}`))
    await deliverDue(house)
    expect(receiver.received).toHaveLength(1)
  })

  it('tells of a drop-ship order once, not of its preview, without the recipient', async () => {
    await registerCurrentEndpoint()
    const wish = buildDropship(await shop.createSku())
    expectData(await shop.post('/dropship-orders/allocation-preview', wish))
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
    const order = expectData(await shop.post('/dropship-orders/submit', wish))
    await deliverDue(house)
    const { event, raw } = readNewest(receiver)
    expect(event.data).toMatchObject({
      order_type: 'dropship',
      order_id: null,
      dropship_order_id: order.dropship_order_id,
      serial_number: order.serial_number,
      status: 'pending',
      lines: [{ sku: wish.sku, quantity: 1 }],
    })
    for (const secret of ['Alex', 'Example Street', '5550 1234']) expect(raw).not.toContain(secret)
  })

  it('is not told of an order that the ERP refused', async () => {
    await registerCurrentEndpoint()
    const sku = await shop.createSku({ AUSYD1: 0 })
    const before = await readLastEventNumber()
    expectError(await shop.post('/dropship-orders/submit', buildDropship(sku)), 'UPSTREAM_REJECTED')
    await deliverDue(house)
    expect(await readLastEventNumber()).toBe(before)
    expect(receiver.received).toHaveLength(0)
  })

  it('goes to the endpoints of its channel alone', async () => {
    const { token } = await createWorld(house)
    await registerEndpoint(house, token, receiver.url)
    await submitOrder()
    await deliverDue(house)
    expect(receiver.received).toHaveLength(0)
  })
})

async function readLastEventNumber(): Promise<number> {
  while (await sequenceEvents(house.gateway));
  const { value } = await house.gateway.store.db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', 'events')
    .executeTakeFirstOrThrow()
  return value
}

describe('receivers that hang', () => {
  it('do not delay the others, and keep few attempts in flight', async () => {
    const { token } = await createWorld(house)
    const hanging = await openReceiver()
    hanging.usual = () => {}
    const slow = await registerEndpoint(house, token, hanging.url)
    const fine = await registerEndpoint(house, token, receiver.url)
    const sendTest = (id: string) => call(house, 'POST', `/api/v1/webhook-endpoints/${id}/test`, { token })
    for (let each = 0; each < 20; each++)
      await Promise.all([sendTest(slow.endpoint_id), sendTest(fine.endpoint_id)])
    const dispatcher = new Dispatcher(house.gateway, new Egress(house.gateway.config))
    await waitUpToTenSeconds(async () => {
      await dispatcher.turn()
      return receiver.received.length === 20
    })
    expect(hanging.received.length).toBeGreaterThan(0)
    expect(hanging.received.length).toBeLessThanOrEqual(4)
    // The outcome of the last fine attempt may still be on its way into the database.
    await waitUpToTenSeconds(async () => dispatcher.inFlight === hanging.received.length)
    // An attempt that was aborted because the process ended does not count.
    await dispatcher.stop()
    expect(
      await listDeliveries(house, token, `&endpoint_id=${slow.endpoint_id}&status=pending`),
    ).toHaveLength(20)
    hanging.usual = 200
    await deliverDue(house)
    expect(
      await listDeliveries(house, token, `&endpoint_id=${slow.endpoint_id}&status=delivered`),
    ).toHaveLength(20)
    await hanging.close()
  })
})

describe('the queue of an endpoint', () => {
  /** Opens an endpoint whose attempts end when the test answers them, and its dispatcher. */
  async function openQueue(gateway = house.gateway) {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, receiver.url)
    const unanswered: (() => void)[] = []
    const sentTo: string[] = []
    const post: Sender['post'] = ({ url }) => {
      sentTo.push(url)
      return new Promise<PostResult>((resolve) => {
        unanswered.push(() => resolve({ status: 200, error: undefined, excerpt: null }))
      })
    }
    const dispatcher = new Dispatcher(gateway, { post, close: async () => {} })
    const path = `/api/v1/webhook-endpoints/${endpoint_id}`
    const countDelivered = async () =>
      (await listDeliveries(house, token, `&endpoint_id=${endpoint_id}&status=delivered`)).length
    return {
      dispatcher,
      sentTo,
      sendTest: () => call(house, 'POST', `${path}/test`, { token }),
      changeUrl: async (url: string) =>
        expectData(await call(house, 'PATCH', path, { token, body: { url } })),
      waitUntilSent: (count: number) => waitUpToTenSeconds(async () => sentTo.length === count),
      /** Answers the oldest attempt. Afterwards that many are in flight. */
      async answerOne(inFlight: number) {
        unanswered.shift()?.()
        await waitUpToTenSeconds(async () => dispatcher.inFlight === inFlight)
      },
      deliver: (count: number) =>
        waitUpToTenSeconds(async () => {
          await dispatcher.turn()
          for (const answer of unanswered.splice(0)) answer()
          return (await countDelivered()) === count
        }),
    }
  }
  /** How many attempts a new worker has in flight at most. */
  const atOnce = 4

  it('is delivered once and to its end if the clock jumps over its lease during an attempt', async () => {
    const { dispatcher, sentTo, sendTest, deliver } = await openQueue()
    await sendTest()
    await dispatcher.turn()
    house.clock.set(house.clock.now() + 2 * minute)
    await deliver(1)
    // The longest time for which a queue stays with one process.
    house.clock.advance(11_000)
    await sendTest()
    await deliver(2)
    expect(sentTo).toHaveLength(2)
    await dispatcher.stop()
  })

  it('gets no attempt that may last longer than its lease', async () => {
    const { store } = house.gateway
    let isBroken = false
    const withoutRenewals: KyselyPlugin = {
      transformQuery: ({ node }) => {
        const text = node.kind === 'UpdateQueryNode' ? JSON.stringify(node) : ''
        if (isBroken && text.includes('leased_until') && !text.includes('leased_by'))
          throw new Error('the connection broke')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const gateway = { ...house.gateway, store: { ...store, db: store.db.withPlugin(withoutRenewals) } }
    const { dispatcher, sentTo, sendTest, waitUntilSent, answerOne, deliver } = await openQueue(gateway)
    for (let each = 0; each <= atOnce; each++) await sendTest()
    await dispatcher.turn()
    await waitUntilSent(atOnce)
    isBroken = true
    for (let turn = 0; turn < 2; turn++) {
      house.clock.advance(20_000)
      await expect(dispatcher.turn()).rejects.toThrow('the connection broke')
    }
    isBroken = false
    // The lease ends in 15 seconds, the time limit of an attempt. The settings are read again.
    house.clock.advance(5_000)
    await dispatcher.turn()
    await answerOne(atOnce - 1)
    expect(sentTo).toHaveLength(atOnce)
    // The lease is renewed.
    house.clock.advance(15_000)
    await deliver(atOnce + 1)
    expect(sentTo).toHaveLength(atOnce + 1)
    await dispatcher.stop()
  })

  it('gets no attempt with settings that are older than a second', async () => {
    const { dispatcher, sentTo, sendTest, changeUrl, waitUntilSent, answerOne, deliver } = await openQueue()
    for (let each = 0; each <= atOnce; each++) await sendTest()
    await dispatcher.turn()
    await waitUntilSent(atOnce)
    const url = `${receiver.url}/moved`
    await changeUrl(url)
    house.clock.advance(1_001)
    await answerOne(atOnce - 1)
    await deliver(atOnce + 1)
    expect(sentTo).toEqual([...Array.from({ length: atOnce }, () => receiver.url), url])
    await dispatcher.stop()
  })
})

describe('a dispatcher whose lock is not free', () => {
  it('leases no queue until it has the lock', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id } = await registerEndpoint(house, token, receiver.url)
    await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    let isFree = false
    const { store } = house.gateway
    const withLock: Store['withLock'] = async (name, waitMs, work) =>
      isFree || !name.startsWith('delivering ') ? store.withLock(name, waitMs, work) : undefined
    const gateway = { ...house.gateway, store: { ...store, withLock } }
    const dispatcher = new Dispatcher(gateway, new Egress(house.gateway.config))
    await dispatcher.turn()
    expect(dispatcher.inFlight).toBe(0)
    const queue = await store.db
      .selectFrom('webhook_queues')
      .select('leased_by')
      .where('endpoint_id', '=', endpoint_id)
      .executeTakeFirstOrThrow()
    expect(queue.leased_by).toBeNull()
    isFree = true
    await dispatcher.turn()
    await dispatcher.drain()
    await dispatcher.stop()
    expect(await listDeliveries(house, token, `&endpoint_id=${endpoint_id}&status=delivered`)).toHaveLength(1)
  })
})

describe('endpoints that were deleted long ago', () => {
  const day = 24 * 60 * minute
  const readRow = (table: 'webhook_endpoints' | 'webhook_queues', id: string) =>
    house.gateway.store.db
      .selectFrom(table)
      .select('endpoint_id')
      .where('endpoint_id', '=', id)
      .executeTakeFirst()

  it('are deleted with their queues after 30 days, once no delivery is left', async () => {
    const { token } = await createWorld(house)
    const { endpoint_id: kept } = await registerEndpoint(house, token, receiver.url)
    const { endpoint_id } = await registerEndpoint(house, token, receiver.url)
    await call(house, 'POST', `/api/v1/webhook-endpoints/${endpoint_id}/test`, { token })
    await deliverDue(house)
    await call(house, 'DELETE', `/api/v1/webhook-endpoints/${endpoint_id}`, { token })
    const { db } = house.gateway.store
    const delivery = await db
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('endpoint_id', '=', endpoint_id)
      .executeTakeFirstOrThrow()
    const at = (ms: number) => {
      const { clock } = house
      const later = { now: () => clock.now() + ms, monotonic: () => clock.monotonic(), machine: () => 0 }
      return { ...house.gateway, clock: later }
    }
    await deleteOldEndpoints(at(29 * day))
    await deleteOldEndpoints(at(31 * day))
    expect(await readRow('webhook_endpoints', endpoint_id), 'with a delivery').toBeDefined()
    await db.deleteFrom('webhook_deliveries').where('delivery_id', '=', delivery.delivery_id).execute()
    await deleteOldEndpoints(at(29 * day))
    expect(await readRow('webhook_endpoints', endpoint_id), 'after 29 days').toBeDefined()
    await deleteOldEndpoints(at(31 * day))
    for (const table of ['webhook_endpoints', 'webhook_queues'] as const) {
      expect(await readRow(table, endpoint_id)).toBeUndefined()
      expect(await readRow(table, kept)).toBeDefined()
    }
  })

  it('are not read when events are numbered', async () => {
    const { db, kind } = house.gateway.store
    const { channel_code } = await createWorld(house)
    const deleted = Array.from({ length: 2_000 }, (_, index) => ({
      endpoint_id: `whe_old_${index}`,
      channel_code,
      url: 'https://hooks.example.com',
      event_types: '[]',
      description: null,
      warehouse_codes: '[]',
      secret_sealed: '',
      formers: '[]',
      created_at: 0,
      updated_at: 0,
      deleted_at: 1,
    }))
    for (let from = 0; from < deleted.length; from += 100)
      await db
        .insertInto('webhook_endpoints')
        .values(deleted.slice(from, from + 100))
        .execute()
    if (kind === 'postgres') await sql`analyze webhook_endpoints`.execute(db)
    const explain = sql.raw(kind === 'sqlite' ? 'explain query plan' : 'explain')
    const { rows } = await sql`${explain} select * from ${buildLiveEndpointsQuery(db)} as live`.execute(db)
    expect(JSON.stringify(rows)).toContain('webhook_endpoints_live')
    await db.deleteFrom('webhook_endpoints').where('endpoint_id', 'like', 'whe_old_%').execute()
  })
})
