/**
 * Protects passwords and secrets against guessing from one address: 100 failed sign-ins within an hour lock the address
 * until the oldest failure is an hour old. Each process counts the failures in memory; with `VALKEY_URL`, its count is a
 * copy of the one that all processes share. A lock is also a row in the table of locked names, so that operators see it
 * and can remove it. A process that refuses a locked address looks at most once a second whether the row is still there;
 * if an operator removed it, the process forgets the failures.
 */

import { sql } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { SignInTries } from '../memory.ts'
import { forgetFailures, shareFailures } from '../valkey/failures.ts'

const maxFailures = 100
/** How long a failure counts, and thereby the longest lock of an address. */
export const addressWindowMs = 60 * 60_000
/** The shortest time between two reads of the row of a lock. */
const followLockMs = 1_000

const addressPrefix = 'address '

/** Converts an address to the key of its lock. */
export function toAddressSubject(address: string): string {
  return `${addressPrefix}${address}`
}

/** Returns the address whose lock has this key; undefined if the key is that of a username. */
export function findAddress(subject: string): string | undefined {
  return subject.startsWith(addressPrefix) ? subject.slice(addressPrefix.length) : undefined
}

/**
 * Runs a call of the token endpoint. Throws `AUTH_LOCKED` if its address has failed too often. `address` is undefined
 * if the call is not limited. The number of calls in progress never exceeds the number of failures that are still
 * allowed, so that a burst of guesses gains nothing. Processes divide that number among them; each has at least one.
 */
export async function withAddressGuard<T>(
  gateway: Gateway,
  address: string | undefined,
  attempt: () => Promise<T>,
): Promise<T> {
  if (address === undefined) return attempt()
  const tries = findOrCreateTries(gateway, address)
  await beginTry(gateway, address, tries)
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'AUTH_BAD_CREDENTIALS') {
      const now = gateway.clock.monotonic()
      tries.failedAt = [...tries.failedAt, now].slice(-maxFailures)
      tries.unshared = [...tries.unshared, now].slice(-maxFailures)
      await shareTries(gateway, address, tries)
      if (isLocked(gateway, tries)) await showLock(gateway, address, tries)
    }
    throw error
  } finally {
    tries.underWay -= 1
    tries.ended.resolve()
    tries.ended = Promise.withResolvers()
  }
}

/**
 * Waits until a call from an address may start, and counts it as running. Throws if the address is locked. The wait
 * ends because every call in progress ends within the sign-in's time limits.
 */
async function beginTry(gateway: Gateway, address: string, tries: SignInTries): Promise<void> {
  for (;;) {
    await shareTries(gateway, address, tries)
    if (isLocked(gateway, tries)) await followLock(gateway, address, tries)
    // A later lock has another id, also if another process stores it.
    else tries.lockoutId = undefined
    const now = gateway.clock.monotonic()
    const counted = listFailures(gateway, tries)
    if (counted.length < maxFailures && tries.underWay < countAllowedAtOnce(gateway, counted.length)) {
      tries.underWay += 1
      return
    }
    const [oldest] = counted
    if (oldest !== undefined && counted.length >= maxFailures) {
      const seconds = Math.ceil((oldest + addressWindowMs - now) / 1000)
      throw new GatewayError('AUTH_LOCKED', { say: ['locked_address', { seconds }], retryAfter: seconds })
    }
    await tries.ended.promise
  }
}

/** The number of calls of an address that this process may run at once after `failures` failures. */
function countAllowedAtOnce({ valkey, memory }: Gateway, failures: number): number {
  const left = maxFailures - failures
  return valkey ? Math.max(1, Math.floor(left / memory.process.count)) : left
}

/** Adds this process's failures to those that processes share, and copies these. Without the server, keeps its own. */
async function shareTries(gateway: Gateway, address: string, tries: SignInTries): Promise<void> {
  const { valkey, clock } = gateway
  if (!valkey) return
  const { unshared } = tries
  tries.unshared = []
  const added = unshared.map((at) => clock.monotonic() - at)
  const ages = await shareFailures(valkey, address, { windowMs: addressWindowMs, most: maxFailures, added })
  if (ages) {
    const now = clock.monotonic()
    tries.failedAt = [...ages.map((age) => now - age), ...tries.unshared]
  } else tries.unshared = [...unshared, ...tries.unshared].slice(-maxFailures)
}

function listFailures({ clock }: Gateway, { failedAt }: SignInTries): number[] {
  const since = clock.monotonic() - addressWindowMs
  return failedAt.filter((at) => at > since)
}

function isLocked(gateway: Gateway, tries: SignInTries): boolean {
  return listFailures(gateway, tries).length >= maxFailures
}

/**
 * Forgets the failures of an address if an operator has removed its lock. Does nothing if it looked less than a second
 * ago, so that refused calls cost no more than a read a second.
 */
async function followLock(gateway: Gateway, address: string, tries: SignInTries): Promise<void> {
  const now = gateway.clock.monotonic()
  if (now < tries.followedAt + followLockMs) return
  tries.followedAt = now
  const { lockoutId } = tries
  // The database did not respond when the lock began.
  if (lockoutId === undefined) return showLock(gateway, address, tries)
  const row = await gateway.store.db
    .selectFrom('sign_in_guard')
    .select('subject')
    .where('subject', '=', toAddressSubject(address))
    .where('lockout_id', '=', lockoutId)
    .executeTakeFirst()
    // A lock holds while the database does not respond.
    .catch(() => ({ subject: address }))
  if (row || tries.lockoutId !== lockoutId) return
  tries.failedAt = []
  tries.unshared = []
  tries.lockoutId = undefined
  if (gateway.valkey) await forgetFailures(gateway.valkey, address)
}

/** Stores the lock of an address for the operator. A lock that another process stored keeps its id. */
async function showLock(gateway: Gateway, address: string, tries: SignInTries): Promise<void> {
  const { store, clock, ids, log } = gateway
  const now = clock.now()
  const failures = listFailures(gateway, tries).map((at) => Math.round(now - (clock.monotonic() - at)))
  const fields = {
    failed_at: JSON.stringify(failures),
    locked_until: (failures[0] ?? now) + addressWindowMs,
    updated_at: now,
  }
  const isLive = sql<boolean>`sign_in_guard.locked_until > ${now}`
  try {
    const { lockout_id } = await store.db
      .insertInto('sign_in_guard')
      .values({ subject: toAddressSubject(address), ...fields, lockout_id: ids.next('lck') })
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({
          ...fields,
          lockout_id: eb
            .case()
            .when(isLive)
            .then(eb.ref('sign_in_guard.lockout_id'))
            .else(eb.ref('excluded.lockout_id'))
            .end(),
        })),
      )
      .returning('lockout_id')
      .executeTakeFirstOrThrow()
    tries.lockoutId = lockout_id ?? undefined
  } catch (error) {
    log.warn(
      { error },
      'the lock of an address could not be stored; it holds, but operators do not see it yet',
    )
  }
}

function findOrCreateTries({ memory }: Gateway, address: string): SignInTries {
  const known = memory.signInTries.get(address)
  if (known) return known
  const tries: SignInTries = {
    failedAt: [],
    unshared: [],
    underWay: 0,
    ended: Promise.withResolvers(),
    lockoutId: undefined,
    followedAt: Number.NEGATIVE_INFINITY,
  }
  memory.signInTries.set(address, tries)
  return tries
}
