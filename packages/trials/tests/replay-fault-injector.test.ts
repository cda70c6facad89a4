import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Random } from '../../sandbox-erp/src/catalogue/random.ts'
import { faultPlan } from '../../sandbox-erp/src/faults/plan.ts'
import { max_request_ms } from '../src/order-replay/erp-process.ts'
import { drawBlowTimes, FaultInjector } from '../src/order-replay/fault-injector.ts'
import { createFaultPlan } from '../src/order-replay/fault-plan.ts'
import { erpClasses } from '../src/order-replay/options.ts'
import type { StepListener } from '../src/order-replay/replay-erp.ts'
import { StepTurns } from '../src/order-replay/step-turns.ts'

describe('the moments of the kills', () => {
  it('are the same for the same seed, in order, and at least one', () => {
    const plan = { orders: 8_000, orders_per_blow: 400 }
    const moments = drawBlowTimes(plan, new Random(7))
    expect(moments).toEqual(drawBlowTimes(plan, new Random(7)))
    expect(moments).not.toEqual(drawBlowTimes(plan, new Random(8)))
    expect(moments).toHaveLength(20)
    expect(moments).toEqual(moments.toSorted((one, other) => one - other))
    expect(drawBlowTimes({ ...plan, orders: 1 }, new Random(7))).toHaveLength(1)
  })
})

/** Returns what counts one response at each call, and an order after each three of them. */
function countOrdersOf(injector: FaultInjector): () => void {
  let answers = 0
  return () => {
    injector.countResponse()
    answers += 1
    if (answers % 3 === 0) injector.countOrder(answers / 3)
  }
}

describe('the kills', () => {
  it('are of each process, and one process is back before the next is killed', async () => {
    const log: string[] = []
    const createVictim = (name: string) => ({
      name,
      kill: async () => void log.push(`${name} killed`),
      start: async () => {
        // Longer than the delay of a kill, so that the next kill is due before this process is back.
        await wait(50)
        log.push(`${name} back`)
      },
    })
    const erp = { victims: [createVictim('connector'), createVictim('trytond')], faults: undefined }
    const plan = { seed: 1, orders: 4, orders_per_kill: 2 }
    const injector = new FaultInjector({ gateway: createVictim('gateway'), erp }, plan)
    await injector.begin()
    const count = countOrdersOf(injector)
    await vi.waitFor(
      () => {
        count()
        expect(log).toHaveLength(12)
      },
      { timeout: 10_000, interval: 1 },
    )
    await injector.end()
    expect(injector.kills).toEqual({ gateway: 2, connector: 2, trytond: 2 })
    const names = log.map((line) => line.split(' ')[0])
    for (let at = 0; at < log.length; at += 2)
      expect(log.slice(at, at + 2)).toEqual([`${names[at]} killed`, `${names[at]} back`])
  })
})

describe('the stops', () => {
  it('come at a rate of their own, beside the kills, and leave the faults of the ERP installed', async () => {
    const installed: number[] = []
    const faults = {
      install: async (seed: number) => void installed.push(seed),
      remove: async () => {},
      count: async () => ({}),
    }
    const createBlow = (name: string) => ({ name, kill: async () => {}, start: async () => {} })
    const erp = { victims: [createBlow('erp')], faults }
    const stops = { blows: [createBlow('gateway stopped'), createBlow('erp stopped')], orders_per_blow: 2 }
    const plan = { seed: 1, orders: 6, orders_per_kill: 6 }
    const injector = new FaultInjector({ gateway: createBlow('gateway'), erp, stops }, plan)
    await injector.begin()
    for (let order = 1; order <= plan.orders; order++) injector.countOrder(order)
    const expected = { gateway: 1, erp: 1, 'gateway stopped': 3, 'erp stopped': 3 }
    await vi.waitFor(() => expect(injector.kills).toEqual(expected), { timeout: 10_000 })
    await injector.end()
    // At the start, and after the only kill of the ERP.
    expect(installed).toHaveLength(2)
  })
})

describe('the kills of an ERP whose writes have named steps', () => {
  const steps = ['cover.create', 'sale.create', 'sale.confirm']

  it('follow each step in turn, and the write goes on only when the process has ended', async () => {
    const log: string[] = []
    const createVictim = (name: string) => ({
      name,
      kill: async () => {
        await wait(1)
        log.push(`${name} killed`)
      },
      start: async () => {},
    })
    const told: StepListener[] = []
    const onStep = (listener: StepListener) => void told.push(listener)
    const erp = { victims: [createVictim('trytond')], faults: undefined, onStep }
    const plan = { seed: 1, orders: 6, orders_per_kill: 2 }
    const injector = new FaultInjector({ gateway: createVictim('gateway'), erp }, plan)
    await injector.begin()
    for (let order = 1; order <= plan.orders; order++) injector.countOrder(order)
    expect(log).toEqual([])
    for (let round = 0; round < 20; round++) {
      for (const step of steps) {
        const before = log.length
        await told[0]?.(step)
        if (log.length > before) log.push(`${step} goes on`)
        // Lets the process be back.
        await wait(1)
      }
    }
    await injector.end()
    const once = Object.fromEntries(steps.map((step) => [step, 1]))
    expect(injector.killsAfterSteps).toEqual({ gateway: once, trytond: once })
    expect(injector.kills).toEqual({ gateway: 3, trytond: 3 })
    expect(log.filter((_, at) => at % 2 === 1).every((line) => line.endsWith('goes on'))).toBe(true)
  })

  it('wait for no step that does not come again', () => {
    const turns = new StepTurns()
    expect(turns.take('gateway', 'sale.draft')).toBe(true)
    expect(turns.take('trytond', 'sale.create')).toBe(true)
    expect(turns.take('trytond', 'sale.create')).toBe(false)
    const isTaken = () => turns.take('trytond', 'sale.create')
    expect(Array.from({ length: 100 }, isTaken)).toContain(true)
  })
})

describe('the time of a kill', () => {
  it('is not brought forward by the retries while a process restarts', async () => {
    const { promise: isBack, resolve: restart } = Promise.withResolvers<void>()
    const kill = vi.fn(async () => {})
    const gateway = { name: 'gateway', kill, start: () => isBack }
    // Two kills among 300 responses.
    const plan = { seed: 1, orders: 100, orders_per_kill: 50 }
    const injector = new FaultInjector({ gateway, erp: { victims: [], faults: undefined } }, plan)
    await injector.begin()
    const count = countOrdersOf(injector)
    const countUntilKilled = (times: number) =>
      vi.waitFor(
        () => {
          count()
          expect(kill).toHaveBeenCalledTimes(times)
        },
        { timeout: 10_000, interval: 1 },
      )
    await countUntilKilled(1)
    for (let answer = 0; answer < 1_000; answer++) injector.countResponse()
    restart()
    // Longer than the delay of a kill.
    await wait(100)
    expect(kill).toHaveBeenCalledTimes(1)
    await countUntilKilled(2)
    await injector.end()
  })

  it('is not brought forward by the retries of one order', async () => {
    const kill = vi.fn(async () => {})
    const gateway = { name: 'gateway', kill, start: async () => {} }
    const plan = { seed: 1, orders: 100, orders_per_kill: 5 }
    const injector = new FaultInjector({ gateway, erp: { victims: [], faults: undefined } }, plan)
    await injector.begin()
    injector.countOrder(50)
    // Longer than the delays of the kills so far.
    await wait(500)
    const before = kill.mock.calls.length
    expect(before).toBeGreaterThan(3)
    for (let answer = 0; answer < 1_000; answer++) injector.countResponse()
    await wait(100)
    expect(kill.mock.calls.length - before).toBeLessThan(3)
    injector.countOrder(100)
    await vi.waitFor(() => expect(kill).toHaveBeenCalledTimes(20), { timeout: 10_000 })
    await injector.end()
  })
})

describe('the plan of faults', () => {
  it.each(erpClasses)('is one that the ERP takes, and lets it keep its word: %s', (erp_class) => {
    const plan = faultPlan.parse(createFaultPlan(erp_class, 3))
    expect(plan.late_ms + (plan.lookup_lag_ms ?? 0)).toBeLessThan(max_request_ms)
    expect(plan.slow_ms + (plan.lookup_lag_ms ?? 0)).toBeLessThan(max_request_ms)
    expect(plan.duplicate > 0).toBe(erp_class === 'dedupe')
  })
})
