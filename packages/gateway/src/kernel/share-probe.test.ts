import { expect, it } from 'vitest'
import { shareProbe } from './share-probe.ts'

it('runs once for callers that come together, and again for one that comes after', async () => {
  let runs = 0
  const probe = shareProbe(20, async () => ++runs)
  const first = await Promise.all(Array.from({ length: 100 }, () => probe()))
  expect(new Set(first)).toEqual(new Set([1]))
  expect(await probe()).toBe(2)
})

it('goes on after a run that failed', async () => {
  let runs = 0
  const probe = shareProbe(1, async () => {
    runs += 1
    if (runs === 1) throw new Error('away')
    return runs
  })
  await expect(probe()).rejects.toThrow('away')
  expect(await probe()).toBe(2)
})
