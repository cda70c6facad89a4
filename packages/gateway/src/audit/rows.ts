/**
 * Reads rows of the audit log as they are, also if somebody put a number into them that no gateway writes. The drivers
 * throw at a number that JavaScript cannot hold exactly. One such row would stop the verification, which must report it.
 */

import { sql } from 'kysely'
import { formatInstant, lastWritableInstant } from '../kernel/clock.ts'
import type { Db, Tx } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'

/** A row with its numbers as texts, as the database has them. */
export type TextRow = Omit<AuditRow, 'number' | 'at'> & {
  readonly number_text: string | null
  readonly at_text: string
}

/** Builds the query that reads rows with their numbers as texts. The columns to order by are `number` and `at`. */
export function selectAuditRows(db: Db | Tx) {
  return db
    .selectFrom('admin_audit')
    .select(['audit_id', 'request_id', 'actor', 'address', 'action', 'subject', 'detail', 'mac'])
    .select([
      sql<string | null>`cast(number as text)`.as('number_text'),
      sql<string>`cast(at as text)`.as('at_text'),
    ])
}

/** Returns the row. A number that is not safe is near the one in the database, or not a number: no HMAC fits it. */
export function toAuditRow({ number_text, at_text, ...texts }: TextRow): AuditRow {
  return { ...texts, number: number_text === null ? null : Number(number_text), at: Number(at_text) }
}

/** Formats the time of a row. A time that cannot be formatted becomes the first or last one that can. */
export function formatRowTime({ at }: Pick<AuditRow, 'at'>): string {
  return formatInstant(Number.isNaN(at) ? 0 : Math.min(Math.max(at, 0), lastWritableInstant))
}

/** Returns the number of a row; null if it has none, or not one that a gateway writes. */
export function readRowNumber({ number }: Pick<AuditRow, 'number'>): number | null {
  return Number.isSafeInteger(number) ? number : null
}
