/**
 * What a backup proves: the counts of all documents and the checksum of each warehouse's stock, read from the copy
 * itself. A restore reads them again from the restored database and compares.
 */

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Db } from '../store/store.ts'
import { stockColumns } from '../store/tables.ts'

const rowsPerRead = 5_000

/** The tables of which the rows are counted. */
const countedTables = [
  'orders',
  'dropship_orders',
  'reservations',
  'holds',
  'carts',
  'shipments',
  'intents',
  'idempotency_keys',
  'events',
  'outbox',
  'webhook_endpoints',
  'webhook_deliveries',
  'channels',
  'sessions',
  'admin_audit',
] as const

/** The contents of a database. */
export const contents = z.object({
  counts: z.record(z.string(), z.int()),
  stock: z.array(
    z.object({
      warehouse_code: z.string(),
      version: z.int(),
      rows: z.int(),
      /** SHA-256 over all columns of all rows in the order of their SKUs, in hex. */
      checksum: z.string(),
    }),
  ),
})
export type Contents = z.infer<typeof contents>

/** The file beside a backup. Without it, a backup is not complete. */
export const proof = contents.extend({
  format: z.literal(1),
  kind: z.enum(['sqlite', 'postgres']),
  /** When the copy was taken, in epoch milliseconds of the gateway's clock. */
  taken_at: z.int(),
  /** The id of the installation that the backup is of. */
  installation: z.string(),
  bytes: z.int(),
  /** Of the backup's file, in hex. */
  sha256: z.string(),
})
export type Proof = z.infer<typeof proof>

/** Reads the contents of a database that stands still: of a copy, or within one snapshot. */
export async function readContents(db: Db): Promise<Contents> {
  const counts: Record<string, number> = {}
  for (const table of countedTables) counts[table] = await countAll(db, table)
  const warehouses = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'version'])
    .orderBy('warehouse_code')
    .execute()
  const stock: Contents['stock'] = []
  for (const { warehouse_code, version } of warehouses)
    stock.push({ warehouse_code, version, ...(await sumStock(db, warehouse_code)) })
  return { counts, stock }
}

async function countAll(db: Db, table: (typeof countedTables)[number]): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

async function sumStock(db: Db, warehouse: string): Promise<{ rows: number; checksum: string }> {
  const hash = createHash('sha256')
  let rows = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await db
      .selectFrom('stock')
      .select(stockColumns)
      .where('warehouse_code', '=', warehouse)
      .where('sku', '>', after)
      .orderBy('sku')
      .limit(rowsPerRead)
      .execute()
    for (const row of page) hash.update(`${JSON.stringify(stockColumns.map((column) => row[column]))}\n`)
    rows += page.length
    after = page.at(-1)?.sku
  }
  return { rows, checksum: hash.digest('hex') }
}

/** Says what differs between two contents, one sentence each. */
export function compareContents(expected: Contents, found: Contents): string[] {
  const counted = Object.entries(expected.counts)
    .filter(([table, count]) => found.counts[table] !== count)
    .map(([table, count]) => `${table}: ${count} rows expected, ${found.counts[table] ?? 0} found`)
  const toText = (stock: Contents['stock'][number] | undefined) =>
    stock ? `version ${stock.version}, ${stock.rows} rows, checksum ${stock.checksum}` : 'none'
  const summed = expected.stock.flatMap((stock) => {
    const other = found.stock.find(({ warehouse_code }) => warehouse_code === stock.warehouse_code)
    return toText(stock) === toText(other)
      ? []
      : [`stock of ${stock.warehouse_code}: ${toText(stock)} expected, ${toText(other)} found`]
  })
  return [...counted, ...summed]
}
