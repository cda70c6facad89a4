import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sign, type WebhookEvent } from '@trade-gateway/sdk/webhooks'
import { type Channel, openChannel } from '../src/channel.ts'
import { type NewOrder, placeOrder, type StoredOrder } from '../src/orders.ts'
import { openSandbox, type Sandbox } from './sandbox.ts'

const webhookSecret = `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`
const warehouse = 'AUSYD1'
let sandbox: Sandbox
let channel: Channel

before(async () => {
  sandbox = await openSandbox()
  const { baseUrl, username, password } = sandbox
  const settings = { baseUrl, username, password, webhookSecret, warehouses: [warehouse] }
  channel = await openChannel({ ...settings, stockFile: ':memory:', port: 0 })
})
after(async () => {
  await channel?.close()
  await sandbox?.close()
})

/** Sends an event to the channel as the gateway does. */
async function send(event: WebhookEvent, secret = webhookSecret): Promise<number> {
  const { body, headers } = await sign(event, secret)
  const response = await fetch(`${channel.url}/hook`, { method: 'POST', body, headers })
  return response.status
}

/** Finds something in stock, so that the tests can run again and again on one sandbox. */
async function findAvailable() {
  const { data } = await channel.client.stock.page(warehouse, { page: 1, page_size: 200 })
  const row = data.find(({ sku, quantity_available }) => quantity_available > 5 && !sku.startsWith('SBX-'))
  assert.ok(row, 'nothing is in stock')
  return row
}

async function createOrder(): Promise<NewOrder> {
  const { sku } = await findAvailable()
  const id = randomUUID().slice(0, 8)
  const recipient = {
    name: `Alex Lee ${id}`,
    phone: '+61 2 5550 1234',
    address: '1 Example Street',
    city: 'Sydney',
    state: 'NSW',
    postal_code: '2000',
    country_code: 'AU',
  }
  return { sku, quantity: 1, client_order_number: `TEST-${id}`, recipient }
}

test('what is not copied yet is not said to be missing', async () => {
  // A gateway that is not there.
  const settings = { baseUrl: `${channel.url}/nothing`, username: 'x', password: 'x', webhookSecret }
  const early = await openChannel({ ...settings, warehouses: [warehouse], stockFile: ':memory:', port: 0 })
  const response = await fetch(`${early.url}/stock/${warehouse}/ANY`)
  assert.equal(response.status, 503)
  await early.close()
})

test('the copy of the stock has what the gateway has', async () => {
  await channel.mirror.ready()
  assert.equal((await channel.mirror.verify(warehouse)).ok, true)
  const { sku } = await findAvailable()
  const response = await fetch(`${channel.url}/stock/${warehouse}/${sku}`)
  const row = (await response.json()) as { sku: string }
  assert.equal(row.sku, sku)
  for (const nothing of ['NO-SUCH-SKU', '%E0%A4%A'])
    assert.equal((await fetch(`${channel.url}/stock/${warehouse}/${nothing}`)).status, 404)
})

test('stock that is too old is not served', async (t) => {
  await channel.mirror.ready()
  const { sku } = await findAvailable()
  t.mock.method(channel.mirror, 'stalenessMs', () => 60 * 60_000)
  const response = await fetch(`${channel.url}/stock/${warehouse}/${sku}`)
  assert.equal(response.status, 503)
})

const store = (order: NewOrder): StoredOrder => ({ order, key: randomUUID(), storedAt: new Date() })

test('an order is placed once, however often it is sent', async () => {
  const order = await createOrder()
  const stored = store(order)
  const [first, second] = [await placeOrder(channel.client, stored), await placeOrder(channel.client, stored)]
  assert.equal(second.dropship_order_id, first.dropship_order_id)
  // Days later, its key is over.
  const late = { ...store(order), storedAt: new Date(Date.now() - 48 * 60 * 60_000) }
  assert.equal((await placeOrder(channel.client, late)).dropship_order_id, first.dropship_order_id)
  const { client_order_number } = order
  const found = await channel.client.dropship.list({ client_order_number }).toArray({ limit: 10 })
  assert.equal(found.length, 1)
})

test('a signed webhook is taken once, and one with another secret is refused', async () => {
  const placed = await placeOrder(channel.client, store(await createOrder()))
  const event = {
    event_id: `evt_${randomUUID()}`,
    type: 'order.created',
    channel_code: 'sandbox',
    occurred_at: new Date().toISOString(),
    data: { order_type: 'dropship', order_id: null, dropship_order_id: placed.dropship_order_id },
  }
  assert.equal(await send(event), 204)
  assert.equal(await send(event), 204)
  assert.deepEqual(
    channel.announced.filter((id) => id === placed.dropship_order_id),
    [placed.dropship_order_id],
  )
  const another = `whsec_${Buffer.alloc(32, 'another').toString('base64')}`
  assert.equal(await send(event, another), 400)
})
