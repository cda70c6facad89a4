import { describe, expect, it } from 'vitest'
import { Activity } from './activity.ts'
import { createBuiltInCatalogue } from './catalogue/built-in.ts'
import { openSandboxErp, type SandboxErp } from './erp.ts'
import type { Row } from './store.ts'

const today = '2026-08-31'
const clock = { now: () => Date.parse(`${today}T10:00:00Z`) }

async function withSandbox<T>(work: (sandbox: SandboxErp) => T): Promise<T> {
  const sandbox = await openSandboxErp({
    path: ':memory:',
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 5, today }),
    catalogue_id: 'five styles',
    accounts: [],
    clock,
  })
  try {
    return work(sandbox)
  } finally {
    sandbox.close()
  }
}

function readStock({ store }: SandboxErp): Row[] {
  return store.all('select * from stock order by warehouse_code, sku')
}

function simulateActivity(seed: number, ticks: readonly number[]): Promise<Row[]> {
  return withSandbox((sandbox) => {
    const activity = new Activity(sandbox.store, seed, clock)
    for (const steps of ticks) activity.performSteps(steps)
    return readStock(sandbox)
  })
}

describe('activity', () => {
  it('makes the same stock from the same seed and the same number of steps, however they are divided', async () => {
    const whole = await simulateActivity(7, [600])
    expect(await simulateActivity(7, [1, 99, 0, 250, 250])).toEqual(whole)
    expect(await simulateActivity(8, [600])).not.toEqual(whole)
    expect(await simulateActivity(7, [599])).not.toEqual(whole)
  })

  it('changes exactly one row a step, under the next number of its warehouse', async () => {
    await withSandbox((sandbox) => {
      const activity = new Activity(sandbox.store, 3, clock)
      const readCounterSum = () =>
        Number(sandbox.store.one('select sum(stock_seq) as sum from warehouses')?.sum)
      for (let step = 0; step < 150; step++) {
        const before = new Map(readStock(sandbox).map((row) => [`${row.warehouse_code} ${row.sku}`, row]))
        const counted = readCounterSum()
        activity.performSteps(1)
        const changed = readStock(sandbox).filter((row) => {
          const { stock_seq: _seq, ...figures } = before.get(`${row.warehouse_code} ${row.sku}`) ?? {}
          return Object.entries(figures).some(([name, value]) => row[name] !== value)
        })
        expect(changed).toHaveLength(1)
        expect(readCounterSum()).toBe(counted + 1)
      }
    })
  })

  it('sells, receives, announces, lands, re-prices, withdraws and takes back', async () => {
    await withSandbox((sandbox) => {
      const activity = new Activity(sandbox.store, 5, clock)
      const seen = new Map<string, number>()
      const keys = ['on_hand', 'incoming', 'price_wholesale', 'withdrawn'] as const
      let before = readStock(sandbox)
      for (let step = 0; step < 1000; step++) {
        activity.performSteps(1)
        const after = readStock(sandbox)
        after.forEach((row, index) => {
          const old = before[index]
          const kind = keys
            .filter((key) => row[key] !== old?.[key])
            .map((key) => `${key} ${Number(row[key]) > Number(old?.[key]) ? 'up' : 'down'}`)
            .join(', ')
            .replace('incoming down', 'incoming')
          if (kind) seen.set(kind, (seen.get(kind) ?? 0) + 1)
        })
        before = after
      }
      expect([...seen.keys()].sort()).toEqual([
        'incoming',
        'on_hand down',
        'on_hand up',
        'on_hand up, incoming',
        'price_wholesale down',
        'price_wholesale up',
        'withdrawn down',
        'withdrawn up',
      ])
      expect(seen.get('on_hand down')).toBeGreaterThan(500)
    })
  })

  it('never moves a magic SKU and never sells what is held', async () => {
    await withSandbox((sandbox) => {
      sandbox.store.run("update stock set held = on_hand where warehouse_code = 'AUSYD2'")
      const readTriggerRows = () => readStock(sandbox).filter(({ sku }) => String(sku).startsWith('SBX-'))
      const before = readTriggerRows()
      const activity = new Activity(sandbox.store, 11, clock)
      activity.performSteps(5000)
      expect(readTriggerRows()).toEqual(before)
      const oversold = readStock(sandbox).filter(({ on_hand, held }) => Number(on_hand) < Number(held))
      expect(oversold).toEqual([])
    })
  })

  it('withdraws only some SKUs at the same time, and is idle without stock', async () => {
    await withSandbox((sandbox) => {
      const activity = new Activity(sandbox.store, 2, clock)
      for (let tick = 0; tick < 100; tick++) {
        activity.performSteps(50)
        const away = sandbox.store.one('select count(*) as away from stock where withdrawn = 1')?.away
        expect(Number(away)).toBeLessThanOrEqual(51)
      }
      sandbox.store.run('delete from stock')
      const readCounters = () => sandbox.store.all('select stock_seq from warehouses')
      const before = readCounters()
      new Activity(sandbox.store, 2, clock).performSteps(10)
      expect(readCounters()).toEqual(before)
    })
  })
})
