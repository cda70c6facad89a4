import { strict as assert } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { TradeGateway } from '@trade-gateway/sdk'
import { type NewOrder, placeOrder } from '../src/orders.ts'

const hourMs = 60 * 60_000
/** The order was stored two days ago, so its key is over. */
const storedAt = new Date(Date.now() - 48 * hourMs)
const order: NewOrder = {
  sku: 'A-1',
  quantity: 1,
  client_order_number: 'WEB-1',
  recipient: { name: 'Alex', phone: '1', address: '1 Example Street', city: 'Sydney', country_code: 'AU' },
}

/** An order as the list shows it, submitted some time after this one was stored. */
function buildRow(id: string, afterMs: number, more: object = {}) {
  const submitted_at = new Date(storedAt.getTime() + afterMs).toISOString()
  return {
    dropship_order_id: id,
    sku: 'A-1',
    in_doubt: false,
    submitted_at,
    updated_at: submitted_at,
    ...more,
  }
}

const cancelledBefore = buildRow('dso_before', -hourMs, { status: 'cancelled' })
const preview = buildRow('dso_preview', hourMs, { status: 'preview', submitted_at: null })
const unconfirmed = buildRow('dso_open', hourMs, { in_doubt: true, submitted_at: null })
const placed = buildRow('dso_placed', hourMs, { status: 'shipped' })

/**
 * Sends the order to a gateway that lists these orders, and makes `dso_new` of a new one. The clock of this machine is
 * ahead of the gateway's by `aheadMs`.
 */
async function placeWith(rows: readonly object[], t: TestContext, { aheadMs = 0, stored = storedAt } = {}) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const as_of = new Date(Date.now() - aheadMs).toISOString()
    const list = { data: rows, has_more: false, next_cursor: null, as_of }
    const made = { data: { dropship_order_id: 'dso_new' } }
    response.end(JSON.stringify(request.method === 'GET' ? list : made))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  const client = new TradeGateway({
    baseUrl: `http://127.0.0.1:${address.port}`,
    auth: { accessToken: 'a-token' },
  })
  return placeOrder(client, { order, key: randomUUID(), storedAt: stored })
}

test('an order that is older than its key is not sent again if it was placed', async (t) => {
  const { dropship_order_id } = await placeWith([preview, placed, cancelledBefore], t)
  assert.equal(dropship_order_id, 'dso_placed')
})

test('an earlier order with the same number, a preview and another SKU are not this order', async (t) => {
  const other = buildRow('dso_other', hourMs, { sku: 'B-2' })
  const { dropship_order_id } = await placeWith([preview, other, cancelledBefore], t)
  assert.equal(dropship_order_id, 'dso_new')
})

test('an order is not sent again while the ERP has not confirmed one with its number', async (t) => {
  await assert.rejects(placeWith([placed, unconfirmed], t), /not known yet.*dso_open/)
})

test('an order is found by the clock of the gateway where the clock of this machine is ahead', async (t) => {
  const aheadMs = 3 * hourMs
  const soon = buildRow('dso_soon', 60_000 - aheadMs)
  const { dropship_order_id } = await placeWith([soon], t, { aheadMs })
  assert.equal(dropship_order_id, 'dso_soon')
})

test('an earlier order is not this one where the clock of this machine is behind', async (t) => {
  const aheadMs = -3 * hourMs
  const { dropship_order_id } = await placeWith([buildRow('dso_before', hourMs)], t, { aheadMs })
  assert.equal(dropship_order_id, 'dso_new')
})

test('an order that was stored in the future is looked up, because its age is not known', async (t) => {
  const { dropship_order_id } = await placeWith([placed], t, { stored: new Date(Date.now() + hourMs) })
  assert.equal(dropship_order_id, 'dso_placed')
})
