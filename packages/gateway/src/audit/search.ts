import { type ExpressionBuilder, sql } from 'kysely'
import { z } from 'zod'
import { instantField } from '../contract/fields.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import {
  type CursorQuery,
  type Period,
  type Position,
  parsePeriod,
  readCursorPage,
} from '../store/cursor-page.ts'
import { fromJson } from '../store/json.ts'
import type { AuditDetail, AuditRow, Tables } from '../store/tables.ts'
import { formatRowTime, readRowNumber, selectAuditRows, type TextRow, toAuditRow } from './rows.ts'

/** A changed object, as the API shows it. */
const shownObject = z.record(z.string(), z.unknown())

export const auditRow = z
  .object({
    audit_id: z.string(),
    number: z.int().nullable(),
    at: instantField,
    actor: z.string().nullable(),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    action: z.string(),
    subject: z.string(),
    status: z.int().nullable(),
    code: z.string().nullable(),
    query: z.string().nullable(),
    before: shownObject.nullable(),
    after: shownObject.nullable(),
    mac: z.string().nullable(),
  })
  .meta({ id: 'AuditRow' })
export type AuditJson = z.input<typeof auditRow>

/** The filters of a search. Every filter narrows it. */
export interface AuditFilters extends Period {
  readonly actor?: string | undefined
  readonly action?: string | undefined
  /** The beginning of the subject. */
  readonly subject?: string | undefined
  /** The subject, or the path above it. */
  readonly within?: string | undefined
  /** Only rows with a state before and after. */
  readonly changes?: boolean | undefined
}

/** No path has a character that sorts after this one. */
const highestCharacter = '\u{10ffff}'
/** The condition of the index of changes, word by word: a database uses the index for no other. */
const isChange = sql<boolean>`detail like '%"after":%'`

type AuditSearch = AuditFilters & CursorQuery

/** Searches the audit log, newest row first, and returns one page. Throws `VALIDATION_FAILED`. */
export function searchAudit(gateway: Gateway, search: AuditSearch) {
  const list = { query: buildSearch(gateway, search), time: 'at', id: 'audit_id', positionOf }
  return readCursorPage(search, list, (row) => toAuditJson(toAuditRow(row)))
}

export const positionOf = ({ at_text, audit_id }: TextRow): Position => ({ at: at_text, id: audit_id })

/** Reads one row. Throws `NOT_FOUND`. */
export async function readAuditRow({ store }: Gateway, id: string): Promise<AuditJson> {
  const row = await selectAuditRows(store.db).where('audit_id', '=', id).executeTakeFirst()
  if (!row) throw toNotFoundError('audit_row', id)
  return toAuditJson(toAuditRow(row))
}

/** Reads the rows after a place, oldest first, at most `limit`. */
export function readOldest(
  gateway: Gateway,
  filters: AuditFilters,
  { after, limit }: { readonly after: Position | undefined; readonly limit: number },
): Promise<TextRow[]> {
  const { from, to } = parsePeriod(filters)
  let query = buildSearch(gateway, filters)
  if (from !== undefined) query = query.where('at', '>=', from)
  if (to !== undefined) query = query.where('at', '<', to)
  if (after) query = query.where(sql<boolean>`(at, audit_id) > (${after.at}, ${after.id})`)
  return query.orderBy('at').orderBy('audit_id').limit(limit).execute()
}

function buildSearch({ store }: Gateway, filters: AuditFilters) {
  const { actor, action, subject, within, changes } = filters
  let query = selectAuditRows(store.db)
  if (actor !== undefined) query = query.where('actor', '=', actor)
  if (action !== undefined) query = query.where('action', '=', action)
  if (subject !== undefined) query = query.where((eb) => beginsWith(eb, subject))
  if (within !== undefined)
    query = query.where((eb) => eb.or([eb('subject', '=', within), beginsWith(eb, `${within}/`)]))
  if (changes) query = query.where(isChange)
  return query
}

function beginsWith(eb: ExpressionBuilder<Tables, 'admin_audit'>, start: string) {
  return eb.and([eb('subject', '>=', start), eb('subject', '<', `${start}${highestCharacter}`)])
}

/** Parses the detail. One that somebody damaged is empty: the row is shown, and the verification reports it. */
export function readDetail({ detail }: Pick<AuditRow, 'detail'>): Partial<AuditDetail> {
  try {
    return { ...fromJson(detail) }
  } catch {
    return {}
  }
}

export function toAuditJson(row: AuditRow): AuditJson {
  const { status = null, code = null, query = null, before = null, after = null } = readDetail(row)
  const { audit_id, actor, address, request_id, action, subject, mac } = row
  return {
    audit_id,
    number: readRowNumber(row),
    at: formatRowTime(row),
    actor,
    address,
    request_id: request_id === '' ? null : request_id,
    action,
    subject,
    status,
    code,
    query,
    before: before === null ? null : { ...before },
    after: after === null ? null : { ...after },
    mac,
  }
}
