/** Shrinks a plan that breaks a promise to one with as few parts as possible, by leaving out one after another. */
import type { WorldPlan } from './plan.ts'
import type { PlantedName } from './planted-names.ts'
import { runWorld } from './world.ts'

/** The number of worlds that are run for it, at most. */
const maxWorlds = 80

export interface Shrunk {
  readonly plan: WorldPlan
  readonly violations: readonly string[]
}

/** Returns the smallest plan that was found, with what it breaks. `plan` must break a promise. */
export async function shrinkPlan(plan: WorldPlan, planted: readonly PlantedName[]): Promise<Shrunk> {
  let smallest: Shrunk = { plan, violations: (await runWorld(plan, planted)).violations }
  let worlds = 0
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const candidate of listSmaller(smallest.plan)) {
      if (worlds++ >= maxWorlds) return smallest
      const { violations } = await runWorld(candidate, planted)
      if (violations.length === 0) continue
      smallest = { plan: candidate, violations }
      isSmaller = true
      break
    }
  }
  return smallest
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
