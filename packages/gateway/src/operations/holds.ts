import type { ErpDocument } from '@trade-gateway/connector'
import type { Compilable } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import type { Db, Tx } from '../store/store.ts'
import type { HoldRow } from '../store/tables.ts'
import { lockOfDocument, lockOfNumber } from './locks.ts'

export const holdSources = ['dropship_preview', 'reservation', 'order'] as const
export type HoldSource = (typeof holdSources)[number]
export const releasedReasons = ['submit', 'release', 'expiry'] as const
export type ReleasedReason = (typeof releasedReasons)[number]

/** How many previews, or reservations, of a channel may be live at once. */
const mostLive = 50

/**
 * Throws where a channel has as many live ones as it may have, in the transaction that adds one. The channel's row is
 * the lock: of two at once, the later one counts the earlier one too.
 */
export async function requireRoom(
  tx: Tx,
  channel_code: string,
  param: string,
  live: () => Promise<{ live: number }>,
) {
  const lock = tx.updateTable('channels').set({ channel_code }).where('channel_code', '=', channel_code)
  await lock.execute()
  if (Number((await live()).live) < mostLive) return
  throw new GatewayError('VALIDATION_FAILED', {
    param,
    reason: 'too_many_holds',
    say: ['too_many_live', { most: mostLive }],
  })
}

/**
 * How much longer the ERP keeps a hold than we do: it is ours to give back, the ERP's only where we are gone for good.
 */
export const erpGraceMs = 10 * 60_000

/** What a document has that may hold stock; undefined: there is no such document. */
type Holding = { readonly hold_id: string | null } | undefined

/** The hold of a document as long as it is held, over or not. */
export async function reservedHold(db: Db, document: Holding): Promise<HoldRow | undefined> {
  if (!document?.hold_id) return undefined
  return db
    .selectFrom('holds')
    .selectAll()
    .where('hold_id', '=', document.hold_id)
    .where('status', '=', 'reserved')
    .executeTakeFirst()
}

/** The same while its time is not over. */
export async function liveHold({ store, clock }: Gateway, document: Holding): Promise<HoldRow | undefined> {
  const hold = await reservedHold(store.db, document)
  return hold && hold.expires_at > clock.now() ? hold : undefined
}

interface Held {
  readonly hold_id: string
  readonly channel_code: string
  readonly source: HoldSource
  readonly source_id: string
  readonly expires_at: number
}

/** Notes stock that the ERP holds for a document of ours. */
export async function noteHold(gateway: Gateway, tx: Tx, held: Held, document: ErpDocument): Promise<void> {
  const now = gateway.clock.now()
  const row: HoldRow = {
    ...held,
    reference: document.reference,
    lines: JSON.stringify(heldLines(document)),
    status: 'reserved',
    status_raw: document.status_raw,
    released_reason: null,
    tried_at: null,
    created_at: now,
    updated_at: now,
  }
  await tx
    .insertInto('holds')
    .values(row)
    .onConflict((conflict) => conflict.column('reference').doNothing())
    .execute()
}

/** The statement by which a hold is over: the stock is back, or the order has it. */
export function holdEnding(
  { clock, store }: Gateway,
  reference: string,
  reason: ReleasedReason,
  statusRaw: string | null,
) {
  return store.db
    .updateTable('holds')
    .set({
      status: reason === 'submit' ? 'confirmed' : 'cancelled',
      released_reason: reason,
      updated_at: clock.now(),
      ...(statusRaw === null ? {} : { status_raw: statusRaw }),
    })
    .where('reference', '=', reference)
    .where('status', '=', 'reserved')
}

/** Ends the hold that an order was submitted out of, or that the ERP had ended before it. */
export function endingsOf(gateway: Gateway, consumed: string | null, ended: string | null) {
  return [
    ...(consumed === null ? [] : [holdEnding(gateway, consumed, 'submit', null)]),
    ...(ended === null ? [] : [holdEnding(gateway, ended, 'expiry', null)]),
  ]
}

/** A hold as what ends it needs to know it. */
export type HeldBy = Pick<HoldRow, 'hold_id' | 'reference' | 'source' | 'source_id'>

/**
 * Ends a hold whose stock is back, and the preview or reservation with it, where it is still that document's hold; a
 * draft stays, without stock. An order that was submitted has nothing to do with a hold any more.
 */
export async function endWithSource(
  gateway: Gateway,
  tx: Tx,
  hold: HeldBy,
  reason: ReleasedReason,
  statusRaw: string | null,
): Promise<void> {
  await tx.executeQuery(holdEnding(gateway, hold.reference, reason, statusRaw))
  const now = gateway.clock.now()
  const ended = { status: 'cancelled', cancelled_at: now, updated_at: now }
  const raw = statusRaw === null ? {} : { status_raw: statusRaw }
  if (hold.source === 'dropship_preview') {
    await tx
      .updateTable('dropship_orders')
      .set({ ...ended, ...raw })
      .where('dropship_order_id', '=', hold.source_id)
      .where('hold_id', '=', hold.hold_id)
      .where('submitted_at', 'is', null)
      .execute()
  } else if (hold.source === 'reservation') {
    await tx
      .updateTable('reservations')
      .set({ ...ended, ...raw })
      .where('reservation_id', '=', hold.source_id)
      .where('status', '=', 'reserved')
      .execute()
  } else {
    await tx
      .updateTable('orders')
      .set({ hold_id: null, updated_at: now })
      .where('order_id', '=', hold.source_id)
      .where('hold_id', '=', hold.hold_id)
      .execute()
  }
}

/** The same by the write that ended it: its document is in doubt no more. */
export async function settleWithSource(...[gateway, tx, hold, ...how]: Parameters<typeof endWithSource>) {
  await tx.executeQuery(doubtSource(tx, hold, 0))
  await endWithSource(gateway, tx, hold, ...how)
}

/** Says of the document behind a hold, where it is still its hold, whether a write on it is in doubt. */
export function doubtSource(db: Db, { source, source_id, hold_id }: HeldBy, in_doubt: number): Compilable {
  if (source === 'dropship_preview') {
    return db
      .updateTable('dropship_orders')
      .set({ in_doubt })
      .where('dropship_order_id', '=', source_id)
      .where('hold_id', '=', hold_id)
      .where('submitted_at', 'is', null)
  }
  if (source === 'reservation') {
    return db.updateTable('reservations').set({ in_doubt }).where('reservation_id', '=', source_id)
  }
  return db
    .updateTable('orders')
    .set({ in_doubt })
    .where('order_id', '=', source_id)
    .where('hold_id', '=', hold_id)
}

/** What a write on a hold works on: the document that it is held for, or the hold alone where that moved on. */
export interface Behind {
  readonly type: string
  readonly id: string
  readonly lock: string
}

export async function behind(db: Db, hold: HeldBy): Promise<Behind> {
  const { source, source_id: id, hold_id } = hold
  const alone = { type: 'hold', id: hold_id, lock: lockOfDocument(hold_id) }
  if (source === 'reservation') return { type: source, id, lock: lockOfDocument(id) }
  if (source === 'order') {
    const order = await db
      .selectFrom('orders')
      .select('hold_id')
      .where('order_id', '=', id)
      .executeTakeFirst()
    return order?.hold_id === hold_id ? { type: source, id, lock: lockOfDocument(id) } : alone
  }
  const row = await db
    .selectFrom('dropship_orders')
    .select(['channel_code', 'client_order_number', 'sku', 'hold_id', 'submitted_at'])
    .where('dropship_order_id', '=', id)
    .executeTakeFirst()
  if (!row || row.hold_id !== hold_id || row.submitted_at !== null) return alone
  const lock = lockOfNumber(row.channel_code, row.client_order_number, row.sku)
  return { type: 'dropship_order', id, lock }
}

/** Whether a write on a document is in doubt. */
export async function isInDoubt(db: Db, documentId: string): Promise<boolean> {
  const intent = await db
    .selectFrom('intents')
    .select('document_id')
    .where('document_id', '=', documentId)
    .executeTakeFirst()
  return intent !== undefined
}

/** What the ERP says of a hold that is over. */
export function isReleased({ status }: ErpDocument): boolean {
  return status === 'released' || status === 'expired'
}

function heldLines({ lines }: ErpDocument) {
  return lines.flatMap(({ sku, allocations }) =>
    allocations.map(({ warehouse_code, quantity }) => ({ warehouse_code, sku, quantity })),
  )
}

/** What is held where. */
export function linesOf({
  lines,
}: Pick<HoldRow, 'lines'>): { warehouse_code: string; sku: string; quantity: number }[] {
  return JSON.parse(lines)
}
