/** The operator sees each setting and where it came from, and never a secret. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listSettings, readConfig } from '../src/config.ts'
import { listNamesFromFiles } from '../src/start/settings.ts'
import {
  adminToken,
  call,
  type LooseJson,
  legacySecret,
  openTestGateway,
  type TestGateway,
  testSecretsKey,
} from './harness.ts'
import { expectData } from './trade.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ settings: { RATE_LIMIT_POINTS: '700' }, unfilled: true })
})
afterAll(() => house.close())

const read = () => call(house, 'GET', '/admin/api/settings', { admin: adminToken })
const find = (states: readonly { readonly name?: string }[], name: string) =>
  states.find((each) => each.name === name)

describe('the settings', () => {
  it('are all there, with their values and their sources', async () => {
    const states = expectData(await read()) as LooseJson[]
    expect(states.map(({ name }) => name)).toEqual(listSettings().map(({ name }) => name))
    const none = { secret: false, set: false, source: 'default' }
    expect(find(states, 'RATE_LIMIT_POINTS')).toEqual({
      ...none,
      name: 'RATE_LIMIT_POINTS',
      value: '700',
      set: true,
      source: 'environment',
    })
    expect(find(states, 'TOKEN_TTL_SECONDS')).toEqual({ ...none, name: 'TOKEN_TTL_SECONDS', value: '3600' })
    expect(find(states, 'BASE_URL')).toEqual({ ...none, name: 'BASE_URL', value: null })
  })

  it('show of a secret only whether it is set', async () => {
    const answer = await read()
    for (const secret of [adminToken, testSecretsKey, legacySecret]) expect(answer.text).not.toContain(secret)
    const states = expectData(answer) as LooseJson[]
    const secrets = states.filter(({ secret }) => secret)
    expect(secrets.map(({ name, set, value }) => [name, set, value])).toEqual([
      ['ADMIN_TOKEN', true, null],
      ['METRICS_TOKEN', false, null],
      ['UPSTREAM_TOKEN', false, null],
      ['SECRETS_KEY', true, null],
      ['SECRETS_KEY_PREVIOUS', false, null],
      ['LEGACY_TOKEN_SECRET', true, null],
    ])
  })

  it('leave out the passwords in addresses', () => {
    const { settings } = readConfig({
      SECRETS_KEY: testSecretsKey,
      DATABASE_URL: 'postgres://me:planted-1@db.example:5433/trade?password=planted-2&sslmode=require',
      UPSTREAM_URL: 'https://me:planted-3@erp.example/connector?key=planted-4#planted-5',
      UPSTREAM_TOKEN: 'planted-6',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:planted-7@traces.example',
    })
    expect(JSON.stringify(settings)).not.toContain('planted')
    expect(find(settings, 'DATABASE_URL')).toMatchObject({ value: 'postgres://db.example:5433/trade' })
    expect(find(settings, 'UPSTREAM_URL')).toMatchObject({ value: 'https://erp.example/connector' })
  })

  it('tell what a file set from what the environment set; an empty value is none', () => {
    const environment = { PORT: '9000', LOG_LEVEL: '' }
    const merged = { SECRETS_KEY: testSecretsKey, HOST: '0.0.0.0', ...environment }
    const { settings } = readConfig(merged, listNamesFromFiles(merged, environment))
    const sources = ['PORT', 'HOST', 'SECRETS_KEY', 'LOG_LEVEL', 'DATA_DIR'].map(
      (name) => settings.find((each) => each.name === name)?.source,
    )
    expect(sources).toEqual(['environment', 'file', 'file', 'default', 'default'])
    expect(find(settings, 'LOG_LEVEL')).toMatchObject({ value: 'info', set: false })
  })
})
