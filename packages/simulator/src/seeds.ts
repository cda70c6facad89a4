/** Runs the seeds of a job in this process, and reports each to the process that started it. */

import type { JobOrder, JobReport } from './jobs.ts'
import { describePlan, drawPlan, type WorldPlan } from './plan.ts'
import type { PlantedName } from './planted-names.ts'
import { shrinkPlan } from './shrink.ts'
import type { Outcome } from './world.ts'

/** Runs the world of a plan. One that breaks down has an outcome, too. */
type RunWorld = (plan: WorldPlan, planted: readonly PlantedName[]) => Promise<Outcome>

const report = (message: JobReport) => new Promise((resolve) => process.send?.(message, resolve))

/** Waits for the order of `runJobs`, carries it out, and disconnects. */
export function serveSeeds(runWorld: RunWorld): void {
  // Nobody reads what a job reports once its command is gone.
  process.once('disconnect', () => process.exit())
  process.once('message', async (order: JobOrder) => {
    for (let at = 0; at < order.count; at++) {
      const seed = order.first + at * order.step
      await runSeed(runWorld, order, seed).catch((error: unknown) => reportNoWorld(seed, error))
    }
    const { user, system } = process.cpuUsage()
    await report({ kind: 'end', cpuSeconds: (user + system) / 1e6 })
    process.disconnect()
  })
}

async function runSeed(runWorld: RunWorld, order: JobOrder, seed: number): Promise<void> {
  const { planted, isTwice, isPlain, isRecorded } = order
  const plan = drawPlan(seed)
  const run = (each: WorldPlan) => runWorld(each, planted)
  const { history, violations, crashes, counts } = await run(plan)
  const again = isTwice ? findDifference({ history, violations }, await run(plan)) : []
  const isShrunk = violations.length > 0 && !isPlain
  const shrunk = isShrunk ? await shrinkPlan(plan, violations, run) : undefined
  await report({
    ...{ kind: 'seed', seed, crashes, counts },
    violations: [...violations, ...again],
    story: shrunk ? [...describePlan(shrunk.plan), ...shrunk.violations] : [],
    history: isRecorded ? history : undefined,
  })
}

type Judged = Pick<Outcome, 'history' | 'violations'>

/** Lists how the second run of a seed differs. An error that comes after the end is in no history. */
function findDifference(first: Judged, second: Judged): string[] {
  const isSame = first.history === second.history && first.violations.length === second.violations.length
  return isSame ? [] : ['The same seed had another history the second time.', ...second.violations]
}

/** Reports a seed whose world could not even begin, so that the seed is known. */
function reportNoWorld(seed: number, error: unknown) {
  const story = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const violations = [`The world did not begin: ${story}`]
  return report({
    ...{ kind: 'seed', seed, crashes: 0, counts: undefined },
    ...{ violations, story: [], history: undefined },
  })
}
