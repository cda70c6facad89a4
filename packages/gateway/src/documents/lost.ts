import type { ErpDocument } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { parseInstantOrNull } from '../kernel/clock.ts'
import { toJson } from '../store/json.ts'
import type { Tx } from '../store/store.ts'
import { removeFromLost } from '../writes/lost.ts'

/** How far the clocks of gateway and ERP may differ. */
const maxClockDifferenceMs = 60 * 60_000

/**
 * Records a document of the ERP that the gateway does not have, if it may be of the time between a backup and its
 * restore: an order that was submitted then, or a hold that is still held. An operator sees it until its channel repeats
 * the call that created it, or the hold ends.
 */
export async function recordIfLost({ memory, clock }: Gateway, tx: Tx, document: ErpDocument): Promise<void> {
  const { restores } = memory
  if (document.kind === 'hold' && document.status !== 'held') return removeFromLost(tx, document.reference)
  const at = parseInstantOrNull(document.submitted_at)
  const isOfAny = restores.some((restore) => document.kind === 'hold' || isOfLostTime(at, restore))
  if (!isOfAny) return
  const { reference, number, kind, order_type, status, currency, costs } = document
  const row = {
    ...{ reference, number, kind, order_type, status, currency },
    lines: toJson(document.lines.map(({ sku, quantity }) => ({ sku, quantity }))),
    total: costs?.total ?? null,
    submitted_at: at,
    found_at: clock.now(),
  }
  await tx
    .insertInto('lost_documents')
    .values(row)
    .onConflict((conflict) => conflict.column('reference').doUpdateSet({ status }))
    .execute()
}

/** Whether what the ERP has submitted at `at` may be of the time between a backup and its restore. */
export function isOfLostTime(
  at: number | null,
  { taken_at, restored_at }: { readonly taken_at: number; readonly restored_at: number },
): boolean {
  return at !== null && at >= taken_at - maxClockDifferenceMs && at <= restored_at + maxClockDifferenceMs
}
