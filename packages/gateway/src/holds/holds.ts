import { z } from 'zod'
import { planWith } from '../access/plans.ts'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField, listOf, sku } from '../contract/fields.ts'
import type { windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { alone } from '../operations/alone.ts'
import { dataAge } from '../operations/data-age.ts'
import { inDoubt } from '../operations/failures.ts'
import {
  behind,
  doubtSource,
  type HeldBy,
  holdSources,
  isInDoubt,
  isReleased,
  linesOf,
  releasedReasons,
  settleWithSource,
} from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { listPage } from '../operations/list.ts'
import { owned } from '../operations/own.ts'
import type { Db, Tx } from '../store/store.ts'
import type { HoldRow } from '../store/tables.ts'

/** Stock that is held, whichever document holds it. `status` uses the reservation's words. */
export const holdStates = ['reserved', 'cancelled', 'confirmed'] as const

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

export const holdPage = listOf(hold)

/** Releasing a hold by its own id: its preview or reservation ends with it. */
export const holdRelease: Write<HeldBy, { data: z.input<typeof hold> }> = {
  kind: 'hold.release',
  isDone: isReleased,
  async applied(gateway, tx, _intent, detail, { document }) {
    await settleWithSource(gateway, tx, detail, 'release', document?.status_raw ?? null)
    const row = await holdRow(tx, detail.hold_id)
    if (!row) throw new Error(`The hold ${detail.hold_id} is gone.`)
    return new Reply({ data: holdShown(row) })
  },
  async undone(_gateway, tx, _intent, detail) {
    await tx.executeQuery(doubtSource(tx, detail, 0))
  },
}

type Asked = Parameters<typeof windowOf>[0] & { readonly status?: string | undefined }

export async function listHolds(gateway: Gateway, caller: Caller, asked: Asked) {
  let query = gateway.store.db.selectFrom('holds').selectAll().where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const list = { query, time: 'created_at', id: 'hold_id', open: 'reserved' } as const
  return new Reply(await listPage(gateway, asked, list, holdShown), await dataAge(gateway))
}

export async function readHold(gateway: Gateway, caller: Caller, id: string) {
  const row = owned(await holdRow(gateway.store.db, id), caller, 'hold', id)
  return new Reply({ data: holdShown(row) }, await dataAge(gateway))
}

/** Whose write a hold is deleted by: that of its source. */
export function capabilityOf({ source }: HoldRow) {
  return source === 'dropship_preview' ? ('dropship.write' as const) : ('reservations.write' as const)
}

/** Releases a hold; twice is the same. An order's hold goes with its order. */
export async function deleteHold(gateway: Gateway, call: Call, caller: Caller, id: string) {
  const known = owned(await holdRow(gateway.store.db, id), caller, 'hold', id)
  const capability = capabilityOf(known)
  if (!caller.capabilities.has(capability)) {
    throw new GatewayError('SCOPE_DENIED', {
      say: ['capability_missing', { capability, plan: caller.plan }],
      more: { required_capability: capability, plan: caller.plan, required_plan: planWith(capability) },
    })
  }
  const { lock } = await behind(gateway.store.db, known)
  return alone(gateway, lock, id, async () => {
    const row = owned(await holdRow(gateway.store.db, id), caller, 'hold', id)
    if (row.status === 'cancelled') return new Reply({ data: holdShown(row) })
    if (row.status !== 'reserved' || row.source === 'order') throw refused(row)
    const document = await behind(gateway.store.db, row)
    if (document.lock !== lock || (await isInDoubt(gateway.store.db, document.id)))
      throw inDoubt(row.source_id)
    const { reference, source, source_id, hold_id, channel_code } = row
    return perform(gateway, call, holdRelease, {
      document,
      lock,
      reference,
      channel_code,
      warehouses: linesOf(row).map(({ warehouse_code }) => warehouse_code),
      detail: { reference, source, source_id, hold_id },
      mark: (db) => [doubtSource(db, row, 1)],
      send: (options) => gateway.erp.release({ reference, reason: 'release' }, options),
    })
  })
}

function refused(row: HoldRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say:
      row.source === 'order'
        ? ['hold_of_order', { id: row.hold_id, order: row.source_id }]
        : ['not_in_state', { id: row.hold_id, status: row.status, needed: 'reserved' }],
  })
}

function holdRow(db: Db | Tx, id: string): Promise<HoldRow | undefined> {
  return db.selectFrom('holds').selectAll().where('hold_id', '=', id).executeTakeFirst()
}

function holdShown(row: HoldRow): z.input<typeof hold> {
  return {
    hold_id: row.hold_id,
    source: holdSources.find((source) => source === row.source) ?? 'order',
    source_id: row.source_id,
    lines: JSON.parse(row.lines),
    status: holdStates.find((state) => state === row.status) ?? 'reserved',
    status_raw: row.status_raw,
    released_reason: releasedReasons.find((reason) => reason === row.released_reason) ?? null,
    expires_at: instant(row.expires_at),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  }
}
