import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Gateway } from '../gateway.ts'
import { executePipelined, type Tx } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import {
  buildAnchorUpdate,
  findChainKey,
  isAnchorAuthentic,
  lockChain,
  readAnchor,
  readChain,
} from './chain.ts'
import { checkRows, readRowsInOrder } from './verify.ts'

const dayMs = 24 * 60 * 60_000
const maxRowsPerBatch = 500
const maxBatches = 200
/** Of a whole batch, so many rows must be old for the others to count as those of a clock that was ahead. */
const minOldRows = 450

/**
 * Removes rows that are older than `AUDIT_DAYS`, from the beginning of the chain. The anchor keeps the number and the
 * HMAC of the newest removed row, so that the rest can still be verified. A part that does not fit the chain is not
 * removed, because it is the trace of whoever changed it.
 */
export async function pruneAudit(gateway: Gateway): Promise<void> {
  const before = gateway.clock.now() - gateway.config.auditDays * dayMs
  // Without a chain, the verification reports what happened to it.
  if (!(await readChain(gateway.store.db))) return
  for (let batch = 0; batch < maxBatches; batch++) {
    const removed = await gateway.store.db.transaction().execute((tx) => removeOldest(gateway, tx, before))
    if (removed < maxRowsPerBatch) return
    await yieldToLoop()
  }
}

/** Removes one batch of rows from before a time, in epoch milliseconds, and returns their number. */
async function removeOldest(gateway: Gateway, tx: Tx, before: number): Promise<number> {
  const chain = await lockChain(gateway, tx)
  const key = findChainKey(gateway.secrets, chain)
  if (!key) return 0
  const rows = await readRowsInOrder(tx, {
    after: chain.anchor_number,
    upTo: chain.number,
    limit: maxRowsPerBatch,
  })
  const old = findOldRows(rows, before)
  if (old.length === 0) return 0
  const { last, problem, gap } = checkRows(key, readAnchor(chain), old)
  if (problem || gap || !isAnchorAuthentic(key, chain)) {
    gateway.log.error(
      { rows: last.number },
      'old rows of the audit log are kept, because the log was changed: npm run audit -- verify',
    )
    return 0
  }
  await executePipelined(tx, [
    // A row among those that were removed earlier is the trace of whoever put it there.
    tx.deleteFrom('admin_audit').where('number', '>', chain.anchor_number).where('number', '<=', last.number),
    buildAnchorUpdate(tx, key, last),
  ])
  return old.length
}

/**
 * Returns the rows from before a time at the beginning of a batch. A row of a clock that was ahead would keep all later
 * ones for years, so in a batch in which nearly all rows are old, it goes with them. With fewer rows, a clock that was
 * behind could take new ones with it.
 */
function findOldRows(rows: readonly AuditRow[], before: number): readonly AuditRow[] {
  const isOld = ({ at }: AuditRow) => at < before
  if (rows.filter(isOld).length >= minOldRows) return rows.slice(0, rows.findLastIndex(isOld) + 1)
  const end = rows.findIndex((row) => !isOld(row))
  return end < 0 ? rows : rows.slice(0, end)
}
