import { type Migration, Migrator } from 'kysely/migration'
import { foundation } from '../../migrations/0001-foundation.ts'
import { stockHistory } from '../../migrations/0002-stock-history.ts'
import { orders } from '../../migrations/0003-orders.ts'
import { events } from '../../migrations/0004-events.ts'
import { knownNames } from '../../migrations/0005-known-names.ts'
import { requests } from '../../migrations/0006-requests.ts'
import { messages } from '../../migrations/0007-messages.ts'
import { operator } from '../../migrations/0008-operator.ts'
import { auditChain } from '../../migrations/0009-audit-chain.ts'
import { traceParent } from '../../migrations/0010-trace-parent.ts'
import { operatorLists } from '../../migrations/0011-operator-lists.ts'
import { requestNumbers } from '../../migrations/0012-request-numbers.ts'
import { recipients } from '../../migrations/0014-recipients.ts'
import { leases } from '../../migrations/0016-leases.ts'
import { pageVotes } from '../../migrations/0018-page-votes.ts'
import { jsonLog, type Log } from '../kernel/log.ts'
import { type Store, StoreUnusable } from './store.ts'
import { findStorageTrouble, isCorrupt } from './trouble.ts'

const failureExit = 1
const configurationExit = 78

/**
 * Migrates the tables to this version, only forward, each migration in its own transaction. One process migrates; the
 * others wait.
 */
export async function migrate(store: Store, log: Log = jsonLog('silent')): Promise<void> {
  const migrations: Record<string, Migration> = {
    '0001-foundation': foundation,
    '0002-stock-history': stockHistory(store.kind),
    '0003-orders': orders,
    '0004-events': events,
    '0005-known-names': knownNames,
    '0006-requests': requests(store.kind),
    '0007-messages': messages,
    '0008-operator': operator,
    '0009-audit-chain': auditChain,
    '0010-trace-parent': traceParent,
    '0011-operator-lists': operatorLists(store.kind),
    '0012-request-numbers': requestNumbers,
    '0014-recipients': recipients,
    '0016-leases': leases,
    '0018-page-votes': pageVotes,
  }
  const provider = { getMigrations: async () => migrations }
  const { error } = await store.withMigrationLock(
    (db) => new Migrator({ db, provider }).migrateToLatest(),
    () => log.info({}, 'another process migrates the database; this process waits'),
  )
  if (!error) return
  if (findStorageTrouble(error)) throw error
  if (isCorrupt(error))
    throw new StoreUnusable(
      'The database is damaged. Restore a backup and start with --restored.',
      failureExit,
      error,
    )
  throw new StoreUnusable(
    'The database could not be migrated to this version. A newer gateway may have used it: install that version, or restore a backup.',
    configurationExit,
    error,
  )
}
