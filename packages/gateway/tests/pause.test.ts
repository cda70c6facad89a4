/** An operator pauses writes to the ERP for a stated time, in every process, and looks at the connection to the ERP. */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startWorkers } from '../src/workers.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { connectAgent } from './agent.ts'
import { adminToken, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  type Buyer,
  buildDropship,
  createDraft,
  expectData,
  expectError,
  listErpDocuments,
  openSecondGateway,
  openShop,
  passTime,
} from './trade.ts'

/** An ERP that notes its submits, and on request holds one back or loses its response. */
class SteeredErp {
  readonly submits: string[] = []
  /** Called before each submit reaches the ERP. */
  before: (() => Promise<void>) | undefined
  isLosing = false

  wrap(erp: Erp): Erp {
    return {
      ...erp,
      submit: async (input, options) => {
        this.submits.push(input.reference)
        await this.before?.()
        const answer = await erp.submit(input, options)
        if (this.isLosing) throw new UnknownOutcome('timeout', 'Nothing came back.')
        return answer
      },
    }
  }
}

const erp = new SteeredErp()
let house: TestGateway
let second: TestGateway
let shop: Buyer

beforeAll(async () => {
  house = await openTestGateway({
    styles: 40,
    capabilities: { serialise: 'everything' },
    wrapErp: (inner) => erp.wrap(inner),
  })
  second = await openSecondGateway(house, {})
  shop = openShop(house)
})
afterEach(async () => void (await resume()))
afterAll(async () => {
  await second.close()
  await house.close()
})

const path = '/admin/api/upstream'
const pause = (body: LooseJson, headers = {}) =>
  call(house, 'POST', `${path}/pause`, { admin: adminToken, body, headers })
const resume = (headers = {}, query = '') =>
  call(house, 'DELETE', `${path}/pause${query}`, { admin: adminToken, headers })
const readUpstream = async (at = house) => expectData(await call(at, 'GET', path, { admin: adminToken }))
const readStatus = async () => expectData(await call(house, 'GET', '/statusz'))

describe('a pause of writes', () => {
  it('refuses writes until the stated end, by the gateway’s clock, and then ends by itself', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku)
    const now = house.clock.now()
    const paused = expectData(
      await pause({ seconds: 90, reason: 'ERP update' }, { 'x-admin-actor': 'Robin' }),
    )
    expect(paused).toEqual({
      enabled: true,
      paused_at: new Date(now).toISOString(),
      paused_until: new Date(now + 90_000).toISOString(),
      paused_by: 'Robin',
      reason: 'ERP update',
    })
    expect((await readUpstream()).writes).toEqual(paused)
    house.clock.advance(30_500)
    const sent = erp.submits.length
    for (const [method, url, body] of [
      ['POST', `/orders/${order_id}/submit`, undefined],
      ['POST', '/orders', { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }],
      ['POST', '/dropship-orders/submit', buildDropship(sku)],
    ] as const) {
      const refused = await shop.send(method, url, body ? { body } : {})
      expectError(refused, 'READ_ONLY_MODE', { retryable: true })
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([403, '60'])
      expect(refused.json.error.message).toContain(paused.paused_until)
      expect(refused.text).not.toContain('ERP update')
    }
    expect(await readStatus()).toMatchObject({
      writes_enabled: true,
      writes_paused_until: paused.paused_until,
    })
    expect((await shop.get('/me')).json.data.switches.writes_enabled).toBe(false)
    expectData(await shop.get(`/orders/${order_id}`))
    expect(erp.submits).toHaveLength(sent)
    house.clock.advance(59_499)
    expectError(await shop.post(`/orders/${order_id}/submit`), 'READ_ONLY_MODE')
    house.clock.advance(1)
    expect((await readUpstream()).writes).toMatchObject({ paused_until: null, paused_by: null })
    expect((await readStatus()).writes_paused_until).toBe(null)
    expectData(await shop.post(`/orders/${order_id}/submit`))
  })

  it('applies within a second in every process, and so does its end', async () => {
    const workers = startWorkers(second.gateway)
    const { order_id } = await createDraft(shop, await shop.createSku())
    const readPaused = async () => (await readUpstream(second)).writes.paused_until !== null
    try {
      await pause({ seconds: 600 })
      await expect.poll(readPaused, { timeout: 1_000, interval: 20 }).toBe(true)
      const submit = () =>
        call(second, 'POST', `/api/v1/orders/${order_id}/submit`, { token: shopToken, body: undefined })
      const shopToken = await shop.token()
      expectError(await submit(), 'READ_ONLY_MODE')
      await resume()
      await expect.poll(readPaused, { timeout: 1_000, interval: 20 }).toBe(false)
      expectData(await submit())
    } finally {
      await workers()
    }
  })

  it('is known to a process that starts during it', async () => {
    await pause({ seconds: 600 })
    const third = await openSecondGateway(house, {})
    expect((await readUpstream(third)).writes.paused_until).not.toBe(null)
    await third.close()
  })

  it('stops a write that waited for its turn, undoes it, and lets the one under way end', async () => {
    const [first, waiting] = [
      await createDraft(shop, await shop.createSku()),
      await createDraft(shop, await shop.createSku()),
    ]
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    erp.before = async () => {
      reached.resolve()
      await released.promise
    }
    const headers = { 'idempotency-key': 'paused-while-waiting' }
    const submits = [
      shop.post(`/orders/${first.order_id}/submit`),
      shop.post(`/orders/${waiting.order_id}/submit`, undefined, headers),
    ]
    await reached.promise
    const count = erp.submits.length
    await pause({ seconds: 60 })
    released.resolve()
    erp.before = undefined
    const [done, refused] = await Promise.all(submits)
    const codes = [done?.json.error?.code ?? 'done', refused?.json.error?.code ?? 'done'].toSorted()
    expect(codes).toEqual(['READ_ONLY_MODE', 'done'])
    expect(erp.submits).toHaveLength(count)
    await resume()
    for (const { order_id } of [first, waiting]) {
      const again = order_id === waiting.order_id ? headers : {}
      const { json } = await shop.post(`/orders/${order_id}/submit`, undefined, again)
      expect(json.data?.status ?? json.error.reason).toMatch(/^(?:confirmed|invalid_state)$/)
    }
    expect(erp.submits).toHaveLength(count + 1)
  })

  it('still settles what is in doubt, by look-ups alone', async () => {
    const wish = buildDropship(await shop.createSku())
    erp.isLosing = true
    expectError(await shop.post('/dropship-orders/submit', wish), 'UPSTREAM_TIMEOUT')
    erp.isLosing = false
    await pause({ seconds: 600 })
    const sent = erp.submits.length
    await settleAll(house.gateway, writes)
    expect(await house.gateway.store.db.selectFrom('intents').selectAll().execute()).toEqual([])
    expect(erp.submits).toHaveLength(sent)
    expect(listErpDocuments(house, wish.client_order_number)).toHaveLength(1)
  })

  it('keeps an expired hold until it is over', async () => {
    const preview = expectData(
      await shop.post('/dropship-orders/allocation-preview', buildDropship(await shop.createSku())),
    )
    const readHold = async () => expectData(await shop.get(`/holds/${preview.hold.hold_id}`)).status
    await pause({ seconds: 3_600 })
    await passTime(house, 16 * 60_000)
    expect(await readHold()).toBe('reserved')
    await passTime(house, 45 * 60_000)
    expect(await readHold()).toBe('cancelled')
  })

  it('refuses an agent alike, with the seconds to wait', async () => {
    const agent = await connectAgent(house, await shop.token())
    const wish = buildDropship(await shop.createSku())
    await pause({ seconds: 120 })
    expect(await agent.expectRefusal('quote_dropship', wish)).toMatch(/^READ_ONLY_MODE: .*120/s)
    const request = { method: 'POST', path: '/api/v1/dropship-orders/submit', body: wish }
    const { data } = await agent.call('call_endpoint', request)
    expect(data).toMatchObject({
      status: 403,
      headers: { 'retry-after': '120' },
      error: { code: 'READ_ONLY_MODE' },
    })
    expect((await agent.call('check_stock', { skus: [wish.sku] })).data.rows).not.toHaveLength(0)
    await agent.client.close()
  })

  it('is replaced by a second one, and ended only once, each change in the audit', async () => {
    await pause({ seconds: 600 }, { 'x-admin-actor': 'Robin', 'x-request-id': 'pause-audit-1' })
    await pause({ seconds: 60 }, { 'x-admin-actor': 'Kim', 'x-request-id': 'pause-audit-2' })
    await resume({ 'x-request-id': 'pause-audit-3' })
    expect(expectData(await resume({ 'x-request-id': 'pause-audit-4' })).paused_until).toBe(null)
    const rows = await house.gateway.store.db
      .selectFrom('admin_audit')
      .select('detail')
      .where('request_id', 'like', 'pause-audit-%')
      .orderBy('request_id')
      .execute()
    const details = rows.map(({ detail }) => JSON.parse(detail))
    expect(details.map(({ before, after }) => [before?.paused_by, after?.paused_by])).toEqual([
      [null, 'Robin'],
      ['Robin', 'Kim'],
      ['Kim', null],
      [undefined, undefined],
    ])
  })

  it('is ended by whoever has seen it, and not by whoever saw the one before', async () => {
    const resumeSeen = ({ paused_at }: LooseJson) => resume({}, `?expected_paused_at=${paused_at}`)
    const seen = expectData(await pause({ seconds: 60 }))
    house.clock.advance(1)
    const other = expectData(await pause({ seconds: 600 }))
    const refused = expectError(await resumeSeen(seen), 'VALIDATION_FAILED', { param: 'expected_paused_at' })
    expect(refused.message).toContain(other.paused_at)
    expect((await readUpstream()).writes).toEqual(other)
    expect(expectData(await resumeSeen(other)).paused_until).toBe(null)
    // Nothing that somebody has not seen lasts.
    expectData(await resumeSeen(other))
  })

  it.each([
    {},
    { seconds: 59 },
    { seconds: 86_401 },
    { seconds: 90.5 },
    { seconds: '90' },
    { seconds: 90, reason: '' },
    { seconds: 90, reason: 'x'.repeat(201) },
    { seconds: 90, until: 'tomorrow' },
  ])('is refused with %j', async (body) => {
    expectError(await pause(body), 'VALIDATION_FAILED')
    expect((await readUpstream()).writes.paused_until).toBe(null)
  })

  it('requires the admin token', async () => {
    const body = { seconds: 60 }
    expect((await call(house, 'POST', `${path}/pause`, { body })).status).toBe(401)
    expect((await readUpstream()).writes.paused_until).toBe(null)
  })
})

describe('the connection to the ERP', () => {
  it('shows capabilities, the guarantee and what this process measured by operation', async () => {
    await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku()))
    const { operations, ...upstream } = await readUpstream()
    expect(upstream).toMatchObject({
      sandbox: true,
      circuit: 'closed',
      capabilities: { serialise: 'everything' },
      guarantee: { class: 'exactly_once' },
      left_out: 0,
    })
    const names = operations.map(({ operation }: LooseJson) => operation)
    expect(names).toEqual(names.toSorted())
    const submit = operations.find(({ operation }: LooseJson) => operation === 'submit')
    expect(submit.calls).toBe(erp.submits.length)
    expect(submit).toMatchObject({ failures: 1, last_error: { result: 'timeout' } })
    const elsewhere = await readUpstream(second)
    expect(elsewhere.operations.find(({ operation }: LooseJson) => operation === 'submit')?.calls).not.toBe(
      submit.calls,
    )
  })

  it('says since when the circuit is open', async () => {
    const broken = await openSecondGateway(
      house,
      {},
      {
        ...house.sandbox.erp,
        release: () => Promise.reject(new UnknownOutcome('unreachable', 'no')),
      },
    )
    const openedAt = house.clock.now()
    for (let sent = 0; sent < 20; sent++)
      await broken.gateway.erp.release({ reference: 'TGX', reason: 'release' }).catch(() => {})
    expect(await readUpstream(broken)).toMatchObject({
      circuit: 'open',
      since: new Date(openedAt).toISOString(),
    })
    house.clock.advance(3_000)
    expect(await readUpstream(broken)).toMatchObject({
      circuit: 'half_open',
      since: new Date(openedAt + 2_000).toISOString(),
    })
    await broken.close()
  })
})
