import type { Ids } from '../kernel/ids.ts'
import { deriveSecrets, type GivenKeys, type Opened, type Secrets } from '../kernel/secrets.ts'
import { listSealingKeys, recordSealingKey, renewSealingKey } from './sealing-keys.ts'
import { type Db, type Store, StoreUnusable } from './store.ts'

const configurationExit = 78
const purpose = 'installation check'

export interface Installation {
  readonly id: string
  readonly secrets: Secrets
}

/**
 * Reads the id of this installation, or creates it, and derives the keys from it. A process that lacks a key of the
 * database fails at startup instead of when it first needs the key.
 */
export async function openInstallation(store: Store, keys: GivenKeys, ids: Ids): Promise<Installation> {
  const { db } = store
  await insertMissing(db, 'id', ids.next('ins').slice('ins_'.length))
  const id = await readValue(db, 'id')
  const secrets = await deriveSecrets(keys, id)
  await insertMissing(db, 'check', secrets.seal('ok', purpose))
  const check = await readValue(db, 'check')
  const opened = openCheck(secrets, check)
  const inUse = await listSealingKeys(db)
  if ([...inUse.keys()].some((keyId) => !secrets.keyIds.includes(keyId))) throw toKeyMissingError()
  const mark = ids.next('mark')
  // The previous key counts as in use too, if it ever sealed a value: another process may have sealed with it until
  // now.
  for (const keyId of [...inUse.keys(), ...secrets.givenIds]) await renewSealingKey(db, keyId, mark)
  for (const keyId of new Set([opened.keyId, secrets.keyId])) await recordSealingKey(db, keyId, mark)
  if (opened.keyId !== secrets.keyId) await replaceCheck(db, check, secrets.seal('ok', purpose))
  return { id, secrets }
}

/**
 * Reads the installation of a database that a gateway has opened before, and changes nothing. Throws `StoreUnusable` if
 * the keys are not those of the database.
 */
export async function readInstallation(db: Db, keys: GivenKeys): Promise<Installation> {
  const id = await readValue(db, 'id')
  const secrets = await deriveSecrets(keys, id)
  openCheck(secrets, await readValue(db, 'check'))
  return { id, secrets }
}

/**
 * Whether this process encrypts with the present key of the database, which the latest start of a process sets. Throws
 * if this process was not given that key.
 */
export async function isPresentKey(db: Db, secrets: Secrets): Promise<boolean> {
  return openCheck(secrets, await readValue(db, 'check')).keyId === secrets.keyId
}

function openCheck(secrets: Secrets, check: string): Opened {
  try {
    return secrets.open(check, purpose)
  } catch (cause) {
    throw new StoreUnusable(
      'SECRETS_KEY is not the key of this database. Set its key again. If the key is being rotated, set the other key as SECRETS_KEY_PREVIOUS. The first start wrote the first key to settings.env of its DATA_DIR.',
      configurationExit,
      cause,
    )
  }
}

function toKeyMissingError(): StoreUnusable {
  return new StoreUnusable(
    'The database holds values that another SECRETS_KEY has sealed. Set that key as SECRETS_KEY_PREVIOUS until secrets.keys_in_use of /statusz is 1.',
    configurationExit,
  )
}

async function insertMissing(db: Db, key: string, value: string): Promise<void> {
  await db
    .insertInto('installation')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
}

async function readValue(db: Db, key: string): Promise<string> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', key)
    .executeTakeFirstOrThrow()
  return row.value
}

/**
 * Replaces the value by which a start checks its key. If two processes start at once, the second one finds another
 * check and changes nothing.
 */
async function replaceCheck(db: Db, former: string, value: string): Promise<void> {
  await db
    .updateTable('installation')
    .set({ value })
    .where('key', '=', 'check')
    .where('value', '=', former)
    .execute()
}
