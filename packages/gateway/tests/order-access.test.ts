/**
 * Ownership of documents (contract §1, §2), checked for every endpoint of the catalogue with a document id in its path.
 * If the catalogue has an id for which this file creates no document, the first test fails.
 */

import { callOperation, createErp, operations } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import type { Endpoint } from '../src/endpoint.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import {
  alex,
  type Buyer,
  buildDropship,
  buildIdPattern,
  createDraft,
  createOrderNumber,
  expectData,
  expectError,
  findReference,
  openShop,
} from './trade.ts'

let house: TestGateway
let owner: Buyer
let stranger: Buyer
/** The token of a channel without a customer, from the channel grant. */
let outsider: string
let sku: string
const written: string[] = []
/** The ids of the owner's documents, by the name that paths use for the id. Each kind is there in several states. */
const documents: Record<string, string[]> = {}
/** Values other than ids that only the owner may read. */
const secrets: string[] = []

const number = createOrderNumber()
const recipient = { ...alex, name: 'Sorcha Ní Dhomhnaill' }

beforeAll(async () => {
  house = await openTestGateway({
    styles: 40,
    wrapErp: (erp) =>
      createErp((id, input, options) => {
        if (operations[id].kind === 'write' && id !== 'sign_in') written.push(id)
        return callOperation(erp, id, input, options)
      }),
  })
  owner = openShop(house)
  stranger = openShop(house, buyers[1])
  outsider = (await createWorld(house)).token
  sku = await stranger.createSku({ AUSYD1: 100 })
  await owner.token()
  expect(house.gateway.mirror.reference.maySell(buyers[0].customer_code, sku)).toBe(true)
  await createDocuments()
})
afterAll(() => house.close())

async function createDocuments() {
  const createOrder = async (...steps: ('submit' | 'void')[]) => {
    const { order_id } = await createDraft(owner, sku, 1, { client_order_number: number })
    if (steps.includes('submit')) expectData(await owner.post(`/orders/${order_id}/submit`))
    if (steps.includes('void')) expectData(await owner.send('DELETE', `/orders/${order_id}`))
    return String(order_id)
  }
  const createDropship = async (action: string) => {
    const body = buildDropship(sku, { recipient, client_order_number: `${number}-${action}` })
    const path = action === 'preview' ? 'allocation-preview' : 'submit'
    return expectData(await owner.post(`/dropship-orders/${path}`, body))
  }
  const createReservation = async () => {
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
    return expectData(await owner.post('/reservations', body), 201)
  }
  const [preview, pending, shipped] = [
    await createDropship('preview'),
    await createDropship('pending'),
    await createDropship('shipped'),
  ]
  const [reserved, confirmed, cancelled] = [
    await createReservation(),
    await createReservation(),
    await createReservation(),
  ]
  const passed = expectData(await owner.post(`/reservations/${confirmed.reservation_id}/confirm`))
  await owner.send('DELETE', `/reservations/${cancelled.reservation_id}`)
  const createCart = async () =>
    expectData(await owner.post('/carts', { items: [{ sku, quantity: 1 }], remark: 'secret remark' }), 201)
  const [open, checkedOut] = [await createCart(), await createCart()]
  expectData(await owner.post(`/carts/${checkedOut.cart_id}/checkout`))
  const wholesale = await createOrder('submit')
  for (const id of [shipped.dropship_order_id, wholesale]) {
    house.sandbox.steering.ship(await findReference(house, id))
  }
  await house.settle()
  const shipments = (await owner.get('/shipments')).json.data
  Object.assign(documents, {
    order_id: [
      await createOrder(),
      await createOrder('submit'),
      await createOrder('void'),
      wholesale,
      passed.order_id,
    ],
    dropship_order_id: [preview, pending, shipped].map((each) => each.dropship_order_id),
    reservation_id: [reserved, confirmed, cancelled].map((each) => each.reservation_id),
    hold_id: [preview.hold.hold_id, reserved.hold_id, passed.hold_id, cancelled.hold_id],
    cart_id: [open.cart_id, checkedOut.cart_id],
    shipment_id: shipments.map((each: LooseJson) => each.shipment_id),
    ...(await createWebhook()),
  })
  expect(documents.shipment_id).toHaveLength(2)
  secrets.push(
    ...Object.values(documents).flat(),
    number,
    recipient.name,
    'secret remark',
    pending.serial_number,
    ...shipments.flatMap((each: LooseJson) => each.tracking_number ?? []),
  )
}

/** Creates a webhook endpoint of the owner, a delivery to it, and the events of the orders. */
async function createWebhook() {
  const body = { url: 'https://hooks.example.com/', event_types: ['order.created'] }
  const { endpoint_id } = expectData(await owner.post('/webhook-endpoints', body), 201)
  const { delivery_id } = expectData(await owner.post(`/webhook-endpoints/${endpoint_id}/test`))
  while (await sequenceEvents(house.gateway));
  const events = (await owner.get('/events')).json.data
  expect(events.length).toBeGreaterThan(0)
  return {
    endpoint_id: [endpoint_id],
    delivery_id: [delivery_id],
    event_id: events.map((each: LooseJson) => each.event_id),
  }
}

const bearers = catalogue.filter(({ access }) => access === 'bearer')
const findIdName = ({ path }: Endpoint) => /\{(\w+_id)\}/.exec(path)?.[1]
// The client chooses a request's id, and another channel may have used the same one, so that id belongs to nobody.
const withId = bearers.filter(
  (endpoint) => findIdName(endpoint) !== undefined && findIdName(endpoint) !== 'request_id',
)
const pairWithNames = (endpoints: readonly Endpoint[]) =>
  endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
const buildBody = ({ body, example }: Endpoint) => (body ? { body: example ?? {} } : {})
const fillPath = ({ path }: Endpoint, id: string) => path.replace(/\{\w+_id\}/, id)

function expectNothingRevealed(text: string) {
  for (const secret of secrets) expect(text).not.toContain(secret)
}

/** Reads every document of the owner. */
async function readOwnedDocuments() {
  const read = Object.entries(documents).flatMap(([name, ids]) => {
    const endpoint = withId.find((each) => each.method === 'GET' && findIdName(each) === name)
    return ids.map(async (id) => {
      const path = fillPath(endpoint ?? throwNoReadEndpoint(name), id).replace('/api/v1', '')
      return expectData(await owner.get(path))
    })
  })
  return Promise.all(read)
}

/** Returns the names of a list's filters by id or number. */
const listIdFilters = ({ query }: Endpoint) => Object.keys(query).filter((name) => /_(id|number)$/.test(name))

function throwNoReadEndpoint(name: string): never {
  throw new Error(`No endpoint reads a document by ${name}.`)
}

describe('a document of another channel', () => {
  it('is there to be tried for every kind of id in a path', () => {
    for (const endpoint of withId) {
      const ids = documents[findIdName(endpoint) ?? '']
      expect(ids?.length, `mint a document for ${endpoint.path} in mintDocuments`).toBeGreaterThan(0)
    }
    expect(withId.length).toBeGreaterThanOrEqual(19)
  })

  it.each(pairWithNames(withId))(
    '%s answers OWNERSHIP_DENIED, whatever its state',
    async (_name, endpoint) => {
      const before = await readOwnedDocuments()
      written.length = 0
      for (const id of documents[findIdName(endpoint) ?? ''] ?? []) {
        const tokens = [await stranger.token(), ...(endpoint.oms ? [] : [outsider])]
        for (const token of tokens) {
          const answer = await call(house, endpoint.method, fillPath(endpoint, id), {
            token,
            ...buildBody(endpoint),
          })
          expectError(answer, 'OWNERSHIP_DENIED')
          expectNothingRevealed(answer.text)
        }
      }
      expect(written).toEqual([])
      expect(await readOwnedDocuments()).toEqual(before)
    },
  )

  it.each(pairWithNames(withId))(
    '%s answers NOT_FOUND for an id that is none, or of another kind',
    async (_name, endpoint) => {
      const name = findIdName(endpoint) ?? ''
      const [known = ''] = documents[name] ?? []
      const others = Object.entries(documents).flatMap(([kind, [id = '']]) => (kind === name ? [] : [id]))
      const next = known.slice(0, -1) + (known.endsWith('0') ? '1' : '0')
      const variants = [known.toUpperCase(), `${known}%20`, `%20${known}`, `${known}0`, next]
      const none = ['0', '-1', 'null', 'x'.repeat(500), '%27%20or%201%3D1', '%F0%9F%98%80']
      for (const shop of [owner, stranger]) {
        for (const id of shop === owner ? [...variants, ...others] : [...variants, ...none]) {
          const answer = await shop.send(endpoint.method, fillPath(endpoint, id).replace('/api/v1', ''), {
            ...buildBody(endpoint),
          })
          expectError(answer, 'NOT_FOUND')
        }
      }
    },
  )

  it('is OWNERSHIP_DENIED where a body names it, and tells nothing', async () => {
    for (const dropship_order_id of documents.dropship_order_id ?? []) {
      for (const action of ['allocation-preview', 'submit']) {
        const body = buildDropship(sku, { dropship_order_id, recipient })
        const answer = await stranger.post(`/dropship-orders/${action}`, body)
        expectError(answer, 'OWNERSHIP_DENIED')
        const unknown = { ...body, dropship_order_id: 'dso_nowhere' }
        expectError(await stranger.post(`/dropship-orders/${action}`, unknown), 'NOT_FOUND')
      }
    }
  })

  it('is on no list, whatever the filter', async () => {
    const lists = bearers.filter(
      ({ method, path, query }) => method === 'GET' && 'page' in query && !findIdName({ path } as Endpoint),
    )
    expect(lists.length).toBeGreaterThanOrEqual(6)
    for (const endpoint of lists) {
      const path = endpoint.path.replace('{warehouse_code}', 'AUSYD1')
      const filters = [
        '',
        ...listIdFilters(endpoint).flatMap((name) =>
          secrets.map((secret) => `${name}=${encodeURIComponent(secret)}`),
        ),
        'include_previews=true',
        'start_date=2026-11-01',
      ]
      for (const filter of new Set(filters)) {
        for (const token of [await stranger.token(), outsider]) {
          const answer = await call(house, 'GET', `${path}?${filter}`, { token })
          // A refusal repeats the requested id and nothing else about the document.
          if (answer.status === 200) expectNothingRevealed(answer.text)
          else expect([404, 422]).toContain(answer.status)
        }
      }
    }
  })

  it('with the same number is no document of ours: neither previewed over, nor a duplicate, nor a reservation', async () => {
    const theirs = buildDropship(sku, { recipient, client_order_number: `${number}-preview` })
    const made = expectData(await stranger.post('/dropship-orders/allocation-preview', theirs))
    expect(documents.dropship_order_id).not.toContain(made.dropship_order_id)
    const pending = { ...theirs, client_order_number: `${number}-pending` }
    const submitted = expectData(await stranger.post('/dropship-orders/submit', pending))
    expect(documents.dropship_order_id).not.toContain(submitted.dropship_order_id)
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }], client_order_number: number }
    const mine = expectData(await owner.post('/reservations', body), 201)
    const other = expectData(await stranger.post('/reservations', body), 201)
    expect(other.reservation_id).not.toBe(mine.reservation_id)
  })
})

describe('the channel’s own documents', () => {
  it('are its own whichever the grant: the channel grant reads, voids and releases them', async () => {
    const path = `/admin/api/channels/channel-of-${buyers[0].customer_code}/secrets`
    const { client_id, client_secret } = expectData(
      await call(house, 'POST', path, { admin: adminToken }),
      201,
    )
    const granted = await call(house, 'POST', '/api/v1/auth/token', { body: { client_id, client_secret } })
    const token = granted.json.access_token
    const send = (method: string, at: string) => call(house, method, `/api/v1${at}`, { token })
    const { order_id } = await createDraft(owner, sku, 1)
    await owner.post(`/orders/${order_id}/submit`)
    expect(expectData(await send('GET', `/orders/${order_id}`)).account_id).toBe('acc_1')
    expect(expectData(await send('DELETE', `/orders/${order_id}`)).status).toBe('cancelled')
    const preview = expectData(await owner.post('/dropship-orders/allocation-preview', buildDropship(sku)))
    const released = await send('DELETE', `/dropship-orders/${preview.dropship_order_id}/allocation`)
    expect(expectData(released).status).toBe('cancelled')
    const { cart_id } = expectData(
      await call(house, 'POST', '/api/v1/carts', { token, body: { items: [{ sku, quantity: 1 }] } }),
      201,
    )
    expect(expectData(await owner.post(`/carts/${cart_id}/checkout`)).status).toBe('confirmed')
  })

  it('have opaque ids, none of which is the next of another', () => {
    const prefixes = {
      order_id: 'ord',
      dropship_order_id: 'dso',
      reservation_id: 'rsv',
      hold_id: 'hold',
      cart_id: 'crt',
      shipment_id: 'shp',
    }
    for (const [name, prefix] of Object.entries(prefixes)) {
      const ids = documents[name] ?? []
      for (const id of ids) expect(id).toMatch(buildIdPattern(prefix))
      expect(new Set(ids.map((id) => id.slice(0, prefix.length + 9))).size).toBe(ids.length)
    }
  })
})

describe('an idempotency key', () => {
  it('of another channel never replays, and is not told', async () => {
    const key = `key-${createOrderNumber()}`
    const headers = { 'idempotency-key': key }
    const body = { items: [{ sku, quantity: 3 }] }
    const mine = await owner.post('/carts', body, headers)
    const theirs = await stranger.post('/carts', body, headers)
    expect(theirs.status).toBe(201)
    expect(theirs.headers.get('idempotent-replayed')).toBeNull()
    expect(theirs.json.data.cart_id).not.toBe(mine.json.data.cart_id)
    const grants = [outsider, (await createWorld(house)).token]
    const made = await Promise.all(
      grants.map((token) => call(house, 'POST', '/api/v1/carts', { token, body: {}, headers })),
    )
    expect(made.map(({ status }) => status)).toEqual([201, 201])
    expect(new Set(made.map(({ json }) => json.data.cart_id)).size).toBe(2)
    const readKeyState = async (token: string) =>
      (await call(house, 'GET', `/api/v1/idempotency-keys?key=${key}`, { token })).json.data
    expect(await readKeyState(await owner.token())).toMatchObject([
      { key, method: 'POST', path: '/api/v1/carts', state: 'completed', http_status: 201 },
    ])
    expect(JSON.stringify(await readKeyState(await stranger.token()))).not.toContain(mine.json.data.cart_id)
    expect(await readKeyState((await createWorld(house)).token)).toEqual([])
  })

  it('on a document of another channel is refused and kept by nobody', async () => {
    const [id = ''] = documents.order_id ?? []
    const headers = { 'idempotency-key': `key-${createOrderNumber()}` }
    for (let turn = 0; turn < 2; turn++) {
      const answer = await stranger.send('DELETE', `/orders/${id}`, { headers })
      expectError(answer, 'OWNERSHIP_DENIED')
      expect(answer.headers.get('idempotent-replayed')).toBeNull()
    }
  })
})

describe('OMS_LOGIN_REQUIRED', () => {
  /** Only these endpoints, which create or change orders, require a customer (contract §2). */
  const creations = [
    'POST /api/v1/orders',
    'PATCH /api/v1/orders/{order_id}',
    'POST /api/v1/orders/{order_id}/allocation-preview',
    'POST /api/v1/orders/{order_id}/submit',
    'POST /api/v1/dropship-orders/allocation-preview',
    'POST /api/v1/dropship-orders/submit',
    'POST /api/v1/reservations',
    'POST /api/v1/reservations/{reservation_id}/confirm',
    'POST /api/v1/carts/{cart_id}/checkout',
  ]

  it('is answered by creation with a channel grant, and by nothing else', async () => {
    const answered: string[] = []
    for (const endpoint of bearers) {
      const path = fillPath(endpoint, 'unknown_0').replace('{warehouse_code}', 'AUSYD1')
      const init = endpoint.method === 'GET' ? {} : { body: { nonsense: 1 } }
      const answer = await call(house, endpoint.method, path, { token: outsider, ...init })
      if (answer.json.error?.code === 'OMS_LOGIN_REQUIRED')
        answered.push(`${endpoint.method} ${endpoint.path}`)
    }
    expect(answered.toSorted()).toEqual(creations.toSorted())
  })
})

describe('the capability to delete a hold', () => {
  it('is that of the write behind it', async () => {
    const narrowed = await openTestGateway({
      styles: 10,
      wrapErp: (erp) => ({
        ...erp,
        async sign_in(input, options) {
          const answer = await erp.sign_in(input, options)
          const capabilities = ['dropship.write', 'reservations.read', 'orders.read']
          const isNarrow = 'ok' in answer && answer.ok.customer_code === buyers[1].customer_code
          return isNarrow ? { ok: { ...answer.ok, capabilities } } : answer
        },
      }),
    })
    const there = openShop(narrowed, buyers[1])
    const own = await there.createSku()
    const preview = await there.post('/dropship-orders/allocation-preview', buildDropship(own))
    const { hold_id } = expectData(preview).hold
    const { db } = narrowed.gateway.store
    await db
      .updateTable('sessions')
      .set({ capabilities: '["reservations.read","reservations.write"]' })
      .execute()
    narrowed.gateway.sessions.forget()
    expectError(await there.send('DELETE', `/holds/${hold_id}`), 'SCOPE_DENIED', {
      required_capability: 'dropship.write',
      plan: 'full',
      required_plan: 'trader',
    })
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku: own, quantity: 1 }] }
    const reserved = expectData(await there.post('/reservations', body), 201)
    expect(expectData(await there.send('DELETE', `/holds/${reserved.hold_id}`)).status).toBe('cancelled')
    const kept = expectData(await there.post('/reservations', body), 201)
    expectData(await there.post(`/reservations/${kept.reservation_id}/confirm`))
    const release = () => there.send('DELETE', `/holds/${kept.hold_id}`)
    expectError(await release(), 'SCOPE_DENIED', { required_capability: 'orders.write' })
    await db.updateTable('sessions').set({ capabilities: '["orders.write"]' }).execute()
    narrowed.gateway.sessions.forget()
    expectError(await release(), 'UPSTREAM_REJECTED', { reason: 'invalid_state' })
    await narrowed.close()
  })
})
