/** Transactions that lock the same rows on PostgreSQL: they lock them in one order, so none ends in a deadlock. */

import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeRequests } from '../src/requests/record.ts'
import type { Tx } from '../src/store/store.ts'
import { waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

const minuteMs = 60_000
const waitMs = 4_000

const withoutPostgres = shouldSkip('the order of locks', { postgres: true })

describe.skipIf(withoutPostgres)('the rows', () => {
  let house: TestGateway
  beforeAll(async () => {
    house = await openTestGateway({ styles: 1 })
  })
  afterAll(() => house.close())

  async function isAnyWaiting(): Promise<boolean> {
    const { rows } = await sql`select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(house.gateway.store.db)
    return rows.length > 0
  }

  /**
   * Begins `work` while a transaction has the lock of the first key, and then locks the second one in that transaction.
   * If `work` locks the second row first, PostgreSQL ends one of the two.
   */
  async function runBetweenLocks<T>(
    lock: (tx: Tx, key: string) => Promise<unknown>,
    [first, second]: readonly [string, string],
    work: () => Promise<T>,
  ): Promise<T> {
    const { working } = await house.gateway.store.db.transaction().execute(async (tx) => {
      await lock(tx, first)
      const working = work()
      // The deadlock is reported by the transaction or by `work`, which is awaited only after it.
      working.catch(() => {})
      await waitUntil(isAnyWaiting, waitMs)
      await lock(tx, second)
      return { working }
    })
    return working
  }

  it('of counted requests are locked in the order of channel and route', async () => {
    const { gateway, clock } = house
    const at = Math.floor(clock.now() / minuteMs) * minuteMs - minuteMs
    const [first, second] = ['chn_lock /a', 'chn_lock /b'] as const
    const count = (...slots: string[]) => {
      const rows = slots.map((slot) => {
        const [channel_code = '', route = ''] = slot.split(' ')
        return { slot, at, channel_code, route, calls: 1, points: 0, duration_us: 1 }
      })
      gateway.memory.requests.counts.set(at, new Map(rows.map((row) => [row.slot, row])))
      return storeRequests(gateway)
    }
    await count(first, second)
    const lock = (tx: Tx, slot: string) =>
      sql`select 1 from request_counts where slot = ${slot} for update`.execute(tx)
    await runBetweenLocks(lock, [first, second], () => count(second, first))
    const stored = await gateway.store.db
      .selectFrom('request_counts')
      .select(['slot', 'calls'])
      .where('at', '=', at)
      .orderBy('slot')
      .execute()
    expect(stored).toEqual([
      { slot: first, calls: 2 },
      { slot: second, calls: 2 },
    ])
  })
})
