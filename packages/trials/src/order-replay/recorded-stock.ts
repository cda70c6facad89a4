/** Records the stock in the history: what each commit wrote, and what followers read. */
import pg from 'pg'
import { z } from 'zod'
import type { StockRow } from '../../../simulator/src/history/operations.ts'
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import type { Buyer } from './buyer.ts'

/** Notes the rows of each transaction in that transaction. What is rolled back leaves no note. */
const watch = `
create table trial_stock_writes
  (tx xid8 not null, warehouse_code text not null, sku text not null, version bigint not null, quantity bigint not null);
create function trial_note_stock() returns trigger language plpgsql as $$ begin
  insert into trial_stock_writes
    values (pg_current_xact_id(), new.warehouse_code, new.sku, new.version, new.quantity_available);
  return null;
end $$;
create trigger trial_note_stock after insert or update of version on stock
  for each row execute function trial_note_stock();
`
const noted = `select tx::text, warehouse_code, sku, version::float8, quantity::float8 from trial_stock_writes
  order by tx, version`

const notes = z.array(
  z.object({
    ...{ tx: z.string(), warehouse_code: z.string(), sku: z.string() },
    ...{ version: z.number(), quantity: z.number() },
  }),
)
const page = z.object({
  data: z.array(
    z.object({
      ...{ sku: z.string(), version: z.int(), quantity_available: z.int() },
      removed: z.literal(true).optional(),
    }),
  ),
})

/** Has the database note what is written into its stock from now on. */
export async function watchStockWrites(databaseUrl: string): Promise<void> {
  await runQuery(databaseUrl, watch)
}

/** Records what the database has noted: each transaction with its rows. Returns the rows of all of them. */
export async function recordStockWrites(
  history: HistoryRecorder,
  databaseUrl: string,
): Promise<readonly StockRow[]> {
  const rows = notes.parse(await runQuery(databaseUrl, noted))
  const transactions = Map.groupBy(rows, ({ tx }) => tx)
  for (const written of transactions.values()) {
    const writes = written.map(({ tx: _, ...row }): StockRow => row)
    history.begin('database', 'stock.write', { writes })({ type: 'ok' })
  }
  return rows
}

async function runQuery(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/**
 * Wraps the client of a follower, which sends one request after another: each page of the stock of `code` that has rows
 * is an operation.
 */
export function recordStockReads(
  client: Pick<Buyer, 'read'>,
  {
    history,
    name,
    code,
  }: { readonly history: HistoryRecorder; readonly name: string; readonly code: string },
): Pick<Buyer, 'read'> {
  return {
    async read(path) {
      const body = await client.read(path)
      const { data } = page.parse(body)
      const rows = data
        .filter(({ removed }) => !removed)
        .map(({ sku, version, quantity_available: quantity }) => ({
          warehouse_code: code,
          sku,
          version,
          quantity,
        }))
      if (rows.length > 0) history.begin(name, 'stock.read')({ type: 'ok', output: { rows } })
      return body
    },
  }
}
