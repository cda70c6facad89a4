import type { Gateway } from '../gateway.ts'
import type { Db } from '../store/store.ts'

/** The warehouses whose events a reader receives: the channel's allowlist, restricted by the endpoint's own list. */
export interface Visibility {
  /** The warehouses and views that the channel may use; undefined allows all. */
  readonly allowlist: ReadonlySet<string> | undefined
  /** The warehouses and views that the endpoint specifies; an empty set means every real warehouse. */
  readonly named: ReadonlySet<string>
}

/** A warehouse or view. Its kind is undefined if the database does not have it. */
interface EventSource {
  readonly warehouse_code: string
  readonly kind: string | undefined
}

/**
 * Whether a reader receives the events of a warehouse or view. The code itself must be on the allowlist, as for every
 * request. Events of a view go only to readers whose allowlist or endpoint contains the view, because the others
 * receive the events of its member warehouses.
 */
export function isVisible(
  { allowlist, named }: Visibility,
  { warehouse_code: code, kind }: EventSource,
): boolean {
  if (allowlist && !allowlist.has(code)) return false
  if (named.size > 0) return named.has(code)
  return kind === 'warehouse' || allowlist?.has(code) === true
}

/**
 * Finds the kinds of warehouses and views. Reads those that the mirror lacks from the database: another process may have
 * published the first event of a warehouse before this one has followed, and a delivery that is not created now never
 * will be.
 */
export async function findKinds(
  { mirror, store }: Gateway,
  db: Db,
  codes: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const kinds = new Map<string, string>()
  const unknown: string[] = []
  for (const code of new Set(codes)) {
    const warehouse = mirror.stock.warehouse(code)
    if (warehouse) kinds.set(code, warehouse.kind)
    else unknown.push(code)
  }
  if (unknown.length === 0) return kinds
  const rows = await db
    .selectFrom('warehouses')
    .select(['warehouse_code', 'kind'])
    .where('warehouse_code', 'in', store.bulk.texts(unknown))
    .execute()
  for (const { warehouse_code, kind } of rows) kinds.set(warehouse_code, kind)
  return kinds
}

/** Parses the stored allowlist of a channel; undefined if it allows every warehouse. */
export function parseAllowlist(stored: string): ReadonlySet<string> | undefined {
  const codes: string[] = JSON.parse(stored)
  return codes.length === 0 ? undefined : new Set(codes)
}
