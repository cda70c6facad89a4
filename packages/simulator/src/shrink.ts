/** Shrinks a plan that breaks a promise to one with as few parts as possible, by leaving out one after another. */

import { anomalies } from './checker/violation.ts'
import type { WorldPlan } from './plan.ts'

/** The number of worlds that are run for it, at most. */
const maxWorlds = 80

export interface Shrunk {
  readonly plan: WorldPlan
  readonly violations: readonly string[]
}

/**
 * Returns the smallest plan that was found, with what it breaks. `violations` is what `plan` breaks. A smaller plan must
 * break the same kind of promise first: another one would be the story of another fault.
 */
export async function shrinkPlan(
  plan: WorldPlan,
  violations: readonly string[],
  run: (plan: WorldPlan) => Promise<Pick<Shrunk, 'violations'>>,
): Promise<Shrunk> {
  const kind = toKind(violations)
  let smallest: Shrunk = { plan, violations }
  let worlds = 0
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const candidate of listSmaller(smallest.plan)) {
      if (worlds++ >= maxWorlds) return smallest
      const found = await run(candidate)
      if (toKind(found.violations) !== kind) continue
      smallest = { plan: candidate, violations: found.violations }
      isSmaller = true
      break
    }
  }
  return smallest
}

/**
 * Returns the kind of the first violation: its anomaly, or the first line of its sentence without names and figures,
 * which are other ones in each world. Undefined if nothing is broken.
 */
function toKind([first]: readonly string[]): string | undefined {
  if (first === undefined) return undefined
  const [line = ''] = first.split('\n')
  const [word = '', ...more] = line.split(' ')
  if (Object.hasOwn(anomalies, word)) return word
  return [word, ...more].filter((each) => !/[\dA-Z_]/.test(each)).join(' ')
}

/** Lists plans with a part less, those without much first. */
function* listSmaller(plan: WorldPlan): Generator<WorldPlan> {
  const { clients, faults, processes, hasCounter, erpClass } = plan
  const half = faults.length >> 1
  if (half > 0) {
    yield { ...plan, faults: faults.slice(half) }
    yield { ...plan, faults: faults.slice(0, half) }
  }
  if (!hasCounter) yield { ...plan, hasCounter: true }
  if (erpClass !== 'dedupes') yield { ...plan, erpClass: 'dedupes' }
  if (processes.length > 1) yield { ...plan, processes: processes.slice(0, 1) }
  for (const client of clients)
    if (clients.length > 1) yield { ...plan, clients: clients.filter((each) => each !== client) }
  for (const fault of faults) yield { ...plan, faults: faults.filter((each) => each !== fault) }
  for (const client of clients) {
    const rounds = client.rounds >> 1
    if (rounds > 0)
      yield { ...plan, clients: clients.map((each) => (each === client ? { ...client, rounds } : each)) }
  }
}
