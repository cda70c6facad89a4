/** Helpers for a test that acts as a buyer: calls with a token that is renewed, and SKUs that no other test uses. */

import type { AddressInfo } from 'node:net'
import type { Erp } from '@trade-gateway/connector'
import { expect } from 'vitest'
import { openGateway } from '../src/compose.ts'
import type { Gateway } from '../src/gateway.ts'
import { releaseExpiredHolds } from '../src/holds/expire.ts'
import { createApp } from '../src/http/app.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { plantCanaries } from './canaries.ts'
import {
  type Account,
  adminToken,
  buyers,
  type CallInit,
  type CallResult,
  call,
  createTestConfig,
  type LooseJson,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { recordOperations } from './read-only-run.ts'
import { syncStock } from './sync-stock.ts'

export interface Buyer {
  readonly house: TestGateway
  /** Returns the buyer's token, a new one shortly before the former one expires. */
  token(): Promise<string>
  get(path: string): Promise<CallResult>
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<CallResult>
  send(method: string, path: string, init?: CallInit): Promise<CallResult>
  /** Picks a sellable SKU that only this test uses, and sets its stock per warehouse. */
  createSku(stock?: Readonly<Record<string, number>>): Promise<string>
  /** Reads the quantity that the gateway publishes as available. */
  readAvailable(sku: string, warehouse?: string): Promise<number>
}

export const buildIdPattern = (prefix: string) => new RegExp(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`)
export const tokenLifeMs = 50 * 60_000
const realWarehouses = ['AUSYD1', 'AUSYD2', 'CHNZJ1']
/** The SKUs of each gateway that tests already use. */
const taken = new WeakMap<TestGateway, Set<string>>()

export function openShop(house: TestGateway, buyer: Account = buyers[0]): Buyer {
  let known: { token: string; at: number } | undefined
  const token = async () => {
    if (!known || house.clock.now() - known.at > tokenLifeMs) {
      known = { token: await signInBuyer(house, buyer), at: house.clock.now() }
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
    async createSku(stock = { AUSYD1: 10 }) {
      await token()
      const sku = findUnusedSku(house, buyer.customer_code)
      for (const code of realWarehouses) setStock(house, code, sku, stock[code] ?? 0)
      await syncStock(house.gateway)
      await house.gateway.mirror.stock.follow()
      return sku
    },
    async readAvailable(sku, warehouse = 'AUSYD1') {
      const { json } = await get(`/warehouses/${warehouse}/stock?sku=${sku}`)
      return json.data[0].quantity_available
    },
  }
}

function findUnusedSku(house: TestGateway, customer: string): string {
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

export function setStock(house: TestGateway, warehouse_code: string, sku: string, on_hand: number) {
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
plantCanaries(alex.name, alex.phone, alex.address)

let numbers = 0
/** Creates an order number that no other test uses. */
export function createOrderNumber(): string {
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

/** Builds the body for a drop-ship preview and its submit. */
export function buildDropship(sku: string, more: Readonly<Record<string, unknown>> = {}): DropshipWish {
  return { sku, quantity: 1, recipient: alex, client_order_number: createOrderNumber(), ...more }
}

/** Creates a draft with shipping details, in AUSYD1. */
export async function createDraft(
  shop: Buyer,
  sku: string,
  quantity = 2,
  more: Readonly<Record<string, unknown>> = {},
): Promise<LooseJson> {
  const body = {
    warehouse_code: 'AUSYD1',
    lines: [{ sku, quantity }],
    shipping: harbourShipping,
    ...more,
  }
  return expectData(await shop.post('/orders', body), 201)
}

/** Checks that the response is a success, and returns its document. */
export function expectData(answer: CallResult, status = 200): LooseJson {
  expect(answer.status, answer.text).toBe(status)
  return answer.json.data
}

/** Checks that the response is a failure with this code, and returns the error object. */
export function expectError(answer: CallResult, code: string, more: LooseJson = {}): LooseJson {
  expect(answer.json.error, answer.text).toMatchObject({ code, ...more })
  return answer.json.error
}

/** Reads the available quantities that the feed reports for a SKU since a version. */
export async function readChanges(shop: Buyer, since: number, sku: string, warehouse = 'AUSYD1') {
  const { json } = await shop.get(`/warehouses/${warehouse}/stock/changes?since=${since}`)
  return json.data
    .filter((row: LooseJson) => row.sku === sku)
    .map((row: LooseJson) => row.quantity_available) as number[]
}

export async function readVersion(shop: Buyer, warehouse = 'AUSYD1'): Promise<number> {
  const { json } = await shop.get(`/warehouses/${warehouse}/stock?page_size=1`)
  return json.version
}

/** Lists every document of the ERP that has this client's order number. */
export function listErpDocuments(house: TestGateway, number: string) {
  const found = []
  let after: number | null = 0
  while (after !== null) {
    const { documents, next } = house.sandbox.steering.listDocuments(after)
    found.push(...documents.filter((each) => each.client_order_number === number))
    after = next
  }
  return found
}

/** Finds the ERP's reference for an order or a drop-ship order. */
export async function findReference(house: TestGateway, id: string): Promise<string> {
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

/** Finds the ERP's reference for a hold. */
export async function findHoldReference(house: TestGateway, hold_id: string): Promise<string> {
  const { reference } = await house.gateway.store.db
    .selectFrom('holds')
    .select('reference')
    .where('hold_id', '=', hold_id)
    .executeTakeFirstOrThrow()
  return reference
}

/** Counts the units of a SKU that the ERP holds or has allocated. */
export function countHeldAtErp(house: TestGateway, sku: string): number {
  const { held_rows } = house.sandbox.steering.readStockTotals()
  return held_rows.filter((row) => row.sku === sku).reduce((sum, row) => sum + row.held, 0)
}

/** Advances the clock and runs the worker that releases expired holds. */
export async function passTime(house: TestGateway, ms: number) {
  house.clock.advance(ms)
  await releaseExpiredHolds(house.gateway)
}

/** Changes a channel as the operator does. */
export async function changeChannel(house: TestGateway, buyer: Account, body: unknown) {
  const path = `/admin/api/channels/channel-of-${buyer.customer_code}`
  expectData(await call(house, 'PATCH', path, { admin: adminToken, body }))
  await house.gateway.sessions.follow()
}

/** Opens a second gateway on the same store and clock, like another process with its own settings. */
export async function openSecondGateway(
  house: TestGateway,
  settings: Readonly<Record<string, string>>,
  erp: Erp = house.sandbox.erp,
): Promise<TestGateway> {
  const { store, clock } = house.gateway
  const gateway: Gateway = await openGateway({
    config: createTestConfig(settings),
    store,
    erp: recordOperations(erp),
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
