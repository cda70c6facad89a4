/**
 * Protects passwords against guessing. Usernames: five failures within 15 minutes lock a name for 15 minutes. The count
 * is in the database, and one sign-in per name runs at a time across all processes, so parallel guesses are counted one
 * by one. Unknown names are locked like known ones. Each process checks names that have never signed in one at a time
 * at the ERP, so that a flood of invented names does not slow down the real ones.
 *
 * `address-guard.ts` limits the failures of an address. Failures of the ERP itself are not counted.
 */

import type { Insertable } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { Deadline } from '../kernel/deadline.ts'
import type { Tables } from '../store/tables.ts'

/** The number of failures that lock a name. */
const maxFailures = 5
const failureWindowMs = 15 * 60_000
/** How long a name stays locked. */
export const lockMs = 15 * 60_000
const signInWaitMs = 10_000
/** A name's successful sign-in is stored at most once in this time, so that most sign-ins write nothing. */
const knownEveryMs = 24 * 60 * 60_000

const usernamePrefix = 'username '

/**
 * Converts a username to the key under which its failures are counted. Variants of a name have the same key: case,
 * width, composed or separate accents, invisible characters (based on NFKC_Casefold, Unicode §3.13). Converting to
 * lower, upper and lower case again unifies letters without a single lower-case form: ẞ, ß and ss; ς and σ.
 */
export function toUsernameSubject(username: string): string {
  const visible = username.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return `${usernamePrefix}${visible.toLowerCase().toUpperCase().toLowerCase().normalize('NFKC').trim()}`
}

/** Converts the key of a username back to the name, in the form in which it is counted. */
export function fromUsernameSubject(subject: string): string {
  return subject.slice(usernamePrefix.length)
}

/**
 * Runs a sign-in attempt. `attempt` returns undefined for a wrong password. Throws `AUTH_LOCKED` while the name is
 * locked, and `AUTHZ_UNAVAILABLE` if too many attempts are waiting or the lock of the name was lost.
 */
export async function withSignInGuard<T>(
  gateway: Gateway,
  username: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const subject = toUsernameSubject(username)
  const done = await gateway.store.withLock(`sign in ${subject}`, signInWaitMs, async (lost) => {
    const record = await readRecord(gateway, subject)
    const isKnown = record.succeededAt !== null
    const asked = isKnown ? { result: await attempt() } : await attemptInTurn(gateway, attempt)
    // If the lock was lost, another process may be counting failures of this name by now. This attempt need not be
    // counted, because the caller does not get its result.
    if (asked === undefined || lost.aborted) return undefined
    if (asked.result === undefined) await recordFailure(gateway, subject, record.failures)
    else await recordSuccess(gateway, subject, record)
    return asked
  })
  if (!done) throw new GatewayError('AUTHZ_UNAVAILABLE', { say: ['sign_in_unavailable'], retryAfter: 5 })
  return done.result
}

/**
 * Runs an attempt once a slot for names that never signed in is free. Returns undefined if none becomes free
 * in time or too many attempts are already waiting.
 */
async function attemptInTurn<T>({ memory }: Gateway, attempt: () => Promise<T>) {
  const deadline = Deadline.after(signInWaitMs)
  try {
    return await memory.unknownNames.run(deadline.signal, attempt)
  } finally {
    deadline.end()
  }
}

type Guarded = Tables['sign_in_guard']

interface SignInRecord {
  /** The times of the failures that still count, in epoch milliseconds. */
  readonly failures: number[]
  readonly succeededAt: number | null
  /** Whether the row contains a failure or a lock, even an expired one. */
  readonly isMarked: boolean
}

/** Reads the sign-in record of a name. Throws while the name is locked. */
async function readRecord(gateway: Gateway, subject: string): Promise<SignInRecord> {
  const row = await gateway.store.db
    .selectFrom('sign_in_guard')
    .selectAll()
    .where('subject', '=', subject)
    .executeTakeFirst()
  if (!row) return { failures: [], succeededAt: null, isMarked: false }
  const { succeeded_at: succeededAt } = row
  const now = gateway.clock.now()
  if (row.locked_until !== null) {
    if (now >= row.locked_until) return { failures: [], succeededAt, isMarked: true }
    const lockedUntil = Math.min(row.locked_until, now + lockMs)
    // If the stored end is further ahead than a lock can last, the wall clock was set back. The lock is shortened,
    // because it could otherwise last for days.
    if (lockedUntil < row.locked_until) await shortenLock(gateway, row, lockedUntil)
    const seconds = Math.ceil((lockedUntil - now) / 1000)
    throw new GatewayError('AUTH_LOCKED', { say: ['locked_until', { seconds }], retryAfter: seconds })
  }
  const failedAt: number[] = JSON.parse(row.failed_at)
  const failures = failedAt.filter((at) => at > now - failureWindowMs)
  return { failures, succeededAt, isMarked: failedAt.length > 0 }
}

/** Shortens a lock, unless an operator has removed it since it was read. */
async function shortenLock(
  { store }: Gateway,
  row: Pick<Guarded, 'subject' | 'locked_until'>,
  until: number,
) {
  await store.db
    .updateTable('sign_in_guard')
    .set({ locked_until: until })
    .where('subject', '=', row.subject)
    .where('locked_until', '=', row.locked_until)
    .execute()
}

/**
 * Deletes the failures of a name and stores that it has signed in. Writes nothing if there are no failures and the last
 * sign-in was stored less than a day ago.
 */
async function recordSuccess(gateway: Gateway, subject: string, record: SignInRecord): Promise<void> {
  const now = gateway.clock.now()
  const isRecent = record.succeededAt !== null && record.succeededAt > now - knownEveryMs
  if (isRecent && !record.isMarked) return
  await storeRecord(gateway, subject, {
    failed_at: '[]',
    locked_until: null,
    lockout_id: null,
    updated_at: now,
    succeeded_at: now,
  })
}

async function recordFailure(gateway: Gateway, subject: string, before: readonly number[]): Promise<void> {
  const now = gateway.clock.now()
  const failures = [...before, now].slice(-maxFailures)
  const isLocked = failures.length >= maxFailures
  const fields = {
    failed_at: JSON.stringify(failures),
    locked_until: isLocked ? now + lockMs : null,
    lockout_id: isLocked ? gateway.ids.next('lck') : null,
    updated_at: now,
  }
  await storeRecord(gateway, subject, fields)
}

async function storeRecord(
  gateway: Gateway,
  subject: string,
  fields: Omit<Insertable<Guarded>, 'subject'>,
): Promise<void> {
  await gateway.store.db
    .insertInto('sign_in_guard')
    .values({ subject, ...fields })
    .onConflict((conflict) => conflict.column('subject').doUpdateSet(fields))
    .execute()
}
