/**
 * Tables that only grow and whose oldest days are removed as a whole. PostgreSQL keeps each day in a partition of its
 * own and drops it at once. The embedded store has no partitions and deletes the range in batches.
 */

import { sql } from 'kysely'
import { deleteInBatches } from './delete-in-batches.ts'
import type { Db, Partitions } from './store.ts'

const dayMs = 24 * 60 * 60_000

/** Returns the implementation of `Partitions` for the embedded store. */
export function createUnpartitioned(db: Db): Partitions {
  return {
    async ensure() {},
    async dropBefore(table, at) {
      const where = sql<boolean>`at < ${Math.floor(at / dayMs) * dayMs}`
      // The keys of these tables have two columns.
      await deleteInBatches(db, { table, key: 'rowid', where })
    },
  }
}

/**
 * Returns the PostgreSQL implementation of `Partitions`: one partition per day. `withPartitionLock` runs its work while
 * no other process creates or drops a partition.
 */
export function createPartitions(
  db: Db,
  withPartitionLock: (work: () => Promise<true>) => Promise<true | undefined>,
): Partitions {
  const known = new Set<string>()
  return {
    async ensure(table, at) {
      const day = Math.floor(at / dayMs)
      const name = `${table}_d${day}`
      if (known.has(name)) return
      const isMade = await withPartitionLock(async () => {
        const bounds = `from (${day * dayMs}) to (${(day + 1) * dayMs})`
        await sql
          .raw(`create table if not exists ${name} partition of ${table} for values ${bounds}`)
          .execute(db)
        return true
      })
      if (isMade) known.add(name)
    },
    async dropBefore(table, at) {
      const lastDay = Math.floor(at / dayMs)
      const { rows } = await sql<{ name: string }>`
        select child.relname as name from pg_inherits
        join pg_class child on child.oid = inhrelid
        where inhparent = ${table}::regclass`.execute(db)
      for (const { name } of rows.filter((row) => Number(row.name.split('_d').at(-1)) < lastDay)) {
        await withPartitionLock(async () => {
          await sql.raw(`drop table if exists ${name}`).execute(db)
          return true
        })
        known.delete(name)
      }
    },
  }
}
