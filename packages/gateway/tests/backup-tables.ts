/** Backups and restores of a gateway's tables, without files. */

import { sql } from 'kysely'
import { syncDocuments } from '../src/documents/sync.ts'
import { beginRestored } from '../src/start/restored.ts'
import { markRestored } from '../src/store/restores.ts'
import type { Db } from '../src/store/store.ts'
import type { Tables } from '../src/store/tables.ts'
import type { TestGateway } from './harness.ts'

/** What a restore brings back; stock has its own history. */
const tables = [
  'orders',
  'dropship_orders',
  'reservations',
  'holds',
  'carts',
  'shipments',
  'intents',
  'idempotency_keys',
  'outbox',
  'events',
  'counters',
  'document_sync',
  'document_hints',
] as const satisfies readonly (keyof Tables)[]

/**
 * Restores a backup, as `npm run restore` and the next start do. After `laterMs`, by default when nothing of the lost time
 * can arrive at the ERP any more, it runs `next`, by default every sync.
 */
type Restore = (next?: () => Promise<unknown>, laterMs?: number) => Promise<void>

/** Takes a backup of the tables. */
export async function takeBackup(house: TestGateway): Promise<Restore> {
  const { db } = house.gateway.store
  await syncDocuments(house.gateway)
  const takenAt = house.clock.now()
  const kept = await Promise.all(tables.map(async (table) => [table, await readAll(db, table)] as const))
  const { max_request_ms, lookup_lag_ms } = await house.gateway.upstream.capabilities()
  return async (next = house.settle, laterMs = max_request_ms + lookup_lag_ms) => {
    house.clock.advance(60_000)
    for (const [table, rows] of kept) {
      await sql`delete from ${sql.table(table)}`.execute(db)
      for (const row of rows)
        await db
          .insertInto(table)
          .values(row as never)
          .execute()
    }
    await markRestored(db, takenAt)
    await beginRestored(house.gateway)
    house.clock.advance(laterMs)
    // On PostgreSQL this process may still believe in its leases. Then the first turn finds out that they have ended, and
    // the second one takes them again.
    await next()
    await next()
  }
}

async function readAll(db: Db, table: (typeof tables)[number]): Promise<object[]> {
  return (await sql<object>`select * from ${sql.table(table)}`.execute(db)).rows
}
