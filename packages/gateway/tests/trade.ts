import type { AddressInfo } from 'node:net'
import type { Erp } from '@trade-gateway/connector'
import { expect } from 'vitest'
import { type Gateway, openGateway } from '../src/gateway.ts'
import { createApp } from '../src/http/app.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { expireDue } from '../src/operations/expiry.ts'
import { syncStock } from '../src/stock/sync.ts'
import {
  type Account,
  adminToken,
  buyers,
  type CallInit,
  call,
  type House,
  type Loose,
  type Result,
  signedIn,
  testConfig,
} from './harness.ts'
import { noted } from './read-only-run.ts'

/** A buyer at work: calls with a token that does not run out, and goods that no other test touches. */
export interface Shop {
  readonly house: House
  token(): Promise<string>
  get(path: string): Promise<Result>
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Result>
  send(method: string, path: string, init?: CallInit): Promise<Result>
  /** A sellable SKU of this test's own, with so much in each warehouse and nothing elsewhere. */
  sku(stock?: Readonly<Record<string, number>>): Promise<string>
  /** What the gateway publishes. */
  available(sku: string, warehouse?: string): Promise<number>
}

export const anyId = (prefix: string) => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`)
const tokenLifeMs = 50 * 60_000
const realWarehouses = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
/** Which SKUs of a house are taken. */
const taken = new WeakMap<House, Set<string>>()

export function shopOf(house: House, buyer: Account = buyers[0]): Shop {
  let known: { token: string; at: number } | undefined
  const token = async () => {
    if (!known || house.clock.now() - known.at > tokenLifeMs) {
      known = { token: await signedIn(house, buyer), at: house.clock.now() }
    }
    return known.token
  }
  const send = async (method: string, path: string, init: CallInit = {}) =>
    call(house, method, `/api/v1${path}`, { token: await token(), ...init })
  const get = (path: string) => send('GET', path)
  const post = (path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    send('POST', path, { headers, ...(body === undefined ? {} : { body }) })
  return {
    house,
    token,
    get,
    post,
    send,
    async sku(stock = { AUSYD1: 10 }) {
      await token()
      const sku = untouched(house, buyer.customer_code)
      for (const code of realWarehouses) setStock(house, code, sku, stock[code] ?? 0)
      await syncStock(house.gateway)
      await house.gateway.mirror.stock.follow()
      return sku
    },
    async available(sku, warehouse = 'AUSYD1') {
      const { json } = await get(`/warehouses/${warehouse}/stock?sku=${sku}`)
      return json.data[0].quantity_available
    },
  }
}

function untouched(house: House, customer: string): string {
  const used = taken.get(house) ?? new Set()
  taken.set(house, used)
  const rows = house.sandbox.store.all(
    "select sku from stock where sku not like 'SBX-%' and withdrawn = 0 group by sku having count(*) = 3 and sum(held) = 0 order by sku",
  )
  const sku = rows
    .map((row) => String(row.sku))
    .find((each) => !used.has(each) && house.gateway.mirror.reference.maySell(customer, each))
  if (sku === undefined) throw new Error('Every SKU of this house is taken: open it with more styles.')
  used.add(sku)
  return sku
}

export function setStock(house: House, warehouse_code: string, sku: string, on_hand: number) {
  house.sandbox.steering.setStock({ warehouse_code, sku, on_hand })
}

export const harbourShipping = { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' }

export const alex = {
  name: 'Alex Lee',
  phone: '+61 2 5550 1234',
  address: '1 Example Street',
  city: 'Sydney',
  state: 'NSW',
  postal_code: '2000',
  country_code: 'AU',
}

let numbers = 0
/** An order number that no other test uses. */
export function orderNumber(): string {
  numbers += 1
  return `NO-${numbers}`
}

export interface DropshipWish {
  readonly sku: string
  readonly quantity: number
  readonly recipient: Readonly<Record<string, unknown>>
  readonly client_order_number: string
  readonly [more: string]: unknown
}

/** The body of a drop-ship preview and of its submit. */
export function dropshipOf(sku: string, more: Readonly<Record<string, unknown>> = {}): DropshipWish {
  return { sku, quantity: 1, recipient: alex, client_order_number: orderNumber(), ...more }
}

/** A draft with shipping, in AUSYD1. */
export async function draftOf(
  shop: Shop,
  sku: string,
  quantity = 2,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Loose> {
  const body = {
    warehouse_code: 'AUSYD1',
    lines: [{ sku, quantity }],
    shipping: harbourShipping,
    ...more,
  }
  return expectData(await shop.post('/orders', body), 201)
}

/** The document of a success. */
export function expectData(answer: Result, status = 200): Loose {
  expect(answer.status, answer.text).toBe(status)
  return answer.json.data
}

/** The failure of an answer, which must be this one. */
export function expectError(answer: Result, code: string, more: Loose = {}): Loose {
  expect(answer.json.error, answer.text).toMatchObject({ code, ...more })
  return answer.json.error
}

/** What the feed says of a SKU since a version. */
export async function changesOf(shop: Shop, since: number, sku: string, warehouse = 'AUSYD1') {
  const { json } = await shop.get(`/warehouses/${warehouse}/stock/changes?since=${since}`)
  return json.data
    .filter((row: Loose) => row.sku === sku)
    .map((row: Loose) => row.quantity_available) as number[]
}

export async function versionOf(shop: Shop, warehouse = 'AUSYD1'): Promise<number> {
  const { json } = await shop.get(`/warehouses/${warehouse}/stock?page_size=1`)
  return json.version
}

/** Every document of the ERP under one client's number. */
export function erpDocuments(house: House, number: string) {
  const found = []
  let after: number | null = 0
  while (after !== null) {
    const { documents, next } = house.sandbox.steering.documents(after)
    found.push(...documents.filter((each) => each.client_order_number === number))
    after = next
  }
  return found
}

/** The ERP's name of a document of ours. */
export async function referenceOf(house: House, id: string): Promise<string> {
  const { db } = house.gateway.store
  const [order, dropship] = await Promise.all([
    db.selectFrom('orders').select('reference').where('order_id', '=', id).executeTakeFirst(),
    db
      .selectFrom('dropship_orders')
      .select('reference')
      .where('dropship_order_id', '=', id)
      .executeTakeFirst(),
  ])
  const row = order ?? dropship
  if (!row) throw new Error(`There is no order ${id}.`)
  return row.reference
}

/** The ERP's name of a hold of ours. */
export async function referenceOfHold(house: House, hold_id: string): Promise<string> {
  const { reference } = await house.gateway.store.db
    .selectFrom('holds')
    .select('reference')
    .where('hold_id', '=', hold_id)
    .executeTakeFirstOrThrow()
  return reference
}

/** How much of a SKU the ERP holds and has allocated. */
export function heldAtErp(house: House, sku: string): number {
  const { held_rows } = house.sandbox.steering.stockTotals()
  return held_rows.filter((row) => row.sku === sku).reduce((sum, row) => sum + row.held, 0)
}

/** Lets time pass, and the worker that gives back what is over take its turn. */
export async function pass(house: House, ms: number) {
  house.clock.advance(ms)
  await expireDue(house.gateway)
}

/** Changes a channel as the operator does. */
export async function changeChannel(house: House, buyer: Account, body: unknown) {
  const path = `/admin/api/channels/channel-of-${buyer.customer_code}`
  expectData(await call(house, 'PATCH', path, { admin: adminToken, body }))
  await house.gateway.sessions.follow()
}

/** A second gateway over the store and the clock of a house: another process, with settings of its own. */
export async function openBeside(
  house: House,
  settings: Readonly<Record<string, string>>,
  erp: Erp = house.sandbox.erp,
): Promise<House> {
  const { store, clock } = house.gateway
  const gateway: Gateway = await openGateway({
    config: testConfig(settings),
    store,
    erp: noted(erp),
    clock,
    log: jsonLog('silent'),
  })
  await gateway.mirror.stock.follow()
  await gateway.mirror.reference.follow()
  const server = createApp(gateway)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...house,
    gateway,
    port,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
