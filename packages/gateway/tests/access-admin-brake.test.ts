/**
 * Wrong admin tokens are limited: five a minute from one address, and thirty a minute from all addresses together that
 * have not sent the right token.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { jsonLog, type LogFields } from '../src/kernel/log.ts'
import { adminToken, call, openTestGateway, type TestGateway } from './harness.ts'

const path = '/admin/api/channels'
const minute = 60_000
const day = 24 * 60 * minute
const wrong = 'a-wrong-token'
let house: TestGateway
const warnings: LogFields[] = []
/** Every line of the log. */
const said: LogFields[] = []

beforeAll(async () => {
  const note = (fields: LogFields) => void said.push(fields)
  const warn = (fields: LogFields) => {
    warnings.push(fields)
    note(fields)
  }
  const log = { ...jsonLog('silent'), info: note, error: note, warn }
  house = await openTestGateway({ unfilled: true, settings: { TRUST_PROXY: '127.0.0.0/8' }, log })
})
afterAll(() => house.close())
beforeEach(() => {
  house.clock.advance(2 * day)
  warnings.length = 0
})

const sendFrom = (address: string, admin: string = wrong) =>
  call(house, 'GET', path, { admin, headers: { 'x-forwarded-for': address } })

async function collectCodes(times: number, address: (index: number) => string) {
  const codes: string[] = []
  for (let index = 0; index < times; index++) codes.push((await sendFrom(address(index))).json.error.code)
  return codes
}
const repeatRefusalCode = (times: number) => Array.from({ length: times }, () => 'ADMIN_UNAUTHORIZED')

describe('wrong admin tokens', () => {
  it('of one address are refused with 429 after five in a minute, and so is the right one', async () => {
    expect(await collectCodes(6, () => '203.0.113.1')).toEqual([...repeatRefusalCode(5), 'RATE_LIMITED'])
    const { status, json, headers } = await sendFrom('203.0.113.1', adminToken)
    expect(status).toBe(429)
    expect(json.error).toMatchObject({ code: 'RATE_LIMITED', retryable: true })
    expect(json.error.message).toMatch(/^Too many wrong admin tokens\. Wait \d+ s\.$/)
    const seconds = Number(headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(61)
    house.clock.advance(seconds * 1000)
    expect((await sendFrom('203.0.113.1', adminToken)).status).toBe(200)
  })

  it('of one address do not concern another', async () => {
    await collectCodes(6, () => '203.0.113.2')
    expect((await sendFrom('203.0.113.3', adminToken)).status).toBe(200)
  })

  it('are counted per /64 of IPv6, whichever address of it sends them', async () => {
    const codes = await collectCodes(6, (index) => `2001:db8:1:2::${index + 1}`)
    expect(codes).toEqual([...repeatRefusalCode(5), 'RATE_LIMITED'])
    expect((await sendFrom('2001:db8:1:3::1')).json.error.code).toBe('ADMIN_UNAUTHORIZED')
  })

  it('of all addresses together are refused with 429 after thirty in a minute', async () => {
    expect(await collectCodes(31, (index) => `198.51.100.${index}`)).toEqual([
      ...repeatRefusalCode(30),
      'RATE_LIMITED',
    ])
    expect((await sendFrom('198.51.100.200', adminToken)).status).toBe(429)
    house.clock.advance(minute + 1000)
    expect((await sendFrom('198.51.100.200', adminToken)).status).toBe(200)
  })

  it('of others do not lock out an address that showed the right token within a day', async () => {
    expect((await sendFrom('192.0.2.1', adminToken)).status).toBe(200)
    house.clock.advance(day - 1)
    await collectCodes(30, (index) => `198.51.100.${index}`)
    expect((await sendFrom('192.0.2.1', adminToken)).status).toBe(200)
    house.clock.advance(day)
    await collectCodes(30, (index) => `198.51.100.${index}`)
    expect((await sendFrom('192.0.2.1', adminToken)).status).toBe(429)
  })

  it('that are refused without a comparison count for nobody else', async () => {
    await collectCodes(60, () => '203.0.113.4')
    expect((await sendFrom('203.0.113.5', adminToken)).status).toBe(200)
  })

  it('are not what a request without a token has, and right ones cost nothing', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.6' }
    for (let time = 0; time < 10; time++) {
      expect((await call(house, 'GET', path, { headers })).json.error.code).toBe('ADMIN_UNAUTHORIZED')
      expect((await sendFrom('203.0.113.6', adminToken)).status).toBe(200)
    }
  })

  it('are warned of once a minute, and with how many there were', async () => {
    const findRefusalWarnings = () => warnings.filter(({ action }) => action === 'admin refused')
    await collectCodes(20, () => '203.0.113.7')
    expect(findRefusalWarnings()).toHaveLength(1)
    house.clock.advance(minute)
    await collectCodes(20, () => '203.0.113.8')
    expect(findRefusalWarnings()).toHaveLength(2)
    expect(findRefusalWarnings().at(-1)?.rows, 'all since the last warning').toBe(20)
  })

  it('leave no log line for each, whatever they are sent with', async () => {
    said.length = 0
    const headers = { 'x-forwarded-for': '203.0.113.10' }
    const statuses = new Set<number>()
    for (let attempt = 0; attempt < 20; attempt++)
      statuses.add((await call(house, 'POST', path, { admin: wrong, body: {}, headers })).status)
    expect([...statuses]).toEqual([401, 429])
    expect(said.map(({ action }) => action)).toEqual(['admin refused'])
    expect((await call(house, 'DELETE', `${path}/none`, { admin: adminToken })).status).toBe(404)
    expect(said.map(({ status }) => status)).toEqual([undefined, 404])
  })

  it('leave no row in the audit for each', async () => {
    const countAuditRows = async () =>
      (await house.gateway.store.db.selectFrom('admin_audit').select('at').execute()).length
    const before = await countAuditRows()
    await collectCodes(100, () => '203.0.113.9')
    expect((await countAuditRows()) - before).toBeLessThanOrEqual(60)
  })
})

describe('wrong admin tokens where no proxy is trusted', () => {
  it('are slowed on a loopback address too', async () => {
    const local = await openTestGateway({ unfilled: true })
    const codes: string[] = []
    for (let time = 0; time < 6; time++)
      codes.push((await call(local, 'GET', path, { admin: wrong })).json.error.code)
    expect(codes).toEqual([...repeatRefusalCode(5), 'RATE_LIMITED'])
    await local.close()
  })
})
