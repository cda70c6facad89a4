import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/**
 * The sandbox ERP's own database. One connection, one transaction for each operation, WAL with `synchronous=FULL`, so
 * that confirmed writes survive a crash. The exclusive lock refuses a second process.
 */

/** The tables of the database. */
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
create table if not exists fences (reference text primary key) strict, without rowid;
create index if not exists documents_by_seq on documents (seq);
create index if not exists documents_by_time on documents (created_at);
create index if not exists documents_due on documents (kind, due_at) where due_at is not null;
create table if not exists sequences (name text primary key, value integer not null) strict;
create table if not exists ledger_accounts (
  customer_code text not null, currency text not null, credit_limit integer not null, frozen integer not null,
  balance integer not null, credited integer not null, position integer not null, updated_at integer not null,
  primary key (customer_code, currency)
) strict, without rowid;
create table if not exists ledger_entries (
  id integer primary key, number text not null unique, customer_code text not null, currency text not null,
  position integer not null, occurred_at integer not null, type text not null, amount integer not null,
  balance_after integer not null, document_kind text, document_number text, reference text,
  client_order_number text, description text not null, status_raw text not null,
  unique (customer_code, currency, position)
) strict;
create index if not exists ledger_entries_by_time on ledger_entries (customer_code, occurred_at, id);
create index if not exists ledger_entries_by_currency on ledger_entries (customer_code, currency, occurred_at, id);
create index if not exists ledger_charges on ledger_entries (document_number) where type = 'order_charge';
create table if not exists ledger_postings (
  entry_id integer not null, account text not null, amount integer not null, primary key (entry_id, account)
) strict, without rowid;
create table if not exists bills (
  id integer primary key, number text not null unique, customer_code text not null, currency text not null,
  period_start text not null, period_end text not null, issued_at integer not null, due_date text not null,
  amount_total integer not null, billed_through integer not null, unique (customer_code, currency, period_start)
) strict;
create table if not exists refunds (
  id integer primary key, number text not null unique, customer_code text not null, currency text not null,
  order_type text not null, order_number text not null, reference text, client_order_number text,
  amount integer not null, reason text not null, status text not null, requested_at integer not null,
  completed_at integer, due_at integer, entry_id integer
) strict;
create index if not exists refunds_by_time on refunds (customer_code, requested_at, id);
create index if not exists refunds_due on refunds (due_at) where status = 'pending';
create table if not exists freight_bills (
  id integer primary key, number text not null unique, customer_code text not null, currency text not null,
  billed_at integer not null, shipment_number text not null, order_type text not null, order_number text not null,
  reference text, tracking_number text, carrier text not null, weight_g integer not null,
  chargeable_weight_g integer not null, zone text not null, amount integer not null, entry_id integer not null
) strict;
create index if not exists freight_bills_by_time on freight_bills (customer_code, billed_at, id);
create index if not exists freight_bills_by_currency on freight_bills (customer_code, currency, billed_at, id);
`

export type Row = Record<string, SQLInputValue>

/** A thin, typed wrapper of `node:sqlite`. Statements are prepared once, and a transaction is a function. */
export class Store {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  /**
   * Opens the database at `path` and creates its tables if it is new; `:memory:` keeps nothing. `contents` is a database
   * that `serialize` returned, and takes the place of the one in memory.
   */
  constructor(path: string, contents?: Uint8Array) {
    this.#database = new DatabaseSync(path)
    if (contents) this.#database.deserialize(contents)
    this.#database.exec(
      'pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full',
    )
    this.#database.exec(schema)
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values) as Row[]
  }

  one(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values) as Row | undefined
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes)
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

  /** Returns the whole database as bytes. */
  serialize(): Uint8Array {
    return this.#database.serialize()
  }

  close() {
    this.#statements.clear()
    this.#database.close()
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
