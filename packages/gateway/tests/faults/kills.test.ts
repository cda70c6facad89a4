import { describe, expect, it } from 'vitest'
import { freshDatabase } from './databases.ts'
import { described, type KillOutcome, killTrial, type Victim } from './kills.ts'
import { leftOut, seed, sizes } from './sizes.ts'

const timeoutMs = 3_600_000
const usualSeed = 20261121

describe.skipIf(leftOut('kill -9', { long: true }))('kill -9, at random moments and while starting', () => {
  it.each<Victim>(['gateway', 'erp', 'both'])(
    'of the %s loses no acknowledged movement',
    async (victim) => {
      expectNothingLost(victim, await killTrial({ victim, kills: sizes.kills, seed: seed ?? usualSeed }))
    },
    timeoutMs,
  )

  it.skipIf(leftOut('kill -9 on PostgreSQL', { postgres: true }))(
    'of the gateway on PostgreSQL loses none either',
    async () => {
      const database = await freshDatabase()
      try {
        const trial = { kills: sizes.kills, seed: seed ?? usualSeed, databaseUrl: database.url }
        expectNothingLost('gateway', await killTrial({ ...trial, victim: 'gateway' }))
      } finally {
        await database.drop()
      }
    },
    timeoutMs,
  )
})

function expectNothingLost(victim: Victim, outcome: KillOutcome) {
  process.stdout.write(described(victim, outcome))
  expect(outcome.violations).toEqual([])
  expect(outcome.acknowledged).toBeGreaterThan(0)
}
