/** A database that was restored from an older state, which only the newest versions that were sent reveal. */

import type { KyselyPlugin } from 'kysely'
import { describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { beginEpoch, readEpoch } from '../src/snapshot/epoch.ts'
import { beginRestored } from '../src/start/restored.ts'
import { listRestores, markRestored, readRestoredMark } from '../src/store/restores.ts'
import type { Store } from '../src/store/store.ts'
import { openTestGateway } from './harness.ts'

describe('the new history', () => {
  it('begins together with the mark of the restore, or not at all', async () => {
    const house = await openTestGateway()
    const { store, clock } = house.gateway
    const readVersions = () =>
      store.db
        .selectFrom('warehouses')
        .select(['warehouse_code', 'version'])
        .orderBy('warehouse_code')
        .execute()
    const before = await readVersions()
    const above = Math.max(...before.map(({ version }) => version)) + 1
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'InsertQueryNode' && JSON.stringify(node).includes('"installation"'))
          throw new Error('the connection broke')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const parts = { clock, log: jsonLog('silent') }
    const broken = { ...store, db: store.db.withPlugin(failing) }
    await expect(beginEpoch({ ...parts, store: broken }, above)).rejects.toThrow('broke')
    expect(await readVersions()).toEqual(before)
    expect(await readRestoredMark(store.db)).toBeUndefined()
    await beginEpoch({ ...parts, store }, above)
    for (const { version } of await readVersions()) expect(version).toBeGreaterThan(above)
    expect(await readRestoredMark(store.db)).toBe(clock.now())
    await house.close()
  })

  it.each(['begin epoch', 'begin restored'])(
    'is begun before the restore counts as done, also if another process holds the lock "%s"',
    async (held) => {
      const house = await openTestGateway()
      const { store } = house.gateway
      await markRestored(store.db, 1)
      const busy: Store = {
        ...store,
        forBackground: () => busy,
        withLock: async (name, waitMs, work) =>
          name === held ? undefined : store.withLock(name, waitMs, work),
      }
      await expect(beginRestored({ ...house.gateway, store: busy })).rejects.toThrow(
        'Start the gateway again.',
      )
      expect(await readRestoredMark(store.db)).toBe(1)
      expect(await listRestores(store.db)).toEqual([])
      const before = house.gateway.mirror.stock.snapshot('AUSYD1')?.version ?? 0
      await beginRestored(house.gateway)
      await house.gateway.mirror.stock.follow()
      expect(readEpoch(house.gateway.mirror.stock.snapshot('AUSYD1')?.version ?? 0)).toBeGreaterThan(
        readEpoch(before),
      )
      expect(await listRestores(store.db)).toHaveLength(1)
      await house.close()
    },
  )

  it('keeps the time of the backup that the restore has stored', async () => {
    const house = await openTestGateway()
    const { store, clock } = house.gateway
    const takenAt = clock.now() - 12 * 3_600_000
    await markRestored(store.db, takenAt)
    await beginEpoch({ store, clock, log: jsonLog('silent') }, Number.MAX_SAFE_INTEGER - 2 ** 34)
    expect(await readRestoredMark(store.db)).toBe(takenAt)
    await house.close()
  })

  it('takes the time at which documents were last read for that of a backup which does not say it', async () => {
    const house = await openTestGateway()
    const { clock } = house
    const { store } = house.gateway
    await syncDocuments(house.gateway)
    const syncedAt = clock.now()
    clock.advance(3_600_000)
    await beginEpoch({ store, clock, log: jsonLog('silent') }, Number.MAX_SAFE_INTEGER - 2 ** 34)
    expect(await readRestoredMark(store.db)).toBe(syncedAt)
    await house.close()
  })
})
