import { createErp, rejected } from '@trade-gateway/connector'
import { openGateway } from '../packages/gateway/src/compose.ts'
import { readConfig } from '../packages/gateway/src/config.ts'
import type { Gateway } from '../packages/gateway/src/gateway.ts'
import { jsonLog } from '../packages/gateway/src/kernel/log.ts'
import { openPostgres } from '../packages/gateway/src/store/postgres.ts'
import { openSqlite } from '../packages/gateway/src/store/sqlite.ts'

/**
 * The only file of the bench that imports gateway sources. It measures some parts without HTTP, and inserts events in
 * the way that a business transaction does. All other files start `main.ts` and use HTTP, so a refactoring of the
 * gateway does not break them.
 */

export { writeStock } from '../packages/gateway/src/stock/write.ts'
export { batchRows } from '../packages/gateway/src/store/store.ts'
export type { OutboxRow } from '../packages/gateway/src/store/tables.ts'
export { leaseQueues, readDueDeliveries, releaseQueues } from '../packages/gateway/src/webhooks/queue.ts'
export type { Gateway }

/** Opens the gateway's code on a database, without an HTTP server and without an ERP. */
export async function openInternals(settings: Readonly<Record<string, string>>): Promise<Gateway> {
  const config = readConfig(settings)
  const log = jsonLog('silent')
  const store =
    config.databaseUrl === undefined
      ? openSqlite(`${config.dataDir}/gateway.db`)
      : await openPostgres(config.databaseUrl, log)
  const erp = createErp(async (id) => rejected('not_supported', `${id} is not called while measuring`))
  return openGateway({ config, store, erp, log })
}
