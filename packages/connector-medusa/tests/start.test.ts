/** What the connector refuses when it starts, on a real Medusa. */
import { ConfigError } from '@trade-gateway/connector-kit/settings'
import { describe, expect, it } from 'vitest'
import { readPlaces } from '../src/places.ts'
import { isConfigured, openAdmin, readTestConfig, reportLeftOut } from './live.ts'

const maxTestMs = 60_000

if (!isConfigured) reportLeftOut('start.test.ts')

describe.skipIf(!isConfigured)('a connector that starts', () => {
  it.each(['pk_of_nobody', 'the secret key'])(
    'refuses a publishable key that Medusa does not accept, with a sentence: %s',
    async (key) => {
      const config = await readTestConfig()
      const publishableKey = key === 'the secret key' ? config.secretKey : key
      const starting = readPlaces(openAdmin(), { ...config, publishableKey })
      await expect(starting).rejects.toThrow(ConfigError)
      await expect(starting).rejects.toThrow(
        /^Medusa refuses the publishable key: GET \/store\/regions: .* Set MEDUSA_PUBLISHABLE_KEY to /,
      )
    },
    maxTestMs,
  )

  it(
    'accepts the keys of the sandbox',
    async () => {
      const { warehouses } = await readPlaces(openAdmin(), await readTestConfig())
      expect(warehouses.map(({ code }) => code)).toContain('AUSYD1')
    },
    maxTestMs,
  )
})
