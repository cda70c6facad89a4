/** Limits on password guessing: a username is locked after five failures, an address after a hundred. */

import { type Erp, rejected, UnknownOutcome } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { withAddressGuard } from '../src/access/address-guard.ts'
import { openGateway } from '../src/compose.ts'
import { GatewayError } from '../src/contract/errors.ts'
import { prune } from '../src/housekeeping.ts'
import { createApp } from '../src/http/app.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { openPostgres } from '../src/store/postgres.ts'
import {
  buyers,
  type CallResult,
  call,
  createWorld,
  openTestGateway,
  readTestDatabaseUrl,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { waitForLocks } from './lock-waits.ts'

const minute = 60_000
const tokenPath = '/api/v1/auth/token'
const [buyer] = buyers
let asked: string[] = []
/** Tests set this to make the ERP's sign-in fail. */
let trouble: (() => never) | undefined
/** Tests set this to keep the ERP's sign-in waiting. */
let held: Promise<void> | undefined

/**
 * Returns an ERP that records the username of each sign-in and fails if `trouble` is set. The ERP's password hash is
 * deliberately slow, so each result is cached.
 */
function wrapErpToRecordSignIns(erp: Erp): Erp {
  const answers = new Map<string, ReturnType<Erp['sign_in']>>()
  return {
    ...erp,
    sign_in: async (input, options) => {
      asked.push(input.username)
      trouble?.()
      await held
      const pair = JSON.stringify(input)
      const answer = answers.get(pair) ?? erp.sign_in(input, options)
      answers.set(pair, answer)
      return answer
    },
  }
}

function attemptSignIn(
  house: TestGateway,
  password: string,
  username: string = buyer.username,
): Promise<CallResult> {
  return call(house, 'POST', tokenPath, { body: { grant_type: 'password', username, password } })
}

async function collectCodes(house: TestGateway, times: number, username?: string): Promise<string[]> {
  const found: string[] = []
  for (let time = 0; time < times; time++)
    found.push((await attemptSignIn(house, 'wrong', username)).json.error.code)
  return found
}

const repeatRefusalCode = (times: number) => Array.from({ length: times }, () => 'AUTH_BAD_CREDENTIALS')

describe('a name', () => {
  let house: TestGateway
  let live = ''

  beforeAll(async () => {
    house = await openTestGateway({ styles: 1, wrapErp: wrapErpToRecordSignIns })
    live = await signInBuyer(house)
  })
  afterAll(() => house.close())

  /** Deletes the recorded failures, so every test starts without any. */
  const deleteFailures = async () => {
    house.clock.advance(31 * minute)
    await house.gateway.store.db.deleteFrom('sign_in_guard').execute()
    asked = []
  }

  it('answers the fifth wrong password like the first and the sixth with AUTH_LOCKED, to the second', async () => {
    await deleteFailures()
    expect(await collectCodes(house, 5)).toEqual(repeatRefusalCode(5))
    house.clock.advance(500)
    const sixth = await attemptSignIn(house, 'wrong')
    expect(sixth.status).toBe(429)
    expect(sixth.json.error).toMatchObject({ code: 'AUTH_LOCKED', retryable: true })
    expect(sixth.headers.get('retry-after')).toBe('900')
    house.clock.advance(minute)
    expect((await attemptSignIn(house, 'wrong')).headers.get('retry-after')).toBe('840')
    expect(asked, 'the ERP hears no guess during the lock').toHaveLength(5)
  })

  it('refuses the right password during the lock as it refuses a wrong one', async () => {
    await deleteFailures()
    await collectCodes(house, 5)
    const wrong = await attemptSignIn(house, 'wrong')
    const right = await attemptSignIn(house, buyer.password)
    expect({ ...right.json.error, request_id: '' }).toEqual({ ...wrong.json.error, request_id: '' })
    expect(right.headers.get('retry-after')).toBe(wrong.headers.get('retry-after'))
  })

  it('is free again after 15 minutes, and not a millisecond earlier; then it has five tries again', async () => {
    await deleteFailures()
    await collectCodes(house, 5)
    house.clock.advance(15 * minute - 1)
    const last = await attemptSignIn(house, buyer.password)
    expect(last.headers.get('retry-after')).toBe('1')
    house.clock.advance(1)
    expect(await collectCodes(house, 5)).toEqual(repeatRefusalCode(5))
    expect((await attemptSignIn(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
    house.clock.advance(15 * minute)
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
  })

  it('is not locked longer by attempts during the lock', async () => {
    await deleteFailures()
    await collectCodes(house, 5)
    house.clock.advance(14 * minute)
    await collectCodes(house, 3)
    house.clock.advance(minute)
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
  })

  it('is not locked longer by a clock that jumps back', async () => {
    await deleteFailures()
    await collectCodes(house, 5)
    const before = house.clock.now()
    house.clock.set(before - 24 * 60 * minute)
    expect((await attemptSignIn(house, buyer.password)).headers.get('retry-after')).toBe('900')
    house.clock.advance(15 * minute)
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
    house.clock.set(before)
  })

  it('is locked to the end although housekeeping’s clock jumps ahead, and forgotten an hour later', async () => {
    const { gateway, clock } = house
    const pruneAhead = (ms: number) =>
      prune({
        ...gateway,
        clock: { now: () => clock.now() + ms, monotonic: () => clock.monotonic(), machine: () => 0 },
      })
    const readRows = () => gateway.store.db.selectFrom('sign_in_guard').select('subject').execute()
    await deleteFailures()
    await pruneAhead(0)
    await collectCodes(house, 5)
    clock.advance(15 * minute - 1)
    await pruneAhead(60 * minute)
    expect((await attemptSignIn(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
    clock.advance(60 * minute)
    await pruneAhead(0)
    expect(await readRows()).toHaveLength(1)
    clock.advance(2)
    await pruneAhead(0)
    expect(await readRows()).toEqual([])
  })

  it('begins to count anew after a success', async () => {
    await deleteFailures()
    expect(await collectCodes(house, 4)).toEqual(repeatRefusalCode(4))
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
    expect(await collectCodes(house, 5)).toEqual(repeatRefusalCode(5))
    expect((await attemptSignIn(house, 'wrong')).json.error.code).toBe('AUTH_LOCKED')
  })

  it('forgets failures that are 15 minutes old', async () => {
    await deleteFailures()
    expect(await collectCodes(house, 4)).toEqual(repeatRefusalCode(4))
    house.clock.advance(15 * minute)
    expect(await collectCodes(house, 4)).toEqual(repeatRefusalCode(4))
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
  })

  it('counts failures that are not yet 15 minutes old', async () => {
    await deleteFailures()
    expect(await collectCodes(house, 4)).toEqual(repeatRefusalCode(4))
    house.clock.advance(15 * minute - 1)
    expect(await collectCodes(house, 1)).toEqual(repeatRefusalCode(1))
    expect((await attemptSignIn(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
  })

  it('that does not exist locks like one that does', async () => {
    await deleteFailures()
    const removeId = ({ json, headers }: CallResult) => ({
      error: { ...json.error, request_id: '' },
      retry: headers.get('retry-after'),
    })
    for (let time = 0; time < 7; time++) {
      const known = await attemptSignIn(house, 'wrong')
      expect(removeId(await attemptSignIn(house, 'wrong', 'nobody@test.example'))).toEqual(removeId(known))
    }
  })

  it('has one counter for all its spellings: case, width, composition, invisible characters', async () => {
    await deleteFailures()
    for (const spelling of [
      'BUYER@TEST.EXAMPLE',
      'ｂｕｙｅｒ＠test.example',
      ' buyer@test.example\t',
      'bu\u200dyer@te\u00adst.example',
      'ⓑuyer@Test.Example',
    ]) {
      expect(await collectCodes(house, 1, spelling)).toEqual(repeatRefusalCode(1))
    }
    expect((await attemptSignIn(house, buyer.password)).json.error.code).toBe('AUTH_LOCKED')
  })

  it('does not lock another name', async () => {
    await deleteFailures()
    await collectCodes(house, 6)
    expect(await collectCodes(house, 1, 'buyer2@test.example')).toEqual(repeatRefusalCode(1))
  })

  it('keeps its live tokens during the lock', async () => {
    await deleteFailures()
    const { json } = await attemptSignIn(house, buyer.password)
    await collectCodes(house, 6)
    house.gateway.sessions.forget()
    expect((await call(house, 'GET', '/api/v1/me', { token: json.access_token })).status).toBe(200)
    expect(live).not.toBe('')
  })

  it.each([
    ['does not answer in time', () => new UnknownOutcome('timeout', 'late')],
    ['cannot be reached', () => new UnknownOutcome('unreachable', 'away', { sent: false })],
    ['fails', () => new Error('broken')],
  ])('is not locked by an ERP that %s, which is AUTHZ_UNAVAILABLE', async (_what, error) => {
    await deleteFailures()
    trouble = () => {
      throw error()
    }
    try {
      for (let time = 0; time < 7; time++) {
        const { status, json, headers } = await attemptSignIn(house, 'wrong')
        expect(status).toBe(503)
        expect(json.error.code).toBe('AUTHZ_UNAVAILABLE')
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      }
    } finally {
      trouble = undefined
    }
    expect(await collectCodes(house, 4)).toEqual(repeatRefusalCode(4))
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
  })

  it('has one guess at a time at the ERP, also if it has signed in before', async () => {
    await deleteFailures()
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
    asked = []
    const { promise, resolve: goOn } = Promise.withResolvers<void>()
    held = promise
    const locks = waitForLocks(house, 2, 'sign in ')
    const guesses = [attemptSignIn(house, 'one'), attemptSignIn(house, 'two')]
    await locks
    await vi.waitUntil(() => asked.length > 0, 10_000)
    // A guess that did not wait would reach the ERP before the response to this call.
    await call(house, 'GET', '/livez')
    const before = [...asked]
    goOn()
    held = undefined
    for (const guess of guesses) expect((await guess).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    expect(before).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  it('reaches the ERP exactly five times under 20 parallel wrong guesses', async () => {
    await deleteFailures()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) => attemptSignIn(house, `guess ${index}`)),
    )
    const found = answers.map(({ json }) => json.error.code).toSorted()
    expect(found).toEqual([...repeatRefusalCode(5), ...Array.from({ length: 15 }, () => 'AUTH_LOCKED')])
    expect(asked).toHaveLength(5)
  })

  it('reaches the ERP exactly five times where the guesses come to two processes', async () => {
    await deleteFailures()
    const { second, close } = await openSecondProcess(house)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_each, index) => attemptSignIn(index % 2 ? house : second, `try ${index}`)),
    )
    expect(answers.filter(({ json }) => json.error.code === 'AUTH_LOCKED')).toHaveLength(15)
    expect(asked).toHaveLength(5)
    await close()
  })
})

/** Opens another gateway on the same database. On PostgreSQL it has its own connections and locks. */
async function openSecondProcess(house: TestGateway) {
  const { config, erp, clock, log, store: first } = house.gateway
  const server = readTestDatabaseUrl()
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
  const second: TestGateway = { ...house, gateway, port, url: `http://127.0.0.1:${port}` }
  const close = async () => {
    listener.closeAllConnections()
    await new Promise((resolve) => listener.close(resolve))
    if (store !== first) await store.close()
  }
  return { second, close }
}

describe('64 invented names at once', () => {
  let house: TestGateway
  const bogus = new Set<string>()
  let maxBogus = 0
  let goOn: () => void

  beforeAll(async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>()
    goOn = resolve
    house = await openTestGateway({
      styles: 1,
      wrapErp: (erp) => ({
        ...erp,
        sign_in: async (input, options) => {
          if (!input.username.startsWith('bogus')) return erp.sign_in(input, options)
          bogus.add(input.username)
          maxBogus = Math.max(maxBogus, bogus.size)
          await held
          bogus.delete(input.username)
          return rejected('bad_credentials', 'No.')
        },
      }),
    })
  })
  afterAll(() => house.close())

  it('ask the ERP one at a time and do not hold up a name that has signed in before', async () => {
    await signInBuyer(house)
    const guesses = Array.from({ length: 64 }, (_, at) =>
      attemptSignIn(house, 'wrong', `bogus-${at}@example.com`),
    )
    while (bogus.size < 1) await new Promise((resolve) => setTimeout(resolve, 1))
    // The ERP delays sign-ins with invented usernames; meanwhile the known buyer gets a token.
    expect((await attemptSignIn(house, buyer.password)).status).toBe(200)
    goOn()
    const refused = await Promise.all(guesses)
    expect(refused.map(({ json }) => json.error.code)).toEqual(repeatRefusalCode(64))
    expect(maxBogus).toBe(1)
  })
})

describe('an address behind a trusted proxy', () => {
  let house: TestGateway
  const hour = 60 * minute

  beforeAll(async () => {
    house = await openTestGateway({
      unfilled: true,
      settings: { TRUST_PROXY: '127.0.0.0/8' },
      wrapErp: (erp) => ({ ...erp, sign_in: async () => rejected('bad_credentials', 'no') }),
    })
  })
  afterAll(() => house.close())

  const sendFrom = (forwarded: string, body: unknown) =>
    call(house, 'POST', tokenPath, { body, headers: { 'x-forwarded-for': forwarded } })
  const sendWrong = (forwarded: string, index = 0) =>
    sendFrom(forwarded, { client_id: `cli_${index}`, client_secret: 'x' })

  it('is locked after 100 failures in an hour, for right credentials too, until the oldest is an hour old', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const sendRight = () => sendFrom('203.0.113.9', { client_id, client_secret })
    expect((await sendWrong('203.0.113.9')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    house.clock.advance(minute)
    const more = await Promise.all(
      Array.from({ length: 99 }, (_each, index) => sendWrong('203.0.113.9', index)),
    )
    expect(new Set(more.map(({ json }) => json.error.code))).toEqual(new Set(repeatRefusalCode(1)))
    const refused = await sendRight()
    expect(refused.json.error.code).toBe('AUTH_LOCKED')
    expect(refused.headers.get('retry-after')).toBe(String(59 * 60))
    house.clock.advance(hour - minute - 1)
    expect((await sendRight()).headers.get('retry-after')).toBe('1')
    house.clock.advance(1)
    expect((await sendRight()).status).toBe(200)
    expect((await sendWrong('203.0.113.9')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
    expect((await sendRight()).json.error.code, '99 are younger than an hour, and one is new').toBe(
      'AUTH_LOCKED',
    )
  })

  it('is locked no longer because the clock was wrong when it failed', async () => {
    const now = house.clock.now()
    house.clock.set(now + 365 * 24 * hour)
    await Promise.all(Array.from({ length: 100 }, (_each, index) => sendWrong('203.0.113.8', index)))
    house.clock.set(now)
    const refused = await sendWrong('203.0.113.8')
    expect(refused.json.error.code).toBe('AUTH_LOCKED')
    expect(refused.headers.get('retry-after')).toBe('3600')
  })

  it('is the last hop that is not a trusted one, whatever the client writes before it', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_each, index) =>
        sendWrong(`198.51.100.${index}, 203.0.113.10, 127.0.0.7`),
      ),
    )
    expect((await sendWrong('203.0.113.10')).json.error.code).toBe('AUTH_LOCKED')
    expect((await sendWrong('::ffff:203.0.113.10')).json.error.code).toBe('AUTH_LOCKED')
    expect((await sendWrong('198.51.100.1')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
  })

  it('is the same with a port behind it, and the proxy’s own if the proxy sends no address', async () => {
    const { client_id, client_secret } = await createWorld(house)
    const sendRight = (forwarded: string) => sendFrom(forwarded, { client_id, client_secret })
    await Promise.all(
      Array.from({ length: 100 }, (_each, index) => sendWrong(`203.0.113.14:${40_000 + index}`, index)),
    )
    expect((await sendRight('203.0.113.14')).json.error.code).toBe('AUTH_LOCKED')
    await Promise.all(
      Array.from({ length: 100 }, (_each, index) => sendWrong(`[2001:db8:1:4::${index}]:443`, index)),
    )
    expect((await sendRight('[2001:db8:1:4::1]')).json.error.code).toBe('AUTH_LOCKED')
    await Promise.all(
      Array.from({ length: 100 }, (_each, index) => sendWrong(`_hidden${index}, 127.0.0.9`, index)),
    )
    expect((await sendRight('unknown, 127.0.0.9')).json.error.code).toBe('AUTH_LOCKED')
    expect((await sendRight('unknown, 127.0.0.8')).status).toBe(200)
  })

  it('is a /64 of IPv6, whichever address of it is used, and no more than that', async () => {
    await Promise.all(
      Array.from({ length: 100 }, (_each, index) => sendWrong(`2001:db8:1:2::${index.toString(16)}`, index)),
    )
    expect((await sendWrong('2001:DB8:1:2:ffff:ffff:ffff:ffff')).json.error.code).toBe('AUTH_LOCKED')
    expect((await sendWrong('2001:db8:1:3::1')).json.error.code).toBe('AUTH_BAD_CREDENTIALS')
  })

  it('counts wrong passwords of many names together', async () => {
    const trySamePassword = (index: number) =>
      sendFrom('203.0.113.11', { grant_type: 'password', username: `name-${index}`, password: 'Summer2026' })
    const answers = await Promise.all(Array.from({ length: 130 }, (_each, index) => trySamePassword(index)))
    const found = answers.map(({ json }) => json.error.code).toSorted()
    expect(found).toEqual([...repeatRefusalCode(100), ...Array.from({ length: 30 }, () => 'AUTH_LOCKED')])
  })

  it('has no more calls under way than failures left, so that a burst of guesses gains nothing', async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    let begun = 0
    const guess = () =>
      withAddressGuard(house.gateway, '203.0.113.13', async () => {
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
    const worlds = await Promise.all(Array.from({ length: 3 }, () => createWorld(house)))
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_each, index) => {
        const { client_id, client_secret } = worlds[index % 3] ?? { client_id: '', client_secret: '' }
        return sendFrom('203.0.113.12', { client_id, client_secret })
      }),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  })
})

describe('an address without TRUST_PROXY', () => {
  it('is not counted where it is loopback, and X-Forwarded-For is not believed', async () => {
    const house = await openTestGateway({ unfilled: true })
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const answers = await Promise.all(
      Array.from({ length: 110 }, () =>
        call(house, 'POST', tokenPath, { body: { client_id: 'a', client_secret: 'b' }, headers }),
      ),
    )
    expect(new Set(answers.map(({ json }) => json.error.code))).toEqual(new Set(repeatRefusalCode(1)))
    await house.close()
  })
})
