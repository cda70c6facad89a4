/** The dialect of Kysely with which a process uses the shared database. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { DatabaseUser, SharedDatabase, Transaction } from './shared-database.ts'

export function createSharedDialect(database: SharedDatabase, user: DatabaseUser): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SharedDriver(database, user),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class SharedConnection implements DatabaseConnection {
  readonly #database: SharedDatabase
  readonly #user: DatabaseUser
  #transaction: Transaction | undefined

  constructor(database: SharedDatabase, user: DatabaseUser) {
    this.#database = database
    this.#user = user
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#database.execute(this.#user, query, this.#transaction)
  }

  // biome-ignore lint/correctness/useYield: SQLite's driver has no streams either.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('The simulated database streams nothing.')
  }

  async begin() {
    this.#transaction = await this.#database.begin(this.#user)
  }

  async end(how: 'commit' | 'rollback') {
    if (!this.#user.isAlive) return new Promise<never>(() => {})
    // Kysely also rolls back a transaction whose commit has failed.
    if (this.#transaction) await this.#database.end(this.#user, this.#transaction, how)
    this.#transaction = undefined
  }
}

class SharedDriver implements Driver {
  readonly #create: () => SharedConnection

  constructor(database: SharedDatabase, user: DatabaseUser) {
    this.#create = () => new SharedConnection(database, user)
  }

  async init() {}

  async acquireConnection() {
    return this.#create()
  }

  beginTransaction(connection: SharedConnection) {
    return connection.begin()
  }

  commitTransaction(connection: SharedConnection) {
    return connection.end('commit')
  }

  rollbackTransaction(connection: SharedConnection) {
    return connection.end('rollback')
  }

  async releaseConnection() {}

  async destroy() {}
}
