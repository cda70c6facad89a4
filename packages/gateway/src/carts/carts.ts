import { z } from 'zod'
import type { Call, Caller } from '../contract/call.ts'
import { Reply } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import { currency, instantField, listOf, price, productCode, sku } from '../contract/fields.ts'
import type { windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { alone } from '../operations/alone.ts'
import { newDraft, plainDraft } from '../operations/drafts.ts'
import { checkGoods, type Line, styleOf } from '../operations/goods.ts'
import { keepAnswer } from '../operations/keys.ts'
import { listPage } from '../operations/list.ts'
import { lockOfDocument } from '../operations/locks.ts'
import { owned } from '../operations/own.ts'
import { usableWarehouses, warehousesFor } from '../operations/warehouses.ts'
import { availableIn } from '../stock/available.ts'
import type { Db, Tx } from '../store/store.ts'
import type { CartRow } from '../store/tables.ts'

/** Carts are the gateway's own: prices and availability are shown as they are, and no stock is held. */
export const cartStates = ['draft', 'confirmed', 'cancelled'] as const
const created = 201

export const cart = z
  .object({
    cart_id: z.string(),
    client_order_number: z.string().nullable(),
    account_id: z.string().nullable(),
    status: z.enum(cartStates),
    warehouse_code: z.string().nullable(),
    items: z.array(
      z.object({
        sku,
        product_code: productCode,
        quantity: z.int(),
        quantity_available: z.int(),
        price_wholesale: price.nullable(),
        currency: currency.nullable(),
      }),
    ),
    order_id: z.string().nullable(),
    remark: z.string().nullable(),
    created_at: instantField,
    cancelled_at: instantField.nullable(),
    updated_at: instantField,
  })
  .meta({ id: 'Cart' })

export const cartPage = listOf(cart)

type CartReply = Reply<{ data: z.input<typeof cart> }>

interface CartBody {
  readonly items?: readonly Line[] | undefined
  readonly warehouse_code?: string | undefined
  readonly client_order_number?: string | undefined
  readonly remark?: string | undefined
}

export async function createCart(gateway: Gateway, call: Call, caller: Caller, body: CartBody) {
  const items = body.items ?? []
  usableWarehouses(gateway, caller, body.warehouse_code ?? null)
  checkGoods(gateway, caller, items, skuOfItem)
  const now = gateway.clock.now()
  const row: CartRow = {
    cart_id: gateway.ids.next('crt'),
    channel_code: caller.channel_code,
    account_id: caller.account?.account_id ?? null,
    client_order_number: body.client_order_number ?? null,
    warehouse_code: body.warehouse_code ?? null,
    items: JSON.stringify(items),
    status: 'draft',
    order_id: null,
    remark: body.remark ?? null,
    created_at: now,
    cancelled_at: null,
    updated_at: now,
  }
  return gateway.store.db.transaction().execute(async (tx) => {
    await tx.insertInto('carts').values(row).execute()
    return kept(gateway, tx, call, caller, row, created)
  })
}

type Asked = Parameters<typeof windowOf>[0] & { readonly status?: string | undefined }

export async function listCarts(gateway: Gateway, caller: Caller, asked: Asked) {
  let query = gateway.store.db.selectFrom('carts').selectAll().where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const list = { query, time: 'created_at', id: 'cart_id', open: 'draft' } as const
  return listPage(gateway, asked, list, (row) => shown(gateway, caller, row))
}

export async function readCart(gateway: Gateway, caller: Caller, id: string) {
  return { data: shown(gateway, caller, await ownCart(gateway.store.db, caller, id)) }
}

/** Changes an open cart; `items` replaces all of them. */
export async function changeCart(gateway: Gateway, call: Call, caller: Caller, id: string, body: CartBody) {
  return whileOpen(gateway, caller, id, undefined, async (row) => {
    if (body.warehouse_code !== undefined) usableWarehouses(gateway, caller, body.warehouse_code)
    checkGoods(gateway, caller, body.items ?? [], skuOfItem)
    return changed(gateway, call, caller, row, {
      items: body.items === undefined ? row.items : JSON.stringify(body.items),
      warehouse_code: body.warehouse_code ?? row.warehouse_code,
      client_order_number: body.client_order_number ?? row.client_order_number,
      remark: body.remark ?? row.remark,
    })
  })
}

/** Makes a wholesale draft of the cart. Again: the same cart, with the same order. */
export async function checkOutCart(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return whileOpen(gateway, caller, id, 'confirmed', async (row) => {
    const lines = itemsOf(row)
    if (lines.length === 0) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'items',
        reason: 'invalid_field',
        say: ['cart_empty', { id }],
      })
    }
    checkGoods(gateway, caller, lines, skuOfItem)
    return gateway.store.db.transaction().execute(async (tx) => {
      const { order_id } = await newDraft(gateway, tx, {
        ...plainDraft,
        channel_code: row.channel_code,
        account_id: caller.account?.account_id ?? null,
        warehouse_code: row.warehouse_code,
        lines,
        client_order_number: row.client_order_number,
        remark: row.remark,
      })
      return put(gateway, tx, call, caller, row, { status: 'confirmed', order_id })
    })
  })
}

/** Throws the cart away; twice is the same. */
export async function deleteCart(gateway: Gateway, call: Call, caller: Caller, id: string) {
  return whileOpen(gateway, caller, id, 'cancelled', (row) =>
    changed(gateway, call, caller, row, { status: 'cancelled', cancelled_at: gateway.clock.now() }),
  )
}

/** Works on a draft. A closed cart answers `again` where it is what was asked for, and refuses everything else. */
async function whileOpen(
  gateway: Gateway,
  caller: Caller,
  id: string,
  again: string | undefined,
  work: (row: CartRow) => Promise<CartReply>,
): Promise<CartReply> {
  return alone(gateway, lockOfDocument(id), id, async () => {
    const row = await ownCart(gateway.store.db, caller, id)
    if (row.status === 'draft') return work(row)
    if (row.status === again) return new Reply({ data: shown(gateway, caller, row) })
    throw new GatewayError('UPSTREAM_REJECTED', {
      reason: row.status === 'cancelled' ? 'already_cancelled' : 'invalid_state',
      say: ['not_in_state', { id, status: row.status, needed: 'draft' }],
    })
  })
}

function changed(gateway: Gateway, call: Call, caller: Caller, row: CartRow, fields: Partial<CartRow>) {
  return gateway.store.db.transaction().execute((tx) => put(gateway, tx, call, caller, row, fields))
}

async function put(
  gateway: Gateway,
  tx: Tx,
  call: Call,
  caller: Caller,
  row: CartRow,
  fields: Partial<CartRow>,
) {
  const all = { ...fields, updated_at: gateway.clock.now() }
  await tx.updateTable('carts').set(all).where('cart_id', '=', row.cart_id).execute()
  return kept(gateway, tx, call, caller, { ...row, ...all }, 200)
}

async function kept(
  gateway: Gateway,
  tx: Tx,
  call: Call,
  caller: Caller,
  row: CartRow,
  status: number,
): Promise<CartReply> {
  const reply = new Reply({ data: shown(gateway, caller, row) })
  await keepAnswer(gateway, tx, call.key, reply, status, { type: 'cart', id: row.cart_id })
  return reply
}

async function ownCart(db: Db | Tx, caller: Caller, id: string): Promise<CartRow> {
  const row = await db.selectFrom('carts').selectAll().where('cart_id', '=', id).executeTakeFirst()
  return owned(row, caller, 'cart', id)
}

function shown(gateway: Gateway, caller: Caller, row: CartRow): z.input<typeof cart> {
  return {
    cart_id: row.cart_id,
    client_order_number: row.client_order_number,
    account_id: row.account_id,
    status: cartStates.find((state) => state === row.status) ?? 'draft',
    warehouse_code: row.warehouse_code,
    items: itemsOf(row).map((item) => ({
      ...item,
      product_code: styleOf(gateway, item.sku),
      ...availableIn(gateway, warehousesFor(gateway, caller, row.warehouse_code), item.sku),
    })),
    order_id: row.order_id,
    remark: row.remark,
    created_at: instant(row.created_at),
    cancelled_at: row.cancelled_at === null ? null : instant(row.cancelled_at),
    updated_at: instant(row.updated_at),
  }
}

function itemsOf(row: CartRow): Line[] {
  return JSON.parse(row.items)
}

function skuOfItem(index: number): string {
  return `items[${index}].sku`
}
