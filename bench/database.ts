import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { GatewayData } from './gateway.ts'

/** Direct access to a gateway's database, without the gateway's code. */
export interface Database {
  run(statement: string): Promise<void>
  /** Returns the names of a table's columns. */
  readColumns(table: string): Promise<ReadonlySet<string>>
  close(): Promise<void>
}

/** Opens the database that a gateway's settings point to. */
export async function openDatabase({ dataDir, settings }: GatewayData): Promise<Database> {
  const { DATABASE_URL } = settings
  return DATABASE_URL === undefined ? openSqlite(join(dataDir, 'gateway.db')) : openPostgres(DATABASE_URL)
}

function openSqlite(file: string): Database {
  const db = new DatabaseSync(file)
  return {
    run: async (statement) => db.exec(statement),
    readColumns: async (table) =>
      new Set(
        db
          .prepare('select name from pragma_table_info(?)')
          .all(table)
          .map(({ name }) => String(name)),
      ),
    close: async () => db.close(),
  }
}

async function openPostgres(url: string): Promise<Database> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    async run(statement) {
      await client.query(statement)
    },
    async readColumns(table) {
      const { rows } = await client.query<{ name: string }>(
        'select column_name as name from information_schema.columns where table_name = $1',
        [table],
      )
      return new Set(rows.map(({ name }) => name))
    },
    close: () => client.end(),
  }
}

/** Creates a database on a PostgreSQL server. `drop` also closes connections that are still open. */
export async function createDatabase(server: string) {
  const name = `tg_bench_${randomBytes(6).toString('hex')}`
  const runAsAdmin = async (statement: string) => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  }
  await runAsAdmin(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.toString(), drop: () => runAsAdmin(`drop database if exists ${name} with (force)`) }
}
