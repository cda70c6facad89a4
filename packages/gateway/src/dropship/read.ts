import { sql } from 'kysely'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { ListQuery } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { readDataAgeHeader } from '../documents/data-age.ts'
import { requireOwned } from '../documents/own.ts'
import type { Gateway } from '../gateway.ts'
import { readListPage } from '../lists/stored.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import type { Db, Tx } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import type { DropshipBody } from './body.ts'
import { doubt, toDropshipJson } from './dropship-json.ts'
import type { NaturalKey } from './kind.ts'

type DropshipQuery = ListQuery & {
  readonly status?: string | undefined
  readonly client_order_number?: string | undefined
  readonly serial_number?: string | undefined
  readonly include_previews?: boolean | undefined
}

/**
 * When an order that was a preview entered the list. One that a sync found was listed since then, and is placed only when
 * its submit is repeated.
 */
const enteredAt = sql<number | null>`case when submitted_at < placed_at then submitted_at else placed_at end`

/**
 * Lists the channel's drop-ship orders. Previews are listed only on request. An order of unknown outcome is always
 * listed.
 */
export async function listDropship(gateway: Gateway, caller: Caller, asked: DropshipQuery) {
  const { status, client_order_number: number, serial_number: serial, include_previews } = asked
  let query = gateway.store.db
    .selectFrom('dropship_orders')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
  if (status !== undefined) query = query.where('status', '=', status)
  if (number !== undefined) query = query.where('client_order_number', '=', number)
  if (serial !== undefined) query = query.where('serial_number', '=', serial)
  if (include_previews !== true) {
    query = query.where((eb) =>
      eb.or([eb('submitted_at', 'is not', null), eb('in_doubt', '=', doubt.submit)]),
    )
  }
  const list = {
    query,
    time: 'created_at',
    id: 'dropship_order_id',
    open: sql<boolean>`${sql.ref('in_doubt')} <> ${sql.lit(doubt.none)}`,
    entered: include_previews === true ? undefined : enteredAt,
    unbounded: number !== undefined || serial !== undefined,
  } as const
  return new Reply(
    await readListPage(gateway, asked, list, (row) => toDropshipJson(gateway, row)),
    await readDataAgeHeader(gateway),
  )
}

export async function readDropship(gateway: Gateway, caller: Caller, id: string) {
  const row = await requireOwnDropship(gateway.store.db, caller, id)
  return new Reply({ data: toDropshipJson(gateway, row) }, await readDataAgeHeader(gateway))
}

/** Reads a drop-ship order or preview and checks that it is the caller's. Throws `NOT_FOUND` and `OWNERSHIP_DENIED`. */
export async function requireOwnDropship(db: Db | Tx, caller: Caller, id: string): Promise<DropshipRow> {
  return requireOwned(await findDropship(db, id), caller, 'dropship_order', id)
}

/**
 * Checks that the preview specified in the request body belongs to the caller. Runs before all other checks, so that
 * their errors reveal nothing about another caller's preview.
 */
export async function requireOwnPreview(
  gateway: Gateway,
  caller: Caller,
  { dropship_order_id: id }: DropshipBody,
) {
  if (id === undefined) return
  // Unlike a path, a body may contain characters that the database cannot store in text.
  const isWritable = /^[\x20-\x7e]+$/.test(id)
  requireOwned(
    isWritable ? await findDropship(gateway.store.db, id) : undefined,
    caller,
    'dropship_order',
    id,
  )
}

export function findDropship(db: Db | Tx, id: string): Promise<DropshipRow | undefined> {
  return db.selectFrom('dropship_orders').selectAll().where('dropship_order_id', '=', id).executeTakeFirst()
}

/** The filters of an operator's search for drop-ship orders. */
interface DropshipSearch extends CursorQuery {
  readonly channel_code?: string | undefined
  readonly status?: string | undefined
  readonly in_doubt?: boolean | undefined
  readonly client_order_number?: string | undefined
}

/**
 * Searches the drop-ship orders of every channel, newest first. Previews are found by their number only, because there
 * are many more of them than orders. Throws `VALIDATION_FAILED`.
 */
export async function searchDropship<Json>(
  { store }: Gateway,
  search: DropshipSearch,
  toJson: (row: DropshipRow) => Json,
) {
  let query = store.db.selectFrom('dropship_orders').selectAll()
  for (const column of ['channel_code', 'status', 'client_order_number'] as const) {
    const wanted = search[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  if (search.in_doubt !== undefined) query = query.where('in_doubt', search.in_doubt ? '<>' : '=', sql.lit(0))
  if (search.client_order_number === undefined && search.in_doubt !== true) {
    query = query.where((eb) =>
      eb.or([eb('submitted_at', 'is not', null), eb('in_doubt', '=', doubt.submit)]),
    )
  }
  const positionOf = ({ created_at, dropship_order_id }: DropshipRow) => ({
    at: created_at,
    id: dropship_order_id,
  })
  return readCursorPage(search, { query, time: 'created_at', id: 'dropship_order_id', positionOf }, toJson)
}

const selectByNaturalKey = (db: Db, key: NaturalKey) =>
  db
    .selectFrom('dropship_orders')
    .where('channel_code', '=', key.channel_code)
    .where('client_order_number', '=', key.client_order_number)
    .where('sku', '=', key.sku)

/** Finds every order and preview with a natural key, newest first. */
export function findByNaturalKey(db: Db, key: NaturalKey): Promise<DropshipRow[]> {
  return selectByNaturalKey(db, key)
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('dropship_order_id', 'desc')
    .execute()
}

/**
 * Finds the orders and previews with a natural key that are live or in doubt, newest first: a number that is previewed
 * again and again has any number of rows that have ended.
 */
export function findLiveByNaturalKey(db: Db, key: NaturalKey): Promise<DropshipRow[]> {
  return selectByNaturalKey(db, key)
    .selectAll()
    .where((eb) => eb.or([eb('status', 'in', ['pending', 'shipped']), eb('in_doubt', '<>', doubt.none)]))
    .orderBy('created_at', 'desc')
    .orderBy('dropship_order_id', 'desc')
    .execute()
}

/** The largest number of previews with one natural key that are read for their prices. */
const maxPreviews = 50

/**
 * Finds the previews with a natural key that did not become orders, newest first, whatever became of their holds: the
 * price of a preview may stand although it holds nothing any more.
 */
export function findPreviews(db: Db, key: NaturalKey): Promise<DropshipRow[]> {
  return selectByNaturalKey(db, key)
    .selectAll()
    .where('submitted_at', 'is', null)
    .where('in_doubt', '=', doubt.none)
    .orderBy('created_at', 'desc')
    .orderBy('dropship_order_id', 'desc')
    .limit(maxPreviews)
    .execute()
}

/** Counts the orders and previews with a natural key that there are and were. */
export async function countByNaturalKey(db: Db, key: NaturalKey): Promise<number> {
  const { count } = await selectByNaturalKey(db, key)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Whether a row is an order that exists or may exist. Cancelled and intercepted orders, and previews, do not count. */
export function isOrder({ status, submitted_at, in_doubt }: DropshipRow): boolean {
  const isLive = status === 'pending' || status === 'shipped'
  return isLive && (submitted_at !== null || in_doubt === doubt.submit)
}

/** Creates the error for a number and SKU that another order of the channel has. */
export function toNumberTakenError({ client_order_number, sku }: DropshipBody): GatewayError {
  return new GatewayError('VALIDATION_FAILED', {
    param: 'client_order_number',
    reason: 'invalid_field',
    say: ['number_taken', { number: client_order_number, sku }],
  })
}
