import type { Gateway } from '../gateway.ts'
import { settlePatiently, withPatience } from '../store/patience.ts'
import { type AuditContent, appendToChain } from './chain.ts'

const maxRowsPerBatch = 500

/**
 * Appends a row of a call that changed nothing, in one transaction with the rows of other such calls. If each had its
 * own, a flood of calls would wait for the chain with all connections of the process.
 */
export function appendTogether(gateway: Gateway, content: AuditContent): Promise<void> {
  const { auditQueue } = gateway.memory
  auditQueue.waiting.push(content)
  auditQueue.next ??= auditQueue.turn.then(() => {
    auditQueue.next = undefined
    const contents = auditQueue.waiting.splice(0)
    // Several calls wait for the turn, so none of them lends it its own limit.
    const stored = withPatience(() => appendInBatches(gateway, contents))
    auditQueue.turn = stored.catch(() => {})
    return stored
  })
  return settlePatiently(auditQueue.next)
}

async function appendInBatches(gateway: Gateway, contents: readonly AuditContent[]) {
  for (let at = 0; at < contents.length; at += maxRowsPerBatch) {
    const batch = contents.slice(at, at + maxRowsPerBatch)
    await gateway.store.db.transaction().execute((tx) => appendToChain(gateway, tx, batch))
  }
}
