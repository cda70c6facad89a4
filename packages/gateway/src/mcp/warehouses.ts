import { warehousesList } from '../stock/endpoints.ts'
import type { ActionContext } from './action-context.ts'

/** Where the stock of a caller is counted. */
export interface CountedWarehouses {
  readonly counted: readonly string[]
  /** Those that are left out, because their stock has not been read completely from the ERP yet. */
  readonly notRead: readonly string[]
}

/**
 * Lists the warehouses in which the stock that the caller may use is counted once: the real ones, and a view in place of
 * its members if the caller may not use each of them by itself. Of views that share a member, only the largest counts. A
 * warehouse that is new at the ERP is left out until it has been read. If none has been, all are counted: reading them
 * then fails with the reason.
 */
export async function listCountedWarehouses(context: ActionContext): Promise<CountedWarehouses> {
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
  const codes = [...real, ...counted].map(({ warehouse_code }) => warehouse_code)
  const { stock } = context.gateway.mirror
  const read = codes.filter((code) => stock.snapshot(code) !== undefined)
  if (read.length === 0) return { counted: codes, notRead: [] }
  return { counted: read, notRead: codes.filter((code) => !read.includes(code)) }
}

/** Says which warehouses were left out; nothing if none was. */
export function describeNotRead({ notRead }: Pick<CountedWarehouses, 'notRead'>): string {
  return notRead.length === 0 ? '' : ` Not counted, because not read from the ERP yet: ${notRead.join(', ')}.`
}

/** Builds the member of a result that lists the warehouses left out; none if none was. */
export function toNotReadMember({ notRead }: Pick<CountedWarehouses, 'notRead'>) {
  return notRead.length === 0 ? {} : { not_read: [...notRead] }
}
