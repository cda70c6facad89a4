import { LRUCache } from 'lru-cache'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'

/**
 * What stands between a password and those who guess it. Names: five failures within 15 minutes lock the name for
 * 15 minutes; the count stands in the database, and one sign-in per name is under way at a time across processes,
 * so that parallel guesses count one by one. Unknown names lock like known ones. Addresses: 100 failures an hour,
 * counted in each process. Trouble of the ERP is no wrong password and counts nowhere.
 */
const mostFailures = 5
const failureWindowMs = 15 * 60_000
const lockMs = 15 * 60_000
const signInWaitMs = 10_000

const mostAddressFailures = 100
const addressWindowMs = 60 * 60_000
const mostAddresses = 20_000

/** The token calls of one address. */
interface Tries {
  /** Epoch milliseconds of the newest failures, oldest first. */
  failedAt: number[]
  underWay: number
  /** Settled when the next call under way ends. */
  ended: PromiseWithResolvers<void>
}

const triesOfAddress = new WeakMap<Gateway, LRUCache<string, Tries>>()

/**
 * One spelling for all variants of a name: case, width, accents composed or not, invisible characters (after
 * NFKC_Casefold, Unicode §3.13). Lower, upper, lower folds what has no single small form: ẞ, ß and ss; ς and σ.
 */
export function subjectOfUsername(username: string): string {
  const visible = username.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return `username ${visible.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim()}`
}

/**
 * Runs one attempt of a name. `attempt` answers undefined for a wrong password. Throws `AUTH_LOCKED` while the name
 * is locked and `AUTHZ_UNAVAILABLE` where too many attempts of it wait.
 */
export async function guarded<T>(
  gateway: Gateway,
  username: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const subject = subjectOfUsername(username)
  const done = await gateway.store.withLock(`sign in ${subject}`, signInWaitMs, async () => {
    const failures = await failuresOf(gateway, subject)
    const result = await attempt()
    if (result === undefined) await noteFailure(gateway, subject, failures)
    else if (failures.length > 0) {
      await gateway.store.db.deleteFrom('sign_in_guard').where('subject', '=', subject).execute()
    }
    return { result }
  })
  if (!done) throw new GatewayError('AUTHZ_UNAVAILABLE', { say: ['sign_in_unavailable'], retryAfter: 5 })
  return done.result
}

/** The failures that still count; throws while the name is locked. */
async function failuresOf(gateway: Gateway, subject: string): Promise<number[]> {
  const row = await gateway.store.db
    .selectFrom('sign_in_guard')
    .selectAll()
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (!row) return []
  const now = gateway.clock.now()
  if (row.locked_until !== null) {
    if (now >= row.locked_until) return []
    const seconds = Math.ceil((row.locked_until - now) / 1000)
    throw new GatewayError('AUTH_LOCKED', { say: ['locked_until', { seconds }], retryAfter: seconds })
  }
  const failedAt: number[] = JSON.parse(row.failed_at)
  return failedAt.filter((at) => at > now - failureWindowMs)
}

async function noteFailure(gateway: Gateway, subject: string, before: readonly number[]): Promise<void> {
  const now = gateway.clock.now()
  const failures = [...before, now].slice(-mostFailures)
  const fields = {
    failed_at: JSON.stringify(failures),
    locked_until: failures.length >= mostFailures ? now + lockMs : null,
    updated_at: now,
  }
  await gateway.store.db
    .insertInto('sign_in_guard')
    .values({ subject, ...fields })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet(fields))
    .execute()
}

/**
 * Runs one token call of an address; one that must not count is undefined. Throws `AUTH_LOCKED` where the address
 * failed too often. No more calls are under way than failures are left, so that a burst of guesses gains nothing.
 */
export async function guardedAddress<T>(
  gateway: Gateway,
  address: string | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  if (address === undefined) return attempt()
  const tries = triesOf(gateway, address)
  await begin(gateway, tries)
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'AUTH_BAD_CREDENTIALS') {
      tries.failedAt = [...tries.failedAt, gateway.clock.now()].slice(-mostAddressFailures)
    }
    throw error
  } finally {
    tries.underWay -= 1
    tries.ended.resolve()
    tries.ended = Promise.withResolvers()
  }
}

/** Ends because every call under way does, each within the sign-in's own time limits. */
async function begin(gateway: Gateway, tries: Tries): Promise<void> {
  for (;;) {
    const now = gateway.clock.now()
    const counted = tries.failedAt.filter((at) => at > now - addressWindowMs)
    if (counted.length + tries.underWay < mostAddressFailures) {
      tries.underWay += 1
      return
    }
    const [oldest] = counted
    if (oldest !== undefined && counted.length >= mostAddressFailures) {
      const seconds = Math.ceil((oldest + addressWindowMs - now) / 1000)
      throw new GatewayError('AUTH_LOCKED', { say: ['locked_address', { seconds }], retryAfter: seconds })
    }
    await tries.ended.promise
  }
}

function triesOf(gateway: Gateway, address: string): Tries {
  const addresses = triesOfAddress.get(gateway) ?? new LRUCache<string, Tries>({ max: mostAddresses })
  triesOfAddress.set(gateway, addresses)
  const tries = addresses.get(address) ?? { failedAt: [], underWay: 0, ended: Promise.withResolvers() }
  addresses.set(address, tries)
  return tries
}
