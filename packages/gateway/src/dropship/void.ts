import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { alone } from '../operations/alone.ts'
import { inDoubt } from '../operations/failures.ts'
import { isReleased, linesOf, reservedHold, settleWithSource } from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { keepAnswer } from '../operations/keys.ts'
import { lockOfNumber } from '../operations/locks.ts'
import type { Db, Tx } from '../store/store.ts'
import type { DropshipRow } from '../store/tables.ts'
import { applyToDropship } from './apply.ts'
import { dropshipRow, ownDropship } from './read.ts'
import { doubt, dropshipShown } from './shown.ts'

type DropshipTold = { data: ReturnType<typeof dropshipShown> }

/** Giving back the stock that a preview holds. */
export const dropshipRelease: Write<{ readonly hold_id: string }, DropshipTold> = {
  kind: 'dropship.release',
  isDone: isReleased,
  async applied(gateway, tx, { document_id, reference }, { hold_id }, { document }) {
    const hold = { hold_id, reference, source: 'dropship_preview', source_id: document_id }
    await settleWithSource(gateway, tx, hold, 'release', document?.status_raw ?? null)
    return shownFrom(tx, document_id)
  },
  async undone(_gateway, tx, { document_id }) {
    await marked(tx, document_id, doubt.none).execute()
  },
}

/** Voiding an order: cancelled before the hand-over to the warehouse, intercepted after it. */
export const dropshipVoid: Write<null, DropshipTold> = {
  kind: 'dropship.void',
  isDone: ({ status }) => status === 'cancelled' || status === 'intercepted',
  async applied(gateway, tx, { document_id }, _detail, { document }) {
    const row = await dropshipRow(tx, document_id)
    if (!row || document === null) throw new Error(`The ERP voided ${document_id} and told of nothing.`)
    return new Reply({ data: dropshipShown(await applyToDropship(gateway, tx, row, document)) })
  },
  async undone(_gateway, tx, { document_id }) {
    await marked(tx, document_id, doubt.none).execute()
  },
}

/** Releases a preview; twice is the same. After the submit there is no preview to release. */
export async function releaseDropship(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return underLock(gateway, caller, id, async (row, lock) => {
    if (row.submitted_at !== null) throw alreadySubmitted(row)
    return released(gateway, call, row, lock)
  })
}

/** Voids an order; of a preview it is the release. Again: the same document. */
export async function voidDropship(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return underLock(gateway, caller, id, async (row, lock) => {
    if (row.submitted_at === null) return released(gateway, call, row, lock)
    if (row.status === 'cancelled' || row.status === 'intercepted') return shown(row)
    if (row.status === 'shipped') throw alreadyShipped(row)
    const { reference } = row
    return perform(gateway, call, dropshipVoid, {
      ...planFor(row, lock),
      reference,
      send: (options) => gateway.erp.void({ reference }, options),
    })
  })
}

async function underLock<T>(
  gateway: Gateway,
  caller: Caller,
  id: string,
  work: (row: DropshipRow, lock: string) => Promise<T>,
): Promise<T> {
  const { channel_code, client_order_number, sku } = await ownDropship(gateway.store.db, caller, id)
  const lock = lockOfNumber(channel_code, client_order_number, sku)
  return alone(gateway, lock, id, async () => {
    const row = await ownDropship(gateway.store.db, caller, id)
    if (row.in_doubt !== doubt.none) throw inDoubt(id)
    return work(row, lock)
  })
}

async function released(gateway: Gateway, call: Call, row: DropshipRow, lock: string) {
  if (row.status === 'cancelled') return shown(row)
  const hold = await reservedHold(gateway.store.db, row)
  if (!hold) return dropped(gateway, call, row)
  const { reference, hold_id } = hold
  return perform(gateway, call, dropshipRelease, {
    ...planFor(row, lock),
    reference,
    detail: { hold_id },
    warehouses: linesOf(hold).map(({ warehouse_code }) => warehouse_code),
    send: (options) => gateway.erp.release({ reference, reason: 'release' }, options),
  })
}

/** A preview that holds nothing is ours alone. */
function dropped(gateway: Gateway, call: Call, row: DropshipRow) {
  const { dropship_order_id: id } = row
  return gateway.store.db.transaction().execute(async (tx) => {
    const now = gateway.clock.now()
    const fields = { status: 'cancelled', cancelled_at: now, updated_at: now }
    await tx.updateTable('dropship_orders').set(fields).where('dropship_order_id', '=', id).execute()
    const reply = shown({ ...row, ...fields })
    await keepAnswer(gateway, tx, call.key, reply, 200, { type: 'dropship_order', id })
    return reply
  })
}

function planFor(row: DropshipRow, lock: string) {
  const { dropship_order_id: id, channel_code } = row
  return {
    document: { type: 'dropship_order', id },
    lock,
    channel_code,
    detail: null,
    mark: (db: Db) => [marked(db, id, doubt.preview)],
  }
}

function alreadySubmitted({ dropship_order_id: id }: DropshipRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'invalid_state',
    say: ['no_preview_any_more', { id }],
  })
}

function alreadyShipped({ dropship_order_id: id, status }: DropshipRow): GatewayError {
  return new GatewayError('UPSTREAM_REJECTED', {
    reason: 'already_shipped',
    say: ['not_in_state', { id, status, needed: 'pending' }],
  })
}

function shown(row: DropshipRow) {
  return new Reply({ data: dropshipShown(row) })
}

async function shownFrom(tx: Tx, id: string) {
  const row = await dropshipRow(tx, id)
  if (!row) throw new Error(`The drop-ship order ${id} is gone.`)
  return shown(row)
}

function marked(db: Db, id: string, in_doubt: number) {
  return db.updateTable('dropship_orders').set({ in_doubt }).where('dropship_order_id', '=', id)
}
