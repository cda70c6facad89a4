/** The operator's view of holds: those of every channel. */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { SelectQueryBuilder } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../audit/audit.ts'
import type { Gateway } from '../gateway.ts'
import { type CursorQuery, formatPosition, isUpTo, readCursorPage } from '../store/cursor-page.ts'
import type { HoldRow, Tables } from '../store/tables.ts'
import type { Writer } from '../writes/intent.ts'
import { declareHoldRelease, hold, releaseHoldRow, requireHold, toHoldJson } from './holds.ts'
import { hasLineOf } from './store.ts'

/** A hold as the operator's list shows it. */
export const operatorsHold = z
  .object({ channel_code: z.string(), ...hold.shape })
  .meta({ id: 'OperatorsHold' })

type OperatorsHold = z.input<typeof operatorsHold>

type HoldSearch = CursorQuery & {
  readonly channel_code?: string | undefined
  readonly source?: string | undefined
  readonly status?: string | undefined
  readonly sku?: string | undefined
  readonly hold_id?: string | undefined
}

/** Searches the holds of every channel, newest first. Every filter narrows the search. Throws `VALIDATION_FAILED`. */
export async function searchHolds({ store }: Gateway, search: HoldSearch) {
  let query = store.db.selectFrom('holds').selectAll()
  for (const column of ['channel_code', 'source', 'status', 'hold_id'] as const) {
    const wanted = search[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  if (search.sku !== undefined) return searchBySku(query, search, search.sku)
  return readCursorPage(search, toList(query), toOperatorsHold)
}

type HoldQuery = SelectQueryBuilder<Tables, 'holds', HoldRow>

/**
 * The number of holds that one statement searches for a SKU. No index has the SKUs of a hold, and a statement over a
 * million holds stopped an embedded store's process for two seconds.
 */
export const holdsPerSlice = 5_000
/**
 * The largest number of slices of one call: 100,000 holds, which take about 150 ms. A page that ends there has fewer
 * rows, and a cursor to continue from.
 */
const maxSlices = 20

/** Searches the holds that have a line of a SKU slice by slice, and lets the event loop run in between. */
async function searchBySku(query: HoldQuery, search: HoldSearch, sku: string) {
  const wanted = query.where(hasLineOf(sku))
  const found: HoldRow[] = []
  let { cursor } = search
  const { sort = 'newest' } = search
  for (let slice = 0; slice < maxSlices; slice++) {
    const end = await findSliceEnd(query, { ...search, cursor })
    const ofSlice = end ? wanted.where(isUpTo(toList(wanted), end, sort)) : wanted
    // One row more than the page says whether another page follows.
    const page_size = search.page_size + 1 - found.length
    found.push(
      ...(await readCursorPage({ ...search, cursor, page_size }, toList(ofSlice), (row) => row)).data,
    )
    if (!end || found.length > search.page_size) return toPage(found, search)
    cursor = formatPosition(end)
    await yieldToLoop()
  }
  return { data: found.map(toOperatorsHold), has_more: true, next_cursor: cursor ?? null }
}

/** Finds the position of the last hold of the slice after the cursor; undefined if fewer holds are left. */
async function findSliceEnd(query: HoldQuery, search: HoldSearch) {
  // Only these columns, which the index has, so that the database need not read the holds that it passes.
  const positions = query
    .clearSelect()
    .select(['created_at', 'hold_id'])
    .offset(holdsPerSlice - 1)
  const list = { query: positions, time: 'created_at', id: 'hold_id', positionOf }
  const { data } = await readCursorPage({ ...search, page_size: 1 }, list, positionOf)
  return data.at(0)
}

function toPage(found: readonly HoldRow[], { page_size }: HoldSearch) {
  const shown = found.slice(0, page_size)
  const last = shown.at(-1)
  const hasMore = found.length > page_size
  return {
    data: shown.map(toOperatorsHold),
    has_more: hasMore,
    next_cursor: hasMore && last ? formatPosition(positionOf(last)) : null,
  }
}

function toList(query: HoldQuery) {
  return { query, time: 'created_at', id: 'hold_id', positionOf: (row: HoldRow) => positionOf(row) }
}

/** A release by an operator. */
export const operatorsHoldRelease = declareHoldRelease('hold.release_by_operator', toOperatorsHold)

/**
 * Releases a hold of any channel, by the same rules as the channel itself. A released hold is returned as it is. Throws
 * `NOT_FOUND` and the errors of `releaseHoldRow`. If the outcome stays unknown, the gateway settles the release later,
 * and the audit has the call without the state after it.
 */
export async function releaseHoldForOperator(writer: Writer, id: string) {
  const row = await requireHold(writer.gateway.store.db, id)
  const before = toOperatorsHold(row)
  return releaseHoldRow(writer, row, {
    release: operatorsHoldRelease,
    async record(tx) {
      const after = toOperatorsHold(await requireHold(tx, id))
      await recordChange(writer, tx, { before, after })
    },
  })
}

function positionOf({ created_at, hold_id }: Pick<HoldRow, 'created_at' | 'hold_id'>) {
  return { at: created_at, id: hold_id }
}

function toOperatorsHold(row: HoldRow): OperatorsHold {
  return { channel_code: row.channel_code, ...toHoldJson(row) }
}
