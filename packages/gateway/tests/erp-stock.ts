/** What happens to stock in the ERP, and to its comparison, for tests. */

import { followWarehouses } from '../src/stock/sync.ts'
import type { TestGateway } from './harness.ts'

/** Changes one row in the ERP, as a stock movement would. */
export function setInErp({ sandbox }: TestGateway, warehouse: string, sku: string, fields: string) {
  const { store } = sandbox
  store.run('update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ?', warehouse)
  const seq = '(select stock_seq from warehouses where warehouse_code = ?1)'
  store.run(
    `update stock set ${fields}, stock_seq = ${seq} where warehouse_code = ?1 and sku = ?2`,
    warehouse,
    sku,
  )
}

/** Requests that warehouses are compared, as an operator does. */
export async function requestComparisons({ gateway, clock }: TestGateway, ...codes: string[]) {
  // From its first turn on, a process has the lease under which a comparison may run beside the hints.
  await followWarehouses(gateway)
  await gateway.store.db
    .updateTable('warehouses')
    .set({ compare_requested_at: clock.now() })
    .where('warehouse_code', 'in', codes)
    .execute()
}
