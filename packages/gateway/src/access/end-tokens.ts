import type { Tx } from '../store/store.ts'

/**
 * Why a token ended. `upstream_ended` is reported to the caller as an expired session, every other reason as a revoked
 * token.
 */
export type EndReason =
  | 'revoked_by_caller'
  | 'revoked_by_operator'
  | 'customer_changed'
  | 'secret_deleted'
  | 'upstream_ended'
  | 'restored'

/**
 * Builds the statement that marks tokens as revoked and deletes their ERP sessions. The caller adds the condition that
 * selects the tokens.
 */
export function buildRevokeTokensUpdate(tx: Tx, now: number, reason: EndReason) {
  return tx
    .updateTable('sessions')
    .set({ revoked_at: now, revoked_reason: reason, upstream_session: null })
    .where('revoked_at', 'is', null)
}
