import type { Db } from './store.ts'

/** The size of the value: more than the free space inside the database's files, and more than any order writes. */
const probeBytes = 64 * 1024
const key = 'storage_probe'

/** Writes a value and removes it. Throws if the database refuses writes. */
export async function writeProbe(db: Db): Promise<void> {
  const value = '0'.repeat(probeBytes)
  await db
    .insertInto('installation')
    .values({ key, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
  await db.deleteFrom('installation').where('key', '=', key).execute()
}
