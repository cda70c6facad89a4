/** Wholesale orders over HTTP (contract §6, §7): draft, preview, submit, void, and the list of orders. */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { catalogue } from '../src/catalogue.ts'
import { en } from '../src/contract/texts/en.ts'
import { acceptsIdempotencyKey, type Endpoint } from '../src/endpoint.ts'
import { sha256 } from '../src/kernel/crypto.ts'
import { toCanonicalJson } from '../src/kernel/json.ts'
import { toJson } from '../src/store/json.ts'
import type { OrderRow } from '../src/store/tables.ts'
import {
  adminToken,
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
  buildDropship,
  buildIdPattern,
  changeChannel,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  findReference,
  harbourShipping,
  listErpDocuments,
  openShop,
  readChanges,
  readVersion,
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

const minute = 60_000
const readOrder = async (id: string) => expectData(await shop.get(`/orders/${id}`))
const preview = (id: string, body?: unknown) => shop.post(`/orders/${id}/allocation-preview`, body)
const submit = (id: string, body?: unknown) => shop.post(`/orders/${id}/submit`, body)
const voidOrder = (id: string) => shop.send('DELETE', `/orders/${id}`)
const changePrice = (sku: string, minor: number) =>
  house.sandbox.steering.setPrice({ sku, price_wholesale: minor, warehouse_code: 'AUSYD1' })

/** Checks that no field of the draft has changed, not even `updated_at`. */
async function expectUnchanged(draft: LooseJson) {
  expect(await readOrder(draft.order_id)).toEqual(draft)
}

describe('a wholesale order', () => {
  it('goes from draft over preview and submit to void; mirror and feed have the stock before each answer', async () => {
    const sku = await shop.createSku({ AUSYD1: 10 })
    const since = await readVersion(shop)
    const draft = await createDraft(shop, sku, 2)
    expect(draft).toMatchObject({ status: 'draft', status_raw: null, in_doubt: false, submitted_at: null })
    const { order_id } = draft

    const previewed = expectData(await preview(order_id))
    expect(previewed).toMatchObject({ fulfillable: true, order_id, status: 'draft', hold: null })
    expect(await shop.readAvailable(sku)).toBe(10)
    expect(await readChanges(shop, since, sku)).toEqual([])

    const submitted = expectData(await submit(order_id))
    expect(submitted).toMatchObject({ order_id, status: 'confirmed', in_doubt: false, paid: false })
    expect(submitted.lines).toMatchObject([{ sku, quantity: 2, quantity_allocated: 2, quantity_shipped: 0 }])
    expect(submitted.costs).toEqual(previewed.costs)
    expect(await shop.readAvailable(sku)).toBe(8)
    expect(await readChanges(shop, since, sku)).toEqual([8])
    expect(await readChanges(shop, since, sku, 'AU')).toEqual([8])

    const voided = expectData(await voidOrder(order_id))
    expect(voided).toMatchObject({ status: 'cancelled', cancelled_at: expect.any(String) })
    expect(await shop.readAvailable(sku)).toBe(10)
    expect(await readChanges(shop, since, sku)).toEqual([10])
    expect(expectData(await voidOrder(order_id))).toEqual(voided)
    expect(await readOrder(order_id)).toEqual(voided)
  })

  it('has the raw code of the ERP byte for byte, and an opaque id that tells nothing of it', async () => {
    const sku = await shop.createSku()
    const number = createOrderNumber()
    const { order_id } = await createDraft(shop, sku, 1, { client_order_number: number })
    const submitted = expectData(await submit(order_id))
    const [document] = listErpDocuments(house, number)
    expect(submitted.status_raw).toBe(document?.status_raw)
    expect(order_id).toMatch(buildIdPattern('ord'))
    expect(JSON.stringify(submitted)).not.toContain(document?.reference)
    house.clock.advance(2 * minute)
    await house.settle()
    expect(await readOrder(order_id)).toMatchObject({ status: 'confirmed', status_raw: 'PICKING' })
  })
})

describe('a draft', () => {
  it('needs no shipping, is 201, and names its account', async () => {
    const sku = await shop.createSku()
    const draft = expectData(await shop.post('/orders', { lines: [{ sku, quantity: 1 }] }), 201)
    expect(draft).toMatchObject({
      status: 'draft',
      account_id: 'acc_1',
      warehouse_code: null,
      shipping: null,
      payment_method: 'invoice',
      costs: null,
      currency: null,
      lines: [{ sku, quantity: 1, quantity_allocated: 0, unit_price: null, line_total: null }],
    })
    expect(draft.created_at).toBe(new Date(house.clock.now()).toISOString())
  })

  it('is changed by PATCH, field by field; lines are replaced as a whole', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    const draft = await createDraft(shop, one)
    const path = `/orders/${draft.order_id}`
    house.clock.advance(1)
    const noted = expectData(
      await shop.send('PATCH', path, { body: { remark: '请小心', allow_partial: true } }),
    )
    expect(noted).toEqual({ ...draft, remark: '请小心', updated_at: expect.any(String) })
    expect(noted.updated_at > draft.updated_at).toBe(true)
    const lines = [{ sku: two, quantity: 7 }]
    const changed = expectData(await shop.send('PATCH', path, { body: { lines } }))
    expect(changed.lines).toMatchObject(lines)
    expect(changed.lines).toHaveLength(1)
    expect(changed.remark).toBe('请小心')
  })

  it('takes back what was read of it: read-only fields of lines are ignored, never set', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku, 2)
    const { lines, shipping } = await readOrder(order_id)
    const forged = lines.map((line: LooseJson) => ({ ...line, unit_price: 0.01, quantity_allocated: 99 }))
    const changed = expectData(
      await shop.send('PATCH', `/orders/${order_id}`, { body: { lines: forged, shipping } }),
    )
    expect(changed.lines).toEqual(lines)
    const submitted = expectData(await submit(order_id, { lines: forged, shipping }))
    expect(submitted.lines[0].unit_price).toBeGreaterThan(0.01)
    expect(submitted.lines[0].quantity_allocated).toBe(2)
  })

  it('takes back null for what it does not have, and gives up what is null', async () => {
    const sku = await shop.createSku()
    const fields = {
      warehouse_code: 'AUSYD1',
      remark: 'Ring twice.',
      client_order_number: createOrderNumber(),
    }
    const draft = await createDraft(shop, sku, 1, { ...fields, shipping: harbourShipping })
    const path = `/orders/${draft.order_id}`
    const none = { warehouse_code: null, remark: null, client_order_number: null, shipping: null }
    const emptied = expectData(await shop.send('PATCH', path, { body: none }))
    expect(emptied).toEqual({ ...draft, ...none, updated_at: expect.any(String) })
    const { lines, warehouse_code, remark, client_order_number, shipping } = await readOrder(draft.order_id)
    const read = { lines, warehouse_code, remark, client_order_number, shipping }
    expect(expectData(await shop.send('PATCH', path, { body: read })).lines).toEqual(lines)
    const created = expectData(await shop.post('/orders', read), 201)
    expect(created).toMatchObject(none)
  })

  it('cannot be changed once it is confirmed or cancelled', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku)
    const path = `/orders/${order_id}`
    await submit(order_id)
    const body = { remark: 'late' }
    expectError(await shop.send('PATCH', path, { body }), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    expectError(await preview(order_id), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    await voidOrder(order_id)
    const gone = { reason: 'already_cancelled' }
    expectError(await shop.send('PATCH', path, { body }), 'UPSTREAM_REJECTED', gone)
    expectError(await preview(order_id), 'UPSTREAM_REJECTED', gone)
    expectError(await submit(order_id), 'UPSTREAM_REJECTED', gone)
    expect((await readOrder(order_id)).remark).toBeNull()
  })

  it('is voided here, without the ERP', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku)
    expect(expectData(await voidOrder(order_id))).toMatchObject({
      status: 'cancelled',
      status_raw: null,
      cancelled_at: new Date(house.clock.now()).toISOString(),
    })
    expectError(await submit(order_id), 'UPSTREAM_REJECTED', { reason: 'already_cancelled' })
    expect(await shop.readAvailable(sku)).toBe(10)
  })
})

describe('a preview', () => {
  it('tells line by line what is allocated, what it costs and when it arrives', async () => {
    const sku = await shop.createSku({ AUSYD1: 10 })
    changePrice(sku, 1234)
    const draft = await createDraft(shop, sku, 3, { client_order_number: 'PO-7' })
    const data = expectData(await preview(draft.order_id))
    expect(data).toMatchObject({
      order_id: draft.order_id,
      client_order_number: 'PO-7',
      status: 'draft',
      status_raw: null,
      fulfillable: true,
      currency: 'AUD',
      shipping_method: 'au-standard',
      unfulfillable_reasons: [],
      hold: null,
    })
    expect(data.lines).toEqual([
      {
        sku,
        product_code: draft.lines[0].product_code,
        quantity: 3,
        quantity_allocated: 3,
        quantity_short: 0,
        short_reasons: [],
        allocations: [{ warehouse_code: 'AUSYD1', quantity: 3 }],
        incoming: [],
        unit_price: 12.34,
        line_total: 37.02,
      },
    ])
    const { goods, freight, handling, tax, discount, total } = data.costs
    expect(goods).toBe(37.02)
    expect(Math.round(total * 100)).toBe(Math.round((goods + freight + handling + tax - discount) * 100))
    expect(data.arrival.earliest_ship_date <= data.arrival.latest_arrival_date).toBe(true)
    expect(data.price_expires_at > new Date(house.clock.now()).toISOString()).toBe(true)
  })

  it('with a body is a what-if: it changes nothing and holds nothing', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    const draft = await createDraft(shop, one, 1)
    house.clock.advance(1)
    const body = { lines: [{ sku: two, quantity: 4 }], payment_method: 'balance', client_order_number: 'IF' }
    const data = expectData(await preview(draft.order_id, body))
    expect(data.lines).toMatchObject([{ sku: two, quantity: 4 }])
    expect(data.client_order_number).toBe('IF')
    await expectUnchanged(draft)
    expect([await shop.readAvailable(one), await shop.readAvailable(two)]).toEqual([10, 10])
  })

  it('answers a shortage: it is no error', async () => {
    const sku = await shop.createSku({ AUSYD1: 2 })
    const { order_id } = await createDraft(shop, sku, 5)
    const data = expectData(await preview(order_id))
    expect(data).toMatchObject({
      fulfillable: false,
      unfulfillable_reasons: ['insufficient_stock'],
      hold: null,
    })
    expect(data.lines).toMatchObject([
      { quantity: 5, quantity_allocated: 2, quantity_short: 3, short_reasons: ['insufficient_stock'] },
    ])
  })
})

describe('shipping', () => {
  it('is required at preview and submit, by method and, for a delivery, by address', async () => {
    const sku = await shop.createSku()
    const bare = expectData(await shop.post('/orders', { lines: [{ sku, quantity: 1 }] }), 201)
    const shipping = { shipping_method_id: 'au-standard' }
    for (const call of [preview, submit]) {
      expectError(await call(bare.order_id), 'SHIPPING_REQUIRED', { param: 'shipping' })
      expectError(await call(bare.order_id, { shipping }), 'SHIPPING_REQUIRED', {
        param: 'shipping.address_id',
      })
    }
    await expectUnchanged(bare)
    const pickup = { shipping: { shipping_method_id: 'au-pickup' } }
    expect(expectData(await submit(bare.order_id, pickup)).shipping).toEqual(pickup.shipping)
  })

  it('comes from the account’s own preferences where the order has none', async () => {
    const preferring = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({
        ...erp,
        async sign_in(input, options) {
          const answer = await erp.sign_in(input, options)
          return 'ok' in answer ? { ok: { ...answer.ok, preferences: harbourShipping } } : answer
        },
      }),
    })
    const there = openShop(preferring)
    const sku = await there.createSku()
    const lines = [{ sku, quantity: 1 }]
    const bare = expectData(await there.post('/orders', { lines }), 201)
    expect(bare.shipping).toBeNull()
    const path = `/orders/${bare.order_id}`
    expect(expectData(await there.post(`${path}/allocation-preview`)).shipping_method).toBe('au-standard')
    const submitted = expectData(await there.post(`${path}/submit`))
    expect(submitted).toMatchObject({ status: 'confirmed', shipping: harbourShipping })
    expect(expectData(await there.post(`${path}/submit`))).toEqual(submitted)
    const named = expectData(
      await there.post('/orders', { lines, shipping: { shipping_method_id: 'au-express' } }),
      201,
    )
    const other = expectData(await there.post(`/orders/${named.order_id}/submit`))
    expect(other.shipping).toEqual({ ...harbourShipping, shipping_method_id: 'au-express' })
    await preferring.close()
  })

  it('is that of the preview, whoever submits; what a submit states wins', async () => {
    const preferences = { ...harbourShipping }
    const preferring = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({
        ...erp,
        async sign_in(input, options) {
          const answer = await erp.sign_in(input, options)
          return 'ok' in answer ? { ok: { ...answer.ok, preferences: { ...preferences } } } : answer
        },
      }),
    })
    const [previewer, submitter] = [openShop(preferring), openShop(preferring)]
    const lines = [{ sku: await previewer.createSku(), quantity: 1 }]
    const addresses: LooseJson[] = (await previewer.get('/addresses')).json.data
    preferences.address_id = addresses.find(
      ({ address_id }) => address_id !== preferences.address_id,
    )?.address_id
    expect(preferences.address_id).toBeDefined()
    await submitter.token()
    const create = async () => {
      const { order_id } = expectData(await previewer.post('/orders', { lines }), 201)
      return `/orders/${order_id}`
    }
    const submitBoth = async (body: LooseJson) => {
      const path = await create()
      expectData(await previewer.post(`${path}/allocation-preview`, body))
      const submitted = expectData(await submitter.post(`${path}/submit`, body))
      expect(expectData(await submitter.post(`${path}/submit`, body))).toEqual(submitted)
      return submitted.shipping
    }
    expect(await submitBoth({})).toEqual(harbourShipping)
    expect(await submitBoth({ shipping: { shipping_method_id: 'au-express' } })).toEqual({
      ...harbourShipping,
      shipping_method_id: 'au-express',
    })
    const path = await create()
    expectData(await previewer.post(`${path}/allocation-preview`))
    const twice = await create()
    for (const body of [{}, { shipping: harbourShipping }]) {
      expectData(await previewer.post(`${twice}/allocation-preview`, body))
    }
    expect(expectData(await submitter.post(`${twice}/submit`)).shipping).toEqual(harbourShipping)
    const stated = expectData(await submitter.post(`${path}/submit`, { shipping: preferences }))
    expect(stated.shipping).toEqual(preferences)
    const shared = await create()
    for (const clerk of [previewer, submitter]) expectData(await clerk.post(`${shared}/allocation-preview`))
    expect(expectData(await previewer.post(`${shared}/submit`)).shipping).toEqual(harbourShipping)
    await preferring.close()
  })
})

describe('the warehouses of an order', () => {
  it('are the one that is named, or the members of the view that is named', async () => {
    const sku = await shop.createSku({ AUSYD1: 1, AUSYD2: 1 })
    const previewAllocations = async (warehouse_code?: string) => {
      const { order_id } = await createDraft(shop, sku, 2)
      const data = expectData(await preview(order_id, warehouse_code ? { warehouse_code } : {}))
      return data.lines[0].allocations.map((each: LooseJson) => each.warehouse_code)
    }
    expect(await previewAllocations('AUSYD2')).toEqual(['AUSYD2'])
    expect(await previewAllocations('AU')).toEqual(['AUSYD1', 'AUSYD2'])
    const { order_id } = await createDraft(shop, sku, 2, { warehouse_code: 'AU' })
    expect(expectData(await submit(order_id)).lines[0].quantity_allocated).toBe(2)
    expectError(
      await shop.post('/orders', { warehouse_code: 'NOWHERE', lines: [{ sku, quantity: 1 }] }),
      'WAREHOUSE_UNKNOWN',
      { param: 'warehouse_code' },
    )
  })

  it('are those of the allowlist and the members of its views, and nothing is allocated elsewhere', async () => {
    const sku = await other.createSku({ AUSYD1: 5, AUSYD2: 1, CHNZJ1: 5 })
    const pickup = { shipping_method_id: 'au-pickup' }
    const lines = [{ sku, quantity: 2 }]
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AUSYD2'] })
    const draft = expectData(await other.post('/orders', { lines, shipping: pickup }), 201)
    const path = `/orders/${draft.order_id}`
    const previewed = expectData(await other.post(`${path}/allocation-preview`))
    expect(previewed).toMatchObject({ fulfillable: false })
    expect(previewed.lines[0].allocations).toEqual([{ warehouse_code: 'AUSYD2', quantity: 1 }])
    expectError(await other.post(`${path}/submit`), 'UPSTREAM_REJECTED', { reason: 'insufficient_stock' })
    for (const warehouse_code of ['AUSYD1', 'CHNZJ1', 'CN', 'AU']) {
      expectError(await other.post(`${path}/submit`, { warehouse_code }), 'WAREHOUSE_DENIED')
      expectError(await other.post('/orders', { warehouse_code, lines }), 'WAREHOUSE_DENIED')
      expectError(await other.send('PATCH', path, { body: { warehouse_code } }), 'WAREHOUSE_DENIED')
    }
    await changeChannel(house, buyers[1], { warehouse_allowlist: ['AU'] })
    expect(expectData(await other.post(`${path}/submit`)).lines[0].quantity_allocated).toBe(2)
    await changeChannel(house, buyers[1], { warehouse_allowlist: [] })
  })
})

describe('a submit', () => {
  it('with a body replaces the draft’s fields, and keeps them', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    const { order_id } = await createDraft(shop, one, 1)
    const body = {
      lines: [{ sku: two, quantity: 3 }],
      shipping: { shipping_method_id: 'au-express', address_id: 'ADDR-HARBOUR-MEL' },
      payment_method: 'alipay',
      client_order_number: createOrderNumber(),
      remark: 'Tür 3',
    }
    const submitted = expectData(await submit(order_id, body))
    expect(submitted).toMatchObject({ ...body, status: 'confirmed' })
    expect(submitted.payment_url).toContain('alipay')
    expect([await shop.readAvailable(one), await shop.readAvailable(two)]).toEqual([10, 7])
    expect(await readOrder(order_id)).toEqual(submitted)
  })

  it('again, empty or saying the same, answers the same order; anything else is invalid_state', async () => {
    const sku = await shop.createSku()
    const number = createOrderNumber()
    const { order_id } = await createDraft(shop, sku, 2, { client_order_number: number })
    const submitted = await submit(order_id)
    const { lines, shipping } = submitted.json.data
    for (const body of [undefined, {}, { lines, shipping, client_order_number: number }]) {
      expect((await submit(order_id, body)).json).toEqual(submitted.json)
    }
    for (const body of [
      { lines: [{ sku, quantity: 3 }] },
      { remark: 'x' },
      { payment_method: 'balance' },
      { client_order_number: `${number}x` },
      { shipping: { shipping_method_id: 'au-express', address_id: harbourShipping.address_id } },
    ]) {
      expectError(await submit(order_id, body), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    }
    expect(listErpDocuments(house, number)).toHaveLength(1)
    expect(await shop.readAvailable(sku)).toBe(8)
  })

  it('that comes twice at once makes one order, and both are told of it', async () => {
    const sku = await shop.createSku({ AUSYD1: 50 })
    const number = createOrderNumber()
    const { order_id } = await createDraft(shop, sku, 1, { client_order_number: number })
    const answers = await Promise.all(Array.from({ length: 10 }, () => submit(order_id)))
    for (const answer of answers) expect(expectData(answer)).toEqual(answers[0]?.json.data)
    expect(listErpDocuments(house, number)).toHaveLength(1)
    expect(await shop.readAvailable(sku)).toBe(49)
  })

  it('that finds too little stock is refused with what there is, and leaves the draft as it was', async () => {
    const [short, plenty] = [await shop.createSku({ AUSYD1: 2 }), await shop.createSku({ AUSYD1: 9 })]
    const lines = [
      { sku: short, quantity: 5 },
      { sku: plenty, quantity: 1 },
    ]
    const draft = await createDraft(shop, short, 1, { lines })
    const since = await readVersion(shop)
    const error = expectError(await submit(draft.order_id), 'UPSTREAM_REJECTED', {
      reason: 'insufficient_stock',
    })
    expect(error.shortages).toEqual([{ sku: short, quantity: 5, quantity_available: 2 }])
    await expectUnchanged(draft)
    expect([await shop.readAvailable(short), await shop.readAvailable(plenty)]).toEqual([2, 9])
    expect(await readChanges(shop, since, plenty)).toEqual([])
    setStock(house, 'AUSYD1', short, 5)
    expect(expectData(await submit(draft.order_id)).status).toBe('confirmed')
  })

  it('with allow_partial is cut to what there is, charges that, and orders nothing back', async () => {
    const [short, none] = [await shop.createSku({ AUSYD1: 2 }), await shop.createSku({ AUSYD1: 0 })]
    changePrice(short, 1000)
    const lines = [
      { sku: short, quantity: 5 },
      { sku: none, quantity: 1 },
    ]
    const { order_id } = await createDraft(shop, short, 1, { lines })
    expectError(await submit(order_id), 'UPSTREAM_REJECTED', { reason: 'insufficient_stock' })
    const previewed = expectData(await preview(order_id, { allow_partial: true }))
    const submitted = expectData(await submit(order_id, { allow_partial: true }))
    expect(submitted.lines).toMatchObject([
      { sku: short, quantity_allocated: 2, line_total: 20 },
      { sku: none, quantity_allocated: 0, line_total: 0 },
    ])
    expect(submitted.costs).toEqual(previewed.costs)
    expect(submitted.costs.goods).toBe(20)
    expect(expectData(await submit(order_id, { allow_partial: true, lines }))).toEqual(submitted)
    setStock(house, 'AUSYD1', none, 5)
    await house.settle()
    expect(await shop.readAvailable(none)).toBe(5)
    const empty = await createDraft(shop, await shop.createSku({ AUSYD1: 0 }), 1, { allow_partial: true })
    expectError(await submit(empty.order_id), 'UPSTREAM_REJECTED', { reason: 'insufficient_stock' })
  })

  it('is paid out of the balance, owed on invoice, or by a link; a balance that is too low refuses it', async () => {
    const sku = await shop.createSku({ AUSYD1: 500 })
    const submitWithPayment = async (payment_method: string) => {
      const { order_id } = await createDraft(shop, sku, 1, { payment_method })
      const { paid, payment_url } = expectData(await submit(order_id))
      return [paid, payment_url]
    }
    expect(await submitWithPayment('balance')).toEqual([true, null])
    expect(await submitWithPayment('invoice')).toEqual([false, null])
    expect(await submitWithPayment('wechat')).toEqual([false, expect.stringContaining('wechat')])
    const lantern = await other.createSku({ AUSYD1: 500 })
    const poor = expectData(
      await other.post('/orders', {
        lines: [{ sku: lantern, quantity: 400 }],
        shipping: { shipping_method_id: 'au-pickup' },
        payment_method: 'balance',
      }),
      201,
    )
    expectError(await other.post(`/orders/${poor.order_id}/submit`), 'UPSTREAM_REJECTED', {
      reason: 'insufficient_balance',
    })
    expect(expectData(await other.get(`/orders/${poor.order_id}`))).toEqual(poor)
  })
})

describe('the price of a preview', () => {
  it('stands until price_expires_at: a submit is charged that or refused', async () => {
    const sku = await shop.createSku()
    changePrice(sku, 1000)
    const draft = await createDraft(shop, sku, 1)
    const { price_expires_at, costs } = expectData(await preview(draft.order_id))
    for (const price of [1500, 500]) {
      changePrice(sku, price)
      expectError(await submit(draft.order_id), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    }
    await expectUnchanged(draft)
    expect(await shop.readAvailable(sku)).toBe(10)
    changePrice(sku, 1000)
    const { order_id } = await createDraft(shop, sku, 1)
    await preview(order_id)
    house.clock.set(Date.parse(price_expires_at) - 1)
    expect(expectData(await submit(order_id)).costs).toEqual(costs)
    changePrice(sku, 1500)
    expectError(await submit(draft.order_id), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    house.clock.advance(1)
    expect(expectData(await submit(draft.order_id)).lines[0].unit_price).toBe(15)
  })

  it('is the new one where nothing was previewed, or something else was', async () => {
    const sku = await shop.createSku()
    changePrice(sku, 1000)
    const [plain, larger] = [await createDraft(shop, sku, 1), await createDraft(shop, sku, 1)]
    await preview(larger.order_id)
    changePrice(sku, 1500)
    expect(expectData(await submit(plain.order_id)).lines[0].unit_price).toBe(15)
    const lines = [{ sku, quantity: 2 }]
    expect(expectData(await submit(larger.order_id, { lines })).lines[0].unit_price).toBe(15)
  })

  it('stands though another content was previewed after it', async () => {
    const sku = await shop.createSku()
    changePrice(sku, 1000)
    const { order_id } = await createDraft(shop, sku, 1)
    await preview(order_id)
    await preview(order_id, { lines: [{ sku, quantity: 2 }] })
    changePrice(sku, 1500)
    expectError(await submit(order_id), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    const lines = [{ sku, quantity: 2 }]
    expectError(await submit(order_id, { lines }), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
  })

  it('stands for the same order that is written differently', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()]
    changePrice(one, 1000)
    const lines = [
      { sku: one, quantity: 2 },
      { sku: two, quantity: 1 },
    ]
    const { order_id } = await createDraft(shop, one, 1, { lines })
    const { costs } = expectData(await preview(order_id))
    changePrice(one, 1500)
    const reversed = { lines: lines.toReversed() }
    expectError(await submit(order_id, reversed), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    changePrice(one, 1000)
    const submitted = expectData(await submit(order_id, reversed))
    expect(submitted.costs).toEqual(costs)
    for (const body of [{ lines }, reversed]) {
      expect(expectData(await submit(order_id, body))).toEqual(submitted)
    }
  })

  it('stands where the submit states the shipping that the preview took from the preferences', async () => {
    const preferring = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({
        ...erp,
        async sign_in(input, options) {
          const answer = await erp.sign_in(input, options)
          return 'ok' in answer ? { ok: { ...answer.ok, preferences: harbourShipping } } : answer
        },
      }),
    })
    const there = openShop(preferring)
    const sku = await there.createSku()
    const setPrice = (price_wholesale: number) =>
      preferring.sandbox.steering.setPrice({ sku, price_wholesale, warehouse_code: 'AUSYD1' })
    setPrice(1000)
    const wish = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
    const path = `/orders/${expectData(await there.post('/orders', wish), 201).order_id}`
    await there.post(`${path}/allocation-preview`)
    setPrice(1500)
    const body = { shipping: harbourShipping }
    expectError(await there.post(`${path}/submit`, body), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    await preferring.close()
  })

  it('stands for a draft and an order of the release before, which kept the order of the lines', async () => {
    const [one, two] = [await shop.createSku(), await shop.createSku()].toSorted()
    if (one === undefined || two === undefined) throw new Error('There are no two SKUs.')
    changePrice(one, 1000)
    const lines = [
      { sku: two, quantity: 1 },
      { sku: one, quantity: 1 },
    ]
    const { order_id } = await createDraft(shop, one, 1, { lines })
    await preview(order_id)
    const { db } = house.gateway.store
    const content = sha256(
      toCanonicalJson({
        warehouse_code: 'AUSYD1',
        lines,
        shipping: harbourShipping,
        payment_method: 'invoice',
        allow_partial: false,
      }),
    ).toString('hex')
    const change = (fields: Partial<OrderRow>) =>
      db.updateTable('orders').set(fields).where('order_id', '=', order_id).execute()
    await change({ quoted: toJson([{ content, total: 1, until: house.clock.now() + minute }]) })
    expectError(await submit(order_id), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    await change({ quoted: null })
    const submitted = expectData(await submit(order_id))
    await change({ submitted_as: content })
    expect(expectData(await submit(order_id, { lines }))).toEqual(submitted)
  })

  it('is bounded by max_total, of the draft or of the submit', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku, 1)
    const { total } = expectData(await preview(order_id)).costs
    const cent = Math.round(total * 100) / 100 - 0.01
    const max_total = Math.round(cent * 100) / 100
    expectError(await submit(order_id, { max_total }), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    expect(expectData(await submit(order_id, { max_total: total })).costs.total).toBe(total)
    const bounded = await createDraft(shop, sku, 1, { max_total })
    expectError(await submit(bounded.order_id), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    expect(expectData(await submit(bounded.order_id, { max_total: total })).status).toBe('confirmed')
  })

  it('is told to change max_total where that alone refuses the total, and else to preview again', async () => {
    const sku = await shop.createSku()
    const readHint = async (answer: CallResult) =>
      expectError(answer, 'UPSTREAM_REJECTED', { reason: 'price_changed' }).hint
    changePrice(sku, 1000)
    const { order_id } = await createDraft(shop, sku, 1, { max_total: 5 })
    expect(await readHint(await submit(order_id))).toBe(en.sentences.hint_max_total)
    const { total } = expectData(await preview(order_id)).costs
    expect(await readHint(await submit(order_id))).toBe(en.sentences.hint_max_total)
    changePrice(sku, 1100)
    expect(await readHint(await submit(order_id, { max_total: total }))).toBe(en.sentences.hint_price_changed)
  })

  it('is bounded no more once the draft gives up its max_total', async () => {
    const { order_id } = await createDraft(shop, await shop.createSku(), 1, { max_total: 0.01 })
    expectError(await submit(order_id), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    expectData(await shop.send('PATCH', `/orders/${order_id}`, { body: { max_total: null } }))
    expect(expectData(await submit(order_id)).status).toBe('confirmed')
  })
})

describe('an order from China', () => {
  it('is in the currency of its warehouse, and so is its max_total', async () => {
    const sku = await shop.createSku({ CHNZJ1: 5 })
    const shipping = { shipping_method_id: 'cn-standard', address_id: 'ADDR-HARBOUR-HGH' }
    const { order_id } = await createDraft(shop, sku, 2, { warehouse_code: 'CN', shipping })
    const { costs, currency } = expectData(await preview(order_id))
    expect(currency).toBe('CNY')
    const less = Math.round(costs.total * 100 - 1) / 100
    expectError(await submit(order_id, { max_total: less }), 'UPSTREAM_REJECTED', { reason: 'price_changed' })
    const submitted = expectData(await submit(order_id, { max_total: costs.total }))
    expect(submitted).toMatchObject({ currency: 'CNY', costs })
    expect(await shop.readAvailable(sku, 'CHNZJ1')).toBe(3)
    expect(await shop.readAvailable(sku, 'CN')).toBe(3)
  })
})

describe('a void', () => {
  it('cancels what the warehouse has and has not shipped', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku, 2)
    await submit(order_id)
    house.clock.advance(2 * minute)
    expect(expectData(await voidOrder(order_id))).toMatchObject({ status: 'cancelled', status_raw: 'VOID' })
    expect(await shop.readAvailable(sku)).toBe(10)
    house.clock.advance(10 * minute)
    await house.settle()
    expect(await readOrder(order_id)).toMatchObject({ status: 'cancelled', lines: [{ quantity_shipped: 0 }] })
  })

  it('against a submit: one of them wins, and no unit is lost', async () => {
    for (let turn = 0; turn < 4; turn++) {
      const sku = await shop.createSku({ AUSYD1: 1 })
      const { order_id } = await createDraft(shop, sku, 1)
      const both =
        turn % 2 === 0 ? [submit(order_id), voidOrder(order_id)] : [voidOrder(order_id), submit(order_id)]
      await Promise.all(both)
      // Whichever is first, the void wins: it also cancels an order that was submitted before it.
      expect((await readOrder(order_id)).status).toBe('cancelled')
      expect(await shop.readAvailable(sku)).toBe(1)
    }
  })

  it('takes the payment back', async () => {
    const { order_id } = await createDraft(shop, await shop.createSku(), 1, { payment_method: 'balance' })
    expect(expectData(await submit(order_id)).paid).toBe(true)
    expect(expectData(await voidOrder(order_id)).paid).toBe(false)
  })

  it('many times at once gives the stock back once', async () => {
    const sku = await shop.createSku({ AUSYD1: 5 })
    const { order_id } = await createDraft(shop, sku, 5)
    await submit(order_id)
    const answers = await Promise.all(Array.from({ length: 8 }, () => voidOrder(order_id)))
    for (const answer of answers) expect(expectData(answer)).toEqual(answers[0]?.json.data)
    expect(await shop.readAvailable(sku)).toBe(5)
  })
})

describe('a shipped order', () => {
  it('cannot be voided, whether or not the gateway knows of the shipment already', async () => {
    const sku = await shop.createSku()
    const { order_id } = await createDraft(shop, sku, 2)
    await submit(order_id)
    house.sandbox.steering.ship(await findReference(house, order_id))
    expectError(await voidOrder(order_id), 'UPSTREAM_REJECTED', { reason: 'already_shipped' })
    await house.settle()
    const shipped = await readOrder(order_id)
    expect(shipped).toMatchObject({ status: 'confirmed', status_raw: 'DESPATCHED', cancelled_at: null })
    expect(shipped.lines[0]).toMatchObject({ quantity: 2, quantity_shipped: 2 })
    expectError(await voidOrder(order_id), 'UPSTREAM_REJECTED', { reason: 'already_shipped' })
    expect(await readOrder(order_id)).toEqual(shipped)
    expect(await shop.readAvailable(sku)).toBe(8)
  })
})

describe('an idempotency key', () => {
  const postWithKey = (path: string, key: string, body?: unknown) =>
    shop.post(path, body, { 'idempotency-key': key })

  it('replays each write byte for byte for one point, and does nothing again', async () => {
    const sku = await shop.createSku()
    const number = createOrderNumber()
    const body = { lines: [{ sku, quantity: 1 }], shipping: harbourShipping, client_order_number: number }
    const key = `key-${number}`
    const draft = await postWithKey('/orders', key, body)
    const reordered = Object.fromEntries(Object.entries(body).toReversed())
    const again = await postWithKey('/orders', key, reordered)
    expect([again.status, again.text]).toEqual([201, draft.text])
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(draft.headers.get('ratelimit-cost')).toBe('2')
    expect(again.headers.get('ratelimit-cost')).toBe('1')

    const path = `/orders/${draft.json.data.order_id}`
    const first = await postWithKey(`${path}/submit`, key)
    await shop.send('DELETE', path)
    const replay = await postWithKey(`${path}/submit`, key)
    expect(replay.text).toBe(first.text)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(listErpDocuments(house, number)).toHaveLength(1)
    const { json } = await shop.get(`/orders?client_order_number=${number}`)
    expect(json.data).toHaveLength(1)
  })

  it('with another body is refused for one point, and may be used on another path', async () => {
    const sku = await shop.createSku()
    const key = `key-${createOrderNumber()}`
    const lines = [{ sku, quantity: 1 }]
    const draft = await postWithKey('/orders', key, { lines })
    const mismatch = await postWithKey('/orders', key, { lines: [{ sku, quantity: 2 }] })
    expectError(mismatch, 'IDEMPOTENCY_MISMATCH')
    expect(mismatch.headers.get('ratelimit-cost')).toBe('1')
    const cart = await postWithKey('/carts', key, { items: lines })
    expect(cart.status).toBe(201)
    const voided = await shop.send('DELETE', `/orders/${draft.json.data.order_id}`, {
      headers: { 'idempotency-key': key },
    })
    expect(voided.status).toBe(200)
    expect(voided.headers.get('idempotent-replayed')).toBeNull()
  })

  it('is free again after a refusal, for the same and for a mended body', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    const { order_id } = await createDraft(shop, sku, 2)
    const key = `key-${createOrderNumber()}`
    const path = `/orders/${order_id}/submit`
    for (let turn = 0; turn < 2; turn++) {
      expectError(await postWithKey(path, key), 'UPSTREAM_REJECTED', { reason: 'insufficient_stock' })
    }
    const mended = await postWithKey(path, key, { lines: [{ sku, quantity: 1 }] })
    expect(expectData(mended).status).toBe('confirmed')
    expect(mended.headers.get('idempotent-replayed')).toBeNull()
  })

  it('runs once where many come at the same moment', async () => {
    const sku = await shop.createSku()
    const key = `key-${createOrderNumber()}`
    const number = createOrderNumber()
    const body = { lines: [{ sku, quantity: 1 }], client_order_number: number }
    const answers = await Promise.all(Array.from({ length: 20 }, () => postWithKey('/orders', key, body)))
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expectError(answer, 'IDEMPOTENCY_IN_PROGRESS')
      expect(answer.headers.get('retry-after')).toBe('1')
      expect(answer.headers.get('ratelimit-cost')).toBe('1')
    }
    const made = answers.filter(({ status }) => status === 201)
    expect(new Set(made.map(({ text }) => text)).size).toBe(1)
    expect((await shop.get(`/orders?client_order_number=${number}`)).json.data).toHaveLength(1)
  })
})

describe('GET /idempotency-keys', () => {
  it('tells what became of a key: running, completed, failed, in doubt', async () => {
    const arrived = Promise.withResolvers<void>()
    const go = Promise.withResolvers<void>()
    let isLost = false
    const slow = await openTestGateway({
      styles: 5,
      wrapErp: (erp) => ({
        ...erp,
        async submit(input, options) {
          arrived.resolve()
          await go.promise
          const answer = await erp.submit(input, options)
          if (isLost) throw new UnknownOutcome('timeout', 'The answer was lost.')
          return answer
        },
      }),
    })
    const there = openShop(slow)
    const sku = await there.createSku({ AUSYD1: 5 })
    const readKeyState = async (key: string) => (await there.get(`/idempotency-keys?key=${key}`)).json.data
    const send = async (key: string, quantity = 1) => {
      const { order_id } = await createDraft(there, sku, quantity)
      const path = `/orders/${order_id}/submit`
      const answer = there.post(path, undefined, { 'idempotency-key': key })
      return { answer, entry: { key, method: 'POST', path: `/api/v1${path}`, resource: { id: order_id } } }
    }

    const running = await send('running')
    await arrived.promise
    expect(await readKeyState('running')).toMatchObject([
      { ...running.entry, state: 'running', http_status: null },
    ])
    go.resolve()
    expectData(await running.answer)
    expect(await readKeyState('running')).toMatchObject([
      { ...running.entry, state: 'completed', http_status: 200 },
    ])

    const failed = await send('failed', 99)
    expectError(await failed.answer, 'UPSTREAM_REJECTED')
    expect(await readKeyState('failed')).toMatchObject([{ key: 'failed', state: 'failed', http_status: 422 }])

    isLost = true
    const lost = await send('lost')
    expectError(await lost.answer, 'UPSTREAM_TIMEOUT', { reason: 'upstream_unknown' })
    const doubtful = { ...lost.entry, state: 'in_doubt', http_status: null }
    expect(await readKeyState('lost')).toMatchObject([doubtful])
    slow.clock.advance(3 * 24 * 60 * minute)
    expect(await readKeyState('lost')).toMatchObject([doubtful])
    expect(await readKeyState('running')).toEqual([])
    expect(await readKeyState('unknown')).toEqual([])
    expectError(await there.get('/idempotency-keys'), 'VALIDATION_FAILED', { param: 'key' })
    await slow.close()
  })
})

const documentIds = ['cart_id', 'reservation_id', 'dropship_order_id', 'order_id'] as const
/** The writes whose response is a document. A preview is none: it says nothing of when it was made. */
const documentWrites = catalogue.filter((endpoint) => {
  const { data } = endpoint.result instanceof z.ZodObject ? endpoint.result.shape : {}
  const fields = data instanceof z.ZodObject ? data.shape : {}
  const isDocument = 'created_at' in fields && documentIds.some((name) => name in fields)
  return isDocument && acceptsIdempotencyKey(endpoint)
})

describe('the key of a call', () => {
  it('names the document of its response, also where an earlier call had done the work', async () => {
    const sku = await shop.createSku({ AUSYD1: 50 })
    const lines = [{ sku, quantity: 1 }]
    const called = new Set<string>()
    let keys = 0
    const send = async (method: string, path: string, body?: unknown) => {
      const key = `document-${++keys}`
      const init = { headers: { 'idempotency-key': key }, ...(body === undefined ? {} : { body }) }
      const { status, json, text } = await shop.send(method, path, init)
      expect(status, text).toBeLessThan(300)
      const [{ resource }] = (await shop.get(`/idempotency-keys?key=${key}`)).json.data
      const id = documentIds.map((name) => json.data[name]).find((each) => each !== undefined)
      expect(resource?.id, `${method} ${path}`).toBe(id)
      const route = `/api/v1${path.replace(/\b(ord|dso|rsv|crt)_\w+/, '{}')}`
      const isCalled = (each: Endpoint) =>
        each.method === method && each.path.replace(/\{\w+\}/, '{}') === route
      called.add(documentWrites.find(isCalled)?.id ?? route)
      return String(id)
    }
    const twice = async (method: string, path: string, body?: unknown) => {
      await send(method, path, body)
      return send(method, path, body)
    }

    const order = await twice('POST', '/orders', { lines, shipping: harbourShipping })
    await twice('PATCH', `/orders/${order}`, { remark: 'Once' })
    await twice('POST', `/orders/${order}/submit`, {})
    await twice('DELETE', `/orders/${order}`)

    const reserved = { warehouse_code: 'AUSYD1', lines, client_order_number: createOrderNumber() }
    await twice('POST', `/reservations/${await twice('POST', '/reservations', reserved)}/confirm`)
    await twice('DELETE', `/reservations/${await send('POST', '/reservations', reserved)}`)

    const cart = await twice('POST', '/carts', { items: lines })
    await twice('PATCH', `/carts/${cart}`, { remark: 'Once' })
    await twice('PUT', `/carts/${cart}/items`, { items: lines })
    await twice('POST', `/carts/${cart}/checkout`)
    await twice('DELETE', `/carts/${await send('POST', '/carts')}`)

    const wish = buildDropship(sku)
    const at = '/dropship-orders'
    const { dropship_order_id } = expectData(await shop.post(`${at}/allocation-preview`, wish))
    await send('POST', `${at}/submit`, { ...wish, dropship_order_id })
    house.clock.advance(11 * minute)
    await send('POST', `${at}/submit`, { ...wish, dropship_order_id })
    await twice('DELETE', `${at}/${await send('POST', `${at}/submit`, buildDropship(sku))}`)
    const previewed = expectData(await shop.post(`${at}/allocation-preview`, buildDropship(sku)))
    await twice('DELETE', `${at}/${previewed.dropship_order_id}/allocation`)

    expect([...called].sort()).toEqual(documentWrites.map(({ id }) => id).sort())
  })
})

describe('the list of orders', () => {
  it('filters by status, number and days, newest first, without what belongs to others', async () => {
    const sku = await shop.createSku({ AUSYD1: 100 })
    const number = createOrderNumber()
    const made: LooseJson[] = []
    for (let index = 0; index < 3; index++) {
      house.clock.advance(1)
      made.push(await createDraft(shop, sku, 1, { client_order_number: number }))
    }
    const [first, second, third] = made.map(({ order_id }) => order_id)
    await submit(second)
    await voidOrder(third)
    const listOrderIds = async (query: string) =>
      (await shop.get(`/orders?client_order_number=${number}${query}`)).json.data.map(
        (each: LooseJson) => each.order_id,
      )
    expect(await listOrderIds('')).toEqual([third, second, first])
    expect(await listOrderIds('&status=draft')).toEqual([first])
    expect(await listOrderIds('&status=confirmed')).toEqual([second])
    expect(await listOrderIds('&status=cancelled')).toEqual([third])
    const today = new Date(house.clock.now()).toISOString().slice(0, 10)
    expect(await listOrderIds(`&start_date=${today}&end_date=${today}`)).toHaveLength(3)
    expect(await listOrderIds('&end_date=2026-11-20')).toEqual([])
    expect(await listOrderIds('&start_date=2026-12-30&end_date=2026-12-31')).toEqual([])
    const answer = await shop.get('/orders?status=confirmed')
    expect(Number(answer.headers.get('x-data-age'))).toBeGreaterThanOrEqual(0)
    expect(answer.headers.get('ratelimit-cost')).toBe('1')
  })

  it.each(['', '&start_date=2026-11-21'])(
    'pages without gaps, and as_of keeps later rows out (%s)',
    async (days) => {
      const sku = await shop.createSku()
      const number = createOrderNumber()
      for (let index = 0; index < 5; index++) await createDraft(shop, sku, 1, { client_order_number: number })
      const readPage = async (query: string) =>
        (await shop.get(`/orders?client_order_number=${number}&page_size=2&${query}${days}`)).json
      const first = await readPage('page=1')
      expect(first).toMatchObject({ has_more: true, page: 1, page_size: 2 })
      house.clock.advance(1)
      const late = await createDraft(shop, sku, 1, { client_order_number: number })
      const as_of = `as_of=${first.as_of}`
      const [second, third] = [await readPage(`page=2&${as_of}`), await readPage(`page=3&${as_of}`)]
      expect(third.has_more).toBe(false)
      const all = [first, second, third].flatMap(({ data }) => data.map((each: LooseJson) => each.order_id))
      expect(all).toHaveLength(5)
      expect(new Set(all).size).toBe(5)
      expect(all).toEqual(all.toSorted().toReversed())
      expect((await readPage('page=1')).data[0].order_id).toBe(late.order_id)
      expect(await readPage('page=900000000')).toMatchObject({ data: [], has_more: false })
    },
  )

  it('shows drafts however old they are, confirmed orders of the last 30 days, and any by number', async () => {
    const far = await openTestGateway({ styles: 5 })
    const there = openShop(far)
    const sku = await there.createSku()
    const number = createOrderNumber()
    const draft = await createDraft(there, sku, 1, { client_order_number: number })
    const { order_id } = await createDraft(there, sku, 1, { client_order_number: number })
    await there.post(`/orders/${order_id}/submit`)
    far.clock.advance(40 * 24 * 60 * minute)
    const listIdsThere = async (query: string) =>
      (await there.get(`/orders${query}`)).json.data.map((each: LooseJson) => each.order_id)
    expect(await listIdsThere('')).toEqual([draft.order_id])
    expect((await listIdsThere(`?client_order_number=${number}`)).toSorted()).toEqual(
      [draft.order_id, order_id].toSorted(),
    )
    expect(await listIdsThere('?start_date=2026-11-21&end_date=2026-11-21')).toHaveLength(2)
    expect(await listIdsThere('?start_date=2026-12-20')).toEqual([])
    // Pages by number and by cursor go on from the recent orders to the older drafts.
    const recent = await createDraft(there, sku, 1)
    const all = [recent.order_id, draft.order_id]
    expect(await listIdsThere('?status=draft')).toEqual(all)
    const pages = [1, 2, 3].map((page) => listIdsThere(`?page_size=1&page=${page}`))
    expect(await Promise.all(pages)).toEqual([...all.map((id) => [id]), []])
    const { next_cursor } = (await there.get('/orders?page_size=1')).json
    expect(await listIdsThere(`?page_size=1&cursor=${next_cursor}`)).toEqual([draft.order_id])
    await far.close()
  })

  it.each([
    ['status=open', 'status'],
    ['status=shipped', 'status'],
    ['status=', 'status'],
    ['page=0', 'page'],
    ['page_size=201', 'page_size'],
    ['start_date=2026-02-30', 'start_date'],
    ['start_date=2026-11-02&end_date=2026-11-01', 'start_date'],
    ['start_date=2024-01-01&end_date=2026-01-01', 'start_date'],
    ['as_of=yesterday', 'as_of'],
    ['client_order_number=', 'client_order_number'],
    ['channel_code=other', 'channel_code'],
  ])('refuses %s by name, for a refusal’s point at most', async (query, param) => {
    const answer = await shop.get(`/orders?${query}`)
    expectError(answer, 'VALIDATION_FAILED', { param })
    expect(Number(answer.headers.get('ratelimit-cost'))).toBeLessThanOrEqual(1)
  })
})

describe('the order of checks', () => {
  const bare = { lines: [{ sku: 'NO-SUCH-SKU', quantity: 1 }] }

  it('is capability, sign-in, shape, quota, then existence and state', async () => {
    const reader = await createWorld(house, { plan: 'reader' })
    const trader = await createWorld(house, { plan: 'trader' })
    const path = '/api/v1/orders/nowhere/submit'
    const wrong = { ...bare, nonsense: 1 }
    const post = (token: string, body: unknown) => call(house, 'POST', path, { token, body })
    expectError(await post(reader.token, wrong), 'SCOPE_DENIED')
    expectError(await post(trader.token, wrong), 'OMS_LOGIN_REQUIRED')
    expectError(await shop.post('/orders/nowhere/submit', wrong), 'VALIDATION_FAILED', { param: 'nonsense' })
    expectError(await shop.post('/orders/nowhere/submit', bare), 'NOT_FOUND', {
      message: expect.stringContaining('nowhere'),
    })
    expectError(await shop.post('/orders', bare), 'NOT_FOUND', {
      param: 'lines[0].sku',
      reason: 'sku_unknown',
    })
  })

  it('charges two points for what fails by state, none for what fails before, and never beyond the quota', async () => {
    const { order_id } = await createDraft(other, await other.createSku(), 1, {
      shipping: { shipping_method_id: 'au-pickup' },
    })
    await changeChannel(house, buyers[1], { points_per_minute: 61 })
    house.clock.advance(2 * minute)
    const readCost = async (answer: Promise<{ headers: Headers }>) =>
      Number((await answer).headers.get('ratelimit-cost'))
    expect(await readCost(other.post('/orders', { lines: [] }))).toBe(0)
    expect(await readCost(other.post('/orders', bare))).toBe(2)
    expect(await readCost(other.post('/orders/nowhere/submit'))).toBe(2)
    expect(await readCost(other.post(`/orders/${order_id}/allocation-preview`))).toBe(2)
    expect(await readCost(other.send('PATCH', `/orders/${order_id}`, { body: { remark: 'x' } }))).toBe(2)
    expect(await readCost(other.get(`/orders/${order_id}`))).toBe(1)
    let answer = await other.get('/shipments')
    while (Number(answer.headers.get('ratelimit-remaining')) > 1) answer = await other.get('/shipments')
    const refused = await other.post(`/orders/${order_id}/submit`)
    expectError(refused, 'RATE_LIMITED')
    expect(refused.headers.get('ratelimit-cost')).toBe('0')
    house.clock.advance(Number(refused.headers.get('retry-after')) * 1000)
    expect(expectData(await other.post(`/orders/${order_id}/submit`)).status).toBe('confirmed')
    await changeChannel(house, buyers[1], { points_per_minute: 1_000_000 })
  })

  it('puts the warehouse of a body before quota and existence', async () => {
    const body = { warehouse_code: 'NOWHERE' }
    const answer = await shop.post('/orders/nowhere/submit', body)
    expectError(answer, 'WAREHOUSE_UNKNOWN', { param: 'warehouse_code' })
    expect(answer.headers.get('ratelimit-cost')).toBe('0')
  })
})

describe('a business that is switched off', () => {
  it('begins nothing new; what there is can be read and voided', async () => {
    const sku = await other.createSku()
    const shipping = { shipping_method_id: 'au-pickup' }
    const draft = await createDraft(other, sku, 1, { shipping })
    const path = `/orders/${draft.order_id}`
    await changeChannel(house, buyers[1], { wholesale_enabled: false })
    const off = { reason: 'switched_off', required_capability: 'orders.write' }
    expectError(await other.post('/orders', { lines: [{ sku, quantity: 1 }] }), 'SCOPE_DENIED', off)
    expectError(await other.post(`${path}/allocation-preview`), 'SCOPE_DENIED', off)
    expectError(await other.post(`${path}/submit`), 'SCOPE_DENIED', off)
    expectError(await other.send('PATCH', path, { body: {} }), 'SCOPE_DENIED', off)
    expect((await other.get('/me')).json.data.switches.wholesale_enabled).toBe(false)
    expect(expectData(await other.get(path))).toEqual(draft)
    expect(expectData(await other.send('DELETE', path)).status).toBe('cancelled')
    await changeChannel(house, buyers[1], { wholesale_enabled: true })
    expect((await call(house, 'GET', '/admin/api/channels', { admin: adminToken })).status).toBe(200)
  })
})
