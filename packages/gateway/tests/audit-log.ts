/** The audit log of a gateway under test: tests add rows to it, read it, verify it and put it back as it was. */

import type { NotedHead } from '../src/audit/chain.ts'
import { verifyAudit } from '../src/audit/verify.ts'
import type { AuditChainRow, AuditRow } from '../src/store/tables.ts'
import { adminToken, call, type TestGateway } from './harness.ts'

export const channels = '/admin/api/channels'

/** `getHouse` returns the gateway, which may be opened only after this call. */
export function openAuditLog(getHouse: () => TestGateway) {
  const getDb = () => getHouse().gateway.store.db
  let minted = 0
  const createChannel = (at = getHouse()) => {
    const body = { channel_code: `chained-${++minted}`, name: 'A channel', plan: 'reader' }
    return call(at, 'POST', channels, { admin: adminToken, body })
  }
  const readChainRow = (): Promise<AuditChainRow> =>
    getDb().selectFrom('audit_chain').selectAll().executeTakeFirstOrThrow()
  return {
    /** Creates a channel, which adds a row. */
    createChannel,
    /** The code of the channel that was asked for last. */
    readLastCode: () => `chained-${minted}`,
    readChainRow,

    async makeRows(count: number) {
      for (let made = 0; made < count; made++) await createChannel()
    },

    readRows: (): Promise<AuditRow[]> =>
      getDb().selectFrom('admin_audit').selectAll().orderBy('number').execute(),

    /** The end of the log, as a process would note it now. */
    async readEnd(): Promise<NotedHead> {
      const { number, mac } = await readChainRow()
      return { number, mac, at: new Date(getHouse().clock.now()).toISOString() }
    },

    verify: (noted: readonly NotedHead[] = []) =>
      verifyAudit(getHouse().gateway, { noted, maxRows: 1_000_000 }),

    /** Puts the log back as it was. */
    async restore(rows: readonly AuditRow[], chain: AuditChainRow) {
      const db = getDb()
      await db.deleteFrom('admin_audit').execute()
      for (const row of rows) await db.insertInto('admin_audit').values(row).execute()
      await db.deleteFrom('audit_chain').execute()
      await db.insertInto('audit_chain').values(chain).execute()
    },
  }
}
