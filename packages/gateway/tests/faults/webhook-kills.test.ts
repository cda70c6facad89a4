import { describe, expect, it } from 'vitest'
import { reportFigure } from '../promises/report-figure.ts'
import { createFreshDatabase } from './databases.ts'
import { seed, shouldSkip, sizes } from './sizes.ts'
import { describeWebhookKills, runWebhookKillTrial } from './webhook-kills.ts'

const timeoutMs = 7_200_000
const usualSeed = 20261121

describe.skipIf(shouldSkip('kill -9 while delivering webhooks', { long: true }))(
  'kill -9 while delivering',
  () => {
    it(
      'loses no event and tells of nothing that was not done',
      async () => {
        const outcome = await runWebhookKillTrial({ kills: sizes.webhookKills, seed: seed ?? usualSeed })
        reportFigure(['I19', 'I20'], describeWebhookKills(outcome).trim())
        expect(outcome.violations).toEqual([])
        expect(outcome.events).toBeGreaterThan(0)
        expect(outcome.killsInHand).toBeGreaterThan(0)
      },
      timeoutMs,
    )

    it.skipIf(shouldSkip('kill -9 while delivering webhooks on PostgreSQL', { postgres: true }))(
      'does so on PostgreSQL too',
      async () => {
        const database = await createFreshDatabase()
        try {
          const trial = { kills: sizes.webhookKills, seed: (seed ?? usualSeed) + 1 }
          const outcome = await runWebhookKillTrial({ ...trial, databaseUrl: database.url })
          reportFigure(['I19', 'I20'], describeWebhookKills(outcome).trim())
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
