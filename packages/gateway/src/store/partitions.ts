/**
 * Tables that only grow and whose oldest days are removed as a whole. PostgreSQL keeps each day in a partition of its
 * own and drops it at once. The embedded store has no partitions and deletes the range in batches.
 */

import { sql } from 'kysely'
import { deleteInBatches } from './delete-in-batches.ts'
import type { Db, Partitions } from './store.ts'
import { isCheckViolation, isLockTimeout } from './trouble.ts'

const dayMs = 24 * 60 * 60_000
/** The longest time for which a drop waits for a table. */
const maxLockWaitMs = 400

/** Returns the implementation of `Partitions` for the embedded store. */
export function createUnpartitioned(db: Db): Partitions {
  return {
    insert: (_table, _times, work) => work(),
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
  async function ensure(partition: Partition): Promise<void> {
    if (known.has(partition.name)) return
    const isMade = await withPartitionLock(async () => {
      await createPartition(db, partition)
      return true
    })
    if (isMade) known.add(partition.name)
  }
  return {
    async insert(table, times, work) {
      const days = [...new Set(times.map((at) => Math.floor(at / dayMs)))]
      const partitions = days.map((day) => ({ table, name: `${table}_d${day}`, day }))
      for (const partition of partitions) await ensure(partition)
      try {
        return await work()
      } catch (error) {
        // A process whose clock is ahead may have dropped the day. The caller's next turn makes it again.
        if (isCheckViolation(error)) for (const { name } of partitions) known.delete(name)
        throw error
      }
    },
    async dropBefore(table, at) {
      const lastDay = Math.floor(at / dayMs)
      const { rows } = await sql<{ name: string }>`
        select child.relname as name from pg_inherits
        join pg_class child on child.oid = inhrelid
        where inhparent = ${table}::regclass`.execute(db)
      for (const { name } of rows.filter((row) => Number(row.name.split('_d').at(-1)) < lastDay)) {
        const isDropped = await withPartitionLock(async () => {
          await dropPartition(db, name)
          return true
        }).catch((error: unknown) => {
          if (isLockTimeout(error)) return undefined
          throw error
        })
        // A dump reads the table: the next turn drops the day.
        if (!isDropped) return
        known.delete(name)
      }
    },
  }
}

interface Partition {
  readonly table: string
  readonly name: string
  readonly day: number
}

/**
 * Creates the partition of a day beside its table, and attaches it then: unlike `partition of`, this does not wait for
 * who reads the table, as a dump does for minutes, and nobody waits for it.
 */
async function createPartition(db: Db, { table, name, day }: Partition): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql`select 1 where to_regclass(${name}) is not null`.execute(tx)
    if (rows.length > 0) return
    await sql.raw(`create table ${name} (like ${table} including defaults)`).execute(tx)
    const bounds = `from (${day * dayMs}) to (${(day + 1) * dayMs})`
    await sql.raw(`alter table ${table} attach partition ${name} for values ${bounds}`).execute(tx)
  })
}

/** Drops a partition. All statements on the table come after one that waits for it, so it waits for a moment only. */
async function dropPartition(db: Db, name: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await sql.raw(`set local lock_timeout = '${maxLockWaitMs}ms'`).execute(tx)
    await sql.raw(`drop table if exists ${name}`).execute(tx)
  })
}
