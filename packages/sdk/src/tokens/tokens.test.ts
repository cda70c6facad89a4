import { afterEach, describe, expect, it, vi } from 'vitest'
import { AuthError } from '../errors/errors.ts'
import { type StoredToken, type TokenStore, Tokens } from './tokens.ts'

const credentials = { clientId: 'id', clientSecret: 'secret' }

interface Given {
  readonly refreshMs?: number
  readonly stored?: StoredToken
  readonly failures?: readonly Error[]
  readonly storeFailure?: Error
  readonly readFailure?: Error
  /** Methods of the store instead of its own. */
  readonly store?: Partial<TokenStore>
}

function openTokens(more: Given = {}) {
  const clock = { now: 0 }
  const failures = [...(more.failures ?? [])]
  let stored = more.stored
  let requests = 0
  const storeFailures: unknown[] = []
  const tokens = new Tokens({
    credentials,
    refreshMs: more.refreshMs,
    now: () => clock.now,
    store: {
      async get() {
        if (more.readFailure) throw more.readFailure
        return stored
      },
      async set(token) {
        if (more.storeFailure) throw more.storeFailure
        stored = token
      },
      ...more.store,
    },
    onStoreFailure: (reason) => void storeFailures.push(reason),
    async request() {
      requests += 1
      const failure = failures.shift()
      if (failure) throw failure
      return { accessToken: `token-${requests}`, expiresInMs: 3_600_000 }
    },
  })
  return { tokens, clock, countRequests: () => requests, readStored: () => stored, storeFailures }
}

describe('the token of a client', () => {
  it('is used until a minute before its end, and then replaced by one request for all who wait', async () => {
    const { tokens, clock, countRequests } = openTokens()
    expect(await tokens.provide()).toBe('token-1')
    clock.now = 3_600_000 - 60_001
    expect(await tokens.provide()).toBe('token-1')
    clock.now += 1
    const all = await Promise.all(Array.from({ length: 100 }, () => tokens.provide()))
    expect(new Set(all)).toEqual(new Set(['token-2']))
    expect(countRequests()).toBe(2)
  })

  it('is requested where the store cannot be read, and the failure is told', async () => {
    const readFailure = new Error('the store is down')
    const { tokens, storeFailures } = openTokens({ readFailure })
    expect(await tokens.provide()).toBe('token-1')
    expect(storeFailures).toEqual([readFailure])
  })

  it('is used for half of its life if it lives hardly longer than the margin', async () => {
    const { tokens, clock, countRequests } = openTokens({ refreshMs: 3_600_000 })
    await tokens.provide()
    clock.now = 1_799_999
    await tokens.provide()
    expect(countRequests()).toBe(1)
    clock.now = 1_800_000
    await tokens.provide()
    expect(countRequests()).toBe(2)
  })

  it('is requested again after a passing failure, and not after a refusal', async () => {
    const refused = new AuthError({ code: 'AUTH_BAD_CREDENTIALS', message: 'no', retryable: false })
    const { tokens, clock, countRequests } = openTokens({ failures: [new Error('offline'), refused] })
    await expect(tokens.provide()).rejects.toThrow('offline')
    await expect(tokens.provide()).rejects.toBe(refused)
    clock.now = 1e12
    await expect(tokens.provide()).rejects.toBe(refused)
    expect(countRequests()).toBe(2)
  })

  it('is requested again when the lock of an account has ended', async () => {
    const facts = { code: 'AUTH_LOCKED', message: 'locked', retryable: true, retryAfterMs: 900_000 }
    const { tokens, clock, countRequests } = openTokens({ failures: [new AuthError(facts)] })
    await expect(tokens.provide()).rejects.toMatchObject({ code: 'AUTH_LOCKED' })
    clock.now = 899_999
    await expect(tokens.provide()).rejects.toMatchObject({ code: 'AUTH_LOCKED' })
    clock.now = 900_000
    expect(await tokens.provide()).toBe('token-2')
    expect(countRequests()).toBe(2)
  })

  it('is requested again some time after a refusal that is not of the credentials', async () => {
    const paused = new AuthError({ code: 'AUTH_INVALID_TOKEN', message: 'paused', retryable: false })
    const { tokens, clock, countRequests } = openTokens({ failures: [paused] })
    await expect(tokens.provide()).rejects.toBe(paused)
    clock.now = 29_999
    await expect(tokens.provide()).rejects.toBe(paused)
    expect(countRequests()).toBe(1)
    clock.now = 30_000
    expect(await tokens.provide()).toBe('token-2')
  })

  it('is used although the store cannot keep it, and the failure is reported', async () => {
    const storeFailure = new Error('the disk is full')
    const { tokens, countRequests, storeFailures } = openTokens({ storeFailure })
    expect(await tokens.provide()).toBe('token-1')
    expect(await tokens.provide()).toBe('token-1')
    expect(countRequests()).toBe(1)
    expect(storeFailures).toEqual([storeFailure])
  })

  it('is not ended for others by one caller who stops waiting', async () => {
    const { tokens } = openTokens()
    const stop = new AbortController()
    const impatient = tokens.provide(stop.signal)
    const patient = tokens.provide()
    stop.abort(new Error('enough'))
    await expect(impatient).rejects.toThrow('enough')
    expect(await patient).toBe('token-1')
  })

  it('is taken from the store of another process while it lives, and kept there', async () => {
    const stored = { accessToken: 'theirs', expiresAt: Date.now() + 3_600_000 }
    const shared = openTokens({ stored })
    expect(await shared.tokens.provide()).toBe('theirs')
    expect(shared.countRequests()).toBe(0)
    const old = openTokens({ stored: { ...stored, expiresAt: Date.now() + 1_000 } })
    expect(await old.tokens.provide()).toBe('token-1')
    expect(old.readStored()?.accessToken).toBe('token-1')
  })

  it('that the store has and the gateway refuses is replaced', async () => {
    const { tokens } = openTokens({ stored: { accessToken: 'theirs', expiresAt: Date.now() + 3_600_000 } })
    const refused = await tokens.provide()
    expect(tokens.renew(refused)).toBe(true)
    expect(await tokens.provide()).toBe('token-1')
    expect(tokens.renew(refused)).toBe(true)
    expect(await tokens.provide()).toBe('token-1')
  })
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a token store that never responds', () => {
  const never = () => new Promise<never>(() => {})

  it.each(['get', 'set'] as const)(
    'to %s delays a call for some seconds, and is reported',
    async (method) => {
      vi.useFakeTimers()
      const { tokens, storeFailures } = openTokens({ store: { [method]: never } })
      const provided = tokens.provide()
      await vi.advanceTimersByTimeAsync(3_000)
      expect(await Promise.race([provided, 'nothing'])).toBe('token-1')
      expect(await tokens.provide()).toBe('token-1')
      expect(storeFailures).toEqual([expect.objectContaining({ code: 'TIMED_OUT' })])
    },
  )
})

it('a token store keeps one token at a time, and the newest one last', async () => {
  vi.useFakeTimers()
  const kept: (string | undefined)[] = []
  const ends: (() => void)[] = []
  const set = (token: StoredToken | undefined) =>
    new Promise<void>((resolve) =>
      ends.push(() => {
        kept.push(token?.accessToken)
        resolve()
      }),
    )
  const { tokens } = openTokens({ store: { set } })
  for (let count = 1; count <= 3; count++) {
    const provided = tokens.provide()
    await vi.advanceTimersByTimeAsync(3_000)
    tokens.renew(await provided)
  }
  const last = tokens.provide()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(await last).toBe('token-4')
  expect(ends).toHaveLength(1)
  while (ends.length > 0) {
    ends.shift()?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(kept).toEqual(['token-1', 'token-4'])
})

it('a request for a token that fails when its only caller has stopped does not end the process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const { tokens } = openTokens({ failures: [new Error('offline')] })
  await expect(tokens.provide(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
