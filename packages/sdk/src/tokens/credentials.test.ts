import { describe, expect, it } from 'vitest'
import { TradeGateway, UsageError } from '../index.ts'

const baseUrl = 'https://gateway.example'
const create = (auth: unknown) => () => Reflect.construct(TradeGateway, [{ baseUrl, auth }])

describe('credentials', () => {
  it.each([undefined, null, {}, 'token', { clientId: 'id' }, { accessToken: 'token', username: 'buyer' }])(
    'of a kind that does not exist are refused with the kinds that do: %j',
    (auth) => {
      expect(create(auth)).toThrow(UsageError)
      expect(create(auth)).toThrow('auth must have clientId and clientSecret')
    },
  )

  it.each([undefined, ''])('whose part is %j are refused with the name of the part', (clientSecret) => {
    expect(create({ clientId: 'id', clientSecret })).toThrow(UsageError)
    expect(create({ clientId: 'id', clientSecret })).toThrow('auth.clientSecret is missing')
  })
})
