import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  MemoryStore,
  type MirrorStore,
  PostgresStore,
  type SqliteLike,
  SqliteStore,
} from '../../src/mirror/index.ts'

const sessionPollMs = 20

/** A kind of store. The durable ones have an address, by which another process opens the same store. */
export interface StoreKind {
  readonly name: 'memory' | 'SQLite' | 'SQLite by better-sqlite3' | 'PostgreSQL'
  readonly isDurable: boolean
  create(): Promise<TestStore>
}

export interface TestStore {
  readonly store: MirrorStore
  readonly address: string
  drop(): Promise<void>
}

/** Opens the store of an address, as a process that is killed and started again does. Memory has no address. */
export function openStore(address: string): { readonly store: MirrorStore; close(): Promise<void> } {
  if (address === '') return { store: new MemoryStore(), close: async () => {} }
  if (!address.startsWith('postgres')) {
    const store = new SqliteStore(address)
    return { store, close: () => store.close() }
  }
  const pool = new pg.Pool({ connectionString: address, max: 4 })
  return { store: new PostgresStore(pool), close: () => pool.end() }
}

const memory: StoreKind = {
  name: 'memory',
  isDurable: false,
  create: async () => ({ store: new MemoryStore(), address: '', drop: async () => {} }),
}

const sqlite: StoreKind = {
  name: 'SQLite',
  isDurable: true,
  async create() {
    const address = join(tmpdir(), `trade-gateway-mirror-${crypto.randomUUID()}.db`)
    const { store, close } = openStore(address)
    return {
      store,
      address,
      async drop() {
        await close()
        for (const ending of ['', '-wal', '-shm']) await rm(address + ending, { force: true })
      },
    }
  },
}

/** A database that refuses what better-sqlite3 refuses: values for places with a number, which it takes for names. */
function openLikeBetterSqlite(): SqliteLike {
  const database = new DatabaseSync(':memory:')
  return {
    exec: (sql) => database.exec(sql),
    prepare(sql) {
      const statement = database.prepare(sql)
      const places = sql.match(/\?(?!\d)/g)?.length ?? 0
      const requirePlaces = (values: readonly unknown[]) => {
        if (values.length === places) return
        const quantity = values.length > places ? 'many' : 'few'
        throw new RangeError(`Too ${quantity} parameter values were provided`)
      }
      return {
        all(...values) {
          requirePlaces(values)
          return statement.all(...values)
        },
        run(...values) {
          requirePlaces(values)
          return statement.run(...values)
        },
      }
    },
    close: () => database.close(),
  }
}

const betterSqlite: StoreKind = {
  name: 'SQLite by better-sqlite3',
  isDurable: false,
  async create() {
    const database = openLikeBetterSqlite()
    return { store: new SqliteStore(database), address: '', drop: async () => void database.close() }
  },
}

const createPostgres = (server: string): StoreKind => ({
  name: 'PostgreSQL',
  isDurable: true,
  async create() {
    const name = `tgw_sdk_${crypto.randomUUID().replaceAll('-', '')}`
    const runAsAdmin = async (statement: string) => {
      const client = new pg.Client({ connectionString: server })
      await client.connect()
      const { rows } = await client.query(statement)
      await client.end()
      return rows
    }
    /** A client that is being closed reports an error to nobody if its database is dropped before. */
    const waitForEnd = async () => {
      const sessions = `select 1 from pg_stat_activity where datname = '${name}'`
      while ((await runAsAdmin(sessions)).length > 0) await sleep(sessionPollMs)
    }
    await runAsAdmin(`create database ${name}`)
    const url = new URL(server)
    url.pathname = `/${name}`
    const { store, close } = openStore(url.href)
    return {
      store,
      address: url.href,
      async drop() {
        await close()
        await waitForEnd()
        await runAsAdmin(`drop database ${name} with (force)`)
      },
    }
  },
})

/** PostgreSQL is tried only where TEST_DATABASE_URL names a server, as in `.ci/run`. */
export function listStoreKinds(): StoreKind[] {
  const server = process.env.TEST_DATABASE_URL
  const everywhere = [memory, sqlite, betterSqlite]
  return server ? [...everywhere, createPostgres(server)] : everywhere
}
