/**
 * Links rows that were written without a place in the chain: those of a version that had no chain, and those of its
 * processes that still ran during an upgrade. A day after the chain was created, no row without a place is legitimate
 * any more, and the verification reports it.
 */

import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Gateway } from '../gateway.ts'
import { executePipelined, type Tx } from '../store/store.ts'
import type { AuditRow } from '../store/tables.ts'
import { gatewayActor, recordOwnChange } from './audit.ts'
import {
  buildEndUpdate,
  type ChainParts,
  createChain,
  findChainKey,
  type Link,
  linkRow,
  lockChain,
} from './chain.ts'
import { selectAuditRows, toAuditRow } from './rows.ts'
import { readDetail } from './search.ts'

/** How long after the creation of the chain rows without a place are linked. */
const adoptionMs = 24 * 60 * 60_000
const maxRowsPerTurn = 500

type AdoptParts = ChainParts & Pick<Gateway, 'log'>

/**
 * Prepares the chain of the audit log at the start: creates it if there is none, and links the rows from before it. A
 * row of its own says how many rows were linked as they were found. A chain that this process cannot continue does not
 * keep it from starting: changes by the operator fail then, and the verification says why.
 */
export async function prepareAuditChain(parts: AdoptParts): Promise<void> {
  const { store } = parts
  await createChain(parts)
  let rows = 0
  for (;;) {
    const linked = await store.db.transaction().execute((tx) => adoptRows(parts, tx))
    rows += linked
    if (linked < maxRowsPerTurn) break
    await yieldToLoop()
  }
  if (rows === 0) return
  await store.db.transaction().execute((tx) =>
    recordOwnChange(parts, tx, {
      actor: gatewayActor,
      action: 'gateway.audit.link',
      subject: 'admin_audit',
      before: null,
      after: { rows },
    }),
  )
}

/** Links one batch of rows, oldest first, and returns their number. */
async function adoptRows(parts: AdoptParts, tx: Tx): Promise<number> {
  const chain = await lockChain(parts, tx)
  const key = findChainKey(parts.secrets, chain)
  if (!key) {
    parts.log.error({}, 'the key of the audit log was changed: npm run audit -- verify')
    return 0
  }
  if (parts.clock.now() > key.createdAt + adoptionMs) return 0
  const found = await selectAuditRows(tx)
    .where('mac', 'is', null)
    .orderBy('at')
    .orderBy('audit_id')
    .limit(maxRowsPerTurn)
    .execute()
  const rows = found.map(toAuditRow)
  if (rows.length === 0) return 0
  let end: Link = chain
  const updates = rows.map((row) => {
    const actor = readFormerActor(row)
    end = linkRow(key, end, { ...row, actor })
    return tx
      .updateTable('admin_audit')
      .set({ number: end.number, mac: end.mac, actor })
      .where('audit_id', '=', row.audit_id)
  })
  await executePipelined(tx, [...updates, buildEndUpdate(tx, end)])
  return rows.length
}

/** Returns the actor, who was a member of `detail` before there was a column. */
function readFormerActor(row: AuditRow): string | null {
  const { actor: former } = readDetail(row)
  return row.actor ?? (typeof former === 'string' ? former : null)
}
