/**
 * A pooler in front of PostgreSQL that takes no startup parameters, as PgBouncer does. The limits of the sessions must
 * hold behind it too.
 */

import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { withSettings } from '../src/store/session-settings.ts'
import type { Db, Store } from '../src/store/store.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'

/** What PgBouncer takes by default. */
const taken = new Set(['user', 'database', 'client_encoding', 'application_name'])
/** The length of a startup packet and the version of the protocol. */
const headBytes = 8
const atOnce = 5

/** Lists the names of the parameters of a startup packet. */
function listParameters(packet: Buffer): string[] {
  const words = packet.subarray(headBytes).toString().split('\0')
  return words.filter((name, index) => index % 2 === 0 && name !== '')
}

/** Writes a fatal error of PgBouncer, whose code is the same for each. */
function writeRefusal(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.from('E....')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

async function openStrictPooler(target: URL) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    sockets.add(near)
    near.on('error', () => {})
    near.once('data', (packet: Buffer) => {
      const refused = listParameters(packet).find((name) => !taken.has(name))
      if (refused !== undefined) return near.end(writeRefusal(`unsupported startup parameter: ${refused}`))
      const far = createConnection(Number(target.port), target.hostname)
      sockets.add(far)
      far.on('error', () => {})
      far.on('close', () => near.destroy())
      near.on('close', () => far.destroy())
      far.write(packet)
      near.pipe(far).pipe(near)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url, close }
}

async function readSettings(db: Db) {
  const { rows } = await sql<Record<string, string>>`
    select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('enable_hashjoin') as hashjoin,
      current_setting('enable_mergejoin') as mergejoin, current_setting('jit') as jit`.execute(db)
  return rows[0]
}

describe.skipIf(shouldSkip('a pooler without startup parameters', { postgres: true }))(
  'behind a pooler that takes no startup parameters',
  () => {
    let pooler: Awaited<ReturnType<typeof openStrictPooler>>
    let store: Store
    const ends: (() => Promise<unknown>)[] = []

    beforeAll(async () => {
      const direct = await openTestStore()
      ends.push(direct.drop, () => direct.store.close())
      pooler = await openStrictPooler(new URL(direct.url ?? ''))
      ends.push(() => pooler.close())
      store = await openPostgres(pooler.url.href, jsonLog('silent'))
      ends.push(() => store.close())
      await migrate(store)
    })
    afterAll(async () => {
      for (const end of ends.toReversed()) await end()
    })

    const planning = { hashjoin: 'off', mergejoin: 'off', jit: 'off' }

    it('each connection has its limits from its first statement on', async () => {
      const limits = { lock: '0', idle: '5s', ...planning }
      for (const [db, statement] of [
        [store.db, '1800ms'],
        [store.forBackground().db, '30s'],
      ] as const) {
        const read = () => db.connection().execute(readSettings)
        expect(await Promise.all(Array.from({ length: atOnce }, read))).toEqual(
          Array(atOnce).fill({ statement, ...limits }),
        )
      }
      expect(await store.withMigrationLock(readSettings, () => {})).toMatchObject({
        statement: '0',
        lock: '400ms',
        idle: '0',
      })
    })

    it('locks and announcements work', async () => {
      const { promise: announced, resolve } = Promise.withResolvers<string>()
      const other = await openPostgres(pooler.url.href, jsonLog('silent'))
      other.listen(resolve)
      await announced
      const take = (waitMs: number) => store.withLock('pooled', waitMs, async () => 'taken')
      const nested = await other.withLock('pooled', 0, async () => [await take(0)])
      expect([nested, await take(1_000)]).toEqual([[undefined], 'taken'])
      await other.close()
    })

    it('a parameter of DATABASE_URL is refused with the reason and exit code 78, since no wait helps', async () => {
      const strict = new URL(pooler.url)
      strict.searchParams.set('options', '-c search_path=gateway')
      await expect(openPostgres(strict.href, jsonLog('silent'))).rejects.toMatchObject({
        message: expect.stringContaining('unsupported startup parameter: options'),
        exitCode: 78,
      })
    })

    it('a setting that PostgreSQL refuses fails the connection instead of being lost', async () => {
      for (const pipeline of [true, false]) {
        const config = { connectionString: pooler.url.href, pipeline, max: 1 }
        const pool = new pg.Pool({ ...config, ...withSettings({ statement_timeout: 'no_time' }) })
        await expect(pool.query('select 1')).rejects.toThrow(
          'invalid value for parameter "statement_timeout"',
        )
        expect(pool.totalCount).toBe(0)
        await pool.end()
      }
    })
  },
)
