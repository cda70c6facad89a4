/**
 * The ids of all keys that ever sealed values in this database, as rows of `installation`. A process records its key
 * before it seals. A key is in use until one complete sweep through all sealed values (`reseal.ts`) has found no value
 * of the key. So a starting process knows without a sweep whether it lacks a key. The row of a key in use contains a
 * mark, which each start renews: a sweep that began before the start does not count. The row of an unused key is empty.
 */

import type { Db } from './store.ts'

const prefix = 'sealed by '
const unused = ''

/** Lists the ids of the keys in use, with their marks. */
export async function listSealingKeys(db: Db): Promise<ReadonlyMap<string, string>> {
  const rows = await db
    .selectFrom('installation')
    .selectAll()
    .where('key', 'like', `${prefix}%`)
    .where('value', '<>', unused)
    .orderBy('key')
    .execute()
  return new Map(rows.map(({ key, value }) => [key.slice(prefix.length), value]))
}

/** Records a key as in use. */
export async function recordSealingKey(db: Db, keyId: string, mark: string): Promise<void> {
  await db
    .insertInto('installation')
    .values({ key: `${prefix}${keyId}`, value: mark })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: mark }))
    .execute()
}

/** Marks a key as in use again, if it ever sealed a value. */
export async function renewSealingKey(db: Db, keyId: string, mark: string): Promise<void> {
  await db.updateTable('installation').set({ value: mark }).where('key', '=', `${prefix}${keyId}`).execute()
}

/** Marks a key as unused, unless its mark was renewed. Returns whether it did. */
export async function retireSealingKey(db: Db, keyId: string, mark: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('installation')
    .set({ value: unused })
    .where('key', '=', `${prefix}${keyId}`)
    .where('value', '=', mark)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
