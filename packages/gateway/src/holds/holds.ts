import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField, sku, toListSchema } from '../contract/fields.ts'
import type { ListQuery } from '../contract/lists.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { Reply } from '../contract/reply.ts'
import { findHolding, type HeldStock, holdSources, releasedReasons } from '../document.ts'
import { readDataAgeHeader } from '../documents/data-age.ts'
import { requireOwned } from '../documents/own.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { findSmallestPlanWith } from '../identity/plans.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import type { Db, Tx } from '../store/store.ts'
import type { HoldRow } from '../store/tables.ts'
import { withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import type { Write, Writer } from '../writes/intent.ts'
import { performWrite } from '../writes/perform.ts'
import { releaseAtErp } from './release.ts'
import {
  buildInDoubtUpdates,
  clearInDoubt,
  endHold,
  findHoldTarget,
  hasOpenWrite,
  isReleased,
  listHeldSkus,
  listHeldWarehouses,
  parseHeldLines,
} from './store.ts'

/** The statuses of a hold, the same as a reservation's. */
export const holdStates = ['reserved', 'cancelled', 'confirmed'] as const

/** Stock held for a document of any kind. */
export const hold = z
  .object({
    hold_id: z.string(),
    source: z.enum(holdSources),
    source_id: z.string(),
    lines: z.array(z.object({ warehouse_code: z.string(), sku, quantity: z.int() })),
    status: z.enum(holdStates),
    status_raw: z.string().nullable(),
    released_reason: z.enum(releasedReasons).nullable(),
    expires_at: instantField,
    created_at: instantField,
    updated_at: instantField,
  })
  .meta({ id: 'Hold' })

const maxOfDocument = 50

export const holdPage = toListSchema(hold)

/** A kind of release by a hold's own id, which also ends the preview or reservation of the hold. */
export interface HoldRelease<Json> extends Write<HeldStock, { data: Json }> {
  /** Shows the hold as the response does. */
  toJson(row: HoldRow): Json
}

/** Declares a kind of release. Each has responses of its own, so that whoever settles one stores the right response. */
export function declareHoldRelease<Json>(kind: string, toJson: (row: HoldRow) => Json): HoldRelease<Json> {
  return {
    kind,
    toJson,
    isDone: isReleased,
    async apply(context, { document }) {
      const { gateway, tx, detail } = context
      await clearInDoubt(context)
      const statusRaw = document?.status_raw ?? null
      await endHold(context, detail, { reason: 'release', statusRaw, now: gateway.clock.now() })
      return new Reply({ data: toJson(await requireHold(tx, detail.hold_id)) })
    },
    undo: clearInDoubt,
  }
}

/** A release by the channel. */
export const holdRelease = declareHoldRelease('hold.release', toHoldJson)

type HoldQuery = ListQuery & { readonly status?: string | undefined }

export async function listHolds(gateway: Gateway, caller: Caller, asked: HoldQuery) {
  let query = gateway.store.db.selectFrom('holds').selectAll().where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const onlyOpen = asked.status === 'reserved'
  const list = { query, time: 'created_at', id: 'hold_id', open: 'reserved', onlyOpen } as const
  return new Reply(await readListPage(gateway, asked, list, toHoldJson), await readDataAgeHeader(gateway))
}

export async function readHold(gateway: Gateway, caller: Caller, id: string) {
  const row = requireOwned(await findHold(gateway.store.db, id), caller, 'hold', id)
  return new Reply({ data: toHoldJson(row) }, await readDataAgeHeader(gateway))
}

/** Releases a hold. Releasing twice returns the same hold. An order's hold cannot be released by its own id. */
export async function releaseHold(context: CallContext, id: string) {
  const { gateway, caller } = context
  const known = requireOwned(await findHold(gateway.store.db, id), caller, 'hold', id)
  requireCapability(gateway, caller, known)
  return releaseHoldRow(context, known, { release: holdRelease })
}

interface Releasing<Json> {
  readonly release: HoldRelease<Json>
  /** The last statement of the commit. */
  readonly record?: (tx: Tx) => Promise<void>
}

/**
 * Releases a hold whose owner was checked. Returns a hold that was released before as it is. Throws `UPSTREAM_REJECTED`
 * for an order's hold.
 */
export async function releaseHoldRow<Json>(
  writer: Writer,
  known: HoldRow,
  { release, record }: Releasing<Json>,
): Promise<Reply<{ data: Json }>> {
  const { gateway } = writer
  const { db } = gateway.store
  const { hold_id, channel_code } = known
  const { lock } = await findHoldTarget(gateway, known)
  return withDocumentLock(gateway, { lock, id: hold_id }, async (held) => {
    const row = await requireHold(db, hold_id)
    if (row.status === 'cancelled') return new Reply({ data: release.toJson(row) })
    if (row.status !== 'reserved' || !findHolding(gateway.kinds, row.source).isReleasable)
      throw toNotReleasableError(row)
    const target = await findHoldTarget(gateway, row)
    if (target.lock !== lock || (await hasOpenWrite(db, { document_id: target.id })))
      throw toDocumentInDoubtError(row.source_id)
    const { reference, source, source_id } = row
    return performWrite(writer, release, {
      record,
      document: target,
      held,
      reference,
      channel_code,
      warehouses: listHeldWarehouses(row),
      skus: listHeldSkus(row),
      detail: { reference, source, source_id, hold_id },
      buildDocumentUpdates: (db) =>
        buildInDoubtUpdates({ gateway, db }, row, { targetId: target.id, inDoubt: 1 }),
      send: (options) => releaseAtErp(gateway, row, { reason: 'release', options }),
    })
  })
}

/** Requires the capability to write the document that the hold is held for. Throws `SCOPE_DENIED`. */
function requireCapability({ kinds }: Gateway, caller: Caller, { source }: HoldRow): void {
  const { capability } = findHolding(kinds, source)
  if (caller.capabilities.has(capability)) return
  throw new GatewayError('SCOPE_DENIED', {
    say: ['capability_missing', { capability, plan: caller.plan }],
    more: {
      required_capability: capability,
      plan: caller.plan,
      required_plan: findSmallestPlanWith(capability),
    },
  })
}

function toNotReleasableError(row: HoldRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say:
      row.source === 'order'
        ? ['hold_of_order', { id: row.hold_id, order: row.source_id }]
        : ['not_in_state', { id: row.hold_id, status: row.status, needed: 'reserved' }],
  })
}

/** Reads a hold of any channel. Throws `NOT_FOUND`. */
export async function requireHold(db: Db | Tx, id: string): Promise<HoldRow> {
  const row = await findHold(db, id)
  if (row) return row
  throw toNotFoundError('hold', id)
}

function findHold(db: Db | Tx, id: string): Promise<HoldRow | undefined> {
  return db.selectFrom('holds').selectAll().where('hold_id', '=', id).executeTakeFirst()
}

/** Lists the holds of a document for operators, newest first, at most `maxOfDocument`. */
export async function listHoldsOfDocument({ store }: Gateway, documentId: string, holdId: string | null) {
  const rows = await store.db
    .selectFrom('holds')
    .selectAll()
    .where((eb) => eb.or([eb('source_id', '=', documentId), eb('hold_id', '=', holdId ?? '')]))
    .orderBy('created_at', 'desc')
    .orderBy('hold_id', 'desc')
    .limit(maxOfDocument)
    .execute()
  return rows.map(toHoldJson)
}

export function toHoldJson(row: HoldRow): z.input<typeof hold> {
  return {
    hold_id: row.hold_id,
    source: holdSources.find((source) => source === row.source) ?? 'order',
    source_id: row.source_id,
    lines: [...parseHeldLines(row)],
    status: holdStates.find((state) => state === row.status) ?? 'reserved',
    status_raw: row.status_raw,
    released_reason: releasedReasons.find((reason) => reason === row.released_reason) ?? null,
    expires_at: formatInstant(row.expires_at),
    created_at: formatInstant(row.created_at),
    updated_at: formatInstant(row.updated_at),
  }
}
