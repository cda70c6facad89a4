/** Judges the copies of warehouses that clients keep: their versions grow, and a version has one state. */
import type { History, Seen } from '../history/history.ts'
import { describeSeen } from './describe.ts'
import type { Violation } from './violation.ts'

/** Finds copies that went back to an older version, and versions of which there are two states. */
export function checkCopies(history: History): { readonly copies: number; readonly violations: Violation[] } {
  const copies = history.listSeen('stock.copy')
  const states = new Map<string, Seen<'stock.copy'>>()
  const newest = new Map<string, Seen<'stock.copy'>>()
  const violations: Violation[] = []
  for (const copy of copies) {
    const { warehouse_code, version, state } = copy.output
    const key = `${warehouse_code} at ${version}`
    const other = states.get(key) ?? copy
    states.set(key, other)
    const report = (anomaly: Violation['anomaly'], story: string, before: Seen<'stock.copy'>) =>
      violations.push({ anomaly, key, story, witness: [describeSeen(before), describeSeen(copy)] })
    if (other.output.state !== state) report('two-values', 'two clients have different states of it', other)
    const own = `${copy.client} ${warehouse_code}`
    const before = newest.get(own)
    if (before && before.output.version > version)
      report('version-back', `version ${version} after ${before.output.version}`, before)
    newest.set(own, copy)
  }
  return { copies: copies.length, violations }
}
