import { sql } from 'kysely'
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration'
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
import { restores } from '../../migrations/0017-restores.ts'
import { pageVotes } from '../../migrations/0018-page-votes.ts'
import { bounds } from '../../migrations/0019-bounds.ts'
import { openLists } from '../../migrations/0020-open-lists.ts'
import { settledOrders } from '../../migrations/0021-settled-orders.ts'
import { jsonLog, type Log } from '../kernel/log.ts'
import { buildConcurrently, type IndexedMigration, withIndexes } from './indexes.ts'
import { explainMigrationFailure } from './migration-failure.ts'
import { toUnfinishedRestoreError, unfinishedRestoreTable } from './restores.ts'
import { type Db, type Store, StoreUnusable } from './store.ts'
import { isLockTimeout } from './trouble.ts'

/**
 * Every migration from 0017 on has its name in this table. Releases up to 0016 refuse a database whose table of
 * migrations has a name that they do not know, and would not start again during an update.
 */
const laterTable = 'later_migrations'
/**
 * The oldest release that may run on a database of this schema, by its newest migration. A migration that takes away or
 * changes what a release still uses raises it, and comes at least one release after the code that stopped using it
 * (expand, backfill, contract).
 */
const oldestSchema = '0016-leases'
const oldestSchemaKey = 'oldest schema'

/** How often migrations are tried again because a table was in use, and the pause before each try. */
const maxLockTries = 240
const lockPauseMs = 250

const configurationExit = 78

const laterMigrations: Record<string, IndexedMigration> = {
  '0017-restores': restores,
  '0018-page-votes': pageVotes,
  '0019-bounds': bounds,
  '0020-open-lists': openLists,
  '0021-settled-orders': settledOrders,
}

/** Lists the migrations of the releases up to 0016. */
function listFirstMigrations({ kind }: Pick<Store, 'kind'>): Record<string, Migration> {
  return {
    '0001-foundation': foundation,
    '0002-stock-history': stockHistory(kind),
    '0003-orders': orders,
    '0004-events': events,
    '0005-known-names': knownNames,
    '0006-requests': requests(kind),
    '0007-messages': messages,
    '0008-operator': operator,
    '0009-audit-chain': auditChain,
    '0010-trace-parent': traceParent,
    '0011-operator-lists': operatorLists(kind),
    '0012-request-numbers': requestNumbers,
    '0014-recipients': recipients,
    '0016-leases': leases,
  }
}

/**
 * Migrates the tables to this version, only forward. One process migrates; the others wait. Processes of the release
 * before go on serving: no statement waits for a table longer than they can bear, and is tried again instead. A database
 * of a newer release is left as it is if it says that this release may run on it.
 */
export async function migrate(
  store: Store,
  log: Log = jsonLog('silent'),
  maxTries = maxLockTries,
): Promise<void> {
  const error = await store.withMigrationLock(
    (db) => migrateWithPatience({ store, db, log, maxTries }),
    () => log.info({}, 'another process migrates the database; this process waits'),
  )
  if (error) throw explainMigrationFailure(error)
}

interface Tries {
  readonly store: Store
  readonly db: Db
  readonly log: Log
  readonly maxTries: number
}

/** Migrates, and begins again where a table was in use. Returns why it failed. */
async function migrateWithPatience({ store, db, log, maxTries }: Tries): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    const error = await migrateOnce(store, db, log).catch((thrown: unknown) => thrown)
    if (!isLockTimeout(error) || tries >= maxTries) return error
    if (tries === 1) log.info({}, 'a table that is migrated is in use; the migration is tried again')
    await new Promise((resolve) => setTimeout(resolve, lockPauseMs))
  }
}

async function hasTable(db: Db, wanted: string): Promise<boolean> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  return tables.some(({ name }) => name === wanted)
}

/** Returns why the migration failed; undefined if it did not. */
async function migrateOnce(store: Store, db: Db, log: Log): Promise<unknown> {
  if (await hasTable(db, unfinishedRestoreTable)) throw toUnfinishedRestoreError()
  const newer = await findNewerSchema(db, Object.keys(laterMigrations))
  if (newer !== undefined) {
    log.info({ subject: newer }, 'the database has the schema of a newer release, which allows this one')
    return undefined
  }
  const isServed = store.kind === 'postgres' && (await hasTable(db, 'installation'))
  const { error } = await runMigrations(db, listFirstMigrations(store))
  if (error) return error
  const later = isServed
    ? await migrateBesideOthers(db, log)
    : await runMigrations(db, withIndexes(laterMigrations), laterTable)
  if (later.error) return later.error
  // Not only after a migration: an earlier try may have ended between the two.
  if ((await readOldestSchema(db)) !== oldestSchema) await recordOldestSchema(db)
  return undefined
}

/** Runs the later migrations one after another, each after its indexes, which are built while others write. */
async function migrateBesideOthers(db: Db, log: Log): Promise<MigrationResultSet> {
  const done = await listLaterMigrations(db)
  const migrations: Record<string, Migration> = {}
  for (const [name, migration] of Object.entries(laterMigrations)) {
    migrations[name] = migration
    if (done.includes(name)) continue
    if (migration.indexes) {
      log.info({ subject: name }, 'the indexes of a migration are built while requests go on')
      await buildConcurrently(db, migration.indexes)
    }
    const result = await runMigrations(db, migrations, laterTable)
    if (result.error) return result
  }
  return {}
}

function runMigrations(
  db: Db,
  migrations: Record<string, Migration>,
  migrationTableName?: string,
): Promise<MigrationResultSet> {
  const names = migrationTableName
    ? { migrationTableName, migrationLockTableName: `${migrationTableName}_lock` }
    : {}
  return new Migrator({ db, provider: { getMigrations: async () => migrations }, ...names }).migrateToLatest()
}

/**
 * Finds the newest migration of a newer release that the database has; undefined if there is none. Throws
 * `StoreUnusable` if the database does not allow this release.
 */
async function findNewerSchema(db: Db, known: readonly string[]): Promise<string | undefined> {
  const newest = (await listLaterMigrations(db)).findLast((name) => !known.includes(name))
  if (newest === undefined) return undefined
  const own = known.at(-1) ?? ''
  const oldest = await readOldestSchema(db)
  if (oldest !== undefined && oldest <= own) return newest
  throw new StoreUnusable(
    `The database has the schema ${newest} of a newer release, and allows releases from ${oldest ?? newest} on. This release has ${own}. Install a newer release, or restore a backup from before the upgrade.`,
    configurationExit,
  )
}

/** Throws `StoreUnusable` if a database is of a newer release that does not allow this one. */
export async function requireUsableSchema(db: Db): Promise<void> {
  await findNewerSchema(db, Object.keys(laterMigrations))
}

/** Lists the migrations from 0017 on that the database has, in order. */
async function listLaterMigrations(db: Db): Promise<string[]> {
  if (!(await hasTable(db, laterTable))) return []
  const { rows } = await sql<{
    name: string
  }>`select name from ${sql.table(laterTable)} order by name`.execute(db)
  return rows.map(({ name }) => name)
}

async function readOldestSchema(db: Db): Promise<string | undefined> {
  const row = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', oldestSchemaKey)
    .executeTakeFirst()
  return row?.value
}

async function recordOldestSchema(db: Db): Promise<void> {
  await db
    .insertInto('installation')
    .values({ key: oldestSchemaKey, value: oldestSchema })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: oldestSchema }))
    .execute()
}
