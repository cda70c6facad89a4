/**
 * Carts over HTTP (contract §9): they exist only in the gateway, show prices and availability, and never reserve stock.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buyers,
  type CallResult,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import {
  type Buyer,
  buildIdPattern,
  changeChannel,
  createOrderNumber,
  expectData,
  expectError,
  harbourShipping,
  openShop,
  setStock,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let other: Buyer

beforeAll(async () => {
  house = await openTestGateway({ styles: 60 })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

const createCart = async (body?: unknown) => expectData(await shop.post('/carts', body), 201)
const checkOut = (id: string) => shop.post(`/carts/${id}/checkout`)
const changeCart = (id: string, body: unknown) => shop.send('PATCH', `/carts/${id}`, { body })
const putItems = (id: string, items: unknown) => shop.send('PUT', `/carts/${id}/items`, { body: { items } })
const deleteCart = (id: string) => shop.send('DELETE', `/carts/${id}`)
const readCart = async (id: string) => expectData(await shop.get(`/carts/${id}`))
const expectRejected = (answer: CallResult, reason: string) =>
  expectError(answer, 'UPSTREAM_REJECTED', { reason })

describe('a cart', () => {
  it('shows price and availability as they are, and holds nothing', async () => {
    const sku = await shop.createSku({ AUSYD1: 3, AUSYD2: 4 })
    house.sandbox.steering.setPrice({ sku, price_wholesale: 1999 })
    await house.settle()
    const cart = await createCart({ warehouse_code: 'AU', items: [{ sku, quantity: 50 }] })
    expect(cart).toMatchObject({
      status: 'draft',
      warehouse_code: 'AU',
      account_id: 'acc_1',
      order_id: null,
      cancelled_at: null,
      items: [{ sku, quantity: 50, quantity_available: 7, price_wholesale: 19.99, currency: 'AUD' }],
    })
    expect(cart.cart_id).toMatch(buildIdPattern('crt'))
    expect([await shop.readAvailable(sku), await shop.readAvailable(sku, 'AUSYD2')]).toEqual([3, 4])
    setStock(house, 'AUSYD2', sku, 9)
    await house.settle()
    expect((await readCart(cart.cart_id)).items[0].quantity_available).toBe(12)
    const narrowed = expectData(await changeCart(cart.cart_id, { warehouse_code: 'AUSYD1' }))
    expect(narrowed.items[0].quantity_available).toBe(3)
  })

  it('may begin empty; PATCH and PUT replace its items, and what was read can be sent back', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    const { cart_id: id, items } = await createCart()
    expect(items).toEqual([])
    expect(expectData(await changeCart(id, { items })).items).toEqual([])
    house.clock.advance(1)
    const filled = expectData(await putItems(id, [{ sku: one, quantity: 1 }]))
    expect(filled.items).toMatchObject([{ sku: one, quantity: 1 }])
    const noted = expectData(await changeCart(id, { remark: '礼物', client_order_number: 'C-1' }))
    expect(noted).toMatchObject({ remark: '礼物', client_order_number: 'C-1', items: filled.items })
    const both = [...noted.items, { sku: two, quantity: 2 }]
    const replaced = expectData(await putItems(id, both))
    expect(replaced.items).toMatchObject([
      { sku: one, quantity: 1 },
      { sku: two, quantity: 2 },
    ])
    const forged = replaced.items.map((item: LooseJson) => ({ ...item, price_wholesale: 0, quantity: 3 }))
    const patched = expectData(await changeCart(id, { items: forged }))
    expect(patched.items[0]).toEqual({ ...replaced.items[0], quantity: 3 })
    expect(await readCart(id)).toEqual(patched)
    const none = { warehouse_code: null, remark: null, client_order_number: null }
    expect(expectData(await changeCart(id, none))).toMatchObject({ ...none, items: patched.items })
    expect(expectData(await putItems(id, [])).items).toEqual([])
  })

  it('is checked out into a draft, once: again answers the same cart with the same order', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const body = {
      warehouse_code: 'AUSYD1',
      items: [{ sku, quantity: 2 }],
      client_order_number: createOrderNumber(),
      remark: 'x',
    }
    const { cart_id } = await createCart(body)
    const first = await checkOut(cart_id)
    expect(expectData(first)).toMatchObject({ status: 'confirmed', order_id: expect.any(String) })
    const answers = await Promise.all([checkOut(cart_id), checkOut(cart_id)])
    for (const answer of answers) expect(answer.json).toEqual(first.json)
    const { order_id } = first.json.data
    expect(expectData(await shop.get(`/orders/${order_id}`))).toMatchObject({
      status: 'draft',
      status_raw: null,
      account_id: 'acc_1',
      warehouse_code: 'AUSYD1',
      lines: [{ sku, quantity: 2 }],
      client_order_number: body.client_order_number,
      remark: 'x',
      shipping: null,
    })
    expect(await shop.readAvailable(sku)).toBe(5)
    const submitted = await shop.post(`/orders/${order_id}/submit`, { shipping: harbourShipping })
    expect(expectData(submitted).status).toBe('confirmed')
    expect(await shop.readAvailable(sku)).toBe(3)
  })

  it('is checked out once by many at once', async () => {
    const sku = await shop.createSku()
    const client_order_number = createOrderNumber()
    const { cart_id } = await createCart({ items: [{ sku, quantity: 1 }], client_order_number })
    const answers = await Promise.all(Array.from({ length: 8 }, () => checkOut(cart_id)))
    expect(new Set(answers.map((answer) => expectData(answer).order_id)).size).toBe(1)
    const { json } = await shop.get(`/orders?client_order_number=${client_order_number}`)
    expect(json.data).toHaveLength(1)
  })

  it('that is empty cannot be checked out, nor with what the account may not sell', async () => {
    const { cart_id } = await createCart()
    expectError(await checkOut(cart_id), 'VALIDATION_FAILED', { param: 'items' })
    const { token } = await createWorld(house)
    const items = [{ sku: 'SBX-BLOCKED', quantity: 1 }]
    expectError(await putItems(cart_id, items), 'VALIDATION_FAILED', {
      param: 'items[0].sku',
      reason: 'sku_blocked',
    })
    expect((await call(house, 'POST', '/api/v1/carts', { token, body: { items } })).status).toBe(201)
    expect((await readCart(cart_id)).status).toBe('draft')
  })

  it('that is closed is changed by nothing; what was asked for before is answered again', async () => {
    const items = [{ sku: await shop.createSku(), quantity: 1 }]
    const { cart_id: bought } = await createCart({ items })
    const confirmed = expectData(await checkOut(bought))
    expectRejected(await putItems(bought, items), 'invalid_state')
    expectRejected(await changeCart(bought, { remark: 'x' }), 'invalid_state')
    expectRejected(await deleteCart(bought), 'invalid_state')
    expect(await readCart(bought)).toEqual(confirmed)
    const { cart_id: left } = await createCart({ items })
    const cancelled = expectData(await deleteCart(left))
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) })
    expect(expectData(await deleteCart(left))).toEqual(cancelled)
    expectRejected(await putItems(left, items), 'already_cancelled')
    expectRejected(await changeCart(left, { remark: 'x' }), 'already_cancelled')
    expectRejected(await checkOut(left), 'already_cancelled')
    expect(await readCart(left)).toEqual(cancelled)
  })

  it('against its deletion: one of them wins', async () => {
    const items = [{ sku: await shop.createSku(), quantity: 1 }]
    const { cart_id } = await createCart({ items })
    const both = await Promise.all([checkOut(cart_id), deleteCart(cart_id)])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('is edited with either grant, and checked out with an OMS account only', async () => {
    const { token } = await createWorld(house)
    const items = [{ sku: await shop.createSku(), quantity: 1 }]
    const sendToCarts = (method: string, path: string, body?: unknown) =>
      call(house, method, `/api/v1/carts${path}`, { token, ...(body ? { body } : {}) })
    const { cart_id, account_id } = expectData(await sendToCarts('POST', '', { items }), 201)
    expect(account_id).toBeNull()
    expectData(await sendToCarts('PATCH', `/${cart_id}`, { remark: 'x' }))
    expectError(await sendToCarts('POST', `/${cart_id}/checkout`), 'OMS_LOGIN_REQUIRED')
    expectData(await sendToCarts('DELETE', `/${cart_id}`))
    const { token: reader } = await createWorld(house, { plan: 'reader' })
    const refused = await call(house, 'POST', '/api/v1/carts', { token: reader, body: {} })
    expectError(refused, 'SCOPE_DENIED', { required_capability: 'carts.write' })
    expect((await call(house, 'GET', '/api/v1/carts', { token: reader })).status).toBe(200)
  })

  it('keeps to the warehouses of the channel', async () => {
    const sku = await other.createSku({ AUSYD1: 5, AUSYD2: 2 })
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AUSYD2'] })
    const items = [{ sku, quantity: 1 }]
    const cart = expectData(await other.post('/carts', { items }), 201)
    expect(cart.items[0].quantity_available).toBe(2)
    for (const warehouse_code of ['AUSYD1', 'AU'])
      expectError(await other.post('/carts', { items, warehouse_code }), 'WAREHOUSE_DENIED')
    expectError(await other.post('/carts', { items, warehouse_code: 'NOWHERE' }), 'WAREHOUSE_UNKNOWN')
    const path = `/carts/${cart.cart_id}`
    const moved = await other.send('PATCH', path, { body: { warehouse_code: 'AUSYD1' } })
    expectError(moved, 'WAREHOUSE_DENIED', { param: 'warehouse_code' })
    await changeChannel(house, buyers[1], { warehouse_allowlist: [], wholesale_enabled: false })
    expectError(await other.post(`${path}/checkout`), 'SCOPE_DENIED', { reason: 'switched_off' })
    expectData(await other.send('PATCH', path, { body: { remark: 'x' } }))
    await changeChannel(house, buyers[1], { wholesale_enabled: true })
    expect(expectData(await other.post(`${path}/checkout`)).status).toBe('confirmed')
  })

  it('costs two points to write, one to read and to replay', async () => {
    const body = { items: [{ sku: await shop.createSku(), quantity: 1 }] }
    const headers = { 'idempotency-key': `key-${createOrderNumber()}` }
    const first = await shop.post('/carts', body, headers)
    const again = await shop.post('/carts', body, headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    const { cart_id } = first.json.data
    const answers = [first, again, await shop.get(`/carts/${cart_id}`), await deleteCart(cart_id)]
    expect(answers.map((answer) => answer.headers.get('ratelimit-cost'))).toEqual(['2', '1', '1', '2'])
  })
})

describe('the list of carts', () => {
  it('filters by status and days; what is open is shown however old', async () => {
    const { token } = await createWorld(house)
    const listCartIds = async (query: string) => {
      const answer = await call(house, 'GET', `/api/v1/carts?${query}`, { token })
      return answer.json.data.map((each: LooseJson) => each.cart_id)
    }
    const createEmptyCart = async () =>
      expectData(await call(house, 'POST', '/api/v1/carts', { token, body: {} }), 201).cart_id
    const old = await createEmptyCart()
    house.clock.advance(1)
    const gone = await createEmptyCart()
    await call(house, 'DELETE', `/api/v1/carts/${gone}`, { token })
    expect(await listCartIds('')).toEqual([gone, old])
    expect(await listCartIds('status=draft')).toEqual([old])
    expect(await listCartIds('status=cancelled')).toEqual([gone])
    expect(await listCartIds('page_size=1')).toEqual([gone])
    expect(await listCartIds('page_size=1&page=2')).toEqual([old])
    const { db } = house.gateway.store
    const longAgo = house.clock.now() - 40 * 24 * 60 * 60_000
    await db.updateTable('carts').set({ created_at: longAgo }).where('cart_id', 'in', [old, gone]).execute()
    expect(await listCartIds('')).toEqual([old])
    expect(await listCartIds('start_date=2026-11-20')).toEqual([])
    expect((await listCartIds('start_date=2026-10-01&end_date=2026-10-30')).toSorted()).toEqual(
      [old, gone].toSorted(),
    )
    const refused = await call(house, 'GET', '/api/v1/carts?status=open', { token })
    expectError(refused, 'VALIDATION_FAILED', { param: 'status' })
  })
})
