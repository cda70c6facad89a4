import { Socket } from 'node:net'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { openLockConnection } from '../src/store/session-locks.ts'
import type { Store, Topic } from '../src/store/store.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'
import { openStallingProxy } from './stalling-proxy.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function countAdvisoryLocks(store: Store): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_locks
    where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
    store.db,
  )
  return rows[0]?.count ?? Number.NaN
}

async function waitForZero(count: () => Promise<number>): Promise<number> {
  const maxTries = 50
  for (let tries = 0; tries < maxTries && (await count()) > 0; tries++) await sleep(100)
  return count()
}

describe.skipIf(shouldSkip('session locks on PostgreSQL', { postgres: true }))('session locks', () => {
  it('lets PostgreSQL notice within half a minute that the machine of a session is gone', async () => {
    const { store, url, drop } = await openTestStore()
    const connection = await openLockConnection({ connectionString: url })
    const longest = `select $1 = 'idle' and current_setting('tcp_keepalives_idle')::int
      + current_setting('tcp_keepalives_interval')::int * current_setting('tcp_keepalives_count')::int
      between 11 and 30 as yes`
    expect(await connection.ask(longest, 'idle')).toBe(true)
    await connection.close()
    await store.close()
    await drop()
  })

  it('sets up the session that listens for announcements in the same way', async () => {
    const { store: direct, url, drop } = await openTestStore()
    const proxy = await openStallingProxy(new URL(url ?? ''))
    const store = await openPostgres(proxy.url, jsonLog('silent'))
    const setUp = proxy.holdReplyTo('set tcp_keepalives_idle')
    const asksEarly = vi.spyOn(Socket.prototype, 'setKeepAlive')
    const announced = Promise.withResolvers<Topic>()
    store.listen(announced.resolve)
    await setUp.held
    expect(asksEarly).toHaveBeenCalledWith(true, 10_000)
    asksEarly.mockRestore()
    setUp.resume()
    await announced.promise
    await store.close()
    await proxy.close()
    await direct.close()
    await drop()
  })

  it('leaves no lock behind when the connection of the locks is silent for longer than it may be', async () => {
    const { store: direct, url, drop } = await openTestStore()
    await migrate(direct)
    const proxy = await openStallingProxy(new URL(url ?? ''))
    const store = await openPostgres(proxy.url, jsonLog('silent'))
    let isOver = false
    let done = 0
    const lostWhileHeld: boolean[] = []
    const names = Array.from({ length: 8 }, (_, at) => `allocate ${at}`)
    // Several workers wait for each lock, so one gets it in the same turn of the event loop in which the connection of
    // another one fails.
    const workers = [...names, ...names, ...names].map(async (name) => {
      while (!isOver) {
        await store
          .withLock(name, 20_000, async (lost) => {
            await sleep(3)
            done += 1
            lostWhileHeld.push(lost.aborted)
          })
          .catch(() => {})
      }
    })
    const held = store.withLock('held throughout', 0, async (lost) => {
      await new Promise((resolve) => lost.addEventListener('abort', resolve))
      return 'noticed'
    })
    await sleep(300)
    const resume = proxy.stall()
    await sleep(11_000)
    resume()
    await sleep(1_000)
    done = 0
    await sleep(1_000)
    isOver = true
    await Promise.all(workers)
    expect(await held).toBe('noticed')
    // Work has continued under every lock.
    expect(done).toBeGreaterThan(names.length)
    // No lock remains when the work is done.
    expect(await waitForZero(() => countAdvisoryLocks(direct))).toBe(0)
    // Another process can take every lock.
    for (const name of [...names, 'held throughout']) {
      expect(await direct.withLock(name, 0, async () => name)).toBe(name)
    }
    await store.close()
    await proxy.close()
    await direct.close()
    await drop()
  }, 60_000)
})
