import { type UnknownOutcome, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { readAhead } from '../kernel/read-ahead.ts'
import { maxRereads, readInParts, unreadableMs } from '../upstream/unreadable.ts'
import { readNumberedFigures } from './figure-numbers.ts'
import { type StockChange, writeStock } from './write.ts'

/** The time limit for a page of hints and for a page of figures. */
export const readTimeoutMs = 20_000
/** The largest number of hint pages in one turn; the next turn continues from the cursor. */
export const maxHintPages = 20
const skusPerRead = 500
/**
 * Reads the given SKUs again, writes the rows that differ and withdraws the SKUs that the ERP no longer carries. The
 * ERP answers a batch while the one before is written. A SKU that the ERP cannot report stays as it is until a later read.
 */
export async function rereadSkus(
  gateway: Gateway,
  target: Pick<StockChange, 'warehouse_code' | 'lease'>,
  skus: readonly string[],
  timeoutMs: number = readTimeoutMs,
): Promise<void> {
  const wanted = { code: target.warehouse_code, skus: [...new Set(skus)], timeoutMs }
  for await (const figures of readAhead(readFigures(gateway, wanted))) {
    await writeStock(gateway, { ...target, ...figures })
  }
}

type Figures = Pick<StockChange, 'rows' | 'gone' | 'gone_seq'>

/** Reads SKUs from the ERP, one batch after another. */
async function* readFigures(
  gateway: Gateway,
  { code, skus, timeoutMs }: { code: string; skus: readonly string[]; timeoutMs: number },
): AsyncGenerator<Figures, void> {
  for (let from = 0; from < skus.length; from += skusPerRead) {
    const batch = skus.slice(from, from + skusPerRead)
    const unreadable = await listPutOff(gateway, code, batch)
    const readable = batch.filter((sku) => !unreadable.has(sku))
    const parts = readInParts(readable, {
      read: (part) => readNumberedFigures(gateway, { warehouse_code: code, skus: part }, timeoutMs),
      putOff: (sku, error) => putOff(gateway, { warehouse_code: code, sku }, error),
    })
    for await (const { codes, response } of parts) {
      const carried = new Set(response.rows.map(({ sku }) => sku))
      yield {
        rows: response.rows,
        gone: codes.filter((sku) => !carried.has(sku)),
        gone_seq: response.stock_seq,
      }
    }
  }
}

/** Notes a SKU that the ERP could not report, so that it is read again while the others go on. */
async function putOff(
  { store, clock, log }: Gateway,
  { warehouse_code, sku }: { readonly warehouse_code: string; readonly sku: string },
  error: UnknownOutcome,
): Promise<void> {
  log.warn(
    { error, warehouse_code, subject: sku },
    'the ERP could not report the stock of a SKU; it is read again in a minute',
  )
  const due_at = clock.now() + unreadableMs
  await store.db
    .insertInto('unreadable_stock')
    .values({ warehouse_code, sku, due_at })
    .onConflict((conflict) => conflict.columns(['warehouse_code', 'sku']).doUpdateSet({ due_at }))
    .execute()
}

/** Lists those of the SKUs whose time to be read again has not come. */
async function listPutOff(
  { store: { db, bulk }, clock }: Gateway,
  code: string,
  skus: readonly string[],
): Promise<Set<string>> {
  const now = clock.now()
  const rows = await db
    .selectFrom('unreadable_stock')
    .select('sku')
    .where('warehouse_code', '=', code)
    .where('sku', 'in', bulk.texts(skus))
    .where('due_at', '>', now)
    // A time further ahead was noted by a clock that was ahead.
    .where('due_at', '<=', now + unreadableMs)
    .execute()
  return new Set(rows.map(({ sku }) => sku))
}

/**
 * Reads SKUs again that the ERP could not report, as soon as their time has come. Ends at the first one that still cannot
 * be read: many calls that fail would open the circuit to the ERP, for orders too.
 */
export async function rereadUnreadable(
  gateway: Gateway,
  target: Pick<StockChange, 'warehouse_code' | 'lease'>,
): Promise<void> {
  const { store, clock } = gateway
  const now = clock.now()
  const due = await store.db
    .selectFrom('unreadable_stock')
    .select(['sku', 'due_at'])
    .where('warehouse_code', '=', target.warehouse_code)
    .where(({ eb, or }) => or([eb('due_at', '<=', now), eb('due_at', '>', now + unreadableMs)]))
    .orderBy('due_at')
    .limit(maxRereads)
    .execute()
  for (const { sku, due_at } of due) {
    await rereadSkus(gateway, target, [sku])
    const { numDeletedRows } = await store.db
      .deleteFrom('unreadable_stock')
      .where('warehouse_code', '=', target.warehouse_code)
      .where('sku', '=', sku)
      .where('due_at', '=', due_at)
      .executeTakeFirst()
    const isPutOffAgain = numDeletedRows === 0n
    if (isPutOffAgain) return
  }
}

/**
 * Reads the SKUs again that the hints since a cursor name, and returns them. The cursor is not stored: a later turn
 * reads the same hints again, which changes nothing.
 */
export async function rereadHintedSkus(gateway: Gateway, code: string, since: string): Promise<Set<string>> {
  const named = new Set<string>()
  let cursor = since
  for (let page = 0; page < maxHintPages; page++) {
    const input = { warehouse_code: code, cursor }
    const hints = unwrap(await gateway.erp['stock.changed'](input, withTimeout(readTimeoutMs)))
    if (hints.everything) break
    for (const sku of hints.skus) named.add(sku)
    cursor = hints.cursor
    if (!hints.more) break
  }
  await rereadSkus(gateway, { warehouse_code: code }, [...named])
  return named
}
