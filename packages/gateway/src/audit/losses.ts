/**
 * What restores from backups took from the end of the audit log. A row of the log records each loss, so that it stays
 * visible. In that row, every process finds why the log no longer has an end that the process had noted before. Only the
 * row counts, and not the table `restores`: nobody without the key of the chain can write one.
 */

import type { Db, Tx } from '../store/store.ts'
import type { AuditChainRow, AuditRow } from '../store/tables.ts'
import { gatewayActor, recordOwnChange } from './audit.ts'
import {
  type ChainKey,
  type ChainParts,
  chainName,
  findChainKey,
  type Link,
  linkRow,
  lockChain,
  type NotedHead,
  readAnchor,
  readChain,
} from './chain.ts'
import { selectAuditRows, toAuditRow } from './rows.ts'
import { readDetail } from './search.ts'

/** The database was restored: the log may lack ends that were noted before this row. */
const restoreAction = 'gateway.audit.restore'
/** A process had noted a later end than the row of the restore says. Such a row excuses nothing by itself. */
const lossAction = 'gateway.audit.loss'

/**
 * Records that the database was restored. `lost` is the newest lost row that this process knows of; undefined if it knows
 * of none. Locks the chain, so it must be the transaction's last statement. Returns false if this process cannot continue
 * the chain, which the verification reports.
 */
export async function recordRestoredLog(parts: ChainParts, tx: Tx, lost: Link | undefined): Promise<boolean> {
  const chain = await lockChain(parts, tx)
  if (!findChainKey(parts.secrets, chain)) return false
  await recordOwnChange(parts, tx, toLoss(restoreAction, lost, chain.number))
  return true
}

/** Records the loss of a noted row, unless the log says since the restore that a row at least as new was lost. */
export async function recordFurtherLoss(parts: ChainParts, lost: Link, restored: Link): Promise<void> {
  await parts.store.db.transaction().execute(async (tx) => {
    // Locked before the rows are read, so that the processes of a machine do not record the same loss twice.
    await lockChain(parts, tx)
    const rows = await selectAuditRows(tx)
      .where('action', 'in', [restoreAction, lossAction])
      .where('number', '>=', restored.number)
      .execute()
    if (rows.some((row) => readLostRows(toAuditRow(row)) >= lost.number)) return
    await recordOwnChange(parts, tx, toLoss(lossAction, lost, restored.number - 1))
  })
}

function toLoss(action: string, lost: Link | undefined, kept: number) {
  return {
    actor: gatewayActor,
    action,
    subject: lost ? `${chainName} ${lost.number} ${lost.mac}` : chainName,
    before: { rows: lost?.number ?? null },
    after: { rows: kept },
  }
}

/** Returns the number of the lost row that a row records; 0 if it was not known. */
function readLostRows(row: AuditRow): number {
  const { rows } = { rows: null, ...readDetail(row).before }
  return typeof rows === 'number' ? rows : 0
}

/**
 * Finds the restore that took a noted row which the log no longer has: the first one after the note whose row a gateway
 * put in the chain. Undefined if the database was not restored since the note, that is, if somebody removed the row.
 */
export async function findRestoreOf(
  { store: { db }, secrets }: Pick<ChainParts, 'store' | 'secrets'>,
  noted: NotedHead,
): Promise<Link | undefined> {
  const chain = await readChain(db)
  const key = chain && findChainKey(secrets, chain)
  if (!key) return undefined
  const found = await selectAuditRows(db)
    .where('action', '=', restoreAction)
    .where('number', '>', chain.anchor_number)
    .where('number', '<=', chain.number)
    .orderBy('number')
    .execute()
  for (const row of found.map(toAuditRow)) {
    // Both times are of the database's clock, or of the only machine that has the embedded database.
    const isNewer = row.at > Date.parse(noted.at)
    const link = isNewer ? await findLink(db, { key, chain }, row) : undefined
    if (link) return link
  }
  return undefined
}

interface OpenChain {
  readonly key: ChainKey
  readonly chain: AuditChainRow
}

/** Returns the place of a row if a gateway put it there; undefined if not. */
async function findLink(db: Db, { key, chain }: OpenChain, row: AuditRow): Promise<Link | undefined> {
  const number = (row.number ?? 0) - 1
  const anchor = readAnchor(chain)
  const previous =
    number === anchor.number
      ? anchor
      : await db.selectFrom('admin_audit').select('mac').where('number', '=', number).executeTakeFirst()
  const link = linkRow(key, { number, mac: previous?.mac ?? '' }, row)
  return link.mac === row.mac ? link : undefined
}
