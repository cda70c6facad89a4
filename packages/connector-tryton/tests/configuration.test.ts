import { ConfigError } from '@trade-gateway/connector-kit/settings'
import { expect, it } from 'vitest'
import { openConnector } from '../src/connector.ts'
import { systemEnvironment } from '../src/environment.ts'
import { describeLive, readLiveConfig } from './live.ts'

const open = (config: Parameters<typeof readLiveConfig>[0]) =>
  openConnector(readLiveConfig(config), { environment: systemEnvironment, log: () => undefined })

const zone = { timezone: 'Australia/Sydney', hold_location: 'AUSYD1-HOLD' }
const carrier = { kind: 'delivery' as const, service: undefined, days: [1, 2] as [number, number] }

describeLive('A configuration that does not fit Tryton', () => {
  it.each([
    ['a wrong password', { password: 'wrong-password' }, /refuses the user gateway/],
    ['an unknown shop', { shop: 'nowhere' }, /no web shop named nowhere/],
    ['an unknown price list', { price_list: 'Secret' }, /no price list named Secret/],
    [
      'an unknown warehouse',
      { warehouses: [{ code: 'NOWHERE', ...zone }] },
      /no warehouse with the code NOWHERE/,
    ],
    [
      'a hold zone outside the warehouse',
      { warehouses: [{ ...zone, code: 'AUSYD1', hold_location: 'AUSYD2-HOLD' }] },
      /The warehouse AUSYD1 has no location AUSYD2-HOLD: create it/,
    ],
    [
      'an unknown carrier',
      { carriers: [{ code: 'FRT-NONE', ...carrier }] },
      /no carrier whose product has the code FRT-NONE/,
    ],
  ])('is refused at the start in a sentence: %s', async (_name, config, sentence) => {
    // The configuration of a file has no undefined values; the casts of this table stay within its schema.
    const opening = open({ config: config as Parameters<typeof readLiveConfig>[0] & object })
    await expect(opening).rejects.toThrow(ConfigError)
    await expect(open({ config: config as object })).rejects.toThrow(sentence)
  })
})
