import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/**
 * The sandbox ERP's own database. One connection, one transaction per operation, WAL with synchronous FULL, so
 * that what was answered survives a crash. A second process is refused by the exclusive lock.
 */
const schema = `
create table if not exists meta (key text primary key, value text not null) strict;
create table if not exists warehouses (
  warehouse_code text primary key, name text not null, country_code text not null, timezone text not null,
  currency text not null, status text not null, stock_seq integer not null default 0
) strict;
create table if not exists stock (
  warehouse_code text not null, sku text not null, product_code text not null,
  on_hand integer not null, held integer not null default 0,
  price_wholesale integer not null, price_retail integer not null, incoming text not null,
  withdrawn integer not null default 0, stock_seq integer not null,
  primary key (warehouse_code, sku)
) strict, without rowid;
create index if not exists stock_by_seq on stock (warehouse_code, stock_seq);
create table if not exists products (product_code text primary key, body text not null, seq integer not null) strict;
create index if not exists products_by_seq on products (seq);
create table if not exists customers (
  customer_code text primary key, name text not null, sellable_rule text not null
) strict;
create table if not exists sellable (
  customer_code text not null, sku text not null, primary key (customer_code, sku)
) strict, without rowid;
create table if not exists accounts (
  account_id text primary key, username text not null unique, name text not null,
  customer_code text not null, password_salt blob not null, password_hash blob not null
) strict;
create table if not exists sessions (
  session_hash text primary key, account_id text not null, expires_at integer not null
) strict;
create table if not exists addresses (
  address_id text primary key, customer_code text not null, body text not null
) strict;
create table if not exists shipping_methods (shipping_method_id text primary key, body text not null) strict;
create table if not exists documents (
  id integer primary key, reference text not null, copy integer not null, number text not null unique,
  kind text not null, status text not null, body text not null, particulars text not null,
  created_at integer not null, due_at integer, seq integer not null, unique (reference, copy)
) strict;
create index if not exists documents_by_seq on documents (seq);
create index if not exists documents_by_time on documents (created_at);
create index if not exists documents_due on documents (kind, due_at) where due_at is not null;
create table if not exists sequences (name text primary key, value integer not null) strict;
create table if not exists credit (
  customer_code text not null, currency text not null, credit_limit integer not null,
  exposure integer not null default 0, balance integer not null, primary key (customer_code, currency)
) strict, without rowid;
`

export type Row = Record<string, SQLInputValue>

/** A thin, typed face of `node:sqlite`: statements are prepared once, a transaction is a function. */
export class Store {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /** Opens (and, when new, lays out) the database at `path`; `:memory:` keeps nothing. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path)
    this.#database.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full',
    )
    this.#database.exec(schema)
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[]
  }

  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepared(sql).run(...values).changes)
  }

  transaction<T>(work: () => T): T {
    this.#database.exec('begin immediate')
    try {
      const result = work()
      this.#database.exec('commit')
      return result
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }

  close() {
    this.#statements.clear()
    this.#database.close()
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
