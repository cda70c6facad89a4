/** The child process of `jobs.ts`: replaces the platform, and runs its seeds. */
import type { JobOrder, JobReport } from './jobs.ts'
import { replacePlatform } from './platform.ts'

replacePlatform()
const { describePlan, drawPlan } = await import('./plan.ts')
const { shrinkPlan } = await import('./shrink.ts')
const { runWorld } = await import('./world.ts')

// Nobody reads what a job reports once its command is gone.
process.once('disconnect', () => process.exit())

const report = (message: JobReport) => new Promise((resolve) => process.send?.(message, resolve))

process.once('message', async (order: JobOrder) => {
  for (let at = 0; at < order.count; at++) {
    const seed = order.first + at * order.step
    await runSeed(order, seed).catch((error: unknown) => reportFailure(seed, error))
  }
  const { user, system } = process.cpuUsage()
  await report({ kind: 'end', cpuSeconds: (user + system) / 1e6 })
  process.disconnect()
})

async function runSeed({ planted, isTwice, isPlain, isRecorded }: JobOrder, seed: number): Promise<void> {
  const plan = drawPlan(seed)
  const { history, violations, crashes } = await runWorld(plan, planted)
  const isSame = !isTwice || (await runWorld(plan, planted)).history === history
  const again = isSame ? [] : ['The same seed had another history the second time.']
  const isShrunk = violations.length > 0 && !isPlain
  // A smaller world that breaks down must not hide what this one breaks.
  const shrunk = isShrunk ? await shrinkPlan(plan, planted).catch(() => undefined) : undefined
  await report({
    ...{ kind: 'seed', seed, crashes },
    violations: [...violations, ...again],
    story: shrunk ? [...describePlan(shrunk.plan), ...shrunk.violations] : [],
    history: isRecorded ? history : undefined,
  })
}

/** Reports a world that broke down, so that its seed is known. */
function reportFailure(seed: number, error: unknown) {
  const story = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const violations = [`The world broke down: ${story}`]
  return report({ kind: 'seed', seed, crashes: 0, violations, story: [], history: undefined })
}
