import type { Clock } from '../kernel/clock.ts'
import type { Store } from './store.ts'

const name = 'recipients sealed from'
/** How long processes of the version before may still run beside this one: they cannot read a sealed recipient. */
const maxRollingUpdateMs = 24 * 60 * 60_000

/**
 * Reads from when on the recipients of drop-ship orders are sealed, in epoch milliseconds, and decides it at the first
 * start of this version. A new database and the embedded one, which one process uses alone, seal at once. A database on
 * PostgreSQL that was upgraded waits until a rolling update is over. It must be called before the installation gets its
 * id, which is how a new database is recognised.
 */
export async function beginRecipientSealing({
  store: { db, isShared },
  clock,
}: {
  readonly store: Store
  readonly clock: Clock
}): Promise<number> {
  const installation = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', 'id')
    .executeTakeFirst()
  const isAlone = installation === undefined || !isShared
  const from = clock.now() + (isAlone ? 0 : maxRollingUpdateMs)
  await db
    .insertInto('installation')
    .values({ key: name, value: String(from) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const { value } = await db
    .selectFrom('installation')
    .select('value')
    .where('key', '=', name)
    .executeTakeFirstOrThrow()
  return Number(value)
}
