/**
 * The usernames and addresses that wrong passwords locked, and their unlocking by an operator. Every sign-in reads its
 * record from the database, so an unlocked name is free in every process at once. The failures of addresses are counted
 * in memory, or shared in the server of `VALKEY_URL` (`address-guard.ts`); an unlocked address is free within a second.
 */

import { z } from 'zod'
import { type Acting, recordChange } from '../audit/audit.ts'
import { instantField } from '../contract/fields.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import type { Tables } from '../store/tables.ts'
import { forgetFailures } from '../valkey/failures.ts'
import { addressWindowMs, findAddress } from './address-guard.ts'
import { fromUsernameSubject, lockMs } from './guard.ts'

/** A name or an address that is locked. */
export const lockout = z
  .object({
    lockout_id: z.string(),
    kind: z.enum(['account', 'address']),
    username_hint: z.string().nullable(),
    address: z.string().nullable(),
    failures: z.int(),
    last_failed_at: instantField,
    locked_until: instantField,
  })
  .meta({ id: 'Lockout' })

type Guarded = Tables['sign_in_guard']
type Locked = Guarded & { readonly lockout_id: string; readonly locked_until: number }

/** Lists the locked names and addresses, the lock that ends last first. Throws `VALIDATION_FAILED`. */
export function listLockouts(gateway: Gateway, search: CursorQuery) {
  const list = {
    query: selectLocked(gateway),
    time: 'locked_until',
    id: 'lockout_id',
    positionOf: ({ locked_until, lockout_id }: Locked) => ({ at: locked_until, id: lockout_id }),
  }
  return readCursorPage(search, list, (row) => toLockoutJson(gateway, row))
}

/** Unlocks a name or an address and forgets its failures. Returns the lock as it was. Throws `NOT_FOUND` if it is over. */
export async function unlock(acting: Acting, id: string) {
  const { gateway } = acting
  const row = await selectLocked(gateway).where('lockout_id', '=', id).executeTakeFirst()
  if (!row) throw toNotFoundError('lockout', id)
  const before = toLockoutJson(gateway, row)
  await gateway.store.db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('sign_in_guard')
      .set({ failed_at: '[]', locked_until: null, lockout_id: null, updated_at: gateway.clock.now() })
      .where('lockout_id', '=', id)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw toNotFoundError('lockout', id)
    await recordChange(acting, tx, { before, after: null })
  })
  const address = findAddress(row.subject)
  if (address !== undefined && gateway.valkey) await forgetFailures(gateway.valkey, address)
  return before
}

function selectLocked({ store, clock }: Gateway) {
  return store.db
    .selectFrom('sign_in_guard')
    .selectAll()
    .$narrowType<{ lockout_id: string; locked_until: number }>()
    .where('locked_until', '>', clock.now())
    .where('lockout_id', 'is not', null)
}

function toLockoutJson({ clock }: Gateway, row: Locked): z.input<typeof lockout> {
  const failedAt: number[] = JSON.parse(row.failed_at)
  // A lock that ends later than a lock can last is from before the clock was set back. The next sign-in shortens it.
  const address = findAddress(row.subject) ?? null
  const until = Math.min(row.locked_until, clock.now() + (address === null ? lockMs : addressWindowMs))
  return {
    lockout_id: row.lockout_id,
    kind: address === null ? 'account' : 'address',
    username_hint: address === null ? toHint(fromUsernameSubject(row.subject)) : null,
    address,
    failures: failedAt.length,
    last_failed_at: formatInstant(Math.max(...failedAt)),
    locked_until: formatInstant(until),
  }
}

/**
 * Shortens a name to a hint: at most three characters from its start and two from its end, and never more than half of
 * it. People type passwords into the field of the name, so the whole text must not be shown.
 */
function toHint(name: string): string {
  const letters = [...name]
  const start = Math.min(3, Math.ceil(letters.length / 4))
  const end = Math.min(2, Math.floor(letters.length / 4))
  return `${letters.slice(0, start).join('')}…${letters.slice(letters.length - end).join('')}`
}
