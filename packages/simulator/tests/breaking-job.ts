/** A job whose worlds break down, each seed in another way. All but what it replaces is the real job and the real world. */
import { receivers, type WorldPlan } from '../src/plan.ts'
import { replacePlatform } from '../src/platform.ts'

replacePlatform()
const { serveSeeds } = await import('../src/seeds.ts')
const { runWorld } = await import('../src/world.ts')
const { prepareOpening } = await import('../src/opening.ts')
const { SharedDatabase } = await import('../src/shared-database.ts')
const { SimulatedProcess } = await import('../src/process.ts')

const { copy, close } = SharedDatabase.prototype
const { stop } = SimulatedProcess.prototype

/** Runs something when the database of a world is copied for its restore. */
function breakAtCopy(act: () => void) {
  SharedDatabase.prototype.copy = function (user) {
    act()
    return copy.call(this, user)
  }
}

const ways: Readonly<Record<number, () => void>> = {
  1: () => breakAtCopy(() => void Promise.reject(new Error('rejected in a world'))),
  2: () =>
    breakAtCopy(() =>
      process.nextTick(() => {
        throw new Error('thrown in a world')
      }),
    ),
  3: () => {
    SharedDatabase.prototype.close = function () {
      close.call(this)
      void Promise.resolve().then(() => Promise.reject(new Error('rejected after a world')))
    }
  },
  4: () => {
    SimulatedProcess.prototype.stop = () => new Promise(() => {})
  },
  6: () => process.exit(3),
  8: () => {
    for (;;);
  },
}

function shorten(plan: WorldPlan, seed: number): WorldPlan {
  const faults: WorldPlan['faults'] = [
    ...(seed < 3 ? [{ kind: 'restore', takenAt: 500, at: 600 } as const] : []),
    { kind: 'restart', slot: 0, at: 1_000 },
  ]
  return { ...plan, processes: [0], clients: plan.clients.slice(0, 1), faults }
}

serveSeeds(async (plan, planted) => {
  // It uses what is replaced, and would break down for all seeds.
  await prepareOpening(receivers)
  ways[plan.seed]?.()
  try {
    return await runWorld(shorten(plan, plan.seed), planted)
  } finally {
    Object.assign(SharedDatabase.prototype, { copy, close })
    SimulatedProcess.prototype.stop = stop
  }
})
