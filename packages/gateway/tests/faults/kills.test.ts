import { describe, expect, it } from 'vitest'
import { reportFigure } from '../promises/report-figure.ts'
import { createFreshDatabase } from './databases.ts'
import { describeOutcome, type KillOutcome, runKillTrial, type Victim } from './kills.ts'
import { seed, shouldSkip, sizes } from './sizes.ts'

const timeoutMs = 3_600_000
const usualSeed = 20261121

describe.skipIf(shouldSkip('kill -9', { long: true }))(
  'kill -9, at random moments and while starting',
  () => {
    it.each<Victim>(['gateway', 'erp', 'both'])(
      'of the %s loses no acknowledged movement',
      async (victim) => {
        expectNothingLost(victim, await runKillTrial({ victim, kills: sizes.kills, seed: seed ?? usualSeed }))
      },
      timeoutMs,
    )

    it.skipIf(shouldSkip('kill -9 on PostgreSQL', { postgres: true }))(
      'of the gateway on PostgreSQL loses none either',
      async () => {
        const database = await createFreshDatabase()
        try {
          const trial = { kills: sizes.kills, seed: seed ?? usualSeed, databaseUrl: database.url }
          expectNothingLost('gateway', await runKillTrial({ ...trial, victim: 'gateway' }))
        } finally {
          await database.drop()
        }
      },
      timeoutMs,
    )
  },
)

function expectNothingLost(victim: Victim, outcome: KillOutcome) {
  reportFigure(['I11', 'I13'], describeOutcome(victim, outcome).trim())
  expect(outcome.violations).toEqual([])
  expect(outcome.acknowledged).toBeGreaterThan(0)
}
