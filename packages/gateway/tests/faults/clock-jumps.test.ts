/**
 * The wall clock jumps while the monotonic clock continues. Expiry and schedules use the wall clock, intervals use the
 * monotonic clock.
 */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { releaseExpiredHolds } from '../../src/holds/expire.ts'
import { prune } from '../../src/housekeeping.ts'
import { retryDelaysMs } from '../../src/webhooks/schedule.ts'
import { settleAll } from '../../src/writes/settle.ts'
import { maxSendDelayMs } from '../../src/writes/timing.ts'
import { writes } from '../../src/writes.ts'
import { call, createWorld, openTestGateway, type TestGateway } from '../harness.ts'
import { deliverDue, listDeliveries, openReceiver, privateNets, registerEndpoint } from '../receiver.ts'
import {
  type Buyer,
  buildDropship,
  countHeldAtErp,
  expectData,
  expectError,
  listErpDocuments,
  openShop,
  passTime,
} from '../trade.ts'
import { shouldSkip } from './sizes.ts'

const isLeftOut = shouldSkip('clocks that jump', { long: true })

const second = 1_000
const hour = 3_600_000
const day = 24 * hour
const year = 365 * day
const maxRequestMs = 20 * second
const silenceMs = maxSendDelayMs + maxRequestMs
const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const jumps: readonly (readonly [string, number])[] = [
  ['an hour forwards', hour],
  ['an hour backwards', -hour],
  ['a year forwards', year],
  ['a year backwards', -year],
  ['a leap second backwards', -second],
]

let house: TestGateway
let shop: Buyer
let isLost = false
let late: (() => Promise<unknown>)[] = []

beforeEach(async () => {
  isLost = false
  late = []
  house = await openTestGateway({
    styles: 10,
    journey: never,
    settings: privateNets,
    capabilities: { max_request_ms: maxRequestMs, settles: false },
    wrapErp: (erp) => ({
      ...erp,
      async submit(input, options) {
        if (!isLost) return erp.submit(input, options)
        late.push(() => erp.submit(input, options))
        throw new UnknownOutcome('timeout', 'Nothing came back.')
      },
    }),
  })
  shop = openShop(house)
})
afterEach(() => house.close())

function jump(ms: number) {
  house.clock.set(house.clock.now() + ms)
}

describe.skipIf(isLeftOut).each(jumps)('a clock that jumps %s', (_name, ms) => {
  it('creates no points and withholds none', async () => {
    const { token, client_id, client_secret } = await createWorld(house, { points_per_minute: 60 })
    const readWarehouses = (bearer = token) => call(house, 'GET', '/api/v1/warehouses', { token: bearer })
    const spendPoints = async () => {
      for (let paid = 0; paid < 60; paid++) expect((await readWarehouses()).status).toBe(200)
    }
    await spendPoints()
    jump(ms)
    // A jump past the token's expiry ends it. A new token of the same channel has no additional points.
    const { json } = await call(house, 'POST', '/api/v1/auth/token', { body: { client_id, client_secret } })
    const refused = await readWarehouses(json.access_token)
    expectError(refused, 'RATE_LIMITED')
    // Every endpoint that reports the remaining points reports the same number.
    const me = await call(house, 'GET', '/api/v1/me', { token: json.access_token })
    expect(expectData(me).rate_limit).toMatchObject({ remaining: 0 })
    const feed = '/api/v1/warehouses/AUSYD1/stock/changes?since=0'
    expectError(await call(house, 'GET', feed, { token: json.access_token }), 'RATE_LIMITED')
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeLessThanOrEqual(61)
    jump(-ms)
    expectError(await readWarehouses(), 'RATE_LIMITED')
    house.clock.advance(wait * second)
    await spendPoints()
  })

  it('revives no token that was revoked, and ends none for good', async () => {
    const { token, channel_code, client_id, client_secret } = await createWorld(house)
    const fresh = await call(house, 'POST', '/api/v1/auth/token', { body: { client_id, client_secret } })
    const readMe = (bearer: string) => call(house, 'GET', '/api/v1/me', { token: bearer })
    expectData(await readMe(token))
    const { db } = house.gateway.store
    await db
      .updateTable('sessions')
      .set({ revoked_at: house.clock.now(), revoked_reason: 'operator' })
      .where('channel_code', '=', channel_code)
      .where('jti', '=', readTokenId(token))
      .execute()
    house.gateway.sessions.forget()
    for (const there of [ms, -ms]) {
      jump(there)
      expect((await readMe(token)).status, 'a revoked token').toBe(401)
      expect([200, 401]).toContain((await readMe(fresh.json.access_token)).status)
    }
    expectData(await readMe(fresh.json.access_token))
  })

  it('believes no absence before no late request can take effect, nor waits for it for ever', async () => {
    const body = buildDropship(await shop.createSku({ AUSYD1: 5 }))
    isLost = true
    const submit = (key: string) => shop.post('/dropship-orders/submit', body, { 'idempotency-key': key })
    expectError(await submit('jumped'), 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    isLost = false
    const isInDoubt = async () =>
      (await house.gateway.store.db.selectFrom('intents').selectAll().execute()).length === 1
    const step = 2 * second
    jump(ms)
    for (let waited = 0; waited < silenceMs; waited += step) {
      await settleAll(house.gateway, writes)
      await prune(house.gateway)
      expect(await isInDoubt(), `${waited} ms after it was sent`).toBe(true)
      house.clock.advance(step)
    }
    await settleAll(house.gateway, writes)
    house.clock.advance(step)
    await settleAll(house.gateway, writes)
    expect(await isInDoubt()).toBe(false)
    jump(-ms)
    // The session at the ERP may have expired by the ERP's own clock, so the buyer signs in again.
    shop = openShop(house)
    const { dropship_order_id } = expectData(await submit('jumped'))
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
    expect(expectData(await submit('jumped')).dropship_order_id).toBe(dropship_order_id)
  })

  it('neither loses nor doubles what a key has done', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = buildDropship(sku)
    isLost = true
    const submit = () => shop.post('/dropship-orders/submit', body, { 'idempotency-key': 'kept' })
    expectError(await submit(), 'UPSTREAM_TIMEOUT')
    isLost = false
    for (const send of late) await send()
    // An idempotency key does not expire while the outcome of its write is unknown.
    jump(ms)
    await prune(house.gateway)
    jump(-ms)
    shop = openShop(house)
    const first = await submit()
    expectData(first)
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
    // The idempotency key of a completed write is kept for a day of the wall clock, as the contract states.
    if (ms > day) return
    jump(ms)
    shop = openShop(house)
    const again = await submit()
    expect([again.status, again.text]).toEqual([first.status, first.text])
    jump(-ms)
    expect((await submit()).text).toBe(first.text)
    expect(listErpDocuments(house, body.client_order_number)).toHaveLength(1)
  })

  it('leaks no hold and ends none twice', async () => {
    const sku = await shop.createSku({ AUSYD1: 3 })
    const { hold } = expectData(await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)))
    jump(ms)
    await releaseExpiredHolds(house.gateway)
    expect(countHeldAtErp(house, sku)).toBe(ms >= hour ? 0 : 1)
    jump(-ms)
    await releaseExpiredHolds(house.gateway)
    const { status } = expectData(await shop.get(`/holds/${hold.hold_id}`))
    expect([status, countHeldAtErp(house, sku)]).toEqual(ms >= hour ? ['cancelled', 0] : ['reserved', 1])
    await passTime(house, hour)
    expect(countHeldAtErp(house, sku)).toBe(0)
    expectData(await shop.post('/dropship-orders/submit', buildDropship(sku, { quantity: 3 })))
    expect(countHeldAtErp(house, sku)).toBe(3)
  })
})

describe.skipIf(isLeftOut).each(jumps.filter(([, ms]) => ms > -day))(
  'a delivery that failed, and a clock that jumps %s',
  (_name, ms) => {
    it('is neither lost nor tried more often than promised', async () => {
      const receiver = await openReceiver(() => house.clock.now())
      receiver.usual = 503
      const { endpoint_id } = await registerEndpoint(house, await shop.token(), receiver.url)
      expectData(await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku())))
      await deliverDue(house)
      expect(receiver.received).toHaveLength(1)
      jump(ms)
      await deliverDue(house)
      // After a jump forward, the scheduled attempts are due. After a jump back, no attempt is made earlier than
      // promised.
      const tried = ms > 0 ? 2 : 1
      expect(receiver.received).toHaveLength(tried)
      for (const waitMs of retryDelaysMs.slice(tried - 1)) {
        house.clock.advance(waitMs + Math.abs(Math.min(0, ms)))
        shop = openShop(house)
        await deliverDue(house)
      }
      expect(receiver.received).toHaveLength(retryDelaysMs.length + 1)
      const ids = new Set(receiver.received.map(({ event }) => event.event_id))
      expect(ids.size).toBe(1)
      shop = openShop(house)
      const found = await listDeliveries(house, await shop.token(), `&endpoint_id=${endpoint_id}`)
      expect(found).toMatchObject([{ status: 'dead_letter', attempts: retryDelaysMs.length + 1 }])
      await receiver.close()
    })
  },
)

function readTokenId(token: string): string {
  const [, payload = ''] = token.split('.')
  return String(JSON.parse(Buffer.from(payload, 'base64url').toString()).jti)
}
