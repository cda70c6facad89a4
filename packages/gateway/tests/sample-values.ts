/** The values of the variables in printed samples. Each names a document in a state in which the sample succeeds. */

import { type Erp, UnknownOutcome } from '@trade-gateway/connector'
import type { DocumentedEndpoint } from '../src/endpoint.ts'
import { toSample } from '../src/pages/reference/samples.ts'
import { sequenceEvents } from '../src/webhooks/sequence.ts'
import { adminToken, buyers, call, createWorld, signInBuyer } from './harness.ts'
import { alex, type Buyer, createOrderNumber, expectData, harbourShipping, setStock } from './trade.ts'

type Values = Readonly<Record<string, string>>
/** Makes the value of a variable for a sample of the endpoint. The values of the variables before it are `made`. */
type Maker = (endpoint: DocumentedEndpoint, made: Values) => Promise<string>

/** Whether responses of the ERP to submits are lost on their way. */
export interface LossSwitch {
  isLossy: boolean
}

/** Wraps an ERP so that responses to its submits can be lost. */
export function loseSubmits(erp: Erp, loss: LossSwitch): Erp {
  return {
    ...erp,
    async submit(input, options) {
      const result = await erp.submit(input, options)
      if (loss.isLossy) throw new UnknownOutcome('timeout', 'The response was lost.', { sent: true })
      return result
    },
  }
}

const suspicionWindowMs = 16 * 60_000

/** Makes the values of the variables that a text uses, by the name of the variable. */
export async function makeValues(shop: Buyer, loss: LossSwitch, endpoint: DocumentedEndpoint, code: string) {
  const { house } = shop
  // The same order again within the window would be suspected to be a duplicate.
  house.clock.advance(suspicionWindowMs)
  const skus = code.match(/\b(?:SBX|ACA-0132)-[A-Z0-9-]+/g) ?? []
  for (const sku of skus) setStock(house, 'AUSYD1', sku, 50)
  if (skus.length > 0) await house.settle()
  const makers: Readonly<Record<string, Maker>> = { ...createMakers(shop), ...createAdminMakers(shop, loss) }
  const names = new Set((code.match(/\$?\b[A-Z][A-Z_]+\b/g) ?? []).map((name) => name.replace('$', '')))
  const made: Record<string, string> = {}
  for (const name of names) {
    const make = makers[name]
    if (make) made[name] = await make(endpoint, made)
  }
  return made
}

const releasing = new Set(['dropship.release', 'dropship.submit'])

/** The makers of what a channel has. */
function createMakers(shop: Buyer) {
  const { house } = shop
  const createLines = async () => [{ sku: await shop.createSku(), quantity: 1 }]
  /** Only the recipient of a finished order can be erased. */
  const createVoided = async () => {
    const id = await makers.DROPSHIP_ORDER_ID()
    expectData(await shop.send('DELETE', `/dropship-orders/${id}`))
    return id
  }
  const makers = {
    async ORDER_ID({ id }: DocumentedEndpoint) {
      if (id === 'admin.recipients.erase') return createVoided()
      const body = { lines: await createLines(), shipping: harbourShipping }
      const { order_id } = expectData(await shop.post('/orders', body), 201)
      // Only what was submitted can be shipped.
      for (const step of id === 'sandbox.ship' ? ['allocation-preview', 'submit'] : [])
        expectData(await shop.post(`/orders/${order_id}/${step}`))
      return order_id
    },
    async DROPSHIP_ORDER_ID(endpoint?: DocumentedEndpoint) {
      const own = {
        ...{ sku: await shop.createSku(), quantity: 1 },
        ...{ client_order_number: createOrderNumber(), recipient: alex },
      }
      const { id = '' } = endpoint ?? {}
      const { body } = endpoint ? toSample(endpoint) : {}
      // A submit repeats its preview.
      const { dropship_order_id: _id, max_total: _total, ...repeated } = Object(body)
      const path = releasing.has(id) ? 'allocation-preview' : 'submit'
      const sent = id === 'dropship.submit' ? repeated : own
      return expectData(await shop.post(`/dropship-orders/${path}`, sent)).dropship_order_id
    },
    async RESERVATION_ID() {
      const body = { warehouse_code: 'AUSYD1', lines: await createLines() }
      return expectData(await shop.post('/reservations', body), 201).reservation_id
    },
    async HOLD_ID() {
      await makers.RESERVATION_ID()
      return expectData(await shop.get('/holds'))[0].hold_id
    },
    CART_ID: async () => expectData(await shop.post('/carts', { items: await createLines() }), 201).cart_id,
    async SHIPMENT_ID() {
      const dropship_order_id = await makers.DROPSHIP_ORDER_ID()
      const ship = { token: await shop.token(), body: { dropship_order_id } }
      expectData(await call(house, 'POST', '/sandbox/ship', ship))
      await house.settle()
      return expectData(await shop.get('/shipments'))[0].shipment_id
    },
    async ENDPOINT_ID() {
      const [known] = expectData(await shop.get('/webhook-endpoints')) as { endpoint_id: string }[]
      if (known) return known.endpoint_id
      const body = { url: 'https://hooks.example.com/trade', event_types: ['order.created'] }
      return expectData(await shop.post('/webhook-endpoints', body), 201).endpoint_id
    },
    async DELIVERY_ID() {
      const id = await makers.ENDPOINT_ID()
      await shop.post(`/webhook-endpoints/${id}/test`)
      return expectData(await shop.get(`/webhook-deliveries?endpoint_id=${id}`))[0].delivery_id
    },
    async EVENT_ID() {
      await makers.DROPSHIP_ORDER_ID()
      while (await sequenceEvents(house.gateway));
      return expectData(await shop.get('/events'))[0].event_id
    },
    async REQUEST_ID() {
      return (await shop.get('/orders/ord_00000000000000000000000000')).headers.get('x-request-id') ?? ''
    },
    KEY: async () => createOrderNumber(),
    TOKEN: () => signInBuyer(house),
    BASE: async () => house.url,
    USERNAME: async () => buyers[0].username,
    PASSWORD: async () => buyers[0].password,
  }
  return makers
}

let channels = 0

/** The makers of what only an operator sees. */
function createAdminMakers(shop: Buyer, loss: LossSwitch) {
  const { house } = shop
  const [, other] = buyers
  const read = async (path: string) =>
    expectData(await call(house, 'GET', `/admin/api${path}`, { admin: adminToken }))
  return {
    ADMIN_TOKEN: async () => adminToken,
    async CHANNEL_CODE({ id }: DocumentedEndpoint) {
      channels += 1
      if (id === 'admin.channels.create') return `new-shop-${channels}`
      if (id !== 'admin.account_tokens.revoke') return (await createWorld(house)).channel_code
      await signInBuyer(house, other)
      return `channel-of-${other.customer_code}`
    },
    ACCOUNT_ID: async () => 'acc_2',
    EXPECTED_UPDATED_AT: async (_endpoint: DocumentedEndpoint, made: Values) =>
      (await read(`/channels/${made.CHANNEL_CODE}`)).updated_at,
    SECRET_ID: async (_endpoint: DocumentedEndpoint, made: Values) =>
      (await read(`/channels/${made.CHANNEL_CODE}`)).secrets[0].secret_id,
    async JTI() {
      const { channel_code } = await createWorld(house)
      return (await read(`/channels/${channel_code}/tokens`))[0].jti
    },
    async LOCKOUT_ID() {
      const body = { grant_type: 'password', username: createOrderNumber(), password: 'wrong' }
      for (let time = 0; time < 6; time++) await call(house, 'POST', '/api/v1/auth/token', { body })
      return (await read('/lockouts'))[0].lockout_id
    },
    async PLAN_REQUEST_ID() {
      const { token } = await createWorld(house, { plan: 'reader' })
      const body = { plan: 'trader', reason: 'We begin to order.' }
      return expectData(await call(house, 'POST', '/api/v1/plan-requests', { token, body }), 201)
        .plan_request_id
    },
    async DOCUMENT_ID() {
      const wish = { sku: await shop.createSku(), quantity: 1, recipient: alex }
      loss.isLossy = true
      await shop.post('/dropship-orders/submit', { ...wish, client_order_number: createOrderNumber() })
      loss.isLossy = false
      return (await read('/writes-in-doubt'))[0].document_id
    },
    WAREHOUSE_CODE: async () => 'AUSYD1',
    SKU: async () => 'SBX-SHORT-3',
    AUDIT_ID: async () => (await read('/audit'))[0].audit_id,
  }
}
