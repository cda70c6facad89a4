/** Opens gateways that have something of everything, and whose callers may use every endpoint. */
import { adminCatalogue, catalogue } from '../../src/catalogue.ts'
import { publishStockChanges } from '../../src/events/stock-changed.ts'
import { releaseExpiredHolds } from '../../src/holds/expire.ts'
import { storeRequests } from '../../src/requests/record.ts'
import { sequenceEvents } from '../../src/webhooks/sequence.ts'
import { settleAll } from '../../src/writes/settle.ts'
import { writes } from '../../src/writes.ts'
import { plantCanaries } from '../canaries.ts'
import { adminToken, buyers, call, createWorld, openTestGateway, type TestGateway } from '../harness.ts'
import { buildDropship, createDraft, expectData, findReference, openShop } from '../trade.ts'
import { skus } from './endpoint-draws.ts'
import { fillPlaces, type Known, learnIds, ownChannel, signatures } from './known.ts'
import { createSend, type Send, watchServer } from './send.ts'

/** A gateway that serves, and what it is known to have. */
export interface Served {
  readonly known: Known
  /** Sends a text, and notes the ids of the responses. */
  readonly send: Send
}

/** Opens a gateway, its callers and its documents. */
export async function openFilledGateway() {
  const house = await openTestGateway({ isEmbedded: true, journey })
  const world = await createWorld(house)
  const { token: channel_token, client_id, client_secret } = world
  const buyer_token = await createDocuments(house)
  await createSpareChannel(house)
  await runWorkers(house)
  const known: Known = { channel_token, buyer_token, admin_token: adminToken, client_id, client_secret }
  const channels = [await readChannel(house, world.channel_code), await readChannel(house, ownChannel)]
  const needed = new Set(channels.map(({ channel_code }) => channel_code))
  const sendOnly = createSend(house)
  const send: Send = async (text, options) => {
    const responses = await sendOnly(text, options)
    for (const response of responses) learnIds(known, response, needed)
    return responses
  }
  await readLists({ known, send })
  // The first search of a process builds its index: 1.4 s of processor time, which on a busy machine passes for a hang.
  await fetch(`${house.url}/search.json?q=a`).then((response) => response.text())
  const callers = await describeCallers({ house, known })
  return { house, known, send, channels, callers, watch: watchServer(house) }
}

/** Reads a channel as an operator may set it. */
async function readChannel(house: TestGateway, channel_code: string) {
  const path = `/admin/api/channels/${channel_code}`
  const { data } = (await call(house, 'GET', path, { admin: adminToken })).json
  const { name, plan, warehouse_allowlist, customer_code, points_per_minute, paused } = data
  const { wholesale_enabled, dropship_enabled, webhooks_enabled } = data
  const switches = { wholesale_enabled, dropship_enabled, webhooks_enabled, paused }
  const fields = { name, plan, warehouse_allowlist, customer_code, points_per_minute, ...switches }
  return { path, channel_code, fields }
}

/** Creates a channel that no caller needs, so that the operator's draws have one to change and to delete. */
async function createSpareChannel(house: TestGateway): Promise<void> {
  const { token } = await createWorld(house)
  const body = { plan: 'trader' }
  expectData(await call(house, 'POST', '/api/v1/plan-requests', { token, body }), 201)
}

/** The built-in ERP hands an order over and ships it within a few inputs. */
const journey = { handoverMs: 60_000, shippingMs: 60_000 }

/** Creates one document of each kind, as the buyer. Returns the buyer's token. */
async function createDocuments(house: TestGateway): Promise<string> {
  const shop = openShop(house)
  const token = await shop.token()
  const [sku = ''] = skus
  const lines = [{ sku, quantity: 1 }]
  await createDraft(shop, sku)
  const parcel = expectData(await shop.post('/dropship-orders/submit', buildDropship(sku)))
  const { dropship_order_id } = parcel
  house.sandbox.steering.ship(await findReference(house, dropship_order_id))
  expectData(await shop.post('/dropship-orders/allocation-preview', buildDropship(sku)))
  expectData(await shop.post('/reservations', { warehouse_code: 'AUSYD1', lines }), 201)
  expectData(await shop.post('/carts', { items: lines }), 201)
  const receiver = { url: 'https://hooks.example.com/trade', event_types: ['order.created'] }
  const { endpoint_id } = expectData(await shop.post('/webhook-endpoints', receiver), 201)
  expectData(await shop.post(`/webhook-endpoints/${endpoint_id}/test`))
  await lockName(house)
  return token
}

const failuresUntilLocked = 5

/** Locks a name that nobody has, so that the operator's draws have a lock to end. */
async function lockName(house: TestGateway): Promise<void> {
  const wrong = { grant_type: 'password', username: 'locked@test.example', password: 'wrong' }
  for (let time = 0; time < failuresUntilLocked; time++) await signIn(house, wrong)
}

/** Reads every list that needs no id, so that the ids of what exists are known. */
async function readLists({ known, send }: Served): Promise<void> {
  const lists = [...catalogue, ...adminCatalogue].filter(
    ({ method, path, query }) => method === 'GET' && !path.includes('{') && 'page_size' in query,
  )
  for (const { path, access } of lists) {
    const signature = signatures[access === 'admin' ? 'admin' : 'buyer']
    const head = [`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...signature]
    await send(fillPlaces(`${head.join('\r\n')}\r\n\r\n`, known), { isWhole: true })
  }
}

/** Gives the workers a turn, in which they meet what the inputs left behind. Webhooks are numbered, but not sent. */
export async function runWorkers(house: TestGateway): Promise<void> {
  const { gateway } = house
  await house.settle()
  await settleAll(gateway, writes)
  await releaseExpiredHolds(gateway)
  await publishStockChanges(gateway)
  await sequenceEvents(gateway)
  await storeRequests(gateway)
}

type Shop = Awaited<ReturnType<typeof openFilledGateway>>

/** Whether the gateway serves both callers as at its start, if need be after what an input has ended was begun again. */
export async function servesAsBefore(shop: Shop): Promise<boolean> {
  if ((await describeCallers(shop)) === shop.callers) return true
  const { house, known, channels } = shop
  for (const { path, fields } of channels)
    await call(house, 'PATCH', path, { admin: adminToken, body: fields })
  await call(house, 'DELETE', '/admin/api/upstream/pause', { admin: adminToken })
  const [{ username, password }] = buyers
  const { client_id, client_secret } = known
  known.buyer_token = await signIn(house, { grant_type: 'password', username, password })
  known.channel_token = await signIn(house, { client_id, client_secret })
  return (await describeCallers(shop)) === shop.callers
}

/** Requests a token. Returns an empty one if the sign-in is refused, as after too many wrong passwords. */
async function signIn(house: TestGateway, body: object): Promise<string> {
  const { json } = await call(house, 'POST', '/api/v1/auth/token', { body })
  plantCanaries(json.access_token)
  return json.access_token ?? ''
}

/** Describes how the gateway serves both callers. If it is as before, the next input has what it needs. */
async function describeCallers({ house, known }: { house: TestGateway; known: Known }): Promise<string> {
  await house.gateway.sessions.follow()
  const descriptions: unknown[] = []
  for (const token of [known.channel_token ?? '', known.buyer_token ?? '']) {
    const { status, json } = await call(house, 'GET', '/api/v1/me', { token })
    const { account, channel, permissions, rate_limit, switches, warehouses } = Object(json.data)
    const limit = rate_limit?.limit
    descriptions.push({ status, account, channel, permissions, switches, warehouses, limit })
  }
  return JSON.stringify(descriptions)
}
