/** What gateways share: points over HTTP, locks of addresses, inboxes, and lists that hop from one to the other. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toAddressSubject, withAddressGuard } from '../../src/access/address-guard.ts'
import { unlock } from '../../src/access/lockouts.ts'
import { GatewayError } from '../../src/contract/errors.ts'
import { failInbox, receiveDelivery, toInboxMessages } from '../../src/webhooks/inbox.ts'
import { buyers, call, createWorld, openTestGateway, signInBuyer, type TestGateway } from '../harness.ts'
import { hasServer, patientMs, startServer, type TestServer } from './server.ts'

const spender = new URL('spender.ts', import.meta.url).pathname

describe.skipIf(!hasServer)('gateways on one server', () => {
  let server: TestServer
  let houses: readonly [TestGateway, TestGateway]
  beforeAll(async () => {
    server = await startServer()
    const open = () =>
      openTestGateway({
        isEmbedded: true,
        installation: 'oneinstallation',
        valkeyWaitMs: patientMs,
        settings: { VALKEY_URL: server.url },
      })
    houses = [await open(), await open()]
  })
  afterAll(async () => {
    for (const house of houses ?? []) await house.close()
    await server?.kill()
  })

  it('grant a channel its limit together, and tell what is left of it', async () => {
    const fields = { points_per_minute: 60 }
    const worlds = [await createWorld(houses[0], fields), await createWorld(houses[1], fields)] as const
    // Each gateway has its own store, so the channel is the same only by its code.
    const code = worlds[0].channel_code
    const { db } = houses[1].gateway.store
    expect(
      await db.selectFrom('channels').select('channel_code').where('channel_code', '=', code).execute(),
    ).toEqual([])
    const points = houses.map(({ gateway }) => gateway.quota.points)
    const left: number[] = []
    let refused = 0
    for (let number = 0; number < 80; number++) {
      const counter = points[number % 2]
      const purchase = await counter?.take(code, 1, 60, 0)
      if (purchase?.paid) left.push(purchase.remaining)
      else refused += 1
    }
    expect(left).toEqual(Array.from({ length: 60 }, (_, index) => 59 - index))
    expect(refused).toBe(20)
    const answer = await call(houses[0], 'GET', '/api/v1/orders', { token: worlds[0].token })
    expect(answer.json.error?.code).toBe('RATE_LIMITED')
    expect(answer.headers.get('ratelimit-remaining')).toBe('0')
    const me = await call(houses[0], 'GET', '/api/v1/me', { token: worlds[0].token })
    expect([me.status, me.json.data.rate_limit.remaining]).toEqual([200, 0])
  })

  it('charge what was not used back for all of them', async () => {
    const [first, second] = houses.map(({ gateway }) => gateway.quota.points)
    await first?.take('back', 50, 60, 0)
    first?.giveBack('back', 49, 0, 0)
    await first?.test('back', 0, 60, 0)
    expect(await second?.take('back', 59, 60, 0)).toMatchObject({ paid: true, remaining: 0 })
  })

  it('lock an address after a hundred failures over all of them, and free it for all of them', async () => {
    const address = '203.0.113.9'
    const fail = (index: number) =>
      withAddressGuard(houses[index % 2 ? 1 : 0].gateway, address, () =>
        Promise.reject(new GatewayError('AUTH_BAD_CREDENTIALS')),
      ).catch((error: unknown) => (error instanceof GatewayError ? error.code : String(error)))
    const codes: string[] = []
    for (let index = 0; index < 104; index++) codes.push(String(await fail(index)))
    expect(codes.slice(0, 100)).toEqual(Array.from({ length: 100 }, () => 'AUTH_BAD_CREDENTIALS'))
    expect(codes.slice(100)).toEqual(Array.from({ length: 4 }, () => 'AUTH_LOCKED'))
  })

  it('lock an address again that an operator has unlocked, whichever of them stored the locks', async () => {
    const address = '203.0.113.10'
    const fail = (house: TestGateway) =>
      withAddressGuard(house.gateway, address, () =>
        Promise.reject(new GatewayError('AUTH_BAD_CREDENTIALS')),
      ).catch((error: unknown) => (error instanceof GatewayError ? error.code : String(error)))
    const lock = async () => {
      for (let index = 0; index < 100; index++) await fail(houses[0])
      for (const house of houses) house.clock.advance(1_000)
      return [await fail(houses[0]), await fail(houses[1])]
    }
    expect(await lock()).toEqual(['AUTH_LOCKED', 'AUTH_LOCKED'])
    // The gateways have a store each, where a real installation has one.
    for (const { gateway } of houses) {
      const { lockout_id } = await gateway.store.db
        .selectFrom('sign_in_guard')
        .select('lockout_id')
        .where('subject', '=', toAddressSubject(address))
        .executeTakeFirstOrThrow()
      await unlock({ gateway, call: undefined }, String(lockout_id))
    }
    expect(await fail(houses[1])).toBe('AUTH_BAD_CREDENTIALS')
    expect(await lock()).toEqual(['AUTH_LOCKED', 'AUTH_LOCKED'])
    for (const house of houses) house.clock.advance(1_000)
    expect(await fail(houses[1])).toBe('AUTH_LOCKED')
  })

  it('show one inbox, with what each of them received, and fail in it together', async () => {
    const [first, second] = houses
    const deliver = ({ gateway }: TestGateway, event_id: string) =>
      receiveDelivery(gateway, 'mine', {
        channel_code: 'ch',
        event_id,
        headers: ['webhook-id', event_id],
        body: Buffer.from(JSON.stringify({ event_id })),
        verified: true,
      })
    await deliver(first, 'evt_1')
    await deliver(second, 'evt_2')
    await failInbox(first.gateway, { channel_code: 'ch', name: 'mine' }, { times: 1, status: 503 })
    expect((await deliver(second, 'evt_3')).status).toBe(503)
    const { messages, fail_times } = await toInboxMessages(first.gateway, 'ch', 'mine')
    expect(messages.map(({ event_id, status }) => [event_id, status])).toEqual([
      ['evt_3', 503],
      ['evt_2', 200],
      ['evt_1', 200],
    ])
    expect(fail_times).toBe(0)
    expect((await toInboxMessages(second.gateway, 'other', 'mine')).messages).toEqual([])
  })

  it('continue a statement of each other without a gap or a row twice', async () => {
    const tokens = [await signInBuyer(houses[0], buyers[0]), await signInBuyer(houses[1], buyers[0])]
    const everything = '/api/v1/transactions?start_date=2026-08-01&end_date=2026-12-31'
    const read = async (index: number, path: string) =>
      (await call(houses[index % 2 ? 1 : 0], 'GET', path, { token: tokens[index % 2] ?? '' })).json
    const whole = await read(0, `${everything}&page_size=200`)
    const ids: string[] = []
    let path = `${everything}&page_size=7&as_of=${whole.as_of}`
    for (let index = 0; index < 100; index++) {
      const page = await read(index, path)
      for (const { transaction_id } of page.data) ids.push(transaction_id)
      if (page.next_cursor === null) break
      path = `${everything}&page_size=7&cursor=${page.next_cursor}`
    }
    expect(ids.slice(0, 200)).toEqual(whole.data.map((row: { transaction_id: string }) => row.transaction_id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('as four real processes grant 50 channels exactly their limit in 100,000 calls', async () => {
    const limit = 1_500
    const input = [server.url, 'processes', String(limit), '50', '500']
    const run = promisify(execFile)
    const outputs = await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, [spender, ...input])))
    const results = outputs.map(({ stdout }): { granted: number[]; alone: number } => JSON.parse(stdout))
    const sums = Array.from({ length: 50 }, (_, channel) =>
      results.reduce((sum, { granted }) => sum + (granted[channel] ?? 0), 0),
    )
    expect(sums).toEqual(Array.from({ length: 50 }, () => limit))
    expect(results.map(({ alone }) => alone)).toEqual([0, 0, 0, 0])
  }, 120_000)
})
