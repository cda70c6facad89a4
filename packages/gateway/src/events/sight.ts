import type { Gateway } from '../gateway.ts'

/** Which warehouses a reader of events may be told of: a channel's allowlist, and what an endpoint is narrowed to. */
export interface Sight {
  /** Undefined allows all. */
  readonly allowlist: ReadonlySet<string> | undefined
  /** Warehouses and views that are asked for by name; empty: every real warehouse. */
  readonly named: ReadonlySet<string>
}

/**
 * Whether a warehouse, or a view, is in sight. The allowlist is compared literally, as everywhere; a view, whose
 * members' events are told anyway, only where the allowlist or the endpoint names it.
 */
export function isInSight(gateway: Gateway, { allowlist, named }: Sight, code: string): boolean {
  if (allowlist && !allowlist.has(code)) return false
  if (named.size > 0) return named.has(code)
  const isView = gateway.mirror.stock.warehouse(code)?.kind !== 'warehouse'
  return !isView || allowlist?.has(code) === true
}

/** The allowlist of a channel as it is stored. */
export function allowlistOf(stored: string): ReadonlySet<string> | undefined {
  const codes: string[] = JSON.parse(stored)
  return codes.length === 0 ? undefined : new Set(codes)
}
