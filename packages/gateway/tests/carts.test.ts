import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buyers, call, type House, type Loose, openHouse, type Result, world } from './harness.ts'
import {
  anyId,
  changeChannel,
  expectData,
  expectError,
  harbourShipping,
  orderNumber,
  type Shop,
  setStock,
  shopOf,
} from './trade.ts'

/** Carts over HTTP (contract §9): the gateway's own; they show prices and availability and never hold stock. */
let house: House
let shop: Shop
let other: Shop

beforeAll(async () => {
  house = await openHouse({ styles: 60 })
  shop = shopOf(house)
  other = shopOf(house, buyers[1])
})
afterAll(() => house.close())

const made = async (body?: unknown) => expectData(await shop.post('/carts', body), 201)
const checkOut = (id: string) => shop.post(`/carts/${id}/checkout`)
const change = (id: string, body: unknown) => shop.send('PATCH', `/carts/${id}`, { body })
const put = (id: string, items: unknown) => shop.send('PUT', `/carts/${id}/items`, { body: { items } })
const drop = (id: string) => shop.send('DELETE', `/carts/${id}`)
const read = async (id: string) => expectData(await shop.get(`/carts/${id}`))
const rejected = (answer: Result, reason: string) => expectError(answer, 'UPSTREAM_REJECTED', { reason })

describe('a cart', () => {
  it('shows price and availability as they are, and holds nothing', async () => {
    const sku = await shop.sku({ AUSYD1: 3, AUSYD2: 4 })
    house.sandbox.steering.setPrice({ sku, price_wholesale: 1999 })
    await house.settle()
    const cart = await made({ warehouse_code: 'AU', items: [{ sku, quantity: 50 }] })
    expect(cart).toMatchObject({
      status: 'draft',
      warehouse_code: 'AU',
      account_id: 'acc_1',
      order_id: null,
      cancelled_at: null,
      items: [{ sku, quantity: 50, quantity_available: 7, price_wholesale: 19.99, currency: 'AUD' }],
    })
    expect(cart.cart_id).toMatch(anyId('crt'))
    expect([await shop.available(sku), await shop.available(sku, 'AUSYD2')]).toEqual([3, 4])
    setStock(house, 'AUSYD2', sku, 9)
    await house.settle()
    expect((await read(cart.cart_id)).items[0].quantity_available).toBe(12)
    const narrowed = expectData(await change(cart.cart_id, { warehouse_code: 'AUSYD1' }))
    expect(narrowed.items[0].quantity_available).toBe(3)
  })

  it('may begin empty; PATCH and PUT replace its items, and what was read can be sent back', async () => {
    const [one, two] = [await shop.sku(), await shop.sku()]
    const { cart_id: id, items } = await made()
    expect(items).toEqual([])
    house.clock.advance(1)
    const filled = expectData(await put(id, [{ sku: one, quantity: 1 }]))
    expect(filled.items).toMatchObject([{ sku: one, quantity: 1 }])
    const noted = expectData(await change(id, { remark: '礼物', client_order_number: 'C-1' }))
    expect(noted).toMatchObject({ remark: '礼物', client_order_number: 'C-1', items: filled.items })
    const both = [...noted.items, { sku: two, quantity: 2 }]
    const replaced = expectData(await put(id, both))
    expect(replaced.items).toMatchObject([
      { sku: one, quantity: 1 },
      { sku: two, quantity: 2 },
    ])
    const forged = replaced.items.map((item: Loose) => ({ ...item, price_wholesale: 0, quantity: 3 }))
    const patched = expectData(await change(id, { items: forged }))
    expect(patched.items[0]).toEqual({ ...replaced.items[0], quantity: 3 })
    expect(await read(id)).toEqual(patched)
  })

  it('is checked out into a draft, once: again answers the same cart with the same order', async () => {
    const sku = await shop.sku({ AUSYD1: 5 })
    const body = {
      warehouse_code: 'AUSYD1',
      items: [{ sku, quantity: 2 }],
      client_order_number: orderNumber(),
      remark: 'x',
    }
    const { cart_id } = await made(body)
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
    expect(await shop.available(sku)).toBe(5)
    const submitted = await shop.post(`/orders/${order_id}/submit`, { shipping: harbourShipping })
    expect(expectData(submitted).status).toBe('confirmed')
    expect(await shop.available(sku)).toBe(3)
  })

  it('is checked out once by many at once', async () => {
    const sku = await shop.sku()
    const client_order_number = orderNumber()
    const { cart_id } = await made({ items: [{ sku, quantity: 1 }], client_order_number })
    const answers = await Promise.all(Array.from({ length: 8 }, () => checkOut(cart_id)))
    expect(new Set(answers.map((answer) => expectData(answer).order_id)).size).toBe(1)
    const { json } = await shop.get(`/orders?client_order_number=${client_order_number}`)
    expect(json.data).toHaveLength(1)
  })

  it('that is empty cannot be checked out, nor with what the account may not sell', async () => {
    const { cart_id } = await made()
    expectError(await checkOut(cart_id), 'VALIDATION_FAILED', { param: 'items' })
    const { token } = await world(house)
    const items = [{ sku: 'SBX-BLOCKED', quantity: 1 }]
    expectError(await put(cart_id, items), 'VALIDATION_FAILED', {
      param: 'items[0].sku',
      reason: 'sku_blocked',
    })
    expect((await call(house, 'POST', '/api/v1/carts', { token, body: { items } })).status).toBe(201)
    expect((await read(cart_id)).status).toBe('draft')
  })

  it('that is closed is changed by nothing; what was asked for before is answered again', async () => {
    const items = [{ sku: await shop.sku(), quantity: 1 }]
    const { cart_id: bought } = await made({ items })
    const confirmed = expectData(await checkOut(bought))
    rejected(await put(bought, items), 'invalid_state')
    rejected(await change(bought, { remark: 'x' }), 'invalid_state')
    rejected(await drop(bought), 'invalid_state')
    expect(await read(bought)).toEqual(confirmed)
    const { cart_id: left } = await made({ items })
    const cancelled = expectData(await drop(left))
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) })
    expect(expectData(await drop(left))).toEqual(cancelled)
    rejected(await put(left, items), 'already_cancelled')
    rejected(await change(left, { remark: 'x' }), 'already_cancelled')
    rejected(await checkOut(left), 'already_cancelled')
    expect(await read(left)).toEqual(cancelled)
  })

  it('against its deletion: one of them wins', async () => {
    const items = [{ sku: await shop.sku(), quantity: 1 }]
    const { cart_id } = await made({ items })
    const both = await Promise.all([checkOut(cart_id), drop(cart_id)])
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  })

  it('is edited with either grant, and checked out with an OMS account only', async () => {
    const { token } = await world(house)
    const items = [{ sku: await shop.sku(), quantity: 1 }]
    const send = (method: string, path: string, body?: unknown) =>
      call(house, method, `/api/v1/carts${path}`, { token, ...(body ? { body } : {}) })
    const { cart_id, account_id } = expectData(await send('POST', '', { items }), 201)
    expect(account_id).toBeNull()
    expectData(await send('PATCH', `/${cart_id}`, { remark: 'x' }))
    expectError(await send('POST', `/${cart_id}/checkout`), 'OMS_LOGIN_REQUIRED')
    expectData(await send('DELETE', `/${cart_id}`))
    const { token: reader } = await world(house, { plan: 'reader' })
    const refused = await call(house, 'POST', '/api/v1/carts', { token: reader, body: {} })
    expectError(refused, 'SCOPE_DENIED', { required_capability: 'carts.write' })
    expect((await call(house, 'GET', '/api/v1/carts', { token: reader })).status).toBe(200)
  })

  it('keeps to the warehouses of the channel', async () => {
    const sku = await other.sku({ AUSYD1: 5, AUSYD2: 2 })
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AUSYD2'] })
    const items = [{ sku, quantity: 1 }]
    const cart = expectData(await other.post('/carts', { items }), 201)
    expect(cart.items[0].quantity_available).toBe(2)
    expectError(await other.post('/carts', { items, warehouse_code: 'AUSYD1' }), 'WAREHOUSE_DENIED')
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
    const body = { items: [{ sku: await shop.sku(), quantity: 1 }] }
    const headers = { 'idempotency-key': `key-${orderNumber()}` }
    const first = await shop.post('/carts', body, headers)
    const again = await shop.post('/carts', body, headers)
    expect([again.status, again.text]).toEqual([201, first.text])
    const { cart_id } = first.json.data
    const answers = [first, again, await shop.get(`/carts/${cart_id}`), await drop(cart_id)]
    expect(answers.map((answer) => answer.headers.get('ratelimit-cost'))).toEqual(['2', '1', '1', '2'])
  })
})

describe('the list of carts', () => {
  it('filters by status and days; what is open is shown however old', async () => {
    const { token } = await world(house)
    const get = async (query: string) => {
      const answer = await call(house, 'GET', `/api/v1/carts?${query}`, { token })
      return answer.json.data.map((each: Loose) => each.cart_id)
    }
    const make = async () =>
      expectData(await call(house, 'POST', '/api/v1/carts', { token, body: {} }), 201).cart_id
    const old = await make()
    house.clock.advance(1)
    const gone = await make()
    await call(house, 'DELETE', `/api/v1/carts/${gone}`, { token })
    expect(await get('')).toEqual([gone, old])
    expect(await get('status=draft')).toEqual([old])
    expect(await get('status=cancelled')).toEqual([gone])
    expect(await get('page_size=1')).toEqual([gone])
    expect(await get('page_size=1&page=2')).toEqual([old])
    const { db } = house.gateway.store
    const longAgo = house.clock.now() - 40 * 24 * 60 * 60_000
    await db.updateTable('carts').set({ created_at: longAgo }).where('cart_id', 'in', [old, gone]).execute()
    expect(await get('')).toEqual([old])
    expect(await get('start_date=2026-11-20')).toEqual([])
    expect((await get('start_date=2026-10-01&end_date=2026-10-30')).toSorted()).toEqual(
      [old, gone].toSorted(),
    )
    const refused = await call(house, 'GET', '/api/v1/carts?status=open', { token })
    expectError(refused, 'VALIDATION_FAILED', { param: 'status' })
  })
})
