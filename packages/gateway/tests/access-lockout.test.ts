import { type Erp, rejected, UnknownOutcome } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guardedAddress } from '../src/access/guard.ts'
import { GatewayError } from '../src/contract/errors.ts'
import { openGateway } from '../src/gateway.ts'
import { createApp } from '../src/http/app.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { openPostgres } from '../src/store/postgres.ts'
import {
  buyers,
  call,
  type House,
  openHouse,
  type Result,
  signedIn,
  testDatabaseUrl,
  world,
} from './harness.ts'

/** What guessing passwords comes to: names lock after five failures, addresses after a hundred. */
const minute = 60_000
const tokenPath = '/api/v1/auth/token'
const [buyer] = buyers
let asked: string[] = []
/** Set by a test in which the ERP is in trouble. */
let trouble: (() => never) | undefined

/** Counts who is asked for. The ERP's hash is slow on purpose, so it answers each name and password once. */
function counting(erp: Erp): Erp {
  const answers = new Map<string, ReturnType<Erp['sign_in']>>()
  return {
    ...erp,
    sign_in: async (input, options) => {
      asked.push(input.username)
      trouble?.()
      const pair = JSON.stringify(input)
      const answer = answers.get(pair) ?? erp.sign_in(input, options)
      answers.set(pair, answer)
      return answer
    },
  }
}

function attempt(house: House, password: string, username: string = buyer.username): Promise<Result> {
  return call(house, 'POST', tokenPath, { body: { grant_type: 'password', username, password } })
}

async function codes(house: House, times: number, username?: string): Promise<string[]> {
  const found: string[] = []
  for (let time = 0; time < times; time++)
    found.push((await attempt(house, 'wrong', username)).json.error.code)
  return found
}

const bad = (times: number) => Array.from({ length: times }, () => 'AUTH_BAD_CREDENTIALS')

describe('a name', () => {
  let house: House
  let live = ''

  beforeAll(async () => {
    house = await openHouse({ styles: 1, wrapErp: counting })
    live = await signedIn(house)
  })
  afterAll(() => house.close())

  /** Every test begins with nothing on record. */
  const afresh = async () => {
    house.clock.advance(31 * minute)
    await house.gateway.store.db.deleteFrom('sign_in_guard').execute()
    asked = []
  }

  it('answers the fifth wrong password like the first and the sixth with AUTH_LOCKED, to the second', async () => {
    await afresh()
    expect(await codes(house, 5)).toEqual(bad(5))
    house.clock.advance(500)
    const sixth = await attempt(house, 'wrong')
    expect(sixth.status).toBe(429)
    expect(sixth.json.error).toMatchObject({ code: 'AUTH_LOCKED', retryable: true })
    expect(sixth.headers.get('retry-after')).toBe('900')
    house.clock.advance(minute)
    expect((await attempt(house, 'wrong')).headers.get('retry-after')).toBe('840')
    expect(asked, 'the ERP hears no guess during the lock').toHaveLength(5)
  })

  it('refuses the right password during the lock as it refuses a wrong one', async () => {
    await afresh()
    await codes(house, 5)
    const wrong = await attempt(house, 'wrong')
    const right = await attempt(house, buyer.password)
    expect({ ...right.json.error, request_id: '' }).toEqual({ ...wrong.json.error, request_id: '' })
    expect(right.headers.get('retry-after')).toBe(wrong.headers.get('retry-after'))
  })

  it('is free again after 15 minutes, and not a millisecond earlier; then it has five tries again', async () => {
    await afresh()
    await codes(house, 5)
    house.clock.advance(15 * minute - 1)
    const last = await attempt(house, buyer.password)
    expect(last.headers.get('retry-after')).toBe('1')
    house.clock.advance(1)
    expect(await codes(house, 5)).toEqual(bad(5))
    expect((await attempt(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
    house.clock.advance(15 * minute)
    expect((await attempt(house, buyer.password)).status).toBe(200)
  })

  it('is not locked longer by attempts during the lock', async () => {
    await afresh()
    await codes(house, 5)
    house.clock.advance(14 * minute)
    await codes(house, 3)
    house.clock.advance(minute)
    expect((await attempt(house, buyer.password)).status).toBe(200)
  })

  it('begins to count anew after a success', async () => {
    await afresh()
    expect(await codes(house, 4)).toEqual(bad(4))
    expect((await attempt(house, buyer.password)).status).toBe(200)
    expect(await codes(house, 5)).toEqual(bad(5))
    expect((await attempt(house, 'wrong')).json.error.code).toBe('AUTH_LOCKED')
  })

  it('forgets failures that are 15 minutes old', async () => {
    await afresh()
    expect(await codes(house, 4)).toEqual(bad(4))
    house.clock.advance(15 * minute)
    expect(await codes(house, 4)).toEqual(bad(4))
    expect((await attempt(house, buyer.password)).status).toBe(200)
  })

  it('counts failures that are not yet 15 minutes old', async () => {
    await afresh()
    expect(await codes(house, 4)).toEqual(bad(4))
    house.clock.advance(15 * minute - 1)
    expect(await codes(house, 1)).toEqual(bad(1))
    expect((await attempt(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
  })

  it('that does not exist locks like one that does', async () => {
    await afresh()
    const withoutId = ({ json, headers }: Result) => ({
      error: { ...json.error, request_id: '' },
      retry: headers.get('retry-after'),
    })
    for (let time = 0; time < 7; time++) {
      const known = await attempt(house, 'wrong')
      expect(withoutId(await attempt(house, 'wrong', 'nobody@test.example'))).toEqual(withoutId(known))
    }
  })

  it('has one counter for all its spellings: case, width, composition, invisible characters', async () => {
    await afresh()
    for (const spelling of [
      'BUYER@TEST.EXAMPLE',
      'ｂｕｙｅｒ＠test.example',
      ' buyer@test.example\t',
      'bu\u200dyer@te\u00adst.example',
      'ⓑuyer@Test.Example',
    ]) {
      expect(await codes(house, 1, spelling)).toEqual(bad(1))
    }
    expect((await attempt(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
  })

  it('does not lock another name', async () => {
    await afresh()
    await codes(house, 6)
    expect(await codes(house, 1, 'buyer2@test.example')).toEqual(bad(1))
  })

  it('keeps its live tokens during the lock', async () => {
    await afresh()
    const { json } = await attempt(house, buyer.password)
    await codes(house, 6)
    house.gateway.sessions.forget()
    expect((await call(house, 'GET', '/api/v1/me', { token: json.access_token })).status).toBe(200)
    expect(live).not.toBe('')
  })

  it.each([
    ['does not answer in time', () => new UnknownOutcome('timeout', 'late')],
    ['cannot be reached', () => new UnknownOutcome('unreachable', 'away', { sent: false })],
    ['fails', () => new Error('broken')],
  ])('is not locked by an ERP that %s, which is AUTHZ_UNAVAILABLE', async (_what, error) => {
    await afresh()
    trouble = () => {
      throw error()
    }
    try {
      for (let time = 0; time < 7; time++) {
        const { status, json, headers } = await attempt(house, 'wrong')
        expect(status).toBe(503)
        expect(json.error.code).toBe('AUTHZ_UNAVAILABLE')
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
    } finally {
      trouble = undefined
    }
    expect(await codes(house, 4)).toEqual(bad(4))
    expect((await attempt(house, buyer.password)).status).toBe(200)
  })

  it('reaches the ERP exactly five times under 20 parallel wrong guesses', async () => {
    await afresh()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) => attempt(house, `guess ${index}`)),
    )
    const found = answers.map(({ json }) => json.error.code).toSorted()
    expect(found).toEqual([...bad(5), ...Array.from({ length: 15 }, () => 'AUTH_LOCKED')])
    expect(asked).toHaveLength(5)
  })

  it('reaches the ERP exactly five times where the guesses come to two processes', async () => {
    await afresh()
    const { second, close } = await secondProcess(house)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) => attempt(index % 2 ? house : second, `try ${index}`)),
    )
    expect(answers.filter(({ json }) => json.error.code === 'AUTH_LOCKED')).toHaveLength(15)
    expect(asked).toHaveLength(5)
    await close()
  })
})

/** Another gateway on the same database; on PostgreSQL with connections and locks of its own. */
async function secondProcess(house: House) {
  const { config, erp, clock, log, store: first } = house.gateway
  const server = testDatabaseUrl()
  const url = new URL(server ?? 'postgres://unused')
  if (server) {
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(first.db)
    url.pathname = `/${rows[0]?.name}`
  }
  const store = server ? await openPostgres(url.toString(), jsonLog('silent')) : first
  const gateway = await openGateway({ config, store, erp, clock, log })
  const listener = createApp(gateway)
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const second: House = { ...house, gateway, port, url: `http://127.0.0.1:${port}` }
  const close = async () => {
    listener.closeAllConnections()
    await new Promise((resolve) => listener.close(resolve))
    if (store !== first) await store.close()
  }
  return { second, close }
}

describe('an address behind a trusted proxy', () => {
  let house: House
  const hour = 60 * minute

  beforeAll(async () => {
    house = await openHouse({
      unfilled: true,
      settings: { TRUST_PROXY: '127.0.0.0/8' },
      wrapErp: (erp) => ({ ...erp, sign_in: async () => rejected('bad_credentials', 'no') }),
    })
  })
  afterAll(() => house.close())

  const from = (forwarded: string, body: unknown) =>
    call(house, 'POST', tokenPath, { body, headers: { 'x-forwarded-for': forwarded } })
  const wrong = (forwarded: string, index = 0) =>
    from(forwarded, { client_id: `cli_${index}`, client_secret: 'x' })

  it('is locked after 100 failures in an hour, for right credentials too, until the oldest is an hour old', async () => {
    const { client_id, client_secret } = await world(house)
    const right = () => from('203.0.113.9', { client_id, client_secret })
    expect((await wrong('203.0.113.9')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    house.clock.advance(minute)
    const more = await Promise.all(Array.from({ length: 99 }, (_each, index) => wrong('203.0.113.9', index)))
    expect(new Set(more.map(({ json }) => json.error.code))).toEqual(new Set(bad(1)))
    const refused = await right()
    expect(refused.json.error.code).toBe('AUTH_LOCKED')
    expect(refused.headers.get('retry-after')).toBe(String(59 * 60))
    house.clock.advance(hour - minute - 1)
    expect((await right()).headers.get('retry-after')).toBe('1')
    house.clock.advance(1)
    expect((await right()).status).toBe(200)
    expect((await wrong('203.0.113.9')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    expect((await right()).json.error.code, '99 are younger than an hour, and one is new').toBe('AUTH_LOCKED')
  })

  it('is the last hop that is not a trusted one, whatever the client writes before it', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_each, index) => wrong(`198.51.100.${index}, 203.0.113.10, 127.0.0.7`)),
    )
    expect((await wrong('203.0.113.10')).json.error.code).toBe('AUTH_LOCKED')
    expect((await wrong('::ffff:203.0.113.10')).json.error.code).toBe('AUTH_LOCKED')
    expect((await wrong('198.51.100.1')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
  })

  it('counts wrong passwords of many names together', async () => {
    const spray = (index: number) =>
      from('203.0.113.11', { grant_type: 'password', username: `name-${index}`, password: 'Summer2026' })
    const answers = await Promise.all(Array.from({ length: 130 }, (_each, index) => spray(index)))
    const found = answers.map(({ json }) => json.error.code).toSorted()
    expect(found).toEqual([...bad(100), ...Array.from({ length: 30 }, () => 'AUTH_LOCKED')])
  })

  it('has no more calls under way than failures left, so that a burst of guesses gains nothing', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    let begun = 0
    const guess = () =>
      guardedAddress(house.gateway, '203.0.113.13', async () => {
        begun += 1
        if (begun === 100) open()
        await gate
        throw new GatewayError('AUTH_BAD_CREDENTIALS')
      })
    const guesses = await Promise.allSettled(Array.from({ length: 250 }, guess))
    const codes = guesses.map((each) => (each.status === 'rejected' ? each.reason.code : 'passed'))
    expect(begun).toBe(100)
    expect(codes.filter((code) => code === 'AUTH_BAD_CREDENTIALS')).toHaveLength(100)
    expect(codes.filter((code) => code === 'AUTH_LOCKED')).toHaveLength(150)
  })

  it('is not locked by many right credentials at once', async () => {
    const worlds = await Promise.all(Array.from({ length: 3 }, () => world(house)))
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_each, index) => {
        const { client_id, client_secret } = worlds[index % 3] ?? { client_id: '', client_secret: '' }
        return from('203.0.113.12', { client_id, client_secret })
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('an address without TRUST_PROXY', () => {
  it('is not counted where it is loopback, and X-Forwarded-For is not believed', async () => {
    const house = await openHouse({ unfilled: true })
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const answers = await Promise.all(
      Array.from({ length: 110 }, () =>
        call(house, 'POST', tokenPath, { body: { client_id: 'a', client_secret: 'b' }, headers }),
      ),
    )
    expect(new Set(answers.map(({ json }) => json.error.code))).toEqual(new Set(bad(1)))
    await house.close()
  })
})
