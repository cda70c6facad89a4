import type { Gateway } from '../src/gateway.ts'
import { compareWarehouses, followWarehouses } from '../src/stock/sync.ts'

/** Syncs all real warehouses: one turn of both workers, one after the other. */
export async function syncStock(gateway: Gateway): Promise<void> {
  const [followed] = await Promise.allSettled([followWarehouses(gateway)])
  await compareWarehouses(gateway)
  if (followed.status === 'rejected') throw followed.reason
}
