/** An ERP that was away is noticed when it responds again, also by a process that has no other reason to call it. */

import {
  callOperation,
  createErp,
  type Erp,
  type ErpResult,
  ok,
  rejected,
  UnknownOutcome,
} from '@trade-gateway/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../src/gateway.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { startWorkers } from '../src/workers.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { adminToken, call, openTestGateway, readTestDatabaseUrl, type TestGateway } from './harness.ts'
import { openSecondGateway } from './trade.ts'

const maxCalls = 100
const leaseMs = 10_000
const openMs = 2_000
const overdueMs = 5_000
const forgottenMs = 11_000

/** An ERP that can be away. It notes the calls that reach it. */
class AbsentErp {
  isAway = false
  /** What the connector returns without its ERP, for each operation. */
  fromMemory: Readonly<Record<string, ErpResult<unknown> | Promise<ErpResult<unknown>>>> = {}
  calls: string[] = []

  wrap(erp: Erp): Erp {
    return createErp(async (id, input, options) => {
      this.calls.push(id)
      const known = this.fromMemory[id]
      if (known) return known
      if (this.isAway) throw new UnknownOutcome('unreachable', 'It is away.')
      return callOperation(erp, id, input, options)
    })
  }
}

/** Makes calls that fail until something is true. */
async function callInVain({ erp }: Gateway, isOver: () => boolean): Promise<void> {
  for (let calls = 0; calls < maxCalls && !isOver(); calls++) await erp.warehouses({}).catch(() => {})
}

describe('a turn of the worker that asks an ERP that was away', () => {
  const absent = new AbsentErp()
  let house: TestGateway
  beforeAll(async () => {
    house = await openTestGateway({ wrapErp: (erp) => absent.wrap(erp) })
  })
  afterAll(() => house.close())
  beforeEach(async () => {
    absent.isAway = false
    absent.fromMemory = {}
    house.clock.advance(forgottenMs)
    await house.gateway.erp.shipping_methods({})
    absent.calls = []
  })

  it('asks nothing while the ERP responds', async () => {
    await house.gateway.upstream.askAgain()
    expect(absent.calls).toEqual([])
  })

  it('ignores a failure, and notices that the ERP responds', async () => {
    const { upstream } = house.gateway
    const readVerdict = () => upstream.watch?.verdict
    absent.isAway = true
    await callInVain(house.gateway, () => readVerdict() === 'does_not_answer')
    await expect(upstream.askAgain()).resolves.toBeUndefined()
    expect(readVerdict()).toBe('does_not_answer')
    absent.isAway = false
    absent.calls = []
    await upstream.askAgain()
    expect([readVerdict(), absent.calls]).toEqual(['answers', ['shipping_methods']])
  })

  it('is the trial call of a circuit, and closes it', async () => {
    const { upstream } = house.gateway
    absent.isAway = true
    await callInVain(house.gateway, () => upstream.circuit === 'open')
    absent.isAway = false
    absent.calls = []
    await upstream.askAgain()
    expect([upstream.circuit, absent.calls]).toEqual(['open', []])
    house.clock.advance(openMs)
    await upstream.askAgain()
    expect([upstream.circuit, absent.calls]).toEqual(['closed', ['shipping_methods']])
  })

  it('asks an ERP of which a call has had no response for five seconds', async () => {
    const { upstream, erp } = house.gateway
    const { promise, resolve } = Promise.withResolvers<ErpResult<unknown>>()
    absent.fromMemory = { 'stock.read': promise }
    house.clock.advance(1)
    const slow = erp['stock.read']({ warehouse_code: 'AUSYD1', skus: ['SBX-HOODIE-M'] })
    await expect.poll(() => absent.calls).toEqual(['stock.read'])
    house.clock.advance(overdueMs)
    await erp.warehouses({})
    await upstream.askAgain()
    expect([absent.calls[2], upstream.watch?.verdict]).toEqual(['shipping_methods', 'answers'])
    resolve(ok({ rows: [], stock_seq: null }))
    await slow
  })

  it('finds an ERP away for as long as only its connector responds, and sends it no writes', async () => {
    const { upstream, erp } = house.gateway
    absent.isAway = true
    await callInVain(house.gateway, () => upstream.circuit === 'open')
    // Connectors to ERPs that report no changes, take no orders and have no shipping methods return these by themselves.
    absent.fromMemory = {
      describe: await house.sandbox.erp.describe({}),
      warehouses: ok({ warehouses: [] }),
      'stock.changed': ok({ cursor: 'none', everything: true, skus: [], more: false }),
      'products.changed': ok({ cursor: 'none', everything: false, product_codes: [], more: false }),
      'documents.changed': rejected('not_supported', 'This ERP takes no orders.'),
      shipping_methods: ok({ shipping_methods: [] }),
    }
    for (let turn = 0; turn < 3; turn++) {
      house.clock.advance(openMs)
      for (const call of [
        () => erp.describe({}),
        () => erp.warehouses({}),
        () => erp['stock.changed']({ warehouse_code: 'AUSYD1', cursor: 'none' }),
        () => erp['products.changed']({ cursor: null }),
        () => erp['documents.changed']({ cursor: null }),
      ])
        await call().catch(() => {})
      expect([upstream.circuit, upstream.watch?.verdict]).toEqual(['half_open', 'does_not_answer'])
      absent.calls = []
      await upstream.askAgain()
      expect([upstream.circuit, absent.calls[1]]).toEqual(['open', 'products.snapshot'])
      await expect(erp.release({ reference: 'TG1', reason: 'release' })).rejects.toMatchObject({
        sent: false,
      })
    }
    absent.isAway = false
    house.clock.advance(openMs)
    await upstream.askAgain()
    expect([upstream.circuit, upstream.watch?.verdict]).toEqual(['closed', 'answers'])
  })
})

const isLeftOut = shouldSkip('an ERP that responds again, for two processes', { postgres: true })

describe.skipIf(isLeftOut)('a process for which another one asks the ERP, and that no client calls', () => {
  const absent = new AbsentErp()
  const stops: (() => Promise<unknown>)[] = []
  let leader: TestGateway
  let follower: TestGateway

  beforeAll(async () => {
    leader = await openTestGateway()
    stops.push(() => leader.close())
    stops.push(startWorkers(leader.gateway))
    const { db } = leader.gateway.store
    const jobs = ['sync warehouses', 'sync documents', 'sync reference', 'housekeeping']
    await waitUntil(async () => {
      const held = await db.selectFrom('leases').select('name').where('name', 'in', jobs).execute()
      return held.length === jobs.length
    }, leaseMs)
    const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
    const url = new URL(readTestDatabaseUrl() ?? '')
    url.pathname = `/${rows[0]?.name}`
    const store = await openPostgres(url.href, jsonLog('silent'))
    stops.push(() => store.close())
    const beside = { ...leader, gateway: { ...leader.gateway, store } }
    follower = await openSecondGateway(beside, {}, absent.wrap(leader.sandbox.erp))
    stops.push(() => follower.close())
    stops.push(startWorkers(follower.gateway))
  })
  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop()
  })

  it('notices that the ERP responds again', async () => {
    const readUp = async () => {
      const { text } = await call(follower, 'GET', '/metrics', { admin: adminToken })
      return /^tgw_upstream_up (\d)$/m.exec(text)?.[1]
    }
    const readVerdict = async () => (await call(follower, 'GET', '/statusz')).json.data.upstream.verdict
    absent.isAway = true
    await callInVain(follower.gateway, () => follower.gateway.upstream.watch?.verdict === 'does_not_answer')
    expect([await readUp(), await readVerdict()]).toEqual(['0', 'does_not_answer'])
    absent.isAway = false
    absent.calls = []
    await expect.poll(readUp).toBe('1')
    expect(await readVerdict()).toBe('answers')
    // The description may be due at the same time, and shows nothing.
    expect(absent.calls.find((operation) => operation !== 'describe')).toBe('shipping_methods')
  })
})
