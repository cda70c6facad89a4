/**
 * Keeps the copies in two tables of an SQL database. The rows of a copy carry its generation, and a row of
 * `trade_gateway_copies` says which generation is live. So a swap changes one row, and a reader, whose query joins both
 * tables, sees the old copy or the new one. Rows of a generation that no copy names are deleted afterwards, in batches.
 */

import type { CopyName, MirrorStore, PageWrite, Place, Places, StockRow } from './store.ts'

/** A statement with `?1`, `?2` … for its values. */
export interface Statement {
  readonly sql: string
  readonly values: readonly (string | number | null)[]
}

/** A table, and the statement that creates it unless it exists. */
export interface Table {
  readonly name: string
  readonly sql: string
}

export type SqlRow = Readonly<Record<string, unknown>>

/** What the store needs of a database. */
export interface SqlDatabase {
  /** The function that turns a JSON array into rows with the column `value`, with `?` for the array. */
  readonly jsonEach: string
  /** Builds the condition that a row is one of those whose addresses a query returns, with `?` for the address. */
  readonly isAmong: (query: string) => string
  /** Creates tables. Several processes may do so at once. */
  define(tables: readonly Table[]): Promise<void>
  query(statement: Statement): Promise<readonly SqlRow[]>
  /**
   * Runs statements in one transaction. Returns the number of rows that the first one changed. If that is 0, nothing is
   * written.
   */
  write(statements: readonly Statement[]): Promise<number>
  close(): Promise<void>
}

const copies = 'trade_gateway_copies'
const stock = 'trade_gateway_stock'

const tables: readonly Table[] = [
  {
    name: copies,
    sql: `create table if not exists ${copies} (
     warehouse_code text not null, copy text not null, generation bigint not null, version bigint not null,
     next_page bigint, primary key (warehouse_code, copy))`,
  },
  {
    name: stock,
    sql: `create table if not exists ${stock} (
     warehouse_code text not null, generation bigint not null, sku text not null, version bigint not null,
     data text not null, primary key (warehouse_code, generation, sku))`,
  },
]

/** How many rows of an old copy are deleted in one transaction. */
const maxSweptRows = 5_000
/** More batches than a warehouse has rows for. */
const maxSweeps = 10_000

export class SqlStore implements MirrorStore {
  readonly #database: SqlDatabase
  /** Writes the rows of a JSON array into a copy. */
  readonly #insertRows: string
  readonly #deleteRows: string

  constructor(database: SqlDatabase) {
    this.#database = database
    const each = database.jsonEach.replace('?', '?3')
    this.#insertRows = `insert into ${stock} (warehouse_code, generation, sku, version, data)
      select c.warehouse_code, c.generation, j.value ->> 'sku', cast(j.value ->> 'version' as bigint), cast(j.value as text)
      from ${each} j, ${copies} c where c.warehouse_code = ?1 and c.copy = ?2
      on conflict (warehouse_code, generation, sku) do update set version = excluded.version, data = excluded.data
      where excluded.version >= ${stock}.version`
    this.#deleteRows = `delete from ${stock} where warehouse_code = ?1
      and generation = (select generation from ${copies} where warehouse_code = ?1 and copy = ?2)
      and sku in (select j.value ->> 'sku' from ${each} j)`
  }

  open(): Promise<void> {
    return this.#database.define(tables)
  }

  close(): Promise<void> {
    return this.#database.close()
  }

  async readPlaces(warehouse: string): Promise<Places> {
    const rows = await this.#database.query({
      sql: `select copy, version, next_page from ${copies} where warehouse_code = ?1`,
      values: [warehouse],
    })
    return Object.fromEntries(rows.map(({ copy, version, next_page }) => [copy, toPlace(version, next_page)]))
  }

  async beginShadow(warehouse: string, version: number): Promise<void> {
    await this.#database.write([
      {
        sql: `insert into ${copies} (warehouse_code, copy, generation, version, next_page)
          select cast(?1 as text), 'shadow', coalesce(max(generation), 0) + 1, cast(?2 as bigint), 1 from ${copies} where warehouse_code = ?1
          on conflict (warehouse_code, copy) do update
          set generation = excluded.generation, version = excluded.version, next_page = excluded.next_page`,
        values: [warehouse, version],
      },
    ])
    await this.#sweep(warehouse)
  }

  async writePage(warehouse: string, { copy, from, to, rows, removed }: PageWrite): Promise<boolean> {
    const guard: Statement = {
      sql: `update ${copies} set version = ?3, next_page = ?4
        where warehouse_code = ?1 and copy = ?2 and version = ?5 and coalesce(next_page, 0) = ?6`,
      values: [warehouse, copy, to.version, to.nextPage, from.version, from.nextPage ?? 0],
    }
    const skus = removed.map((sku) => ({ sku }))
    const changed = await this.#database.write([
      guard,
      ...(rows.length > 0
        ? [{ sql: this.#insertRows, values: [warehouse, copy, JSON.stringify(rows)] }]
        : []),
      ...(skus.length > 0
        ? [{ sql: this.#deleteRows, values: [warehouse, copy, JSON.stringify(skus)] }]
        : []),
    ])
    return changed > 0
  }

  async swap(warehouse: string, version: number): Promise<boolean> {
    const changed = await this.#database.write([
      {
        // Locks the shadow. Otherwise another process could begin a new one, and sweep the rows that become live here.
        sql: `update ${copies} set version = version
          where warehouse_code = ?1 and copy = 'shadow' and version = ?2 and next_page is null and not exists (
            select 1 from ${copies} as other
            where other.warehouse_code = ?1 and other.copy = 'live' and other.version > ?2)`,
        values: [warehouse, version],
      },
      {
        sql: `insert into ${copies} (warehouse_code, copy, generation, version, next_page)
          select warehouse_code, 'live', generation, version, null from ${copies}
          where warehouse_code = ?1 and copy = 'shadow'
          on conflict (warehouse_code, copy) do update
          set generation = excluded.generation, version = excluded.version, next_page = null
          where ${copies}.version <= excluded.version`,
        values: [warehouse],
      },
      { sql: `delete from ${copies} where warehouse_code = ?1 and copy = 'shadow'`, values: [warehouse] },
    ])
    if (changed > 0) await this.#sweep(warehouse)
    return changed > 0
  }

  async get(warehouse: string, sku: string): Promise<StockRow | undefined> {
    const [row] = await this.#database.query({
      sql: `${selectRows} and r.sku = ?3`,
      values: [warehouse, 'live', sku],
    })
    return row && toStockRow(row)
  }

  async list(warehouse: string, copy: CopyName = 'live'): Promise<StockRow[]> {
    const rows = await this.#database.query({ sql: selectRows, values: [warehouse, copy] })
    // Databases sort text by their own collation.
    return rows.map(toStockRow).sort((one, other) => (one.sku < other.sku ? -1 : 1))
  }

  async count(warehouse: string): Promise<number> {
    const [row] = await this.#database.query({
      sql: `select count(*) as quantity ${rowsOfCopy}`,
      values: [warehouse, 'live'],
    })
    return Number(row?.quantity)
  }

  /** Deletes rows of copies that are no more. A kill in between leaves them to the next full sync. */
  async #sweep(warehouse: string): Promise<void> {
    const old = `select ? from ${stock} where warehouse_code = ?1
      and generation not in (select generation from ${copies} where warehouse_code = ?1) limit ${maxSweptRows}`
    const sql = `delete from ${stock} where ${this.#database.isAmong(old)}`
    for (let batch = 0; batch < maxSweeps; batch++)
      if ((await this.#database.write([{ sql, values: [warehouse] }])) < maxSweptRows) return
  }
}

const rowsOfCopy = `from ${copies} c
  join ${stock} r on r.warehouse_code = c.warehouse_code and r.generation = c.generation
  where c.warehouse_code = ?1 and c.copy = ?2`
const selectRows = `select r.data ${rowsOfCopy}`

function toPlace(version: unknown, nextPage: unknown): Place {
  return { version: Number(version), nextPage: nextPage === null ? null : Number(nextPage) }
}

/** The store itself wrote the JSON of a row of the gateway. */
function toStockRow({ data }: SqlRow): StockRow {
  return JSON.parse(String(data))
}
