import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  ConfigError,
  carrier,
  parseSettings,
  readSettingsFile,
  requireDistinct,
  requireSetting,
  requireUrl,
  timezone,
} from './settings.ts'

const file = z.strictObject({ shop: z.strictObject({ zone: timezone }), carriers: z.array(carrier) })
const freight = { code: 'FRT', kind: 'delivery', days: [1, 3] }
const write = (change: object) =>
  JSON.stringify({ shop: { zone: 'Asia/Seoul' }, carriers: [freight], ...change })

describe('a settings file', () => {
  it('is read as its schema says', () => {
    expect(parseSettings(file, write({}), 'shop.json').carriers).toEqual([freight])
  })

  it.each([
    ['text', '{', /^shop\.json is not JSON: /],
    [
      'a zone',
      write({ shop: { zone: 'Mars/Base' } }),
      /^shop\.json: shop\.zone is not valid: must be a time zone/,
    ],
    ['a name', write({ shops: {} }), /^shop\.json: the file is not valid: .*shops/],
    [
      'a service',
      write({ carriers: [{ ...freight, service: 'fast' }] }),
      /carriers\.0\.service is not valid/,
    ],
    ['the days', write({ carriers: [{ ...freight, days: [1] }] }), /carriers\.0\.days is not valid/],
  ])('with %s that is wrong is refused in a sentence that names the place', (_what, text, sentence) => {
    expect(() => parseSettings(file, text, 'shop.json')).toThrow(ConfigError)
    expect(() => parseSettings(file, text, 'shop.json')).toThrow(sentence)
  })

  it('that does not exist is named', async () => {
    await expect(readSettingsFile('/nowhere/shop.json')).rejects.toThrow(
      /^\/nowhere\/shop\.json cannot be read: /,
    )
  })

  it('has each code once', () => {
    expect(() => requireDistinct('shop.json: carriers have the code', ['A', 'B', 'A'])).toThrow(
      'shop.json: carriers have the code A twice.',
    )
    expect(() => requireDistinct('codes', ['A', 'B'])).not.toThrow()
  })
})

describe('a setting of the environment', () => {
  it('that is missing or empty is named, with what to set it to', () => {
    expect(() => requireSetting({ SHOP: '' }, 'SHOP', 'the name of a shop')).toThrow(
      'Set SHOP to the name of a shop.',
    )
  })

  it.each(['shop.example', 'ftp://shop.example', 'javascript:1'])('%s is no http URL', (url) => {
    expect(() => requireUrl({ SHOP_URL: url }, 'SHOP_URL', 'the address')).toThrow(ConfigError)
  })

  it('that is an http URL is returned as it is', () => {
    expect(requireUrl({ SHOP_URL: 'https://shop.example/a' }, 'SHOP_URL', 'the address')).toBe(
      'https://shop.example/a',
    )
  })
})
