import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createDatabase, type Database, openDatabase } from './database.ts'
import {
  type Channel,
  type Credentials,
  type FilledStock,
  type GatewayData,
  launchGateway,
  waitUntilListening,
} from './gateway.ts'
import { rowsPerStyle, skuSql, styleSql, warehouse } from './goods.ts'
import { ParityError } from './parity.ts'
import { readJsonMember, sendRequest } from './send-request.ts'
import type { Tree } from './trees.ts'

/**
 * Fills a database so that a gateway can start on it as after long use. A gateway of the source tree creates the tables
 * and the channels. Then each SQL statement writes `sliceRows` rows of stock, each with its own version, so that a
 * million rows take seconds. This file imports no gateway code, so any commit with the same tables can be filled.
 */

/** What to fill a database with. */
export interface StockFilling {
  readonly rows: number
  /** A PostgreSQL server on which a database is created; undefined means SQLite. */
  readonly databaseUrl?: string | undefined
  /**
   * Whether to add a company view (a list of the stock of several warehouses together), which stores as many rows
   * again.
   */
  readonly view?: boolean
}

const pointsPerMinute: Readonly<Record<Channel, number>> = { rich: 1_000_000_000, poor: 60 }
const sliceRows = 100_000
const secretsKey = '0f5b1c7d93a84e26b0d7f4182c6e9a35d10b84fe7c2963a5e8417fb06d92ca53'
export const adminToken = 'an-admin-token-for-benchmarks-only'
const view = 'BENCHALL'
/**
 * The first stock version. It is higher than any that a gateway assigns before 2035. With a lower one, the gateway
 * would take the database for a restored backup at its next start and begin a new version history.
 */
const firstVersion = 2 ** 52

/** Creates and fills a database in a new folder under `parent`. */
export async function fillStock(tree: Tree, parent: string, filling: StockFilling): Promise<FilledStock> {
  const dataDir = join(parent, `data-${randomBytes(4).toString('hex')}`)
  mkdirSync(dataDir, { mode: 0o700 })
  const made = filling.databaseUrl === undefined ? undefined : await createDatabase(filling.databaseUrl)
  const settings = {
    SECRETS_KEY: secretsKey,
    ADMIN_TOKEN: adminToken,
    DATA_DIR: dataDir,
    // A view costs memory and writes. Without this setting the gateway would add one, so the setting specifies a view
    // over a warehouse that does not exist.
    WAREHOUSE_VIEWS: filling.view ? `${view}=${warehouse.warehouse_code}` : 'NONE=ABSENT',
    TOKEN_TTL_SECONDS: '86400',
    ...(made ? { DATABASE_URL: made.url } : {}),
  }
  const data: GatewayData = { tree, dataDir, settings }
  const channels = await createChannels(data)
  const database = await openDatabase(data)
  try {
    await fillTables(database, filling)
    // Without fresh statistics, PostgreSQL plans queries for an empty table.
    if (made) await database.run('analyze')
  } finally {
    await database.close()
  }
  const kind = made ? 'postgres' : 'sqlite'
  return { ...data, kind, rows: filling.rows, channels, drop: made?.drop ?? (async () => {}) }
}

/** Creates the tables, by starting a gateway, and the channels, over its API. */
async function createChannels(data: GatewayData): Promise<Record<Channel, Credentials>> {
  const gateway = await launchGateway(data)
  try {
    await waitUntilListening(gateway)
    return { rich: await createChannel(gateway.url, 'rich'), poor: await createChannel(gateway.url, 'poor') }
  } finally {
    await gateway.end()
  }
}

async function createChannel(url: string, channel: Channel): Promise<Credentials> {
  const seen = await sendRequest(`${url}/admin/api/channels`, {
    method: 'POST',
    headers: { 'x-admin-token': adminToken, 'content-type': 'application/json' },
    body: JSON.stringify({
      channel_code: channel,
      name: channel,
      plan: 'full',
      points_per_minute: pointsPerMinute[channel],
    }),
  })
  if (seen.status !== 201) throw new ParityError(`No channel: ${seen.status} ${seen.body.toString()}`)
  const data = new Map(Object.entries(Object(readJsonMember(seen, 'data'))))
  return { client_id: String(data.get('client_id')), client_secret: String(data.get('client_secret')) }
}

async function fillTables(database: Database, filling: StockFilling): Promise<void> {
  const now = Date.now()
  // The gateway wrote these rows when it started without stock. They are replaced below.
  await database.run('delete from warehouses')
  await database.run('delete from reference_sources')
  for (const code of [warehouse.warehouse_code, ...(filling.view ? [view] : [])]) {
    for (let from = 0; from < filling.rows; from += sliceRows) {
      await insertSlice(database, { code, rows: filling.rows, now, from })
    }
    const isView = code === view
    await insertRow(database, 'warehouses', {
      ...warehouse,
      warehouse_code: code,
      name: isView ? view : warehouse.name,
      kind: isView ? 'company' : 'warehouse',
      members: JSON.stringify(isView ? [warehouse.warehouse_code] : []),
      version: firstVersion + filling.rows,
      filled_at: now,
      cursor: 'at the beginning',
      synced_at: now,
      compared_at: now,
      horizon: 0,
    })
  }
  await insertRow(database, 'reference_sources', {
    source: 'products',
    cursor: 'at the beginning',
    filled_at: now,
  })
}

/** Inserts a row. Leaves out columns that the table does not have, because another commit may have other columns. */
async function insertRow(
  database: Database,
  table: string,
  row: Readonly<Record<string, string | number>>,
): Promise<void> {
  const columns = await database.readColumns(table)
  const cells = Object.entries(row).filter(([name]) => columns.has(name))
  const names = cells.map(([name]) => name).join(', ')
  await database.run(
    `insert into ${table} (${names}) values (${cells.map(([, value]) => formatLiteral(value)).join(', ')})`,
  )
}

function formatLiteral(value: string | number): string {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

/**
 * The difference between the versions of two consecutive rows. It is a prime, so `i * stride % rows` gives each version
 * once. Neighbours get versions that are far apart, as after long use.
 */
const stride = 7_919

interface Slice {
  readonly code: string
  readonly rows: number
  readonly now: number
  readonly from: number
}

/** Inserts rows with figures derived from the row number: the same on both databases, as wide as real ones. */
function insertSlice(database: Database, { code, rows, now, from }: Slice): Promise<void> {
  const to = Math.min(rows, from + sliceRows)
  const incoming = JSON.stringify([{ quantity: 40, earliest_date: '2027-01-10', latest_date: '2027-01-20' }])
  return database.run(`
    with recursive n (i) as (select cast(${from} as bigint) union all select i + 1 from n where i + 1 < ${to})
    insert into stock (warehouse_code, sku, product_code, quantity_on_hand, quantity_available, price_wholesale,
      price_retail, currency, incoming, removed, version, updated_at, stock_seq)
    select '${code}', ${skuSql}, ${styleSql}, i * 31 % 400 + 20, i * 31 % 400,
      i / ${rowsPerStyle} * 5 % 9000 + 995, i / ${rowsPerStyle} * 5 % 9000 * 2 + 1990,
      '${warehouse.currency}', case when i % 16 = 0 then '${incoming}' else '[]' end,
      0, ${firstVersion + 1} + i * ${stride} % ${rows}, ${now - 60_000} + i % 60000, null
    from n`)
}
