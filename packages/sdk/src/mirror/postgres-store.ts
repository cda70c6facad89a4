import { type SqlDatabase, type SqlRow, SqlStore, type Statement, type Table } from './sql-store.ts'

interface QueryResult {
  readonly rows: readonly SqlRow[]
  readonly rowCount: number | null
}

interface Queryable {
  query(sql: string, values?: (string | number | null)[]): Promise<QueryResult>
}

/** A connection that is taken from the pool. */
interface PooledClient extends Queryable {
  release(error?: Error): void
  on?(event: 'error', listener: (error: Error) => void): unknown
  off?(event: 'error', listener: (error: Error) => void): unknown
}

/** What the store needs of a pool of `pg`. */
export interface PostgresPoolLike extends Queryable {
  connect(): Promise<PooledClient>
}

const ownTable = 'select 1 from pg_tables where schemaname = current_schema() and tablename = $1'

/**
 * Keeps the copies in PostgreSQL 12 or later, through a pool of yours. The tables are in the pool's schema. Give the pool
 * a listener of `error`: otherwise an idle connection that breaks ends the process.
 */
export class PostgresStore extends SqlStore {
  constructor(pool: PostgresPoolLike) {
    super(new PostgresAdapter(pool))
  }
}

class PostgresAdapter implements SqlDatabase {
  readonly jsonEach = 'json_array_elements(cast(? as json))'
  // The query runs once. As a subquery it runs again for each row, if the statistics are of an empty table.
  readonly isAmong = (query: string) => `ctid = any(array(${query.replace('?', 'ctid')}))`
  readonly #pool: PostgresPoolLike

  constructor(pool: PostgresPoolLike) {
    this.#pool = pool
  }

  /** PostgreSQL fails if two connections create a table at the same moment, so they take turns. */
  async define(tables: readonly Table[]): Promise<void> {
    await this.#transact(async (client) => {
      await client.query("select pg_advisory_xact_lock(hashtext('trade_gateway_stock'))")
      for (const { name, sql } of tables) {
        // A role or a server that only reads may not create even a table that exists.
        const { rows } = await client.query(ownTable, [name])
        if (rows.length === 0) await client.query(sql)
      }
    })
  }

  async query({ sql, values }: Statement): Promise<readonly SqlRow[]> {
    return (await this.#pool.query(toDollars(sql), [...values])).rows
  }

  write([guard, ...others]: readonly Statement[]): Promise<number> {
    return this.#transact(async (client) => {
      const changed = guard ? await runStatement(client, guard) : 0
      if (changed > 0) for (const each of others) await runStatement(client, each)
      return changed
    })
  }

  async #transact<T>(work: (client: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    // The pool listens to idle connections only. One that breaks in use emits an error, which nobody else handles, and
    // fails the statement that it runs.
    client.on?.('error', ignoreError)
    let failure: Error | undefined
    try {
      await client.query('begin')
      const result = await work(client)
      await client.query('commit')
      return result
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
      throw error
    } finally {
      // A connection that failed inside a transaction is closed, and with it the transaction.
      client.release(failure)
      client.off?.('error', ignoreError)
    }
  }

  /** The pool is its owner's to end. */
  async close(): Promise<void> {}
}

function ignoreError(): void {}

async function runStatement(client: Queryable, { sql, values }: Statement): Promise<number> {
  return (await client.query(toDollars(sql), [...values])).rowCount ?? 0
}

function toDollars(sql: string): string {
  return sql.replaceAll('?', '$')
}
