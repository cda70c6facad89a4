import type { ErpDocument } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { GatewayError } from '../contract/errors.ts'
import {
  findHolding,
  type HeldStock,
  type HoldEnding,
  type HoldSource,
  type HoldTarget,
} from '../document.ts'
import type { Gateway } from '../gateway.ts'
import { fromJson, toJson } from '../store/json.ts'
import type { Db, Tx } from '../store/store.ts'
import type { HeldLine, HoldRow, IntentRow } from '../store/tables.ts'
import { toDocumentLockName } from '../writes/document-lock.ts'
import type { WriteContext } from '../writes/intent.ts'
import type { ChangedStock } from '../writes/serialize.ts'

/** The largest number of live reservations of a channel, and of its live previews that hold stock. */
const maxLive = 50

/**
 * Throws if the channel has reached its limit of live documents. Runs in the transaction that adds one. Updating the
 * channel's row serialises two such transactions, so the later one counts the earlier one's document.
 */
export async function requireBelowHoldLimit(
  tx: Tx,
  channelCode: string,
  countLive: () => Promise<{ live: number }>,
): Promise<void> {
  const lock = tx.updateTable('channels').set({ channel_code: channelCode })
  await lock.where('channel_code', '=', channelCode).execute()
  if (Number((await countLive()).live) < maxLive) return
  throw new GatewayError('VALIDATION_FAILED', {
    reason: 'too_many_holds',
    say: ['too_many_live', { most: maxLive }],
  })
}

/**
 * How much longer the ERP keeps a hold than the gateway does. Normally the gateway releases its holds; the ERP's own
 * expiry releases those of a gateway that never restarts.
 */
export const erpGraceMs = 10 * 60_000

/** A document that may hold stock; undefined if the document does not exist. */
type Holder = { readonly hold_id: string | null } | undefined

/** Finds the hold of a document while its stock is held, even if the hold has expired. */
export async function findReservedHold(db: Db, document: Holder): Promise<HoldRow | undefined> {
  if (!document?.hold_id) return undefined
  return db
    .selectFrom('holds')
    .selectAll()
    .where('hold_id', '=', document.hold_id)
    .where('status', '=', 'reserved')
    .executeTakeFirst()
}

/** Finds the hold of a document until it expires. */
export async function findLiveHold(
  { store, clock }: Gateway,
  document: Holder,
): Promise<HoldRow | undefined> {
  const hold = await findReservedHold(store.db, document)
  return hold && hold.expires_at > clock.now() ? hold : undefined
}

/** Finds the hold with the ERP's reference while its stock is held. */
export function findHoldByReference(db: Db, reference: string): Promise<HoldRow | undefined> {
  return db
    .selectFrom('holds')
    .selectAll()
    .where('reference', '=', reference)
    .where('status', '=', 'reserved')
    .executeTakeFirst()
}

interface NewHold {
  readonly hold_id: string
  readonly channel_code: string
  readonly source: HoldSource
  readonly source_id: string
  readonly expires_at: number
}

/** Records stock that the ERP holds for a document. */
export async function insertHold(
  tx: Tx,
  hold: NewHold,
  { document, now }: { readonly document: ErpDocument; readonly now: number },
): Promise<void> {
  const row: HoldRow = {
    ...hold,
    reference: document.reference,
    lines: toJson(pickHeldLines(document)),
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

/** Builds the statement that ends a hold, because its stock was released or an order consumed it. */
export function buildEndHoldUpdate(db: Db, reference: string, { reason, statusRaw, now }: HoldEnding) {
  return db
    .updateTable('holds')
    .set({
      status: reason === 'submit' ? 'confirmed' : 'cancelled',
      released_reason: reason,
      updated_at: now,
      ...(statusRaw === null ? {} : { status_raw: statusRaw }),
    })
    .where('reference', '=', reference)
    .where('status', '=', 'reserved')
}

/** The holds that an order's submit ended. */
export interface HoldsEndedBySubmit {
  /** The reference of the hold that the order consumed. */
  readonly consumed: string | null
  /** The reference of the hold that the ERP had ended before. */
  readonly expired: string | null
}

/** Builds the statements that end the holds that a submit consumed or found expired. */
export function buildEndHoldUpdatesOfSubmit(db: Db, { consumed, expired }: HoldsEndedBySubmit, now: number) {
  const endings = [
    [consumed, 'submit'],
    [expired, 'expiry'],
  ] as const
  return endings.flatMap(([reference, reason]) =>
    reference === null ? [] : [buildEndHoldUpdate(db, reference, { reason, statusRaw: null, now })],
  )
}

/** Passes the hold of a reservation to the wholesale draft that replaces it. */
export async function passHoldToOrder(
  tx: Tx,
  { hold_id, order_id }: { readonly hold_id: string; readonly order_id: string },
  now: number,
): Promise<void> {
  await tx
    .updateTable('holds')
    .set({ source: 'order', source_id: order_id, updated_at: now })
    .where('hold_id', '=', hold_id)
    .execute()
}

/** Ends a hold whose stock was released, and ends its document if the document still refers to the hold. */
export async function endHold(
  { gateway, tx }: Pick<WriteContext<unknown>, 'gateway' | 'tx'>,
  hold: HeldStock,
  ending: HoldEnding,
): Promise<void> {
  await tx.executeQuery(buildEndHoldUpdate(tx, hold.reference, ending))
  await findHolding(gateway.kinds, hold.source).endDocument(tx, hold, ending)
}

/**
 * Finds the document that a write on a hold locks: the one that it is held for or, if that document no longer refers to
 * the hold, the hold itself.
 */
export async function findHoldTarget({ store, kinds }: Gateway, hold: HeldStock): Promise<HoldTarget> {
  const target = await findHolding(kinds, hold.source).findTarget(store.db, hold)
  return target ?? { type: 'hold', id: hold.hold_id, lock: toDocumentLockName(hold.hold_id) }
}

/**
 * Builds the statements that set or clear `in_doubt` on the document that a hold is held for. There are none if the
 * document no longer refers to the hold: the write then locks only the hold, and the document must stay unchanged.
 */
export function buildInDoubtUpdates(
  { gateway, db }: { readonly gateway: Gateway; readonly db: Db },
  hold: HeldStock,
  write: DoubtOfWrite,
) {
  const isHoldAlone = write.targetId === hold.hold_id
  return isHoldAlone
    ? []
    : [findHolding(gateway.kinds, hold.source).buildInDoubtUpdate(db, hold.source_id, write.inDoubt)]
}

interface DoubtOfWrite {
  /** The id of the document that the write locks (`HoldTarget`). */
  readonly targetId: string
  readonly inDoubt: 0 | 1
}

/** Clears `in_doubt` on the document of a hold, once the outcome of the hold's write is known. */
export async function clearInDoubt({ gateway, tx, intent, detail }: WriteContext<HeldStock>): Promise<void> {
  const target = { targetId: intent.document_id, inDoubt: 0 } as const
  for (const statement of buildInDoubtUpdates({ gateway, db: tx }, detail, target))
    await tx.executeQuery(statement)
}

/**
 * Whether a write is open: on a document, or under a reference. The gateway has no row of a hold before the write that
 * makes it has ended.
 */
export async function hasOpenWrite(
  db: Db,
  of: Pick<IntentRow, 'document_id'> | Pick<IntentRow, 'reference'>,
): Promise<boolean> {
  const intent = await db
    .selectFrom('intents')
    .select(sql`1`.as('found'))
    .where(({ and }) => and({ ...of }))
    .executeTakeFirst()
  return intent !== undefined
}

/** Whether the ERP reports a hold as ended. */
export function isReleased({ status }: ErpDocument): boolean {
  return status === 'released' || status === 'expired'
}

function pickHeldLines({ lines }: ErpDocument): HeldLine[] {
  return lines.flatMap(({ sku, allocations }) =>
    allocations.map(({ warehouse_code, quantity }) => ({ warehouse_code, sku, quantity })),
  )
}

/** Parses the held quantities, by warehouse and SKU. */
export function parseHeldLines({ lines }: Pick<HoldRow, 'lines'>): readonly HeldLine[] {
  return fromJson(lines)
}

/** Builds the condition that a hold has a line of a SKU. */
export function hasLineOf(sku: string) {
  // The lines are JSON that the gateway wrote. `like` would ignore the case of letters on SQLite.
  const part = `"sku":${JSON.stringify(sku)},`
  return sql<boolean>`replace(lines, ${part}, '') <> lines`
}

/** Lists the SKUs that a hold holds, once for each line. */
export function listHeldSkus(hold: Pick<HoldRow, 'lines'>): string[] {
  return parseHeldLines(hold).map(({ sku }) => sku)
}

/** Lists the warehouses in which a hold holds stock, once for each line. */
export function listHeldWarehouses(hold: Pick<HoldRow, 'lines'>): string[] {
  return parseHeldLines(hold).map(({ warehouse_code }) => warehouse_code)
}

/** Adds what a hold holds to the stock of a write that consumes or replaces the hold. */
export function addHeldStock({ warehouses, skus }: ChangedStock, hold: HoldRow | undefined): ChangedStock {
  if (!hold) return { warehouses, skus }
  return {
    // A write without warehouses may change the stock of all.
    warehouses: warehouses.length === 0 ? [] : [...warehouses, ...listHeldWarehouses(hold)],
    skus: [...skus, ...listHeldSkus(hold)],
  }
}
