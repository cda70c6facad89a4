import { expect, it } from 'vitest'
import { jsonLog, type Log } from '../src/kernel/log.ts'
import { warnOfLegacyEnd } from '../src/start/legacy-end.ts'
import { createTestConfig, legacySecret } from './harness.ts'

const end = Date.UTC(2026, 10, 30, 23, 59, 59)
const day = 24 * 60 * 60_000

it.each([
  ['nothing long before', end - 15 * day, legacySecret, undefined],
  ['that they end soon', end - day, legacySecret, 'gateway end at 2026-11-30T23:59:59.000Z'],
  ['that they have ended', end + day, legacySecret, 'have ended at 2026-11-30'],
  ['nothing without their secret', end + day, '', undefined],
])('a start says of legacy tokens %s', (_what, now, secret, expected) => {
  const said: string[] = []
  const log: Log = { ...jsonLog('silent'), warn: (_fields, message) => void said.push(message) }
  const config = createTestConfig(secret === '' ? {} : { LEGACY_TOKEN_SECRET: secret })
  const until = { ...config.legacyTokens, secret: secret || undefined }
  warnOfLegacyEnd({
    config: { ...config, legacyTokens: until },
    log,
    clock: { now: () => now, monotonic: () => 0, machine: () => 0 },
  })
  expect(said).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)])
})
