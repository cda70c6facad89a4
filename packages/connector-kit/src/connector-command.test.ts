import { expect, it } from 'vitest'
import { requireToken } from './connector-command.ts'
import { ConfigError } from './settings.ts'

it('a connector does not serve without a token, or with one that can be guessed', () => {
  expect(() => requireToken({})).toThrow(ConfigError)
  expect(() => requireToken({ UPSTREAM_TOKEN: '1234567' })).toThrow('at least 8 characters')
  expect(requireToken({ UPSTREAM_TOKEN: '12345678' })).toBe('12345678')
})
