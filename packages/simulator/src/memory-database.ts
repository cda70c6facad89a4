/** A database in memory with its prepared statements. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { CompiledQuery, QueryResult } from 'kysely'

interface Prepared {
  readonly statement: StatementSync
  /** Whether it returns rows. */
  readonly isReader: boolean
  readonly isWrite: boolean
  /** Whether it takes space on the disk. */
  readonly isGrowing: boolean
}

export class MemoryDatabase {
  readonly #database = new DatabaseSync(':memory:')
  readonly #statements = new Map<string, Prepared>()

  /** `contents` is a database that `copy` returned. */
  constructor(contents?: Uint8Array) {
    if (contents) this.#database.deserialize(contents)
    this.#database.exec('pragma foreign_keys = on')
  }

  get isInTransaction(): boolean {
    return this.#database.isTransaction
  }

  /** Begins or ends a transaction. */
  exec(sql: 'begin immediate' | 'commit' | 'rollback') {
    this.#database.exec(sql)
  }

  run({ sql, parameters }: CompiledQuery): QueryResult<never> {
    const { statement, isReader } = this.prepare(sql)
    // The gateway's queries bind only values that SQLite stores.
    const values = parameters as SQLInputValue[]
    if (isReader) return { rows: statement.all(...values) as never[] }
    const { changes } = statement.run(...values)
    return { numAffectedRows: BigInt(changes), rows: [] }
  }

  prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    const prepared = {
      statement,
      isReader: statement.columns().length > 0,
      isWrite: !/^\s*(select|with|pragma)/i.test(sql),
      isGrowing: /^\s*(insert|update)/i.test(sql),
    }
    this.#statements.set(sql, prepared)
    return prepared
  }

  copy(): Uint8Array {
    return this.#database.serialize()
  }

  close() {
    this.#statements.clear()
    this.#database.close()
  }
}
