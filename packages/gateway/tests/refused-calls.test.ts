/** Refused calls are limited: channels pay for mistakes, and addresses without a token are slowed down. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { adminCatalogue, catalogue, sandboxCatalogue } from '../src/catalogue.ts'
import { checkShape, compileShape } from '../src/pipeline/shape.ts'
import { buildModernRequest } from './agent.ts'
import { type CallInit, call, createWorld, openTestGateway, type TestGateway, type World } from './harness.ts'

const minute = 61_000
const plans = '/api/v1/plan-requests'
const freeRefusals = 10
const refusalsPerAddress = 60
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ styles: 1, settings: { TRUST_PROXY: '127.0.0.0/8' } })
})
afterAll(() => house.close())

const sendInvalidCall = ({ token }: World, init: CallInit = { body: { plan: 'gold' } }) =>
  call(house, 'POST', plans, { token, ...init })

async function collectCosts(times: number, refuse: () => ReturnType<typeof sendInvalidCall>) {
  const costs: (string | null)[] = []
  for (let index = 0; index < times; index++) costs.push((await refuse()).headers.get('ratelimit-cost'))
  return costs
}
const free = Array.from({ length: freeRefusals }, () => '0')

describe('the mistyped calls of a channel', () => {
  it('cost nothing ten times in a minute, and 1 point each from then on', async () => {
    const who = await createWorld(house)
    expect(await collectCosts(freeRefusals, () => sendInvalidCall(who))).toEqual(free)
    const before = Number((await sendInvalidCall(who)).headers.get('ratelimit-remaining'))
    const last = await sendInvalidCall(who, { raw: '[', headers: { 'content-type': 'application/json' } })
    expect(last.json.error.code).toBe('BAD_REQUEST')
    expect(last.headers.get('ratelimit-cost')).toBe('1')
    expect(Number(last.headers.get('ratelimit-remaining'))).toBe(before - 1)
    house.clock.advance(minute)
    expect(await collectCosts(1, () => sendInvalidCall(who))).toEqual(['0'])
  })

  it('are counted for that channel alone, and good calls are not counted', async () => {
    const [who, other] = [await createWorld(house), await createWorld(house)]
    await collectCosts(freeRefusals, () => sendInvalidCall(who))
    for (let index = 0; index < 2 * freeRefusals; index++) {
      expect((await call(house, 'GET', '/api/v1/me', { token: other.token })).status).toBe(200)
    }
    expect(await collectCosts(1, () => sendInvalidCall(other))).toEqual(['0'])
    expect(await collectCosts(1, () => sendInvalidCall(who))).toEqual(['1'])
  })

  it('are counted whichever way they came, over MCP too', async () => {
    const who = await createWorld(house)
    const { headers, body } = buildModernRequest('tools/call', {
      name: 'check_stock',
      arguments: { limit: 'x' },
    })
    const costs = await collectCosts(freeRefusals + 1, () =>
      call(house, 'POST', '/mcp', { token: who.token, headers, body }),
    )
    expect(costs).toEqual([...free, '1'])
  })

  it('are neither counted nor charged where the path or the method does not exist', async () => {
    const who = await createWorld(house)
    for (let index = 0; index < freeRefusals; index++) {
      expect((await call(house, 'GET', '/api/v1/nowhere', { token: who.token })).status).toBe(404)
      const { status, headers } = await call(house, 'PUT', '/api/v1/me', { token: who.token })
      expect([status, headers.get('ratelimit-cost')]).toEqual([405, null])
    }
    expect(await collectCosts(1, () => sendInvalidCall(who))).toEqual(['0'])
  })

  it('keep their own price where the call was charged already', async () => {
    const who = await createWorld(house)
    await collectCosts(freeRefusals, () => sendInvalidCall(who))
    const { json, headers } = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?sku=NOPE', {
      token: who.token,
    })
    expect(json.error.code).toBe('NOT_FOUND')
    expect(headers.get('ratelimit-cost')).toBe('1')
  })

  it('are refused with 429 when no point is left, a large body unread, and exactly for as long', async () => {
    const who = await createWorld(house, { points_per_minute: 60 })
    await collectCosts(freeRefusals + 60, () => sendInvalidCall(who))
    const large = { raw: '['.repeat(64 * 1024), headers: { 'content-type': 'text/unread' } }
    for (const init of [large, {}]) {
      const { status, json, headers } = await sendInvalidCall(who, init)
      expect([status, json.error.code]).toEqual([429, 'RATE_LIMITED'])
      expect(headers.get('ratelimit-cost')).toBe('0')
    }
    const { headers } = await sendInvalidCall(who)
    house.clock.advance(Number(headers.get('retry-after')) * 1000)
    expect((await sendInvalidCall(who, { body: { plan: 'reader' } })).status).toBe(201)
  })
})

describe('a client without a valid token', () => {
  const sendFrom = (address: string, init: CallInit = {}, path = '/api/v1/me') =>
    call(house, init.body === undefined ? 'GET' : 'POST', path, {
      ...init,
      headers: { 'x-forwarded-for': address, ...init.headers },
    })

  it('is refused with 429 after sixty refusals of its address in a minute, and no other address is', async () => {
    for (let index = 0; index < refusalsPerAddress; index++) {
      expect((await sendFrom('203.0.113.1', { token: 'no.valid.token' })).status).toBe(401)
    }
    const { status, json, headers } = await sendFrom('203.0.113.1')
    expect([status, json.error.code]).toEqual([429, 'RATE_LIMITED'])
    expect((await sendFrom('203.0.113.2')).status).toBe(401)
    house.clock.advance(Number(headers.get('retry-after')) * 1000)
    expect((await sendFrom('203.0.113.1')).status).toBe(401)
  })

  it('is refused with 429 where no token is required too, as the endpoint declares', async () => {
    for (let index = 0; index < refusalsPerAddress; index++)
      expect((await sendFrom('203.0.113.6', {}, '/api/v1/errors?x=1')).status).toBe(422)
    expect((await sendFrom('203.0.113.6', {}, '/api/v1/errors?x=1')).status).toBe(429)
    expect((await sendFrom('203.0.113.6', {}, '/api/v1/errors')).status).toBe(200)
  })

  it('stops nobody of its address who has a valid token', async () => {
    const { token } = await createWorld(house)
    for (let index = 0; index <= refusalsPerAddress; index++) await sendFrom('203.0.113.3')
    expect((await sendFrom('203.0.113.3')).status).toBe(429)
    expect((await sendFrom('203.0.113.3', { token })).status).toBe(200)
  })

  it('is counted per /64 of IPv6, on the API, on MCP and where tokens are issued', async () => {
    const paths = ['/api/v1/me', '/mcp', '/api/v1/auth/token']
    const bad = { raw: '[', body: {}, headers: { 'content-type': 'application/json' } }
    const codes: string[] = []
    for (let index = 0; index <= refusalsPerAddress; index++) {
      const path = paths[index % paths.length]
      const address = `2001:db8:1:2::${index + 1}`
      codes.push((await sendFrom(address, path === '/api/v1/me' ? {} : bad, path)).json.error.code)
    }
    expect(codes.slice(0, refusalsPerAddress)).not.toContain('RATE_LIMITED')
    expect(codes.at(-1)).toBe('RATE_LIMITED')
    // Clients with the right credentials can still sign in from these addresses.
    const { client_id, client_secret } = await createWorld(house)
    const token = { body: { client_id, client_secret } }
    expect((await sendFrom('2001:db8:1:2::ffff', token, '/api/v1/auth/token')).status).toBe(200)
    expect((await sendFrom('2001:db8:1:3::1')).status).toBe(401)
  })

  it('cannot have a large body parsed where tokens are issued', async () => {
    const init = { raw: '['.repeat(64 * 1024), body: {}, headers: { 'content-type': 'application/json' } }
    const { json } = await sendFrom('203.0.113.5', init, '/api/v1/auth/token')
    expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
  })
})

describe('an array above its bound', () => {
  it('is refused before any of its items is parsed', async () => {
    let parsed = 0
    const item = z.string().refine(() => {
      parsed += 1
      return true
    })
    const shape = compileShape(
      z.strictObject({ outer: z.array(z.object({ lines: z.array(item).max(3) })).max(2) }),
    )
    const who = { language: 'en' } as Parameters<typeof checkShape>[2]
    const createLines = (count: number) => ({ lines: Array.from({ length: count }, () => 'x') })
    expect(() =>
      checkShape(shape, { outer: [createLines(1), createLines(1), createLines(1)] }, who),
    ).toThrow()
    expect(() => checkShape(shape, { outer: [createLines(3), createLines(4)] }, who)).toThrow()
    expect(parsed).toBe(0)
    checkShape(shape, { outer: [createLines(3), createLines(3)] }, who)
    expect(parsed).toBe(6)
  })

  it('is named with its bound, as every other field', async () => {
    const { token } = await createWorld(house, { plan: 'full' })
    const body = { url: 'https://example.com/', event_types: Array.from({ length: 85_000 }, () => '') }
    const { status, json } = await call(house, 'POST', '/api/v1/webhook-endpoints', { token, body })
    expect(status).toBe(422)
    expect(json.error).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'event_types',
      reason: 'invalid_field',
    })
    expect(json.error.errors).toHaveLength(1)
    expect(json.error.message).toMatch(/`?event_types`?.*\d/)
  })

  it('cannot exist in a body whose schema has no bound for it', () => {
    for (const { id, body, bodyKind } of [...catalogue, ...adminCatalogue, ...sandboxCatalogue]) {
      if (!body || bodyKind === 'oauth') continue
      const json = JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }))
      const arrays = json.match(/"type":"array"/g)?.length ?? 0
      expect(json.match(/"maxItems":/g)?.length ?? 0, id).toBe(arrays)
    }
  })
})
