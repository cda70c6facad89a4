import { warehousesList } from '../stock/endpoints.ts'
import type { Visit } from './visit.ts'

/** The real warehouses that the caller may use; where it may use views only, those. */
export async function realWarehouses(visit: Visit): Promise<string[]> {
  const { data } = (await visit.of(warehousesList)).json
  const real = data.filter(({ kind }) => kind === 'warehouse')
  return (real.length > 0 ? real : data).map(({ warehouse_code }) => warehouse_code)
}
