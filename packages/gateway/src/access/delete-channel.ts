import { type Acting, recordChange } from '../audit/audit.ts'
import { changeAccess, computeUpdateTime, readChannel } from './channels.ts'
import { declinePending } from './plan-requests.ts'

/**
 * Deletes a channel, ends its webhook endpoints, revokes its secrets and tokens, and declines its pending plan request.
 * Its code is never reused. Idempotent.
 */
export async function deleteChannel(acting: Acting, channel_code: string) {
  const { gateway } = acting
  return changeAccess(gateway, async (tx) => {
    const before = await readChannel(tx, channel_code, true)
    const now = computeUpdateTime(gateway, before.updated_at)
    await tx
      .updateTable('channels')
      .set({ deleted_at: now, updated_at: now })
      .where('channel_code', '=', channel_code)
      .where('deleted_at', 'is', null)
      .execute()
    await tx
      .updateTable('channel_secrets')
      .set({ revoked_at: now })
      .where('channel_code', '=', channel_code)
      .where('revoked_at', 'is', null)
      .execute()
    await tx
      .updateTable('webhook_endpoints')
      .set({ deleted_at: now, updated_at: now })
      .where('channel_code', '=', channel_code)
      .where('deleted_at', 'is', null)
      .execute()
    const declined = await declinePending(tx, channel_code, now)
    const after = await readChannel(tx, channel_code, true)
    await recordChange(acting, tx, {
      before: { ...before, ...(declined && { plan_request: declined.before }) },
      after: { ...after, ...(declined && { plan_request: declined.after }) },
    })
    return after
  })
}
