/**
 * Counts, for each order number and SKU of a channel, the references under which the ERP creates nothing any more and
 * that have no row: the rows of orders that the ERP fenced are deleted, and the next try must use another reference.
 */
import { sha256 } from '../kernel/crypto.ts'
import type { Db, Tx } from '../store/store.ts'
import type { NaturalKey } from './kind.ts'
import { countByNaturalKey, findDropship } from './read.ts'

function toCounterName({ channel_code, client_order_number, sku }: NaturalKey): string {
  const digest = sha256(JSON.stringify([channel_code, client_order_number, sku])).toString('hex')
  return `spent references of drop-ship order ${digest}`
}

/** Reads the number of spent references of an order number and SKU. */
export async function readSpentReferences(db: Db | Tx, key: NaturalKey): Promise<number> {
  const row = await db
    .selectFrom('counters')
    .select('value')
    .where('name', '=', toCounterName(key))
    .executeTakeFirst()
  return row?.value ?? 0
}

/** Counts the references that an order number and SKU has used: those of its rows, and the spent ones without a row. */
export async function countReferences(db: Db, key: NaturalKey): Promise<number> {
  return (await countByNaturalKey(db, key)) + (await readSpentReferences(db, key))
}

/** Counts the reference of an order that is about to be deleted. */
export async function countSpentReference(tx: Tx, id: string): Promise<void> {
  const row = await findDropship(tx, id)
  if (!row) return
  await tx
    .insertInto('counters')
    .values({ name: toCounterName(row), value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })),
    )
    .execute()
}
