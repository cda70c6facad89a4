import {
  type CompiledQuery,
  type DatabaseConnection,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type PostgresPoolClient,
  type PostgresQueryResult,
  type TransactionSettings,
} from 'kysely'
import pg from 'pg'

/**
 * How statements travel to PostgreSQL: prepared once on each connection; without waiting for the answers of those
 * before them, as far as the code does not wait itself; and those of one turn of the loop in one packet. A transaction
 * begins with its first statement: where the beginning fails, so does all that follows it.
 */
export class PipelinedDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig

  constructor(pool: PreparingPool) {
    const config = { pool }
    super(config)
    this.#config = config
  }

  override createDriver() {
    return new PipelinedDriver(this.#config)
  }
}

class PipelinedDriver extends PostgresDriver {
  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings) {
    super.beginTransaction(connection, settings).catch(() => {})
  }
}

/** A pool as Kysely expects one, whose clients prepare statements. */
export class PreparingPool implements PostgresPool {
  readonly options = {}
  readonly #pool: pg.Pool
  readonly #clients = new WeakMap<pg.PoolClient, PreparingClient>()
  readonly #names = new Names()

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async connect(): Promise<PreparingClient> {
    const client = await this.#pool.connect()
    const known = this.#clients.get(client)
    if (known) return known
    const preparing = new PreparingClient(client, this.#names)
    this.#clients.set(client, preparing)
    return preparing
  }

  end() {
    return this.#pool.end()
  }

  /** One transaction in one packet. Where a statement fails, its end takes it all back. */
  async atOnce(queries: readonly CompiledQuery[]): Promise<void> {
    const client = await this.connect()
    try {
      const answers = [
        client.query('begin', []),
        ...queries.map(({ sql, parameters }) => client.query(sql, parameters)),
        client.query('commit', []),
      ]
      await Promise.allSettled(answers)
      await Promise.all(answers)
    } finally {
      client.release()
    }
  }
}

const mostPrepared = 500

/**
 * The names of the first so many statements; one after them is not prepared. Nor is one that asks for all columns: once
 * a newer gateway has added one, it could not be run again on that connection.
 */
class Names {
  readonly #names = new Map<string, string>()

  of(sql: string): string | undefined {
    const known = this.#names.get(sql)
    if (known !== undefined || this.#names.size >= mostPrepared || sql.includes('*')) return known
    const name = `tg${this.#names.size}`
    this.#names.set(sql, name)
    return name
  }
}

/** A statement as an object of its own, for the driver copies every other form at length. */
class Statement extends pg.Query {
  readonly name: string | undefined

  constructor(name: string | undefined, ...query: ConstructorParameters<typeof pg.Query>) {
    super(...query)
    this.name = name
  }
}

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient
  readonly #names: Names
  #isCorked = false

  constructor(client: pg.PoolClient, names: Names) {
    this.#client = client
    this.#names = names
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>
  query(): never
  query<R>(sql = '', parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    this.#gather()
    return new Promise((resolve, reject) => {
      const name = parameters.length > 0 ? this.#names.of(sql) : undefined
      const statement = new Statement(name, sql, [...parameters], (error, result) => {
        if (error) reject(error)
        else resolve(result as unknown as PostgresQueryResult<R>)
      })
      this.#client.query(statement)
    })
  }

  /** What is written until this turn's work is done leaves in one packet. */
  #gather() {
    if (this.#isCorked) return
    const { stream } = (this.#client as pg.PoolClient & { connection: pg.Connection }).connection
    this.#isCorked = true
    stream.cork()
    process.nextTick(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }

  release(destroy = false) {
    this.#client.release(destroy)
  }
}
