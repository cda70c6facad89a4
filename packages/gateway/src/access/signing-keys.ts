import { type Acting, gatewayActor, recordChange, recordOwnChange } from '../audit/audit.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import type { Db } from '../store/store.ts'
import { storeOperatorsResponse } from '../writes/keys.ts'
import { changeAccess } from './channels.ts'

/**
 * Creates a new key for signing tokens. Tokens of the earlier keys stay valid until they expire or, if the keys are
 * compromised, are refused by every process within a second.
 */
export async function rotateSigningKey(acting: Acting, areCompromised: boolean) {
  const { gateway } = acting
  const keys = await changeAccess(gateway, async (tx) => {
    const before = await describeKeys(tx, gateway)
    await gateway.keys.replace(tx, areCompromised)
    const after = await describeKeys(tx, gateway)
    await storeOperatorsResponse(acting, tx, after)
    await recordChange(acting, tx, { before, after })
    return after
  })
  // This process signs with the new key as soon as it responds; the other processes are notified of the key.
  await gateway.sessions.follow()
  return keys
}

/** Creates a new key for signing tokens if the present one is old, and removes keys that are no longer required. */
export function rotateSigningKeyWhenDue(gateway: Gateway): Promise<void> {
  return gateway.keys.rotateWhenDue(() =>
    changeAccess(gateway, async (tx) => {
      const before = await describeKeys(tx, gateway)
      await gateway.keys.replace(tx)
      const after = await describeKeys(tx, gateway)
      const action = 'gateway.signing_keys.rotate'
      const change = { actor: gatewayActor, action, subject: 'signing_keys', before, after }
      await recordOwnChange(gateway, tx, change)
    }),
  )
}

/** Describes the signing key and the earlier keys whose tokens are still accepted. */
async function describeKeys(db: Db, { keys }: Gateway) {
  const [signing, ...earlier] = await keys.list(db)
  if (!signing) throw new Error('There is no signing key.')
  return {
    kid: signing.kid,
    created_at: formatInstant(signing.created_at),
    earlier_kids: earlier.map(({ kid }) => kid),
  }
}
