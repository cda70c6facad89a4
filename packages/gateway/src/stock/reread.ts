import { unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { readAhead } from '../kernel/read-ahead.ts'
import { readNumberedFigures } from './figure-numbers.ts'
import { type StockChange, writeStock } from './write.ts'

/** The time limit for a page of hints and for a page of figures. */
export const readTimeoutMs = 20_000
/** The largest number of hint pages in one turn; the next turn continues from the cursor. */
export const maxHintPages = 20
const skusPerRead = 500

/**
 * Reads the given SKUs again, writes the rows that differ and withdraws the SKUs that the ERP no longer carries. The
 * ERP answers a batch while the one before is written.
 */
export async function rereadSkus(
  gateway: Gateway,
  target: Pick<StockChange, 'warehouse_code' | 'lease'>,
  skus: readonly string[],
): Promise<void> {
  for await (const figures of readAhead(readFigures(gateway, target.warehouse_code, [...new Set(skus)]))) {
    await writeStock(gateway, { ...target, ...figures })
  }
}

type Figures = Pick<StockChange, 'rows' | 'gone' | 'gone_seq'>

/** Reads SKUs from the ERP, one batch after another. */
async function* readFigures(
  gateway: Gateway,
  code: string,
  skus: readonly string[],
): AsyncGenerator<Figures, void> {
  for (let from = 0; from < skus.length; from += skusPerRead) {
    const batch = skus.slice(from, from + skusPerRead)
    const input = { warehouse_code: code, skus: batch }
    const { rows, stock_seq } = await readNumberedFigures(gateway, input, readTimeoutMs)
    const carried = new Set(rows.map(({ sku }) => sku))
    yield { rows, gone: batch.filter((sku) => !carried.has(sku)), gone_seq: stock_seq }
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
