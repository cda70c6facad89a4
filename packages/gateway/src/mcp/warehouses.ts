import { warehousesList } from '../stock/endpoints.ts'
import type { ActionContext } from './action-context.ts'

/** Lists the codes of the real warehouses that the caller may use. If it may use only views, lists the views. */
export async function listRealWarehouses(context: ActionContext): Promise<string[]> {
  const { data } = (await context.callEndpoint(warehousesList)).json
  const real = data.filter(({ kind }) => kind === 'warehouse')
  return (real.length > 0 ? real : data).map(({ warehouse_code }) => warehouse_code)
}
