/**
 * What a process knows of the others: that they share no counts, how far its copies lag behind theirs, and what a client
 * gets whose version its copy does not have.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog, type LogFields } from '../src/kernel/log.ts'
import { reportProcess } from '../src/processes/report.ts'
import { maxVersionWaitMs } from '../src/snapshot/catch-up.ts'
import { toJson } from '../src/store/json.ts'
import { shouldSkip } from './faults/sizes.ts'
import { adminToken, call, createWorld, openTestGateway, type TestGateway } from './harness.ts'

const isLeftOut = shouldSkip('processes of one database', { postgres: true })
const lag = 3

describe.skipIf(isLeftOut)('another process on the same database, without VALKEY_URL', () => {
  let house: TestGateway
  const warnings: string[] = []
  beforeAll(async () => {
    const warn = (_fields: LogFields, text: string) => void warnings.push(text)
    house = await openTestGateway({ log: { ...jsonLog('silent'), warn } })
  })
  afterAll(() => house.close())

  /** Reports a process whose copy of the products is newer by `lag` versions. */
  async function reportOther(): Promise<void> {
    const { store, clock, mirror } = house.gateway
    const row = {
      number: null,
      started_at: clock.now(),
      seen_at: clock.now(),
      copies: toJson({ products: mirror.reference.version + lag }),
    }
    await store.db
      .insertInto('process_reports')
      .values({ process_id: 'prc_other', ...row })
      .onConflict((conflict) => conflict.column('process_id').doUpdateSet(row))
      .execute()
    await reportProcess(house.gateway)
  }

  it('is warned of once in the log, and in /statusz for as long as it runs', async () => {
    const readWarning = async () => (await call(house, 'GET', '/statusz')).json.data.shared_counts.warning
    await reportProcess(house.gateway)
    expect([warnings, await readWarning()]).toEqual([[], null])
    await reportOther()
    await reportOther()
    expect(warnings).toEqual([expect.stringContaining('set VALKEY_URL')])
    expect(await readWarning()).toBe(warnings[0])
    house.clock.advance(61_000)
    await reportProcess(house.gateway)
    expect(await readWarning()).toBe(null)
  })

  it('is ahead by the versions that /statusz says, and for as long as the metric says', async () => {
    await reportOther()
    house.clock.advance(7_000)
    await reportOther()
    const own = house.gateway.memory.process.id
    const { processes } = (await call(house, 'GET', '/statusz')).json.data
    const behind = processes.map((one: { process_id: string; versions_behind: number }) => [
      one.process_id === own ? 'own' : one.process_id,
      one.versions_behind,
    ])
    expect(Object.fromEntries(behind)).toEqual({ own: lag, prc_other: 0 })
    const { text } = await call(house, 'GET', '/metrics', { admin: adminToken })
    expect(text).toMatch(/^tgw_copies_behind_seconds 7$/m)
  })
})

describe('a version that the copy of this process does not have', () => {
  let house: TestGateway
  beforeAll(async () => {
    house = await openTestGateway()
  })
  afterAll(() => house.close())

  it('is waited for at most a second, and then refused with a reason that passes', async () => {
    const world = await createWorld(house)
    const path = '/api/v1/warehouses/AUSYD1/stock/changes'
    const { latest: version } = (await call(house, 'GET', path, { token: world.token })).json
    const { stock } = house.gateway.mirror
    const follow = stock.follow
    stock.follow = () => new Promise(() => {})
    const began = performance.now()
    const answer = await call(house, 'GET', `${path}?since=${version + 1}`, { token: world.token })
    stock.follow = follow
    expect(performance.now() - began).toBeGreaterThanOrEqual(maxVersionWaitMs - 5)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(answer.json.error).toMatchObject({
      code: 'INTERNAL',
      reason: 'storage_unavailable',
      retryable: true,
    })
  })
})
