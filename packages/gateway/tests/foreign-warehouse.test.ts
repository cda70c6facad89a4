/**
 * Data that a channel must not see is made recognisable: the stock of warehouses outside its allowlist has unmistakably
 * high figures, and recipients of another channel have unique names. The test calls every endpoint and searches every
 * byte that the channel receives.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import { coalesceMs, publishStockChanges } from '../src/events/stock-changed.ts'
import { connectAgent } from './agent.ts'
import { buyers, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { reportFigure } from './promises/report-figure.ts'
import { deliverDue, openReceiver, privateNets, type Receiver, registerEndpoint } from './receiver.ts'
import { syncStock } from './sync-stock.ts'
import { alex, type Buyer, buildDropship, changeChannel, createDraft, openShop, setStock } from './trade.ts'

const figure = 7_654_321
const [owner, stranger] = buyers
const foreign = {
  ...alex,
  name: 'Sorcha Canary-Ní Dhomhnaill',
  phone: '+353 1 555 0199',
  address: '9 Canary Row',
}
const codes = ['AUSYD1', 'AUSYD2', 'CHNZJ1', 'AU', 'CN']

let house: TestGateway
let shop: Buyer
let receiver: Receiver
let sku: string
let agent: Awaited<ReturnType<typeof connectAgent>>
/**
 * All that was sent to the channel: responses, MCP results and webhooks. Each entry is a label (the request, the action
 * or `webhook`) and the text that was sent.
 */
const sent: (readonly [string, string])[] = []

beforeAll(async () => {
  house = await openTestGateway({ styles: 20, settings: { ...privateNets, RATE_LIMIT_POINTS: '1000000' } })
  shop = openShop(house, owner)
  const other = openShop(house, stranger)
  await shop.token()
  sku = await other.createSku({ AUSYD1: 50, AUSYD2: figure, CHNZJ1: figure })
  await other.post(
    '/dropship-orders/submit',
    buildDropship(sku, { recipient: foreign, warehouse_code: 'AUSYD1' }),
  )
  await changeChannel(house, owner, { warehouse_allowlist: ['AUSYD1'] })
  receiver = await openReceiver()
  await registerEndpoint(house, await shop.token(), receiver.url, {
    event_types: ['stock.changed', 'order.created'],
  })
  agent = await connectAgent(house, await shop.token())
})
afterAll(async () => {
  await receiver.close()
  await house.close()
})

async function sendAndRecord(method: string, path: string, body?: unknown): Promise<LooseJson> {
  const { text, headers, json } = await shop.send(method, path, body === undefined ? {} : { body })
  sent.push([`${method} ${path} ${JSON.stringify(body) ?? ''}`, JSON.stringify([...headers]) + text])
  return json
}

async function readEverything(ids: Readonly<Record<string, string>>) {
  for (const { path } of catalogue.filter(({ method }) => method === 'GET')) {
    const paths = path.includes('{warehouse_code}')
      ? codes.map((code) => path.replace('{warehouse_code}', code))
      : [path]
    for (const each of paths) {
      const filled = each
        .replace('/api/v1', '')
        .replace(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? 'none')
      for (const query of ['', `?sku=${sku}`, '?since=0', '?page=1&page_size=100']) {
        await sendAndRecord('GET', `${filled}${query}`)
      }
    }
  }
}

async function placeOrders() {
  const lines = [{ sku, quantity: 60 }]
  const { order_id } = await createDraft(shop, sku, 60)
  for (const warehouse_code of codes) {
    await sendAndRecord('POST', '/orders', { warehouse_code, lines })
    await sendAndRecord('POST', '/reservations', { warehouse_code, lines })
    const wish = buildDropship(sku, { quantity: 60, warehouse_code })
    await sendAndRecord('POST', '/dropship-orders/allocation-preview', wish)
    await sendAndRecord('POST', '/dropship-orders/submit', wish)
  }
  await sendAndRecord('POST', `/orders/${order_id}/allocation-preview`, {})
  await sendAndRecord('POST', `/orders/${order_id}/submit`, {})
  // If a request specifies no warehouse, the ERP chooses among the warehouses that the gateway lists in its request.
  const anywhere = buildDropship(sku, { quantity: 60 })
  const short = await sendAndRecord('POST', '/dropship-orders/allocation-preview', anywhere)
  expect(short.data.fulfillable, 'there is enough elsewhere only').toBe(false)
  const refused = await sendAndRecord('POST', '/dropship-orders/submit', anywhere)
  expect(refused.error.reason).toBe('insufficient_stock')
  const preview = await sendAndRecord('POST', '/dropship-orders/allocation-preview', buildDropship(sku))
  return { order_id, dropship_order_id: preview.data.dropship_order_id, hold_id: preview.data.hold.hold_id }
}

async function callActionsAndRecord() {
  const { tools } = await agent.client.listTools()
  sent.push(['tools/list', JSON.stringify(tools)])
  const inputs = [
    ['check_stock', { items: [{ sku }] }],
    ['check_stock', { skus: [sku] }],
    ...codes.map((warehouse_code) => ['check_stock', { skus: [sku], warehouse_code }] as const),
    ['find_products', { query: sku }],
    ['quote_dropship', buildDropship(sku, { quantity: 60 })],
    ...codes.map(
      (code) => ['call_endpoint', { method: 'GET', path: `/api/v1/warehouses/${code}/stock` }] as const,
    ),
  ] as const
  for (const [name, input] of inputs) {
    const answer = await agent.callRaw(name, input).catch((error: unknown) => String(error))
    sent.push([`${name} ${JSON.stringify(input)}`, JSON.stringify(answer)])
  }
}

describe('a channel that may use one warehouse', () => {
  it('is sent no figure of another one and nobody else’s recipient, in any byte', async () => {
    await publishStockChanges(house.gateway)
    const ids = await placeOrders()
    for (const code of ['AUSYD1', 'AUSYD2', 'CHNZJ1'])
      setStock(house, code, sku, code === 'AUSYD1' ? 40 : figure - 1)
    await syncStock(house.gateway)
    await house.gateway.mirror.stock.follow()
    house.clock.advance(coalesceMs)
    await publishStockChanges(house.gateway)
    await readEverything({ ...ids, product_code: sku, code: 'NOT_FOUND' })
    await callActionsAndRecord()
    await deliverDue(house)
    for (const { raw } of receiver.received) sent.push(['webhook', raw])

    expect(sent.filter(([what]) => what === 'webhook').length).toBeGreaterThan(0)
    expect(sent.length).toBeGreaterThan(100)
    reportFigure(
      ['I18'],
      `${sent.length} responses, MCP results and webhooks searched for planted figures and recipients`,
    )
    const readable = sent.filter(([what, bytes]) => what.includes('/AUSYD1/stock') && bytes.includes(sku))
    expect(readable.length, 'its own stock is there').toBeGreaterThan(0)
    // Matches the recognisable number and its neighbours, their sums and halves, with and without separators.
    const planted = /7[,. {2}]?65[34][,. {2}]?\d{3}|15[,. {2}]?30\d[,. {2}]?\d{3}/
    const people = [foreign.name, foreign.phone, foreign.address]
    for (const [what, bytes] of sent) {
      const text = bytes.replace(/"(?:\w*version|latest|as_of|\w*_at|etag)":\s*"?[^,"}]*/gi, '')
      expect(planted.exec(stripIds(text))?.[0], what).toBeUndefined()
      for (const canary of people) expect(bytes.includes(canary), `${what}: ${canary}`).toBe(false)
    }
    for (const hidden of ['AUSYD2', 'CHNZJ1']) {
      const named = sent.filter(
        ([what, bytes]) => bytes.includes(hidden) && !what.includes(hidden) && !isSameForAllChannels(what),
      )
      expect(named, `${hidden} is named by nothing that did not ask for it`).toEqual([])
    }
    const own = await call(house, 'GET', '/api/v1/warehouses', { token: await shop.token() })
    expect(own.json.data.map(({ warehouse_code }: LooseJson) => warehouse_code)).toEqual(['AUSYD1'])
  })
})

/** Whether the response is the same for every channel. Such responses may use any warehouse as an example. */
function isSameForAllChannels(what: string): boolean {
  return what.startsWith('GET /errors') || what === 'tools/list'
}

/** Removes ids, versions and digests, because they also consist of digits. */
function stripIds(text: string): string {
  return text.replace(/[a-z]+_[0-9a-z]{26}|\b[0-9a-f]{16,}\b|\d{12,}|\d{4}-\d\d-\d\dT[\d:.]+Z/g, '')
}
