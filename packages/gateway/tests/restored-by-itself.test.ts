/** A database that was restored from an older state, which only the newest versions that were sent reveal. */

import type { KyselyPlugin } from 'kysely'
import { describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import { beginEpoch } from '../src/snapshot/epoch.ts'
import { readRestoredMark } from '../src/store/restores.ts'
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
})
