import type { Gateway } from '../gateway.ts'

/** The warehouses whose events a reader receives: the channel's allowlist, restricted by the endpoint's own list. */
export interface Visibility {
  /** The warehouses and views that the channel may use; undefined allows all. */
  readonly allowlist: ReadonlySet<string> | undefined
  /** The warehouses and views that the endpoint specifies; an empty set means every real warehouse. */
  readonly named: ReadonlySet<string>
}

/**
 * Whether a reader receives the events of a warehouse or view. The code itself must be on the allowlist, as for every
 * request. Events of a view go only to readers whose allowlist or endpoint contains the view, because the others
 * receive the events of its member warehouses.
 */
export function isVisible(gateway: Gateway, { allowlist, named }: Visibility, code: string): boolean {
  if (allowlist && !allowlist.has(code)) return false
  if (named.size > 0) return named.has(code)
  const isView = gateway.mirror.stock.warehouse(code)?.kind !== 'warehouse'
  return !isView || allowlist?.has(code) === true
}

/** Parses the stored allowlist of a channel; undefined if it allows every warehouse. */
export function parseAllowlist(stored: string): ReadonlySet<string> | undefined {
  const codes: string[] = JSON.parse(stored)
  return codes.length === 0 ? undefined : new Set(codes)
}
