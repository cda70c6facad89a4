/** Releases holds at the ERP. */
import { type CallOptions, type ErpResult, type Input, ok } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { HoldRow } from '../store/tables.ts'
import type { Written } from '../writes/intent.ts'

/**
 * Releases a hold. One that the ERP does not have is released already: staff have deleted it, or a restored ERP has
 * lost it. Refused, it would block its document and count as held for ever. Only a hold that is so young that the ERP may
 * not find it yet stays refused.
 */
export async function releaseAtErp(
  { erp, upstream, clock }: Gateway,
  { reference, created_at }: Pick<HoldRow, 'reference' | 'created_at'>,
  { reason, options }: { readonly reason: Input<'release'>['reason']; readonly options: CallOptions },
): Promise<ErpResult<Written>> {
  const answer = await erp.release({ reference, reason }, options)
  if ('ok' in answer || answer.rejected.reason !== 'not_found') return answer
  const { lookup_lag_ms } = await upstream.capabilities()
  const isTooYoung = clock.now() - created_at < lookup_lag_ms
  return isTooYoung ? answer : ok({ document: null, figures: [] })
}
