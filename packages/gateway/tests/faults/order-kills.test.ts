import { describe, expect, it } from 'vitest'
import { freshDatabase } from './databases.ts'
import { orderKillsDescribed, orderKillTrial } from './order-kills.ts'
import { leftOut, seed, sizes } from './sizes.ts'

const timeoutMs = 7_200_000
const usualSeed = 20261121

describe.skipIf(leftOut('kill -9 while ordering', { long: true }))('kill -9 of gateway and ERP', () => {
  it(
    'leaves each order exactly once, and no refusal stands for one',
    async () => {
      const outcome = await orderKillTrial({ kills: sizes.orderKills, seed: seed ?? usualSeed })
      process.stdout.write(orderKillsDescribed(outcome))
      expect(outcome.violations).toEqual([])
      expect(outcome.orders).toBeGreaterThan(0)
    },
    timeoutMs,
  )

  it.skipIf(leftOut('kill -9 while ordering on PostgreSQL', { postgres: true }))(
    'does so on PostgreSQL too',
    async () => {
      const database = await freshDatabase()
      try {
        const trial = { kills: Math.ceil(sizes.orderKills / 2), seed: seed ?? usualSeed }
        const outcome = await orderKillTrial({ ...trial, databaseUrl: database.url })
        process.stdout.write(orderKillsDescribed(outcome))
        expect(outcome.violations).toEqual([])
      } finally {
        await database.drop()
      }
    },
    timeoutMs,
  )
})
