/** The days of the request log on PostgreSQL, while a dump reads it. */

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import type { Store } from '../src/store/store.ts'
import { shouldSkip } from './faults/sizes.ts'
import { openTestStore } from './harness.ts'

const day = 24 * 60 * 60_000
const today = 20_000 * day

describe.skipIf(shouldSkip('partitions of PostgreSQL', { postgres: true }))(
  'a day of the request log',
  () => {
    let store: Store
    let dump: pg.Client
    let drop: () => Promise<void>
    let url: string

    beforeAll(async () => {
      const made = await openTestStore()
      ;({ store, drop, url = '' } = made)
      await migrate(store)
      dump = new pg.Client({ connectionString: made.url })
      await dump.connect()
    })
    afterAll(async () => {
      await dump.end()
      await store.close()
      await drop()
    })

    const insert = (at: number, { db, partitions } = store) =>
      partitions.insert('request_counts', [at], () =>
        db
          .insertInto('request_counts')
          .values({
            slot: `slot ${at}`,
            at,
            channel_code: '',
            route: '',
            calls: 1,
            points: 1,
            duration_us: 1,
          })
          .execute(),
      )
    const countRows = async () => (await store.db.selectFrom('request_counts').select('at').execute()).length

    it('begins while a dump reads the table, and ends in the first turn after it', async () => {
      const { partitions } = store
      await insert(today)
      await dump.query('begin')
      await dump.query('lock table request_counts in access share mode')
      await insert(today + day)
      await partitions.dropBefore('request_counts', today + day)
      expect(await countRows()).toBe(2)
      await insert(today + day + 1)
      await dump.query('commit')
      await partitions.dropBefore('request_counts', today + day)
      expect(await countRows()).toBe(2)
    })

    it('has the indexes of the table, and is made once', async () => {
      const other = await store.db.introspection.getTables()
      await insert(today + 2 * day)
      expect((await store.db.introspection.getTables()).length).toBe(other.length + 1)
      const countIndexes = async (table: string) =>
        (await dump.query('select 1 from pg_indexes where tablename = $1', [table])).rows.length
      const made = await countIndexes(`request_counts_d${today / day + 2}`)
      expect(made).toBe(await countIndexes('request_counts'))
      await expect(insert(today + 2 * day)).rejects.toThrow('duplicate key')
    })

    it('is made again for rows that come after another process has dropped it', async () => {
      const other = await openPostgres(url, jsonLog('silent'))
      await insert(today + 3 * day)
      await other.partitions.dropBefore('request_counts', today + 4 * day)
      await other.close()
      await expect(insert(today + 3 * day)).rejects.toThrow('no partition')
      await insert(today + 3 * day)
      expect(await countRows()).toBe(1)
    })
  },
)
