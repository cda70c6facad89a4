import { describe, expect, it } from 'vitest'
import { reportFigure } from '../promises/report-figure.ts'
import { createFreshDatabase } from './databases.ts'
import { describeOrderKills, runOrderKillTrial } from './order-kills.ts'
import { seed, shouldSkip, sizes } from './sizes.ts'

const timeoutMs = 7_200_000
const usualSeed = 20261121

describe.skipIf(shouldSkip('kill -9 while ordering', { long: true }))('kill -9 of gateway and ERP', () => {
  it(
    'leaves each order exactly once, and no refusal stands for one',
    async () => {
      const outcome = await runOrderKillTrial({ kills: sizes.orderKills, seed: seed ?? usualSeed })
      reportFigure(['I1', 'I3'], describeOrderKills(outcome).trim())
      expect(outcome.violations).toEqual([])
      expect(outcome.orders).toBeGreaterThan(0)
    },
    timeoutMs,
  )

  it.skipIf(shouldSkip('kill -9 while ordering on PostgreSQL', { postgres: true }))(
    'does so on PostgreSQL too',
    async () => {
      const database = await createFreshDatabase()
      try {
        const trial = { kills: Math.ceil(sizes.orderKills / 2), seed: seed ?? usualSeed }
        const outcome = await runOrderKillTrial({ ...trial, databaseUrl: database.url })
        reportFigure(['I1', 'I3'], describeOrderKills(outcome).trim())
        expect(outcome.violations).toEqual([])
      } finally {
        await database.drop()
      }
    },
    timeoutMs,
  )
})
