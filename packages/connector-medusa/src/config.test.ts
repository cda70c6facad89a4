import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '@trade-gateway/connector-kit/settings'
import { describe, expect, it } from 'vitest'
import { parseConfigFile, readConfig } from './config.ts'

const file = join(import.meta.dirname, '../sandbox.json')
const sandbox = await readFile(file, 'utf8')

/** Parses the sandbox's file with one part of its text replaced. */
const parseWith = (from: string, to: string) => () => parseConfigFile(sandbox.replace(from, to), 'shop.json')

describe('the configuration', () => {
  it('of the sandbox is valid', () => {
    expect(parseConfigFile(sandbox, file).warehouses).toHaveLength(3)
  })

  it.each([
    ['"region"', '"regions"', /shop\.json: .*not valid/],
    ['Asia/Shanghai', 'Mars/Olympus', /timezone is not valid: .*time zone/],
    ['"code": "AUSYD2"', '"code": "AUSYD1"', /warehouses have the code AUSYD1 twice/],
    ['"location": "AUSYD2"', '"location": "AUSYD1"', /warehouses have the location AUSYD1 twice/],
    ['Wholesale AUSYD2', 'Wholesale AUSYD1', /warehouses have the sales channel Wholesale AUSYD1 twice/],
    ['"code": "express"', '"code": "standard"', /carriers have the code standard twice/],
    ['{', '', /shop\.json is not JSON/],
  ])('with %s changed to %s is refused in a sentence', (from, to, message) => {
    expect(parseWith(from, to)).toThrow(ConfigError)
    expect(parseWith(from, to)).toThrow(message)
  })

  it('names the setting that is missing', async () => {
    await expect(readConfig({})).rejects.toThrow('Set MEDUSA_URL to')
    await expect(readConfig({ MEDUSA_URL: 'ftp://x' })).rejects.toThrow('MEDUSA_URL must be')
    await expect(readConfig({ MEDUSA_URL: 'http://x' })).rejects.toThrow('Set MEDUSA_SECRET_KEY to')
  })
})
