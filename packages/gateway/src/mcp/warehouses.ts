import { warehousesList } from '../stock/endpoints.ts'
import type { ActionContext } from './action-context.ts'

/**
 * Lists the warehouses in which the stock that the caller may use is counted once: the real ones, and a view in place of
 * its members if the caller may not use each of them by itself. Of views that share a member, only the largest counts.
 */
export async function listCountedWarehouses(context: ActionContext): Promise<string[]> {
  const { data } = (await context.callEndpoint(warehousesList)).json
  const usable = new Set(data.map(({ warehouse_code }) => warehouse_code))
  const views = data.filter(
    ({ kind, members }) => kind === 'company' && !members.every((member) => usable.has(member)),
  )
  const inViews = new Set<string>()
  const counted = views
    .toSorted((one, other) => other.members.length - one.members.length)
    .filter(({ members }) => {
      if (members.some((member) => inViews.has(member))) return false
      for (const member of members) inViews.add(member)
      return true
    })
  const real = data.filter(({ kind, warehouse_code }) => kind === 'warehouse' && !inViews.has(warehouse_code))
  return [...real, ...counted].map(({ warehouse_code }) => warehouse_code)
}
