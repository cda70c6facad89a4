/** Carts exist only in the gateway. They show current prices and availability, and hold no stock. */

import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { currency, instantField, price, productCode, sku, toListSchema } from '../contract/fields.ts'
import type { ListQuery } from '../contract/lists.ts'
import { Reply } from '../contract/reply.ts'
import { requireOwned } from '../documents/own.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import { chooseField, draftDefaults, listDraftRows } from '../ordering/drafts.ts'
import { checkGoods, checkLineCount, findStyleOf } from '../ordering/goods.ts'
import { sumAvailable } from '../stock/available.ts'
import { findUsableWarehouses, requireUsableWarehouses } from '../stock/warehouses.ts'
import { fromJson, toJson } from '../store/json.ts'
import type { Db, Tx } from '../store/store.ts'
import type { CartRow, Line } from '../store/tables.ts'
import { toDocumentLockName, withDocumentLock } from '../writes/document-lock.ts'
import { toDocumentInDoubtError } from '../writes/failures.ts'
import { storeResponse } from '../writes/keys.ts'
import { replyUnchanged } from '../writes/reply-unchanged.ts'

/** The states of a cart. */
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

export const cartPage = toListSchema(cart)

type CartReply = Reply<{ data: z.input<typeof cart> }>

interface CartBody {
  readonly items?: readonly Line[] | undefined
  readonly warehouse_code?: string | null | undefined
  readonly client_order_number?: string | null | undefined
  readonly remark?: string | null | undefined
}

export async function createCart(context: CallContext, body: CartBody) {
  const { gateway, caller } = context
  const items = body.items ?? []
  requireUsableWarehouses(gateway, caller, body.warehouse_code ?? null)
  checkGoods({ gateway, caller }, items, toItemSkuParam)
  const now = gateway.clock.now()
  const row: CartRow = {
    cart_id: gateway.ids.next('crt'),
    channel_code: caller.channel_code,
    account_id: caller.account?.account_id ?? null,
    client_order_number: body.client_order_number ?? null,
    warehouse_code: body.warehouse_code ?? null,
    items: toJson(items),
    status: 'draft',
    order_id: null,
    remark: body.remark ?? null,
    created_at: now,
    cancelled_at: null,
    updated_at: now,
  }
  return gateway.store.db.transaction().execute(async (tx) => {
    await tx.insertInto('carts').values(row).execute()
    return createAndStoreReply({ ...context, tx }, row, created)
  })
}

type CartQuery = ListQuery & { readonly status?: string | undefined }

export async function listCarts(gateway: Gateway, caller: Caller, asked: CartQuery) {
  let query = gateway.store.db.selectFrom('carts').selectAll().where('channel_code', '=', caller.channel_code)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const onlyOpen = asked.status === 'draft'
  const list = { query, time: 'created_at', id: 'cart_id', open: 'draft', onlyOpen } as const
  const known: Availabilities = new Map()
  return readListPage(gateway, asked, list, (row) => toCartJson(gateway, caller, row, known))
}

export async function readCart(gateway: Gateway, caller: Caller, id: string) {
  return { data: toCartJson(gateway, caller, await requireOwnCart(gateway.store.db, caller, id)) }
}

/** Changes the given fields of an open cart; `items` replaces all items. */
export async function changeCart(context: CallContext, id: string, body: CartBody) {
  const { gateway, caller } = context
  return withOpenCart(context, { id }, async (row) => {
    if (body.warehouse_code !== undefined) requireUsableWarehouses(gateway, caller, body.warehouse_code)
    checkGoods({ gateway, caller }, body.items ?? [], toItemSkuParam)
    return updateCart(context, row, {
      items: body.items === undefined ? row.items : toJson(body.items),
      warehouse_code: chooseField(body.warehouse_code, row.warehouse_code),
      client_order_number: chooseField(body.client_order_number, row.client_order_number),
      remark: chooseField(body.remark, row.remark),
    })
  })
}

/** Creates a wholesale draft from the cart. Checking out twice returns the same cart with the same order. */
export async function checkOutCart(context: CallContext, id: string) {
  const { gateway, caller } = context
  return withOpenCart(context, { id, done: 'confirmed' }, async (row) => {
    const lines = fromJson(row.items)
    if (lines.length === 0) {
      throw new GatewayError('VALIDATION_FAILED', {
        param: 'items',
        reason: 'invalid_field',
        say: ['cart_empty', { id }],
      })
    }
    checkLineCount(gateway, lines, 'items')
    checkGoods({ gateway, caller }, lines, toItemSkuParam)
    return gateway.store.db.transaction().execute(async (tx) => {
      const draft = {
        ...draftDefaults,
        channel_code: row.channel_code,
        account_id: caller.account?.account_id ?? null,
        warehouse_code: row.warehouse_code,
        lines,
        client_order_number: row.client_order_number,
        remark: row.remark,
      }
      const { order_id } = await gateway.kinds.insertDraft(
        tx,
        listDraftRows(gateway, draft, context.call.key),
      )
      context.call.documentId = order_id
      return writeCart({ ...context, tx }, row, { status: 'confirmed', order_id })
    })
  })
}

/** Cancels the cart. Cancelling twice returns the same cart. */
export async function cancelCart(context: CallContext, id: string) {
  return withOpenCart(context, { id, done: 'cancelled' }, (row) =>
    updateCart(context, row, { status: 'cancelled', cancelled_at: context.gateway.clock.now() }),
  )
}

interface OpenCart {
  readonly id: string
  /**
   * The state of the cart after the work. A cart that is already in this state is returned unchanged, so that the call
   * can be repeated.
   */
  readonly done?: string
}

/**
 * Runs `work` on the caller's own open cart under its lock. A closed cart is refused unless its state is `done`; then
 * it is returned unchanged.
 */
async function withOpenCart(
  context: CallContext,
  { id, done }: OpenCart,
  work: (row: CartRow) => Promise<CartReply>,
): Promise<CartReply> {
  const { gateway, caller } = context
  return withDocumentLock(gateway, { lock: toDocumentLockName(id), id }, async () => {
    const row = await requireOwnCart(gateway.store.db, caller, id)
    if (row.status === 'draft') return work(row)
    if (row.status === done)
      return replyUnchanged(context, {
        resource: { type: 'cart', id },
        data: toCartJson(gateway, caller, row),
      })
    throw new GatewayError('UPSTREAM_REJECTED', {
      reason: row.status === 'cancelled' ? 'already_cancelled' : 'invalid_state',
      say: ['not_in_state', { id, status: row.status, needed: 'draft' }],
    })
  })
}

function updateCart(context: CallContext, row: CartRow, fields: Partial<CartRow>) {
  const { db } = context.gateway.store
  return db.transaction().execute((tx) => writeCart({ ...context, tx }, row, fields))
}

interface CartCommit extends CallContext {
  readonly tx: Tx
}

async function writeCart(context: CartCommit, row: CartRow, fields: Partial<CartRow>) {
  const { tx } = context
  const all = { ...fields, updated_at: context.gateway.clock.now() }
  const changed = await tx
    .updateTable('carts')
    .set(all)
    .where('cart_id', '=', row.cart_id)
    .where('status', '=', 'draft')
    .executeTakeFirst()
  // No row has changed: the lock was lost, and another process has closed the cart.
  if (changed.numUpdatedRows !== 1n) throw toDocumentInDoubtError(row.cart_id)
  return createAndStoreReply(context, { ...row, ...all }, 200)
}

async function createAndStoreReply(
  { gateway, call, caller, tx }: CartCommit,
  row: CartRow,
  status: number,
): Promise<CartReply> {
  const reply = new Reply({ data: toCartJson(gateway, caller, row) })
  const resource = { type: 'cart', id: row.cart_id }
  await storeResponse({ gateway, tx, keyed: call.key }, { reply, status, resource })
  return reply
}

async function requireOwnCart(db: Db | Tx, caller: Caller, id: string): Promise<CartRow> {
  const row = await db.selectFrom('carts').selectAll().where('cart_id', '=', id).executeTakeFirst()
  return requireOwned(row, caller, 'cart', id)
}

/** What is available of a SKU, by the cart's warehouse and the SKU: the carts of a page have many SKUs in common. */
type Availabilities = Map<string, ReturnType<typeof sumAvailable>>

function toCartJson(
  gateway: Gateway,
  caller: Caller,
  row: CartRow,
  known: Availabilities = new Map(),
): z.input<typeof cart> {
  const usable = findUsableWarehouses(gateway, caller, row.warehouse_code)
  const findAvailable = (sku: string) => {
    const name = JSON.stringify([row.warehouse_code, sku])
    const available = known.get(name) ?? sumAvailable(gateway, usable, sku)
    known.set(name, available)
    return available
  }
  return {
    cart_id: row.cart_id,
    client_order_number: row.client_order_number,
    account_id: row.account_id,
    status: cartStates.find((state) => state === row.status) ?? 'draft',
    warehouse_code: row.warehouse_code,
    items: fromJson(row.items).map((item) => ({
      ...item,
      product_code: findStyleOf(gateway, item.sku),
      ...findAvailable(item.sku),
    })),
    order_id: row.order_id,
    remark: row.remark,
    created_at: formatInstant(row.created_at),
    cancelled_at: row.cancelled_at === null ? null : formatInstant(row.cancelled_at),
    updated_at: formatInstant(row.updated_at),
  }
}

function toItemSkuParam(index: number): string {
  return `items[${index}].sku`
}
