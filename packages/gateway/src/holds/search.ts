/** The operator's view of holds: those of every channel. */

import { sql } from 'kysely'
import { z } from 'zod'
import { recordChange } from '../audit/audit.ts'
import type { Gateway } from '../gateway.ts'
import { type CursorQuery, readCursorPage } from '../store/cursor-page.ts'
import type { HoldRow } from '../store/tables.ts'
import type { Writer } from '../writes/intent.ts'
import { hold, releaseHoldRow, requireHold, toHoldJson } from './holds.ts'

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
}

/** Searches the holds of every channel, newest first. Every filter narrows the search. Throws `VALIDATION_FAILED`. */
export async function searchHolds({ store }: Gateway, search: HoldSearch) {
  let query = store.db.selectFrom('holds').selectAll()
  for (const column of ['channel_code', 'source', 'status'] as const) {
    const wanted = search[column]
    if (wanted !== undefined) query = query.where(column, '=', wanted)
  }
  if (search.sku !== undefined) {
    // The lines are JSON that the gateway wrote. `like` would ignore the case of letters on SQLite.
    const part = `"sku":${JSON.stringify(search.sku)},`
    query = query.where(sql<boolean>`replace(lines, ${part}, '') <> lines`)
  }
  const list = { query, time: 'created_at', id: 'hold_id', positionOf }
  return readCursorPage(search, list, toOperatorsHold)
}

/**
 * Releases a hold of any channel, by the same rules as the channel itself. A released hold is returned as it is. Throws
 * `NOT_FOUND` and the errors of `releaseHoldRow`. If the outcome stays unknown, the gateway settles the release later,
 * and the audit has the call without the state after it.
 */
export async function releaseHoldForOperator(writer: Writer, id: string): Promise<OperatorsHold> {
  const row = await requireHold(writer.gateway.store.db, id)
  const before = toOperatorsHold(row)
  await releaseHoldRow(writer, row, async (tx) => {
    const after = toOperatorsHold(await requireHold(tx, id))
    await recordChange(writer, tx, { before, after })
  })
  return toOperatorsHold(await requireHold(writer.gateway.store.db, id))
}

function positionOf({ created_at, hold_id }: HoldRow) {
  return { at: created_at, id: hold_id }
}

function toOperatorsHold(row: HoldRow): OperatorsHold {
  return { channel_code: row.channel_code, ...toHoldJson(row) }
}
