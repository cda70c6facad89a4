/** An operator searches the orders of every channel, and follows one of them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminToken, buyers, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { deliverDue, openReceiver, privateNets, registerEndpoint } from './receiver.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  findReference,
  openShop,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let other: Buyer

beforeAll(async () => {
  house = await openTestGateway({ settings: privateNets, styles: 60 })
  shop = openShop(house)
  other = openShop(house, buyers[1])
})
afterAll(() => house.close())

const get = (path: string) => call(house, 'GET', `/admin/api/orders${path}`, { admin: adminToken })
const search = async (query: string): Promise<LooseJson> => {
  const { json, status, text } = await get(`?${query}`)
  expect(status, text).toBe(200)
  return json
}
const listIds = async (query: string): Promise<string[]> =>
  (await search(query)).data.map(({ order_id }: LooseJson) => order_id)

/** Places orders of both kinds on both channels, a millisecond apart, and returns their ids, newest first. */
async function placeOrders(number: string): Promise<{ wholesale: string[]; dropship: string[] }> {
  const placed = { wholesale: [] as string[], dropship: [] as string[] }
  for (const at of [shop, other]) {
    const sku = await at.createSku()
    const draft = expectData(
      await at.post('/orders', {
        warehouse_code: 'AUSYD1',
        lines: [{ sku, quantity: 2 }],
        client_order_number: number,
      }),
      201,
    )
    placed.wholesale.unshift(draft.order_id)
    house.clock.advance(1)
    const order = expectData(
      await at.post('/dropship-orders/submit', buildDropship(sku, { client_order_number: number })),
    )
    placed.dropship.unshift(order.dropship_order_id)
    house.clock.advance(1)
  }
  return placed
}

describe('the search for orders', () => {
  it('finds a number in every channel and of both kinds, newest first', async () => {
    const number = createOrderNumber()
    const { wholesale, dropship } = await placeOrders(number)
    const [w2 = '', w1 = ''] = wholesale
    const [d2 = '', d1 = ''] = dropship
    expect(await listIds(`client_order_number=${number}`)).toEqual([d2, w2, d1, w1])
    expect(await listIds(`client_order_number=${number}&kind=order`)).toEqual([w2, w1])
    expect(await listIds(`client_order_number=${number}&kind=dropship`)).toEqual([d2, d1])
    const mine = `channel-of-${buyers[0].customer_code}`
    expect(await listIds(`client_order_number=${number}&channel_code=${mine}`)).toEqual([d1, w1])
    expect(await listIds(`client_order_number=${number}&status=draft`)).toEqual([w2, w1])
    expect(await listIds(`client_order_number=${number}&status=shipped`)).toEqual([])
    expect(await listIds(`client_order_number=${number}&in_doubt=true`)).toEqual([])
    expect(await listIds(`client_order_number=${number}&in_doubt=false`)).toHaveLength(4)
  })

  it('shows each order once however long its pages are, also while new orders arrive', async () => {
    const since = `since=${new Date(house.clock.now()).toISOString()}`
    const { wholesale, dropship } = await placeOrders(createOrderNumber())
    const seen: string[] = []
    let cursor = ''
    for (let page = 0; page < 10; page++) {
      const { data, has_more, next_cursor } = await search(`${since}&page_size=1${cursor}`)
      seen.push(...data.map(({ order_id }: LooseJson) => order_id))
      expect(has_more).toBe(next_cursor !== null)
      if (!has_more) break
      cursor = `&cursor=${next_cursor}`
      if (page === 0) await createDraft(shop, await shop.createSku())
    }
    expect(seen).toHaveLength(4)
    expect(seen.toSorted()).toEqual([...wholesale, ...dropship].toSorted())
  })

  it('has no recipient, and the amounts and units of the order', async () => {
    const wish = buildDropship(await shop.createSku(), { quantity: 3 })
    const placed = expectData(await shop.post('/dropship-orders/submit', wish))
    const answer = await get(`?client_order_number=${wish.client_order_number}`)
    expect(answer.json.data).toMatchObject([
      {
        kind: 'dropship',
        channel_code: `channel-of-${buyers[0].customer_code}`,
        skus: [wish.sku],
        quantity: 3,
        total: placed.costs.total,
        currency: placed.currency,
      },
    ])
    for (const secret of [alex.name, alex.phone, alex.address]) expect(answer.text).not.toContain(secret)
  })

  it('finds a preview by its number only', async () => {
    const wish = buildDropship(await shop.createSku())
    const preview = expectData(await shop.post('/dropship-orders/allocation-preview', wish))
    const id = preview.dropship_order_id
    expect(await listIds(`client_order_number=${wish.client_order_number}`)).toEqual([id])
    expect(await listIds('kind=dropship&page_size=200')).not.toContain(id)
  })

  it.each([
    'kind=cart',
    'status=unknown',
    'in_doubt=yes',
    'page_size=0',
    'page_size=201',
    'cursor=nonsense',
    'since=yesterday',
    'since=2026-11-21T00:00:00Z&until=2026-11-20T00:00:00Z',
    'sort=total',
  ])('is refused for %s', async (query) => {
    expectError(await get(`?${query}`), 'VALIDATION_FAILED')
  })
})

describe('one order', () => {
  it('is shown with its recipient, requests, events, deliveries and holds', async () => {
    const receiver = await openReceiver(() => house.clock.now())
    const { endpoint_id } = await registerEndpoint(house, await shop.token(), receiver.url)
    const wish = buildDropship(await shop.createSku())
    // The client uses one request id for all that it does, so the id alone says too much.
    const headers = { 'x-request-id': 'order-story' }
    const preview = expectData(await shop.post('/dropship-orders/allocation-preview', wish, headers))
    const id = preview.dropship_order_id
    house.clock.advance(1)
    expectData(await shop.post('/dropship-orders/submit', { ...wish, dropship_order_id: id }, headers))
    await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku()), headers)
    house.clock.advance(1)
    expectError(await other.get(`/dropship-orders/${id}`), 'OWNERSHIP_DENIED')
    await deliverDue(house)

    const whole = expectData(await get(`/${id}`))
    expect(whole).toMatchObject({
      kind: 'dropship',
      channel_code: `channel-of-${buyers[0].customer_code}`,
      reference: await findReference(house, id),
      order: null,
      open_write: null,
      shipments: [],
    })
    expect(whole.dropship_order.recipient).toMatchObject({ name: alex.name, phone: alex.phone })
    expect(
      whole.requests.map(({ route, code, channel_code }: LooseJson) => [route, code, channel_code]),
    ).toEqual([
      [
        '/api/v1/dropship-orders/{dropship_order_id}',
        'OWNERSHIP_DENIED',
        `channel-of-${buyers[1].customer_code}`,
      ],
      ['/api/v1/dropship-orders/submit', null, whole.channel_code],
      ['/api/v1/dropship-orders/allocation-preview', null, whole.channel_code],
    ])
    expect(whole.events).toHaveLength(1)
    expect(whole.events[0]).toMatchObject({ type: 'order.created', deliveries: [{ endpoint_id }] })
    expect(whole.holds).toMatchObject([{ source_id: id, released_reason: 'submit' }])
    await shop.send('DELETE', `/webhook-endpoints/${endpoint_id}`)
    await receiver.close()
  })

  it('of wholesale has the requests from its draft on, and its shipments', async () => {
    const { order_id: id } = await createDraft(shop, await shop.createSku())
    house.clock.advance(1)
    expectData(await shop.send('PATCH', `/orders/${id}`, { body: { remark: 'Ring twice' } }))
    house.clock.advance(1)
    expectData(await shop.post(`/orders/${id}/submit`))
    const reference = await findReference(house, id)
    house.sandbox.steering.ship(reference)
    await house.settle()
    const whole = expectData(await get(`/${id}`))
    expect(whole).toMatchObject({ kind: 'order', reference, dropship_order: null })
    expect(whole.order).toMatchObject({ order_id: id, remark: 'Ring twice' })
    expect(whole.shipments).toMatchObject([{ order_id: id, status: 'shipped' }])
    const routes = whole.requests.map(({ method, route }: LooseJson) => `${method} ${route}`)
    expect(routes).toEqual([
      'POST /api/v1/orders/{order_id}/submit',
      'PATCH /api/v1/orders/{order_id}',
      'POST /api/v1/orders',
    ])
  })

  it('that does not exist is NOT_FOUND, whatever its id looks like', async () => {
    for (const id of ['dso_none', 'x'.repeat(200), '%20', 'a%00b'])
      expect((await get(`/${id}`)).status, id).toBeGreaterThanOrEqual(400)
    expectError(await get('/ord_none'), 'NOT_FOUND')
  })
})
