import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { alone } from '../operations/alone.ts'
import { inDoubt } from '../operations/failures.ts'
import { holdEnding, reservedHold } from '../operations/holds.ts'
import { perform, type Write } from '../operations/intent.ts'
import { keepAnswer } from '../operations/keys.ts'
import { lockOfDocument } from '../operations/locks.ts'
import type { Db, Tx } from '../store/store.ts'
import type { OrderRow } from '../store/tables.ts'
import { applyToOrder } from './apply.ts'
import { ownOrder, rowOf } from './read.ts'
import { orderShown } from './shown.ts'

type OrderTold = { data: ReturnType<typeof orderShown> }

/** Voiding an order that the ERP has: it gives the stock back. */
export const orderVoid: Write<null, OrderTold> = {
  kind: 'order.void',
  isDone: ({ status }) => status === 'cancelled' || status === 'intercepted',
  async applied(gateway, tx, { document_id }, _detail, { document }) {
    const row = await rowOf(tx, document_id)
    if (document === null) throw new Error('The ERP voided an order and told of none.')
    return new Reply({ data: orderShown(await applyToOrder(gateway, tx, row, document)) })
  },
  async undone(_gateway, tx, { document_id }) {
    await marked(tx, document_id, 0).execute()
  },
}

/** Voiding a draft that still holds a reservation's stock. */
export const orderDrop: Write<null, OrderTold> = {
  kind: 'order.drop',
  isDone: ({ status }) => status === 'released' || status === 'expired',
  async applied(gateway, tx, { document_id, reference }, _detail, { document }) {
    await tx.executeQuery(holdEnding(gateway, reference, 'release', document?.status_raw ?? null))
    return new Reply({ data: orderShown(await cancelled(gateway, tx, await rowOf(tx, document_id))) })
  },
  async undone(_gateway, tx, { document_id }) {
    await marked(tx, document_id, 0).execute()
  },
}

/** Voids an order: a draft here, a confirmed one at the ERP. Again: the same document. */
export async function voidOrder(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return alone(gateway, lockOfDocument(id), id, async () => {
    const row = await ownOrder(gateway.store.db, caller, id)
    if (row.in_doubt === 1) throw inDoubt(id)
    if (row.status === 'cancelled') return new Reply({ data: orderShown(row) })
    const plan = {
      document: { type: 'order', id },
      lock: lockOfDocument(id),
      channel_code: row.channel_code,
      detail: null,
      mark: (db: Db) => [marked(db, id, 1)],
    }
    if (row.status === 'confirmed') {
      const { reference } = row
      const send = (options: Parameters<typeof gateway.erp.void>[1]) =>
        gateway.erp.void({ reference }, options)
      return perform(gateway, call, orderVoid, { ...plan, reference, send })
    }
    const hold = await reservedHold(gateway.store.db, row)
    if (!hold) return voidDraft(gateway, call, row)
    return perform(gateway, call, orderDrop, {
      ...plan,
      reference: hold.reference,
      send: (options) => gateway.erp.release({ reference: hold.reference, reason: 'release' }, options),
    })
  })
}

function voidDraft(gateway: Gateway, call: Call, row: OrderRow) {
  return gateway.store.db.transaction().execute(async (tx) => {
    const reply = new Reply({ data: orderShown(await cancelled(gateway, tx, row)) })
    await keepAnswer(gateway, tx, call.key, reply, 200, { type: 'order', id: row.order_id })
    return reply
  })
}

async function cancelled(gateway: Gateway, tx: Tx, row: OrderRow): Promise<OrderRow> {
  const now = gateway.clock.now()
  const fields = { status: 'cancelled', cancelled_at: now, updated_at: now, in_doubt: 0, hold_id: null }
  await tx.updateTable('orders').set(fields).where('order_id', '=', row.order_id).execute()
  return { ...row, ...fields }
}

function marked(db: Db, id: string, in_doubt: number) {
  return db.updateTable('orders').set({ in_doubt }).where('order_id', '=', id)
}
