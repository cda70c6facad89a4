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
import type { DatabaseUser, SharedDatabase } from './shared-database.ts'

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
  isInside = false

  constructor(database: SharedDatabase, user: DatabaseUser) {
    this.#database = database
    this.#user = user
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return this.#database.execute(this.#user, query, this.isInside)
  }

  // biome-ignore lint/correctness/useYield: SQLite's driver has no streams either.
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('The simulated database streams nothing.')
  }

  async begin() {
    await this.#database.begin(this.#user)
    this.isInside = true
  }

  async end(how: 'commit' | 'rollback') {
    if (!this.#user.isAlive) return new Promise<never>(() => {})
    this.isInside = false
    return this.#database.end(this.#user, how)
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
