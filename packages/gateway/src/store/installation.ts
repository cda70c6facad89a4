import type { Secrets } from '../kernel/crypto.ts'
import type { Ids } from '../kernel/ids.ts'
import { type Store, StoreUnusable } from './store.ts'

const configurationExit = 78
const purpose = 'installation check'

/**
 * The id of this installation, made once. A value sealed with `SECRETS_KEY` stands beside it, so that a process
 * with another key is refused at its start instead of failing at the first secret.
 */
export async function readInstallation(store: Store, secrets: Secrets, ids: Ids): Promise<string> {
  await store.db
    .insertInto('installation')
    .values([
      { key: 'id', value: ids.next('ins').slice('ins_'.length) },
      { key: 'check', value: secrets.seal('ok', purpose) },
    ])
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const rows = await store.db.selectFrom('installation').selectAll().execute()
  const values = new Map(rows.map(({ key, value }) => [key, value]))
  try {
    secrets.unseal(values.get('check') ?? '', purpose)
  } catch (cause) {
    throw new StoreUnusable(
      'SECRETS_KEY is not the key with which this database was begun. Set the key of the first start; it stands in settings.env of the first DATA_DIR.',
      configurationExit,
      cause,
    )
  }
  return values.get('id') ?? ''
}
