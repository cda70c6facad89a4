/**
 * Jobs that one process does for all, on PostgreSQL. Each store below is the store of one process; a process that is
 * frozen is one whose timers do not run, and one that was killed is one whose connections end.
 */

import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { Leases } from '../src/store/leases.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { LeaseLost, type Store } from '../src/store/store.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'

const lookMs = 20
const maxTakeoverMs = 5_000

async function waitFor(holds: () => Promise<boolean>): Promise<void> {
  const maxTries = maxTakeoverMs / lookMs
  for (let tries = 0; tries < maxTries && !(await holds()); tries++)
    await new Promise((resolve) => setTimeout(resolve, lookMs))
}

describe.skipIf(shouldSkip('leases on PostgreSQL', { postgres: true }))('a lease', () => {
  let first: Store
  let url: string
  let drop: () => Promise<void>
  const opened: Store[] = []

  async function openProcess(): Promise<Store> {
    const store = await openPostgres(url, jsonLog('silent'))
    opened.push(store)
    return store
  }

  beforeAll(async () => {
    const made = await openTestStore()
    first = made.store
    url = made.url ?? ''
    drop = made.drop
    await migrate(first)
  })
  afterAll(async () => {
    for (const store of opened) await store.close()
    await first.close()
    await drop()
  })

  const does = async (store: Store, job: string) => (await store.withLease(job, async () => true)) === true

  it('stays with one process, turn after turn', async () => {
    const other = await openProcess()
    expect(await does(first, 'steady')).toBe(true)
    for (let turn = 0; turn < 20; turn++) {
      expect(await does(other, 'steady')).toBe(false)
      expect(await does(first, 'steady')).toBe(true)
    }
  })

  it('passes at once to another process when its holder ends in order', async () => {
    const leaving = await openPostgres(url, jsonLog('silent'))
    const other = await openProcess()
    expect(await does(leaving, 'orderly')).toBe(true)
    expect(await does(other, 'orderly')).toBe(false)
    await leaving.close()
    await waitFor(() => does(other, 'orderly'))
    expect(await does(other, 'orderly')).toBe(true)
  })

  it('passes to one other process when its holder is silent, and what the holder read before is not stored', async () => {
    const [one, two] = [await openProcess(), await openProcess()]
    const { promise: thaw, resolve } = Promise.withResolvers<void>()
    let refusal: unknown
    await first.withLease('frozen', async () => {})
    const job = first.withLease('frozen', async (lease) => {
      // The row no longer shows beats of this holder, as if its process were frozen.
      await sql`update leases set holder = 'frozen' where name = 'frozen'`.execute(first.db)
      await thaw
      await first.db.transaction().execute(async (tx) => {
        await tx.insertInto('counters').values({ name: 'of the frozen', value: 1 }).execute()
        await lease.requireHeld(tx).catch((error: unknown) => {
          refusal = error
          throw error
        })
      })
    })
    const takers: boolean[] = []
    await waitFor(async () => {
      takers.splice(0, 2, await does(one, 'frozen'), await does(two, 'frozen'))
      return takers.includes(true)
    })
    expect(takers.filter((took) => took)).toHaveLength(1)
    resolve()
    expect(await job).toBeUndefined()
    expect(refusal).toBeInstanceOf(LeaseLost)
    const stored = await first.db
      .selectFrom('counters')
      .select('name')
      .where('name', '=', 'of the frozen')
      .execute()
    expect(stored).toEqual([])
    expect(await does(first, 'frozen')).toBe(false)
  })
})

describe('a lease whose taking lost its answer', () => {
  it('is taken again, although its process renews its other leases', async () => {
    const { store, drop } = await openTestStore()
    await migrate(store)
    let losing = false
    const lossy: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        if (losing) throw new Error('the connection broke before the answer came')
        return result
      },
    }
    const leases = new Leases({ ...store, db: store.db.withPlugin(lossy) }, jsonLog('silent'))
    try {
      expect(await leases.hold('other', async () => true)).toBe(true)
      losing = true
      await expect(leases.hold('lost', async () => true)).rejects.toThrow('broke')
      losing = false
      const { holder } = await store.db
        .selectFrom('leases')
        .select('holder')
        .where('name', '=', 'lost')
        .executeTakeFirstOrThrow()
      expect(holder).toMatch(/^prc_/)
      const isHeld = async () => (await leases.hold('lost', async () => true)) === true
      await waitFor(isHeld)
      expect(await isHeld()).toBe(true)
      expect(await leases.hold('other', async () => true)).toBe(true)
    } finally {
      await leases.close()
      await store.close()
      await drop()
    }
  })
})
