/** The rows of views that are not written with a member's change (`write.ts`). */

import type { Gateway } from '../gateway.ts'
import { readLiveSkus } from './live-skus.ts'
import { awaitWriters, rebuildView } from './write.ts'

/**
 * Computes the rows of each view whose members have all been read; from then on the gateway serves the view. Its members
 * are those of the database: a process with an older configuration must not fill it with other sums.
 */
export async function fillViews(gateway: Gateway): Promise<void> {
  const { db } = gateway.store
  const rows = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'kind', 'members', 'filled_at'])
    .orderBy('warehouse_code')
    .execute()
  const filled = new Set(rows.flatMap((row) => (row.filled_at === null ? [] : [row.warehouse_code])))
  const known = new Set(
    rows.flatMap(({ kind, warehouse_code }) => (kind === 'retired' ? [] : [warehouse_code])),
  )
  for (const { warehouse_code, members: text } of rows.filter(({ kind }) => kind === 'company')) {
    const members: string[] = JSON.parse(text)
    const present = members.filter((code) => known.has(code))
    if (filled.has(warehouse_code) || present.length === 0 || !present.every((code) => filled.has(code)))
      continue
    await awaitWriters(gateway, members)
    const skus = new Set<string>()
    for (const code of [warehouse_code, ...members])
      for (const sku of await readLiveSkus(gateway, code)) skus.add(sku)
    await rebuildView(gateway, { warehouse_code, members }, [...skus])
    await db
      .updateTable('warehouses')
      .set({ filled_at: gateway.clock.now() })
      .where('warehouse_code', '=', warehouse_code)
      // Another process may have given it other members meanwhile.
      .where('members', '=', text)
      .execute()
  }
}

/**
 * Computes the rows that the views over a warehouse lack, after a comparison of the warehouse. A release before could
 * leave out a SKU that a member got while the view was added.
 */
export async function completeViews(gateway: Gateway, code: string): Promise<void> {
  const rows = await gateway.store.db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'members'])
    .where('kind', '=', 'company')
    .where('filled_at', 'is not', null)
    .orderBy('warehouse_code')
    .execute()
  for (const { warehouse_code, members: text } of rows) {
    const members: string[] = JSON.parse(text)
    if (!members.includes(code)) continue
    const own = new Set(await readLiveSkus(gateway, warehouse_code))
    const lacking = (await readLiveSkus(gateway, code)).filter((sku) => !own.has(sku))
    await rebuildView(gateway, { warehouse_code, members }, lacking)
  }
}
