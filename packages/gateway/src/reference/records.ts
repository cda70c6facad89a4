import type { Gateway } from '../gateway.ts'
import { referenceCounter } from '../snapshot/epoch.ts'
import { batchRows, type Lease, type Tx } from '../store/store.ts'

/**
 * The kinds of reference data: products, shipping methods, addresses and sellable catalogues. They are records that
 * share one version counter. A write locks the counter, compares the records with the stored ones, and stores those
 * that differ with new versions.
 */
export type RecordKind = 'product' | 'shipping_method' | 'address' | 'sellable'

export interface Batch {
  readonly kind: RecordKind
  /** The customer's code; '' for records that belong to every customer. */
  readonly owner: string
  /** The JSON of each record, by its id. */
  readonly bodies: ReadonlyMap<string, string>
  readonly gone: readonly string[]
  /** The lease of the sync that read the records. If another process has taken over, they are not written. */
  readonly lease: Lease
}

/** Writes the records that differ, in transactions of at most `batchRows` records. */
export async function writeRecords(gateway: Gateway, batch: Batch): Promise<void> {
  const ids = [...batch.bodies.keys(), ...batch.gone]
  for (let from = 0; from < ids.length; from += batchRows) {
    const slice = ids.slice(from, from + batchRows)
    await gateway.store.db
      .transaction()
      .execute((tx) => writeSlice(tx, { ...batch, now: gateway.clock.now() }, slice))
  }
}

/** Reads the ids of an owner's records of one kind, without removed ones. */
export async function readLiveIds(gateway: Gateway, kind: RecordKind, owner: string): Promise<string[]> {
  const rows = await gateway.store.db
    .selectFrom('reference_records')
    .select('id')
    .where('kind', '=', kind)
    .where('owner', '=', owner)
    .where('removed', '=', 0)
    .execute()
  return rows.map(({ id }) => id)
}

async function writeSlice(
  tx: Tx,
  { kind, owner, bodies, lease, now }: Batch & { readonly now: number },
  ids: readonly string[],
) {
  await takeVersions(tx, 0)
  const stored = await tx
    .selectFrom('reference_records')
    .select(['id', 'body', 'removed'])
    .where('kind', '=', kind)
    .where('owner', '=', owner)
    .where('id', 'in', ids)
    .execute()
  const before = new Map(stored.map((row) => [row.id, row]))
  const changed = ids.flatMap((id) => {
    const known = before.get(id)
    const body = bodies.get(id)
    if (body === undefined) return known?.removed === 0 ? [{ id, body: known.body, removed: 1 }] : []
    return known?.body === body && known.removed === 0 ? [] : [{ id, body, removed: 0 }]
  })
  if (changed.length === 0) return
  const first = (await takeVersions(tx, changed.length)) - changed.length + 1
  await tx
    .insertInto('reference_records')
    .values(changed.map((row, index) => ({ kind, owner, ...row, version: first + index, updated_at: now })))
    .onConflict((conflict) =>
      conflict.columns(['kind', 'owner', 'id']).doUpdateSet((eb) => ({
        body: eb.ref('excluded.body'),
        removed: eb.ref('excluded.removed'),
        version: eb.ref('excluded.version'),
        updated_at: eb.ref('excluded.updated_at'),
      })),
    )
    .execute()
  await lease.requireHeld(tx)
}

/** Increases the counter by `count` and locks it until the commit; returns the newest version. */
async function takeVersions(tx: Tx, count: number): Promise<number> {
  const { value } = await tx
    .insertInto('counters')
    .values({ name: referenceCounter, value: count })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', count) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}
