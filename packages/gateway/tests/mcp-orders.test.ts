/** How an agent quotes and places orders. */

import type { AddressInfo } from 'node:net'
import { type Erp, ok, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { catalogue } from '../src/catalogue.ts'
import { syncDocuments } from '../src/documents/sync.ts'
import { createListener } from '../src/http/adapter.ts'
import { createGatewayServer } from '../src/http/server.ts'
import { ActionContext } from '../src/mcp/action-context.ts'
import { createMcpPipeline } from '../src/mcp/pipeline.ts'
import { createPipeline, type Pipeline } from '../src/pipeline/pipeline.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { type Agent, connectAgent, revisions } from './agent.ts'
import {
  adminToken,
  buyers,
  call,
  createWorld,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { sendInProcess } from './in-process.ts'
import {
  alex,
  type Buyer,
  countHeldAtErp,
  createOrderNumber,
  expectData,
  expectError,
  findReference,
  harbourShipping,
  listErpDocuments,
  openShop,
  passTime,
  setStock,
} from './trade.ts'

let house: TestGateway
let shop: Buyer
let agent: Agent

/** Whether the response to the next submit is lost. */
let isLost = false
/** Whether the next submit itself is lost, on its way to the ERP. */
let isLostOnTheWay = false
/** The preferences of the account at its next sign-in. */
let preferences: typeof harbourShipping | null = null
let submits = 0

const wrapLosingErp = (erp: Erp): Erp => ({
  ...erp,
  async sign_in(input, options) {
    const answer = await erp.sign_in(input, options)
    return 'ok' in answer ? ok({ ...answer.ok, ...(preferences && { preferences }) }) : answer
  },
  async submit(input, options) {
    submits += 1
    if (isLostOnTheWay) {
      isLostOnTheWay = false
      throw new UnknownOutcome('timeout', 'Nothing arrived.')
    }
    const answer = await erp.submit(input, options)
    if (!isLost) return answer
    isLost = false
    throw new UnknownOutcome('timeout', 'Nothing came back.')
  },
})

beforeAll(async () => {
  house = await openTestGateway({ wrapErp: wrapLosingErp })
  shop = openShop(house)
})
// Some tests advance the clock past the token's expiry, so each test connects again.
beforeEach(async () => {
  agent = await connectAgent(house, await signInBuyer(house))
})
afterAll(() => house.close())

const buildParcel = (sku: string, more: Record<string, unknown> = {}) => ({
  sku,
  quantity: 2,
  recipient: alex,
  client_order_number: createOrderNumber(),
  ...more,
})
const omitShipping = ({ shipping: _shipping, ...order }: ReturnType<typeof buildWholesale>) => order
const buildWholesale = (sku: string, quantity = 3) => ({
  lines: [{ sku, quantity }],
  shipping: harbourShipping,
  warehouse_code: 'AUSYD1',
})

/** Checks that two results are equal apart from their request ids and the points that they cost. */
function expectSameResult(again: ActionReply, first: ActionReply) {
  const { request_id, points_spent } = again.data
  expect(again).toEqual({ ...first, data: { ...first.data, request_id, points_spent } })
}
type ActionReply = Awaited<ReturnType<Agent['call']>>

describe('a drop-ship order', () => {
  it.each(revisions)('is placed in three calls or fewer, by an agent of %s', async (revision) => {
    const buyer = await connectAgent(house, await shop.token(), { revision })
    const sku = await shop.createSku()
    const quote = (await buyer.call('quote_dropship', buildParcel(sku))).data
    expect(quote).toMatchObject({ can_place: true, blockers: [], currency: 'AUD' })
    expect(countHeldAtErp(house, sku)).toBe(2)
    const placed = (
      await buyer.call('place_dropship', { quote_id: quote.quote_id, confirm_total: quote.total })
    ).data
    expect(placed).toMatchObject({
      dropship_order_id: quote.dropship_order_id,
      status: 'pending',
      total: quote.total,
      replayed: false,
    })
    expect(await shop.readAvailable(sku)).toBe(8)
    await buyer.client.close()
  })

  it('is answered again, and never placed twice, when the same quote is placed again', async () => {
    const sku = await shop.createSku()
    const wish = buildParcel(sku)
    const { quote_id, total } = (await agent.call('quote_dropship', wish)).data
    const input = { quote_id, confirm_total: total }
    const first = (await agent.call('place_dropship', input)).data
    const second = (await agent.call('place_dropship', input)).data
    expect(second).toMatchObject({ ...first, replayed: true, request_id: second.request_id, points_spent: 1 })
    // The quote has long expired.
    await passTime(house, 26 * 60 * 60_000)
    const later = await connectAgent(house, await shop.token())
    expect((await later.call('place_dropship', input)).data).toMatchObject({
      dropship_order_id: first.dropship_order_id,
      replayed: true,
    })
    expect(
      listErpDocuments(house, wish.client_order_number).filter(({ kind }) => kind === 'order'),
    ).toHaveLength(1)
  })

  it('is the same order to whoever places the quote again after its recipient was erased', async () => {
    const wish = buildParcel(await shop.createSku())
    const { quote_id, total } = (await agent.call('quote_dropship', wish)).data
    const input = { quote_id, confirm_total: total }
    const { dropship_order_id } = (await agent.call('place_dropship', input)).data
    house.sandbox.steering.ship(await findReference(house, dropship_order_id))
    await syncDocuments(house.gateway)
    const erasure = await call(house, 'POST', '/admin/api/recipients/erase', {
      headers: { 'x-admin-token': adminToken },
      body: { order_id: dropship_order_id },
    })
    expect(erasure.json.data.erased_count).toBe(1)
    expect((await agent.call('place_dropship', input)).data).toMatchObject({
      dropship_order_id,
      status: 'shipped',
      total,
      replayed: true,
    })
  })

  it('is quoted with a warning as long as it would be suspected to be a duplicate', async () => {
    const sku = await shop.createSku()
    const wish = buildParcel(sku)
    const first = (await agent.call('quote_dropship', wish)).data
    expect(first.duplicate_warning).toBeUndefined()
    const placed = await agent.call('place_dropship', {
      quote_id: first.quote_id,
      confirm_total: first.total,
    })
    const { dropship_order_id } = placed.data
    const { data: quote, text } = await agent.call('quote_dropship', wish)
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    const windowEnd = new Date(house.clock.now() + 600_000).toISOString()
    expect(quote.duplicate_warning).toEqual({ dropship_order_id, window_ends_at: windowEnd })
    expect(text).toContain(`Warning: ${dropship_order_id} has the same number, SKU and recipient.`)
    const refusal = await agent.expectRefusal('place_dropship', input)
    expect(refusal).toMatch(/^DUPLICATE_SUSPECTED: .*`error\.window_ends_at`/)
    expect(refusal).toContain(`window_ends_at: ${windowEnd}.`)
    expect(refusal).toContain(dropship_order_id)
    // To another recipient it is no duplicate: the number is taken.
    const other = await agent.call('quote_dropship', { ...wish, recipient: { ...alex, name: 'Kim Park' } })
    expect(other.data.duplicate_warning).toBeUndefined()
    await passTime(house, 600_000)
    expect((await agent.call('quote_dropship', wish)).data.duplicate_warning).toBeUndefined()
  })

  it('is one when two calls race', async () => {
    const wish = buildParcel(await shop.createSku())
    const { quote_id, total } = (await agent.call('quote_dropship', wish)).data
    const input = { quote_id, confirm_total: total }
    const answers = await Promise.all([1, 2, 3, 4].map(() => agent.callRaw('place_dropship', input)))
    const ids = new Set(
      answers.filter(({ isError }) => !isError).map((each) => each.structuredContent.dropship_order_id),
    )
    expect(ids.size).toBe(1)
    for (const { isError, content } of answers) {
      if (isError)
        expect(content[0].text).toMatch(/^(IDEMPOTENCY_IN_PROGRESS|UPSTREAM_TIMEOUT): .*same tool again/)
    }
    expect(
      listErpDocuments(house, wish.client_order_number).filter(({ kind }) => kind === 'order'),
    ).toHaveLength(1)
  })

  it('gives its stock back when the quote is released, once', async () => {
    const sku = await shop.createSku()
    const { dropship_order_id, quote_id, total } = (await agent.call('quote_dropship', buildParcel(sku))).data
    expect(await shop.readAvailable(sku)).toBe(8)
    const first = await agent.call('release_dropship', { dropship_order_id })
    expect(first.data).toMatchObject({
      dropship_order_id,
      status: 'cancelled',
      released: [{ sku, quantity: 2 }],
    })
    expect(first.text).toBe(`${dropship_order_id} is cancelled; 2 pieces released.`)
    expect(await shop.readAvailable(sku)).toBe(10)
    expectSameResult(await agent.call('release_dropship', { dropship_order_id }), first)
    expect(await shop.readAvailable(sku)).toBe(10)
    const refusal = await agent.expectRefusal('place_dropship', { quote_id, confirm_total: total })
    expect(refusal).toMatch(/^VALIDATION_FAILED: .*param: quote_id\. reason: quote_used\./)
  })

  it('cannot be placed where stock is short, and says what could be', async () => {
    const sku = await shop.createSku({ AUSYD1: 1 })
    const { data, text } = await agent.call('quote_dropship', buildParcel(sku))
    expect(data).toMatchObject({ can_place: false })
    expect(data.quote_id).toBeUndefined()
    expect(data.blockers[0]).toMatchObject({ code: 'UPSTREAM_REJECTED', reason: 'insufficient_stock' })
    expect(data.blockers[0].hint).toContain('at most the quantities in `alternatives`')
    expect(data.blockers[0].hint).not.toContain('error.')
    expect(data.lines[0]).toMatchObject({ quantity: 2, quantity_allocated: 1, quantity_short: 1 })
    expect(data.alternatives[0]).toEqual({ sku, quantity: 1 })
    expect(text).toContain('Cannot be placed: insufficient_stock')
  })

  it.each<[string, object]>([
    ['for another quantity', { quantity: 1 }],
    ['for another recipient', { recipient: { ...alex, name: 'Kim Park' } }],
    ['from one warehouse', { warehouse_code: 'AUSYD1' }],
    ['with a remark', { remark: 'Leave it at the door' }],
  ])('is no quote if another caller previews the same order %s meanwhile', async (_what, other) => {
    const wish = buildParcel(await shop.createSku())
    const { callEndpoint } = ActionContext.prototype
    const between = vi.spyOn(ActionContext.prototype, 'callEndpoint')
    between.mockImplementationOnce(async function (this: ActionContext, ...call) {
      const preview = await callEndpoint.apply(this, call)
      expectData(await shop.post('/dropship-orders/allocation-preview', { ...wish, ...other }))
      return preview
    } as typeof callEndpoint)
    const refusal = await agent.expectRefusal('quote_dropship', wish)
    between.mockRestore()
    expect(refusal).toMatch(/^VALIDATION_FAILED: .*reason: quote_invalid\./)
  })

  it('shows enough of the recipient to tell two apart, and all of it only when asked', async () => {
    const sku = await shop.createSku()
    const hidden = await agent.callRaw('quote_dropship', buildParcel(sku))
    expect(hidden.structuredContent.recipient).toMatchObject({
      name: 'Alex Lee',
      phone: '•••234',
      city: 'Sydney',
    })
    expect(JSON.stringify(hidden)).not.toContain(alex.phone)
    expect(JSON.stringify(hidden)).not.toContain(alex.address)
    const full = (await agent.call('quote_dropship', buildParcel(sku, { detail: 'full' }))).data
    expect(full.recipient).toEqual(alex)
  })

  it('shows whole characters of the recipient', async () => {
    const recipient = { ...alex, phone: '+61 4𝟏𝟐𝟑', address: '1 𠮷野 Street' }
    const { data } = await agent.call('quote_dropship', buildParcel(await shop.createSku(), { recipient }))
    expect(data.recipient).toMatchObject({ phone: '•••𝟏𝟐𝟑', address: '1 𠮷•••' })
  })
})

describe('a wholesale order', () => {
  it('is quoted, placed and voided', async () => {
    const sku = await shop.createSku()
    const quote = (await agent.call('quote_order', buildWholesale(sku))).data
    expect(quote).toMatchObject({ can_place: true, currency: 'AUD' })
    expect(await shop.readAvailable(sku)).toBe(10)
    const { data: placed } = await agent.call('place_order', {
      quote_id: quote.quote_id,
      confirm_total: quote.total,
    })
    expect(placed).toMatchObject({ order_id: quote.order_id, status: 'confirmed', total: quote.total })
    expect(await shop.readAvailable(sku)).toBe(7)
    const voided = await agent.call('cancel_order', { order_id: quote.order_id, reason: 'a test' })
    expect(voided.data).toMatchObject({
      id: quote.order_id,
      kind: 'wholesale',
      status: 'cancelled',
      released: [{ sku, quantity: 3 }],
    })
    expect(await shop.readAvailable(sku)).toBe(10)
    expect(voided.text).toBe(`${quote.order_id} is cancelled; 3 pieces released.`)
    expectSameResult(await agent.call('cancel_order', { order_id: quote.order_id }), voided)
    expect(await shop.readAvailable(sku)).toBe(10)
  })

  it('of which only a draft was made is cancelled without a word of stock', async () => {
    const { order_id } = (await agent.call('quote_order', buildWholesale(await shop.createSku()))).data
    const first = await agent.call('cancel_order', { order_id })
    expect(first.data.released).toBeUndefined()
    expect(first.text).toBe(`${order_id} is cancelled.`)
    expect((await agent.call('cancel_order', { order_id })).text).toBe(`${order_id} was cancelled before.`)
  })

  it('is the same order when its quote is placed again', async () => {
    const quote = (await agent.call('quote_order', buildWholesale(await shop.createSku()))).data
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    await agent.call('place_order', input)
    expect((await agent.call('place_order', input)).data).toMatchObject({
      order_id: quote.order_id,
      replayed: true,
    })
  })

  it('whose stock is sold meanwhile is refused with what there is, and asks for a new quote', async () => {
    const sku = await shop.createSku()
    const quote = (await agent.call('quote_order', buildWholesale(sku))).data
    setStock(house, 'AUSYD1', sku, 1)
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    const refusal = await agent.expectRefusal('place_order', input)
    expect(refusal).toMatch(/^UPSTREAM_REJECTED: .*Make a new quote.*reason: insufficient_stock\./)
    expect(refusal).toMatch(/shortages: <data>\[\{.*"quantity_available":1.*\}\]<\/data>/)
    expect(refusal).not.toMatch(/allow_partial|error\./)
  })

  it('leaves no draft behind that cannot be quoted', async () => {
    const sku = await shop.createSku()
    const before = (await shop.get('/orders?status=draft&page_size=200')).json.data.length
    const wish = { ...buildWholesale(sku), shipping: { shipping_method_id: 'no-such-method' } }
    expect(await agent.expectRefusal('quote_order', wish)).toMatch(
      /^NOT_FOUND: .*param: shipping\.shipping_method_id/,
    )
    const { shipping: _none, ...unshipped } = buildWholesale(sku)
    expect(await agent.expectRefusal('quote_order', unshipped)).toMatch(/^SHIPPING_REQUIRED: /)
    expect((await shop.get('/orders?status=draft&page_size=200')).json.data).toHaveLength(before)
  })
})

describe('an order that was voided after it was placed', () => {
  it.each(['order', 'dropship'] as const)('is no placed %s to whoever places it again', async (kind) => {
    const sku = await shop.createSku()
    const { data: quote } = await (kind === 'order'
      ? agent.call('quote_order', buildWholesale(sku))
      : agent.call('quote_dropship', buildParcel(sku)))
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    expect((await agent.call(`place_${kind}`, input)).text).toContain(' is placed: ')
    expect((await agent.call(`place_${kind}`, input)).text).toContain(' was placed before: ')
    const { order_id, dropship_order_id } = quote
    const which = kind === 'order' ? { order_id } : { dropship_order_id }
    const voided = await agent.call('cancel_order', which)
    expectSameResult(await agent.call('cancel_order', which), voided)
    expect(voided.data.released).toEqual([{ sku, quantity: kind === 'order' ? 3 : 2 }])
    const { data, text } = await agent.call(`place_${kind}`, input)
    expect(data).toMatchObject({ replayed: true, status: 'cancelled' })
    expect(text).toContain(' was placed and has been voided since: cancelled, ')
  })
})

describe('a price that changes between quote and place', () => {
  it('is refused, orders nothing and asks for a new quote', async () => {
    for (const kind of ['order', 'dropship'] as const) {
      const sku = await shop.createSku()
      const quote = (
        await (kind === 'order'
          ? agent.call('quote_order', buildWholesale(sku))
          : agent.call('quote_dropship', buildParcel(sku)))
      ).data
      house.sandbox.steering.setPrice({ sku, price_wholesale: 99_900 })
      const input = { quote_id: quote.quote_id, confirm_total: quote.total }
      const refusal = await agent.expectRefusal(`place_${kind}`, input)
      expect(refusal).toMatch(/^UPSTREAM_REJECTED: .*reason: price_changed\./)
      expect(refusal).toContain('Make a new quote')
      const path =
        kind === 'order' ? `/orders/${quote.order_id}` : `/dropship-orders/${quote.dropship_order_id}`
      expect((await shop.get(path)).json.data.submitted_at).toBeNull()
    }
  })
})

describe('a quote', () => {
  const quoteDropship = async () =>
    (await agent.call('quote_dropship', buildParcel(await shop.createSku()))).data
  const refused = /^VALIDATION_FAILED: .*param: quote_id\. reason: quote_invalid\./

  it('is refused when a single character of it differs', async () => {
    const { quote_id, total } = await quoteDropship()
    for (let at = 0; at < quote_id.length; at++) {
      const other = quote_id[at] === 'a' ? 'b' : 'a'
      const edited = `${quote_id.slice(0, at)}${other}${quote_id.slice(at + 1)}`
      expect(await agent.expectRefusal('place_dropship', { quote_id: edited, confirm_total: total })).toMatch(
        refused,
      )
    }
    for (const forged of ['x', `${quote_id}a`, quote_id.slice(1), quote_id.toUpperCase(), ` ${quote_id}`]) {
      expect(await agent.expectRefusal('place_dropship', { quote_id: forged, confirm_total: total })).toMatch(
        refused,
      )
    }
    expect((await agent.call('place_dropship', { quote_id, confirm_total: total })).data.replayed).toBe(false)
  })

  it('is of no use to another account, another channel or another action', async () => {
    const { quote_id, total } = await quoteDropship()
    const input = { quote_id, confirm_total: total }
    const other = await connectAgent(house, await signInBuyer(house, buyers[1]))
    expect(await other.expectRefusal('place_dropship', input)).toMatch(refused)
    const channel = await connectAgent(house, (await createWorld(house)).token)
    expect(await channel.expectRefusal('place_dropship', input)).toMatch(/^OMS_LOGIN_REQUIRED: /)
    expect(await agent.expectRefusal('place_order', input)).toMatch(refused)
  })

  it('is refused with another total, and names the quoted one', async () => {
    const { quote_id, total } = await quoteDropship()
    for (const confirm_total of [total + 0.01, total - 0.01, 0, total * 100]) {
      const refusal = await agent.expectRefusal('place_dropship', { quote_id, confirm_total })
      expect(refusal).toMatch(/^VALIDATION_FAILED: .*param: confirm_total\./)
      expect(refusal).toContain(`${total} AUD`)
    }
  })

  it.each(['order', 'dropship'] as const)(
    'of a %s expires with the price and the hold behind it',
    async (kind) => {
      const sku = await shop.createSku()
      const quote = (
        await (kind === 'order'
          ? agent.call('quote_order', buildWholesale(sku))
          : agent.call('quote_dropship', buildParcel(sku)))
      ).data
      house.clock.set(Date.parse(quote.expires_at))
      const refusal = await agent.expectRefusal(`place_${kind}`, {
        quote_id: quote.quote_id,
        confirm_total: quote.total,
      })
      expect(refusal).toMatch(/param: quote_id\. reason: quote_expired\./)
    },
  )

  it('is used up when its document was placed as something else, and void when it was changed', async () => {
    const sku = await shop.createSku({ AUSYD1: 100 })
    const wish = buildParcel(sku)
    const first = (await agent.call('quote_dropship', wish)).data
    const second = (await agent.call('quote_dropship', { ...wish, quantity: 5 })).data
    expect(second.dropship_order_id).toBe(first.dropship_order_id)
    const old = { quote_id: first.quote_id, confirm_total: first.total }
    expect(await agent.expectRefusal('place_dropship', old)).toMatch(refused)
    await agent.call('place_dropship', { quote_id: second.quote_id, confirm_total: second.total })
    expect(await agent.expectRefusal('place_dropship', old)).toMatch(/reason: quote_used\./)

    const draft = (await agent.call('quote_order', buildWholesale(sku))).data
    await shop.send('PATCH', `/orders/${draft.order_id}`, { body: { lines: [{ sku, quantity: 9 }] } })
    const changed = { quote_id: draft.quote_id, confirm_total: draft.total }
    expect(await agent.expectRefusal('place_order', changed)).toMatch(refused)
    await shop.post(`/orders/${draft.order_id}/submit`, {})
    expect(await agent.expectRefusal('place_order', changed)).toMatch(/reason: quote_used\./)
  })
})

describe('a placing whose answer was lost', () => {
  const placings: [string, string, (sku: string) => object][] = [
    ['wholesale order', 'order', buildWholesale],
    [
      'wholesale order to the address of the preferences',
      'order',
      (sku) => omitShipping(buildWholesale(sku)),
    ],
    ['drop-ship order', 'dropship', buildParcel],
  ]
  it.each(placings)('of a %s is finished by the same call again, once', async (_name, kind, build) => {
    preferences = harbourShipping
    agent = await connectAgent(house, await signInBuyer(house))
    preferences = null
    const quote = (await agent.call(`quote_${kind}`, build(await shop.createSku()))).data
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    isLost = true
    submits = 0
    const refusal = await agent.expectRefusal(`place_${kind}`, input)
    expect(refusal).toMatch(/^UPSTREAM_(TIMEOUT|ERROR): /)
    expect(refusal).toContain('Call the same tool again with the same arguments')
    expect(refusal).not.toContain('Idempotency-Key')
    // A retry that only looks up the order is allowed even after the quote has expired, because it places no order.
    house.clock.set(Date.parse(quote.expires_at) + 1)
    const { data } = await agent.call(`place_${kind}`, input)
    expect(data).toMatchObject({ total: quote.total, replayed: true })
    expect(submits).toBe(1)
  })
})

/** Connects an agent to a gateway in which something happens after each read of a document. */
async function connectHurriedAgent(token: string, afterRead: (path: string, contract: Pipeline) => unknown) {
  const contract = createPipeline(house.gateway, catalogue, writes)
  const interrupted: Pipeline = async (asked) => {
    const answer = await contract(asked)
    if (asked.method === 'GET') await afterRead(asked.path, contract)
    return answer
  }
  const server = createGatewayServer(
    house.gateway,
    createListener(house.gateway, createMcpPipeline(house.gateway, interrupted)),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return connectAgent({ ...house, url: `http://127.0.0.1:${port}` }, token)
}

describe('a draft that is changed in the middle of its placing', () => {
  it.each([
    ['with a warehouse', 'AUSYD1'],
    ['without a warehouse', undefined],
  ])('is placed as it was quoted, at the quoted total: %s', async (_which, warehouse_code) => {
    const sku = await shop.createSku({ AUSYD1: 50, AUSYD2: 50 })
    const token = await signInBuyer(house)
    const quote = (await agent.call('quote_order', { ...buildWholesale(sku, 3), warehouse_code })).data
    // After each read of the draft, another client changes it.
    const hurried = await connectHurriedAgent(token, async (path, contract) => {
      const body = {
        lines: [{ sku, quantity: 9 }],
        payment_method: 'balance',
        allow_partial: true,
        warehouse_code: 'AUSYD2',
      }
      expect((await sendInProcess(contract, 'PATCH', path, { token, body })).status).toBe(200)
    })
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    const { data } = await hurried.call('place_order', input)
    expect(data).toMatchObject({ status: 'confirmed', total: quote.total })
    const placed = (await shop.get(`/orders/${quote.order_id}`)).json.data
    expect(placed).toMatchObject({
      lines: [{ quantity: 3, quantity_allocated: 3 }],
      payment_method: 'invoice',
      warehouse_code: warehouse_code ?? null,
    })
  })
})

describe('a draft of whose submit by another caller the outcome is unknown', () => {
  it('is not placed with what was not quoted, even if that submit is undone in the middle', async () => {
    const sku = await shop.createSku({ AUSYD1: 50, AUSYD2: 50 })
    const quote = (await agent.call('quote_order', buildWholesale(sku, 3))).data
    const path = `/orders/${quote.order_id}`
    isLostOnTheWay = true
    expectError(await shop.post(`${path}/submit`, { warehouse_code: 'AUSYD2' }), 'UPSTREAM_TIMEOUT')
    const hurried = await connectHurriedAgent(await shop.token(), () => settleAll(house.gateway, writes))
    const input = { quote_id: quote.quote_id, confirm_total: quote.total }
    const refusal = await hurried.expectRefusal('place_order', input)
    expect(refusal).toMatch(/^UPSTREAM_TIMEOUT: .*Call the same tool again.*reason: upstream_unknown\./)
    expect((await shop.get(path)).json.data).toMatchObject({ status: 'draft', warehouse_code: 'AUSYD1' })
    expect((await agent.call('place_order', input)).data).toMatchObject({
      total: quote.total,
      replayed: false,
    })
    expect((await shop.get(path)).json.data.warehouse_code).toBe('AUSYD1')
  })
})

describe('an order that cannot be cancelled', () => {
  it('names one document or the other', async () => {
    for (const input of [{}, { order_id: 'ord_1', dropship_order_id: 'dso_1' }]) {
      expect(await agent.expectRefusal('cancel_order', input)).toMatch(
        /^VALIDATION_FAILED: .*order_id, dropship_order_id/,
      )
    }
  })

  it('is refused once it has shipped', async () => {
    const { quote_id, total } = (await agent.call('quote_dropship', buildParcel(await shop.createSku()))).data
    const { data } = await agent.call('place_dropship', { quote_id, confirm_total: total })
    const id = data.dropship_order_id
    house.sandbox.steering.ship(await findReference(house, id))
    await syncDocuments(house.gateway)
    const refusal = await agent.expectRefusal('cancel_order', { dropship_order_id: id })
    expect(refusal).toMatch(/^UPSTREAM_REJECTED: .*reason: already_shipped\./)
  })
})
