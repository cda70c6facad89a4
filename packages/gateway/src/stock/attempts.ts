/**
 * The attempts to read a whole warehouse that failed. Each costs the ERP up to a read of everything, so the next one
 * waits. The process that reads the warehouse remembers them, by the monotonic clock.
 */

import type { Gateway } from '../gateway.ts'
import type { WarehouseRow } from '../store/tables.ts'

interface Failed {
  readonly at: number
  /** The request of an operator that the attempt answered. */
  readonly requested: number | null
  /** Why it failed; undefined if its snapshot was not believed, which the log has. */
  readonly error: unknown
}

const failed = new WeakMap<Gateway['memory'], Map<string, Failed>>()

/** Notes that a whole warehouse could not be read. */
export function noteFailure({ memory, clock }: Gateway, row: WarehouseRow, error?: unknown): void {
  const known = failed.get(memory) ?? new Map<string, Failed>()
  failed.set(memory, known)
  known.set(row.warehouse_code, { at: clock.monotonic(), requested: row.compare_requested_at, error })
}

/** Finds the last attempt to read a warehouse, if it failed. */
export function findAttempt({ memory }: Gateway, { warehouse_code }: WarehouseRow): Failed | undefined {
  return failed.get(memory)?.get(warehouse_code)
}

export function forgetAttempt({ memory }: Gateway, { warehouse_code }: WarehouseRow): void {
  failed.get(memory)?.delete(warehouse_code)
}
