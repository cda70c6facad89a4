import { type Migration, Migrator } from 'kysely/migration'
import { foundation } from '../../migrations/0001-foundation.ts'
import { stockHistory } from '../../migrations/0002-stock-history.ts'
import { orders } from '../../migrations/0003-orders.ts'
import { events } from '../../migrations/0004-events.ts'
import { type Store, StoreUnusable } from './store.ts'

const configurationExit = 78

/** Brings the tables to this version: forward only, each migration in a transaction, one process at a time. */
export async function migrate(store: Store): Promise<void> {
  const migrations: Record<string, Migration> = {
    '0001-foundation': foundation,
    '0002-stock-history': stockHistory(store.kind),
    '0003-orders': orders,
    '0004-events': events,
  }
  const migrator = new Migrator({ db: store.db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (!error) return
  throw new StoreUnusable(
    'The database could not be brought to this version. A newer gateway may have used it: install that version, or restore a backup.',
    configurationExit,
    error,
  )
}
