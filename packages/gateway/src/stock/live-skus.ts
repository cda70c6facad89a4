import type { Gateway } from '../gateway.ts'

const sliceRows = 2000

/** Reads the SKUs of a warehouse or view, without withdrawn ones, in slices that do not block the event loop. */
export async function readLiveSkus({ store }: Gateway, code: string): Promise<string[]> {
  const skus: string[] = []
  for (;;) {
    const slice = await store.db
      .selectFrom('stock')
      .select('sku')
      .where('warehouse_code', '=', code)
      .where('removed', '=', 0)
      .where('sku', '>', skus.at(-1) ?? '')
      .orderBy('sku')
      .limit(sliceRows)
      .execute()
    skus.push(...slice.map(({ sku }) => sku))
    if (slice.length < sliceRows) return skus
  }
}
