/** An ERP that was away is noticed when it responds again, also by a process that has no other reason to call it. */

import { callOperation, createErp, type Erp, UnknownOutcome } from '@trade-gateway/connector'
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
const forgottenMs = 11_000

/** An ERP that can be away. It notes the calls that reach it. */
class AbsentErp {
  isAway = false
  calls: string[] = []

  wrap(erp: Erp): Erp {
    return createErp(async (id, input, options) => {
      this.calls.push(id)
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
    house.clock.advance(forgottenMs)
    await house.gateway.erp.warehouses({})
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
    expect(absent.calls.slice(0, 1)).toEqual(['shipping_methods'])
  })
})
