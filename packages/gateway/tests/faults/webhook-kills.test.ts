import { describe, expect, it } from 'vitest'
import { freshDatabase } from './databases.ts'
import { leftOut, seed, sizes } from './sizes.ts'
import { webhookKillsDescribed, webhookKillTrial } from './webhook-kills.ts'

const timeoutMs = 7_200_000
const usualSeed = 20261121

describe.skipIf(leftOut('kill -9 while delivering webhooks', { long: true }))(
  'kill -9 while delivering',
  () => {
    it(
      'loses no event and tells of nothing that was not done',
      async () => {
        const outcome = await webhookKillTrial({ kills: sizes.webhookKills, seed: seed ?? usualSeed })
        process.stdout.write(webhookKillsDescribed(outcome))
        expect(outcome.violations).toEqual([])
        expect(outcome.events).toBeGreaterThan(0)
        expect(outcome.killsInHand).toBeGreaterThan(0)
      },
      timeoutMs,
    )

    it.skipIf(leftOut('kill -9 while delivering webhooks on PostgreSQL', { postgres: true }))(
      'does so on PostgreSQL too',
      async () => {
        const database = await freshDatabase()
        try {
          const trial = { kills: sizes.webhookKills, seed: (seed ?? usualSeed) + 1 }
          const outcome = await webhookKillTrial({ ...trial, databaseUrl: database.url })
          process.stdout.write(webhookKillsDescribed(outcome))
          expect(outcome.violations).toEqual([])
          expect(outcome.events).toBeGreaterThan(0)
        } finally {
          await database.drop()
        }
      },
      timeoutMs,
    )
  },
)
