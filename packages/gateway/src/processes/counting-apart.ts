/** Several processes without a server for their counts: each grants what all of them together should grant. */

import type { Gateway } from '../gateway.ts'

/** Why processes that count for themselves grant too much. */
export const countingApart =
  'several processes share this database without VALKEY_URL, so each grants a channel its whole quota and counts failed sign-ins for itself; set VALKEY_URL'

/** Whether several processes count for themselves. */
export function isCountingApart({ valkey, memory }: Pick<Gateway, 'valkey' | 'memory'>): boolean {
  return valkey === undefined && memory.process.count > 1
}

/** Warns once of each larger number of processes. */
export function warnIfCountingApart(gateway: Gateway) {
  const { process } = gateway.memory
  if (!isCountingApart(gateway) || process.count <= process.warnedOf) return
  process.warnedOf = process.count
  gateway.log.warn({ rows: process.count }, countingApart)
}
