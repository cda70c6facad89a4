/**
 * Verifies the chain of the audit log from its anchor to its end, in bounded batches, while rows are appended and old
 * ones are removed. The end is compared with the heads that were noted outside the database, because rows that are cut
 * off at the end, or a table that is replaced by an older copy, leave a chain that fits in itself.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Gateway } from '../gateway.ts'
import type { Db } from '../store/store.ts'
import type { AuditChainRow, AuditRow } from '../store/tables.ts'
import {
  type ChainKey,
  findChainKey,
  isAnchorAuthentic,
  type Link,
  linkRow,
  type NotedHead,
  readAnchor,
  readChain,
} from './chain.ts'
import { findRestoreOf } from './losses.ts'
import { formatRowTime, readRowNumber, selectAuditRows, toAuditRow } from './rows.ts'

/**
 * What is wrong with the log:
 * - `changed`: the row, or its place, is not as a gateway wrote it.
 * - `missing`: the row with this number was removed.
 * - `inserted`: no gateway wrote this row.
 * - `cut_off`: rows from this number on were removed at the end.
 * - `replaced`: the row with this number is not the one that was noted outside the database.
 * - `beginning_changed`: the mark of the rows that were removed because of their age was changed.
 * - `key_changed`: the chain's key was removed or replaced, so that nothing can be verified.
 */
export const auditProblemKinds = [
  'changed',
  'missing',
  'inserted',
  'cut_off',
  'replaced',
  'beginning_changed',
  'key_changed',
] as const
export type AuditProblemKind = (typeof auditProblemKinds)[number]

/** The first problem that was found; null where the problem has no row, number or time. */
export interface AuditProblem {
  readonly kind: AuditProblemKind
  readonly number: number | null
  readonly audit_id: string | null
  readonly at: string | null
}

export interface Verification {
  readonly ok: boolean
  /** The number of rows that were verified in this part. */
  readonly rows: number
  readonly first_problem: AuditProblem | null
  /** Where the next part begins; undefined if the verification is complete. */
  readonly next: Link | undefined
}

export interface VerificationPart {
  /** The heads that were noted outside the database, read before the verification. */
  readonly noted: readonly NotedHead[]
  /** Where the part begins; undefined is the beginning of the chain. */
  readonly after?: Link | undefined
  readonly maxRows: number
  onProgress?(rows: number): void
}

export type VerifyParts = Pick<Gateway, 'store' | 'secrets'>

const maxRowsPerBatch = 500

/** Verifies at most `maxRows` rows of the chain. */
export async function verifyAudit(parts: VerifyParts, part: VerificationPart): Promise<Verification> {
  const { db } = parts.store
  // Read before the chain's end, so that rows that are appended meanwhile are not taken for inserted ones.
  const newest = await readNewestRow(db)
  const chain = await readWholeChain(db)
  if (chain === 'unreadable') return toVerification(0, toProblem('changed'))
  const key = chain && findChainKey(parts.secrets, chain)
  if (!chain || !key) return toVerification(0, toProblem('key_changed'))
  if (!isAnchorAuthentic(key, chain)) return toVerification(0, toProblem('beginning_changed'))
  const walked = await walkChain(db, key, { ...part, chain })
  if (walked.first_problem || walked.next) return walked
  const problem =
    (await findRowOutside(db, chain)) ??
    (newest && !isInChain(newest, chain) ? toRowProblem('inserted', newest) : undefined) ??
    (await findNotedProblem(parts, part.noted))
  return toVerification(walked.rows, problem)
}

/** Reads the chain; `unreadable` if somebody gave it a number that no driver can return. */
async function readWholeChain(db: Db): Promise<AuditChainRow | 'unreadable' | undefined> {
  try {
    return await readChain(db)
  } catch (error) {
    if (error instanceof RangeError) return 'unreadable'
    throw error
  }
}

interface Walk extends VerificationPart {
  readonly chain: AuditChainRow
}

async function walkChain(
  db: Db,
  key: ChainKey,
  { chain, after, maxRows, onProgress }: Walk,
): Promise<Verification> {
  let place = newerOf(after, readAnchor(chain))
  let count = 0
  while (place.number < chain.number) {
    if (count >= maxRows) return { ok: true, rows: count, first_problem: null, next: place }
    const rows = await readRowsInOrder(db, {
      after: place.number,
      upTo: chain.number,
      limit: Math.min(maxRowsPerBatch, maxRows - count),
    })
    const { last, problem, gap } = checkRows(key, place, rows)
    count += last.number - place.number
    place = last
    if (problem) return toVerification(count, problem)
    onProgress?.(count)
    if (gap || rows.length === 0) {
      const moved = await readMovedAnchor(db, key, place)
      if (!moved) return toVerification(count, toGapProblem(place, gap))
      place = moved
    }
    await yieldToLoop()
  }
  // Everything fits, but the row that says where the chain ends was changed.
  const isEnd = place.number > chain.number || place.mac === chain.mac
  return toVerification(count, isEnd ? undefined : toProblem('changed', chain.number))
}

/** How far a batch of rows continues the chain. */
export interface CheckedRows {
  /** The last place that was verified. */
  readonly last: Link
  readonly problem: AuditProblem | undefined
  /** The row before which a number is left out. */
  readonly gap: AuditRow | undefined
}

/** Verifies rows that follow `place`, in the order of their numbers. */
export function checkRows(key: ChainKey, place: Link, rows: readonly AuditRow[]): CheckedRows {
  let last = place
  for (const row of rows) {
    if (row.number !== null && row.number > last.number + 1) return { last, problem: undefined, gap: row }
    const link = linkRow(key, last, row)
    if (row.number !== link.number) return { last, problem: toRowProblem('inserted', row), gap: undefined }
    if (row.mac !== link.mac) return { last, problem: toRowProblem('changed', row), gap: undefined }
    last = link
  }
  return { last, problem: undefined, gap: undefined }
}

/** Returns the anchor if it has meanwhile moved past `place`, because old rows were removed. */
async function readMovedAnchor(db: Db, key: ChainKey, place: Link): Promise<Link | undefined> {
  const chain = await readChain(db)
  if (!chain || chain.anchor_number <= place.number || !isAnchorAuthentic(key, chain)) return undefined
  return readAnchor(chain)
}

function toGapProblem({ number }: Link, gap: AuditRow | undefined): AuditProblem {
  return toProblem(gap ? 'missing' : 'cut_off', number + 1)
}

/** The numbers of the rows to read: those after `after`, up to `upTo`, at most `limit` rows. */
interface RowRange {
  readonly after: number
  readonly upTo: number
  readonly limit: number
}

export async function readRowsInOrder(db: Db, { after, upTo, limit }: RowRange): Promise<AuditRow[]> {
  const rows = await selectAuditRows(db)
    .where('number', '>', after)
    .where('number', '<=', upTo)
    .orderBy('number')
    .orderBy('audit_id')
    .limit(limit)
    .execute()
  return rows.map(toAuditRow)
}

async function readNewestRow(db: Db): Promise<AuditRow | undefined> {
  const row = await selectAuditRows(db)
    .where('number', 'is not', null)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toAuditRow(row)
}

/** False also for a number that is no number, which an embedded database stores and sorts after all numbers. */
function isInChain({ number }: AuditRow, chain: AuditChainRow): boolean {
  return number !== null && number <= chain.number
}

/** Finds a row without a place in the chain, or with a place among the removed rows. */
async function findRowOutside(db: Db, chain: AuditChainRow): Promise<AuditProblem | undefined> {
  const row = await selectAuditRows(db)
    .where(({ eb, or }) =>
      or([eb('mac', 'is', null), eb('number', 'is', null), eb('number', '<=', chain.anchor_number)]),
    )
    .limit(1)
    .executeTakeFirst()
  return row && toRowProblem('inserted', toAuditRow(row))
}

/** Compares the log with the heads that were noted outside the database, except those that a restore took. */
async function findNotedProblem(
  parts: VerifyParts,
  noted: readonly NotedHead[],
): Promise<AuditProblem | undefined> {
  const { db } = parts.store
  for (const head of noted.toSorted((a, b) => a.number - b.number)) {
    const kind = await compareHead(db, head)
    if (kind && (await findRestoreOf(parts, head))) continue
    if (kind === 'cut_off') return toProblem(kind, ((await readChain(db))?.number ?? 0) + 1)
    if (kind) return toProblem(kind, head.number)
  }
  return undefined
}

/** Returns what is wrong if the log no longer has the noted row; undefined if it does, or the row was old enough. */
export async function compareHead(db: Db, head: Link): Promise<'cut_off' | 'replaced' | undefined> {
  const chain = await readChain(db)
  if (!chain || head.number > chain.number) return 'cut_off'
  if (head.number <= chain.anchor_number) return undefined
  const row = await db
    .selectFrom('admin_audit')
    .select('mac')
    .where('number', '=', head.number)
    .executeTakeFirst()
  if (row?.mac === head.mac) return undefined
  // The row may have become old and been removed meanwhile.
  const later = await readChain(db)
  return later && head.number <= later.anchor_number ? undefined : 'replaced'
}

function newerOf(after: Link | undefined, anchor: Link): Link {
  return after && after.number > anchor.number ? after : anchor
}

function toVerification(rows: number, problem: AuditProblem | undefined): Verification {
  return { ok: problem === undefined, rows, first_problem: problem ?? null, next: undefined }
}

function toProblem(kind: AuditProblemKind, number: number | null = null): AuditProblem {
  return { kind, number, audit_id: null, at: null }
}

function toRowProblem(kind: AuditProblemKind, row: AuditRow): AuditProblem {
  return { kind, number: readRowNumber(row), audit_id: row.audit_id, at: formatRowTime(row) }
}
