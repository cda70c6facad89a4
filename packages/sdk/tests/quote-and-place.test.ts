import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buyers, signInBuyer } from '../../gateway/tests/harness.ts'
import { openSite } from '../../gateway/tests/late-erp.ts'
import { setStock } from '../../gateway/tests/trade.ts'
import { Declined, OutcomeUnknownError, TradeGateway, UsageError } from '../src/index.ts'
import { openTarget } from './open-target.ts'

let opened: Awaited<ReturnType<typeof openTarget>>
let sent: { readonly call: string; readonly key: string | null; readonly body: unknown }[] = []
beforeAll(async () => {
  opened = await openTarget()
})
afterAll(() => opened.close())

/** A client that notes its writes. `change` may replace the body of a request on its way, `reply` a response. */
function openClient(
  change: (call: string, body: string) => string = (_, body) => body,
  reply = async (_: string, response: Response) => response,
) {
  sent = []
  return new TradeGateway({
    baseUrl: opened.target.gatewayUrl,
    auth: opened.target.buyer,
    async fetch(input, init = {}) {
      const call = `${init.method} ${new URL(String(input)).pathname.split('/').at(-1)}`
      const body = typeof init.body === 'string' ? change(call, init.body) : (init.body ?? null)
      const key = new Headers(init.headers).get('idempotency-key')
      if (key !== null) sent.push({ call, key, body: typeof body === 'string' ? JSON.parse(body) : null })
      return reply(call, await fetch(input, { ...init, body }))
    },
  })
}

/** A client that gets no response to one kind of call, until the loss is over. */
function openLossyClient(lost: string | RegExp) {
  const lose = { isOver: false }
  const client = new TradeGateway({
    baseUrl: opened.target.gatewayUrl,
    auth: opened.target.buyer,
    async fetch(input, init = {}) {
      const response = await fetch(input, init)
      const call = `${init.method} ${new URL(String(input)).pathname.split('/').at(-1)}`
      if (lose.isOver || !(typeof lost === 'string' ? call === lost : lost.test(call))) return response
      await response.text()
      throw new TypeError('the connection broke')
    },
  })
  return { client, lose }
}

const buildWish = () => ({
  warehouse_code: 'AUSYD1',
  lines: [{ sku: opened.target.sku, quantity: 2 }],
  shipping: { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' },
})

describe('quoteAndPlace', () => {
  it('submits what was accepted, at most at the total that was shown', async () => {
    let shown = 0
    const order = await openClient().orders.quoteAndPlace(buildWish(), ({ costs, fulfillable }) => {
      shown = costs.total
      return fulfillable
    })
    expect(order).toMatchObject({ status: 'confirmed', costs: { total: shown } })
    expect(sent.at(-1)).toMatchObject({ call: 'POST submit', body: { max_total: shown } })
    expect(new Set(sent.map(({ key }) => key)).size).toBe(3)
  })

  it.each([
    ['too long for its preview', 'k'.repeat(248)],
    ['empty', ''],
  ])('creates no draft under a key that is %s', async (_, idempotencyKey) => {
    const placing = openClient().orders.quoteAndPlace(buildWish(), () => true, { idempotencyKey })
    await expect(placing).rejects.toBeInstanceOf(UsageError)
    expect(sent).toEqual([])
  })

  it('takes the longest key that each of its steps can have', async () => {
    const idempotencyKey = 'k'.repeat(247)
    const placed = await openClient().orders.quoteAndPlace(buildWish(), () => false, { idempotencyKey })
    expect(placed).toBeInstanceOf(Declined)
  })

  it('keeps a lower limit of the caller', async () => {
    const error = await openClient()
      .orders.quoteAndPlace({ ...buildWish(), max_total: 1 }, () => true)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'UPSTREAM_REJECTED', reason: 'price_changed' })
    expect(sent.at(-1)).toMatchObject({ call: 'POST submit', body: { max_total: 1 } })
  })

  it('refuses a total that has risen since the preview, with a typed error', async () => {
    const client = openClient((call, body) =>
      call === 'POST submit' ? JSON.stringify({ max_total: JSON.parse(body).max_total - 0.01 }) : body,
    )
    const error = await client.orders
      .quoteAndPlace(buildWish(), () => true)
      .catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'RejectedError', reason: 'price_changed' })
  })

  it('voids the draft of what was not accepted, and submits nothing', async () => {
    const client = openClient()
    const declined = await client.orders.quoteAndPlace(buildWish(), async () => false)
    expect(declined).toBeInstanceOf(Declined)
    if (!(declined instanceof Declined)) return
    expect(declined.preview.costs.total).toBeGreaterThan(0)
    expect((await client.orders.read(declined.order_id)).status).toBe('cancelled')
    expect(sent.map(({ call }) => call)).not.toContain('POST submit')
  })

  it.each([
    ['POST orders', true],
    ['POST allocation-preview', true],
    ['POST submit', true],
    [/^DELETE ord/, false],
  ])('goes on from a lost response to %s when it is recovered', async (lost, isAccepted) => {
    const { client, lose } = openLossyClient(lost)
    const call = new AbortController()
    const error = await client.orders
      .quoteAndPlace(buildWish(), () => isAccepted, {
        maxRetries: 0,
        idempotencyKey: `lost-${String(lost)}`.replaceAll(' ', '-'),
        signal: call.signal,
      })
      .catch((reason: unknown) => reason)
    if (!(error instanceof OutcomeUnknownError)) throw error
    // The key is that of the whole call, so that the same call with it goes on, too.
    expect(error.idempotencyKey).toBe(`lost-${String(lost)}`.replaceAll(' ', '-'))
    call.abort()
    lose.isOver = true
    const outcome = await error.recover()
    if (isAccepted) expect(outcome).toMatchObject({ status: 'confirmed' })
    else expect(outcome).toBeInstanceOf(Declined)
  })

  it('places one order if the same call is made again under its key', async () => {
    const client = openClient()
    const place = () => client.orders.quoteAndPlace(buildWish(), () => true, { idempotencyKey: 'one-order' })
    expect(await place()).toEqual(await place())
  })

  it('returns the placed order if the same call is made again under its key and declines', async () => {
    const client = openClient()
    const options = { idempotencyKey: 'placed-then-declined' }
    const placed = await client.orders.quoteAndPlace(buildWish(), () => true, options)
    expect(await client.orders.quoteAndPlace(buildWish(), () => false, options)).toEqual(placed)
    expect(sent.filter(({ call }) => call.startsWith('DELETE'))).toEqual([])
  })

  it('declines again if the same call is made again under its key and declines', async () => {
    const client = openClient()
    const decline = () =>
      client.orders.quoteAndPlace(buildWish(), () => false, { idempotencyKey: 'declined-twice' })
    expect(await decline()).toBeInstanceOf(Declined)
    expect(await decline()).toBeInstanceOf(Declined)
  })

  it('finishes a submit of unknown outcome if the same call is made again and declines', async () => {
    const { house, erp } = await openSite({ lookup: 'strong', settles: false })
    await signInBuyer(house)
    setStock(house, 'AUSYD1', opened.target.sku, 100)
    await house.settle()
    const { username, password } = buyers[0]
    const client = new TradeGateway({ baseUrl: house.url, auth: { username, password }, maxRetries: 0 })
    const place = (isAccepted: boolean) =>
      client.orders.quoteAndPlace(buildWish(), () => isAccepted, { idempotencyKey: 'lost-then-declined' })
    await expect(erp.whileLate(() => place(true))).rejects.toBeInstanceOf(OutcomeUnknownError)
    await erp.deliver()
    expect(await place(false)).toMatchObject({ status: 'confirmed' })
    await house.close()
  })

  it('submits nothing if the write of unknown outcome is another one than its submit', async () => {
    const client = openClient(undefined, async (call, response) => {
      if (!/^GET ord/.test(call)) return response
      const found = (await response.text()).replace('"in_doubt":false', '"in_doubt":true')
      return new Response(found, response)
    })
    expect(await client.orders.quoteAndPlace(buildWish(), () => false)).toBeInstanceOf(Declined)
    expect(sent.map(({ call }) => call)).not.toContain('POST submit')
  })
})
