import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { erpFrom, rejected } from '@trade-gateway/connector'
import { sql } from 'kysely'
import pg from 'pg'
import { type ChannelFields, createChannel } from '../packages/gateway/src/access/channels.ts'
import { readConfig } from '../packages/gateway/src/config.ts'
import { openGateway } from '../packages/gateway/src/gateway.ts'
import { jsonLog } from '../packages/gateway/src/kernel/log.ts'
import { startVersion } from '../packages/gateway/src/stock/epoch.ts'
import { migrate } from '../packages/gateway/src/store/migrate.ts'
import { openPostgres } from '../packages/gateway/src/store/postgres.ts'
import { openSqlite } from '../packages/gateway/src/store/sqlite.ts'
import type { Store } from '../packages/gateway/src/store/store.ts'
import { rowsPerStyle, skuOf, warehouse } from './goods.ts'

/**
 * A database as a gateway would have left it: the project's own tables, each row under a version of its own, the
 * counter at the newest, the warehouse filled, and two channels. It is filled by one statement per slice inside the
 * database, so that a million rows take seconds.
 */
export interface FilledStock {
  readonly kind: Store['kind']
  readonly rows: number
  readonly dataDir: string
  /** Environment of a gateway that stands on this database. */
  readonly settings: Readonly<Record<string, string>>
  readonly channels: Readonly<Record<Channel, Credentials>>
  drop(): Promise<void>
}

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** `rich` never runs out of points, `poor` has used up its points after one full pull. */
type Channel = 'rich' | 'poor'
const pointsOf: Readonly<Record<Channel, number>> = { rich: 1_000_000_000, poor: 60 }

export interface Filling {
  readonly rows: number
  /** A server on which a database is made; undefined: SQLite. */
  readonly databaseUrl?: string | undefined
  /** A company view over the warehouse, with as many rows of its own. */
  readonly view?: boolean
}

const sliceRows = 100_000
const secretsKey = 'a-key-for-benchmarks-only-0123456789'
const view = 'BENCHALL'

/** Makes and fills a database in a folder of its own. */
export async function fillStock(parent: string, filling: Filling): Promise<FilledStock> {
  const dataDir = join(parent, `data-${randomBytes(4).toString('hex')}`)
  mkdirSync(dataDir, { mode: 0o700 })
  const database = filling.databaseUrl === undefined ? undefined : await madeDatabase(filling.databaseUrl)
  const settings = {
    SECRETS_KEY: secretsKey,
    DATA_DIR: dataDir,
    // Views cost memory and writes of their own; a run without any has to name one that is over nothing.
    WAREHOUSE_VIEWS: filling.view ? `${view}=${warehouse.warehouse_code}` : 'NONE=ABSENT',
    TOKEN_TTL_SECONDS: '86400',
    ...(database ? { DATABASE_URL: database.url } : {}),
  }
  const store = await openStore(settings)
  try {
    await migrate(store)
    await fillTables(store, filling)
    const channels = await makeChannels(store, settings)
    const drop = database?.drop ?? (async () => {})
    return { kind: store.kind, rows: filling.rows, dataDir, settings, channels, drop }
  } finally {
    await store.close()
  }
}

/** The store that these settings name. */
export async function openStore(settings: Readonly<Record<string, string>>): Promise<Store> {
  const { databaseUrl, dataDir } = readConfig(settings)
  if (databaseUrl !== undefined) return openPostgres(databaseUrl, jsonLog('silent'))
  return openSqlite(join(dataDir, 'gateway.db'))
}

async function fillTables(store: Store, filling: Filling): Promise<void> {
  const now = Date.now()
  const version = startVersion(now)
  const codes = [warehouse.warehouse_code, ...(filling.view ? [view] : [])]
  for (const code of codes) {
    for (let from = 0; from < filling.rows; from += sliceRows) {
      await insertSlice(store, code, filling, version, now, from)
    }
    await store.db
      .insertInto('warehouses')
      .values({
        ...warehouse,
        warehouse_code: code,
        name: code === view ? view : warehouse.name,
        kind: code === view ? 'company' : 'warehouse',
        members: JSON.stringify(code === view ? [warehouse.warehouse_code] : []),
        version: version + filling.rows,
        filled_at: now,
        cursor: 'at the beginning',
        synced_at: now,
        compared_at: now,
        horizon: 0,
      })
      .execute()
  }
  // As the database itself does after long use; without it, it plans for an empty table.
  if (store.kind === 'postgres') await sql`analyze`.execute(store.db)
  await store.db
    .insertInto('reference_sources')
    .values({ source: 'products', cursor: 'at the beginning', filled_at: now })
    .execute()
}

/**
 * No divisor of a round number of rows, so that multiplying by it puts the versions in another order than the SKUs, as
 * after long use: each version once, neighbours far apart.
 */
const stride = 7_919

/** Figures by the row's number: the same on both databases, as wide as real ones. */
async function insertSlice(
  store: Store,
  code: string,
  { rows }: Filling,
  version: number,
  now: number,
  from: number,
): Promise<void> {
  const to = Math.min(rows, from + sliceRows)
  const sku = sql.raw(skuOf.sql)
  const style = sql.raw(skuOf.styleSql)
  const incoming = JSON.stringify([{ quantity: 40, earliest_date: '2027-01-10', latest_date: '2027-01-20' }])
  await sql`
    with recursive n (i) as (
      select cast(${sql.lit(from)} as bigint) union all select i + 1 from n where i + 1 < ${sql.lit(to)})
    insert into stock (warehouse_code, sku, product_code, quantity_on_hand, quantity_available, price_wholesale,
      price_retail, currency, incoming, removed, version, updated_at, stock_seq)
    select ${sql.lit(code)}, ${sku}, ${style}, i * 31 % 400 + 20, i * 31 % 400,
      i / ${sql.lit(rowsPerStyle)} * 5 % 9000 + 995, i / ${sql.lit(rowsPerStyle)} * 5 % 9000 * 2 + 1990,
      ${sql.lit(warehouse.currency)}, case when i % 16 = 0 then ${sql.lit(incoming)} else '[]' end,
      0, ${sql.lit(version + 1)} + i * ${sql.lit(stride)} % ${sql.lit(rows)}, ${sql.lit(now - 60_000)} + i % 60000, null
    from n`.execute(store.db)
}

/** The project's own verbs make the channels; nothing here asks the ERP. */
async function makeChannels(store: Store, settings: Readonly<Record<string, string>>) {
  const erp = erpFrom(async (id) => rejected('not_supported', `${id} is not asked while filling`))
  const log = jsonLog('silent')
  const gateway = await openGateway({ config: readConfig(settings), store, erp, log })
  const make = async (channel: Channel): Promise<Credentials> => {
    const fields: ChannelFields = {
      name: channel,
      plan: 'full',
      warehouse_allowlist: [],
      customer_code: null,
      points_per_minute: pointsOf[channel],
      wholesale_enabled: true,
      dropship_enabled: true,
      webhooks_enabled: true,
    }
    const { client_id, client_secret } = await createChannel(gateway, channel, fields)
    return { client_id, client_secret }
  }
  return { rich: await make('rich'), poor: await make('poor') }
}

async function madeDatabase(server: string) {
  const name = `tg_bench_${randomBytes(6).toString('hex')}`
  const admin = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await admin(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.toString(), drop: () => admin(`drop database if exists ${name} with (force)`) }
}
