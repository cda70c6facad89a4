import { type GatewayError, isGatewayError, OutcomeUnknownError, TradeGateway } from '../../src/index.ts'
import { catchError, checkEqual, checkTrue } from './check.ts'
import { buildOrder, type Case, type Target } from './target.ts'

const asChannel = ({ gatewayUrl, channel }: Target) =>
  new TradeGateway({ baseUrl: gatewayUrl, auth: channel })
const asBuyer = ({ gatewayUrl, buyer }: Target) => new TradeGateway({ baseUrl: gatewayUrl, auth: buyer })

/** Faults of the sandbox after which the ERP has the order and the response is lost. */
const committed = [
  'UPSTREAM_ERROR;after=commit;times=1',
  'UPSTREAM_TIMEOUT;after=commit;times=1',
  'CUT;times=1',
]

/** What the gateway answers is not read, as on a broken connection, although the order was made. */
function loseResponses(count: number): typeof fetch {
  let lost = 0
  return async (input, init) => {
    const response = await fetch(input, init)
    if (!String(input).endsWith('/dropship-orders/submit') || lost >= count) return response
    lost += 1
    await response.text()
    throw new TypeError('the connection broke')
  }
}

const submitLimits = { maxRetries: 0, deadlineMs: 3_000 }

/** No submit is answered any more, so that `recover()` can only look for what the first one made. */
function loseForever(mayKeysBeFound: boolean): typeof fetch {
  const lose = loseResponses(Number.POSITIVE_INFINITY)
  return (input, init) => {
    const isOfKeys = String(input).includes('/idempotency-keys')
    return isOfKeys && !mayKeysBeFound ? Promise.resolve(Response.json({ data: [] })) : lose(input, init)
  }
}

async function countOrders(target: Target, client_order_number: string): Promise<number> {
  return (await asBuyer(target).dropship.list({ client_order_number }).toArray({ limit: 10 })).length
}

export const gatewayCases: readonly Case[] = [
  {
    name: 'the catalogue of errors is public and in the language of the client',
    isPublic: true,
    async run(target) {
      const client = new TradeGateway({
        baseUrl: target.gatewayUrl,
        auth: { accessToken: 'none' },
        language: 'ko',
      })
      const { data, meta } = await client.errors.list().withResponse()
      checkEqual(data.length, 28, 'the number of codes')
      checkEqual(meta.headers.get('content-language'), 'ko')
      checkTrue(meta.requestId !== '', 'the response has a request id')
    },
  },
  {
    name: 'an unknown error code is NOT_FOUND, with its parameter and a request id',
    isPublic: true,
    async run(target) {
      const client = new TradeGateway({ baseUrl: target.gatewayUrl, auth: { accessToken: 'none' } })
      const error = (await catchError(client.errors.read('NO_SUCH'))) as GatewayError
      checkEqual(
        [error.name, error.code, error.param, error.status],
        ['NotFoundError', 'NOT_FOUND', 'code', 404],
      )
      checkTrue(error.requestId !== undefined && error.hint !== undefined, 'it has a request id and a hint')
    },
  },
  {
    name: 'a channel reads stock page by page, with points',
    async run(target) {
      const client = asChannel(target)
      const { data, meta } = await client.me().withResponse()
      checkEqual(data.account.kind, 'channel')
      checkTrue(meta.points.remaining !== undefined, 'the points are known')
      const skus = new Set<string>()
      for await (const row of client.stock.list('AUSYD1', { page_size: 20 })) skus.add(row.sku)
      const { row_count } = await client.stock.checksum('AUSYD1')
      checkEqual(skus.size, row_count, 'the number of SKUs')
    },
  },
  {
    name: 'a channel’s token cannot order, and the error names the way',
    async run(target) {
      const error = await catchError(asChannel(target).dropship.submit(buildOrder(target.sku)))
      checkTrue(isGatewayError(error, 'OMS_LOGIN_REQUIRED'), 'it is OMS_LOGIN_REQUIRED')
      checkEqual(error.name, 'PermissionError')
    },
  },
  {
    name: 'an order is previewed, submitted, read by number and voided',
    async run(target) {
      const client = asBuyer(target)
      const wish = buildOrder(target.sku)
      const preview = await client.dropship.preview(wish)
      checkEqual(preview.fulfillable, true)
      const order = await client.dropship.submit({ ...wish, max_total: preview.costs.total })
      checkEqual([order.dropship_order_id, order.status], [preview.dropship_order_id, 'pending'])
      const { client_order_number } = wish
      const found = await client.dropship.list({ client_order_number }).first()
      checkEqual(found?.dropship_order_id, order.dropship_order_id)
      checkEqual((await client.dropship.void(order.dropship_order_id)).status, 'cancelled')
    },
  },
  {
    name: 'a short order names the shortage',
    async run(target) {
      const wish = { ...buildOrder('SBX-OOS') }
      const error = await catchError(asBuyer(target).dropship.submit(wish))
      checkTrue(isGatewayError(error, 'UPSTREAM_REJECTED'), `${error.message} is UPSTREAM_REJECTED`)
      checkEqual((error as GatewayError).reason, 'insufficient_stock')
    },
  },
  {
    name: 'a key that is sent again returns the same order, marked as replayed',
    async run(target) {
      const client = asBuyer(target)
      const wish = buildOrder(target.sku)
      const idempotencyKey = crypto.randomUUID()
      const first = await client.dropship.submit(wish, { idempotencyKey }).withResponse()
      const second = await client.dropship.submit(wish, { idempotencyKey }).withResponse()
      checkEqual(second.data, first.data)
      checkEqual([first.meta.isReplayed, second.meta.isReplayed], [false, true])
    },
  },
  ...committed.map(
    (fault): Case => ({
      name: `recover() returns the real order after ${fault}`,
      async run(target) {
        const wish = buildOrder(target.sku)
        const options = { maxRetries: 0, headers: { 'x-sandbox-fault': fault } }
        const error = await catchError(asBuyer(target).dropship.submit(wish, options))
        checkTrue(error instanceof OutcomeUnknownError, `${error.message} is an OutcomeUnknownError`)
        const order = await (error as OutcomeUnknownError).recover<{ client_order_number: string }>()
        checkEqual(order.client_order_number, wish.client_order_number)
        checkEqual(await countOrders(target, wish.client_order_number), 1, 'the number of orders')
      },
    }),
  ),
  ...committed.map(
    (fault): Case => ({
      name: `recover() returns the real wholesale order after ${fault}`,
      async run(target) {
        const client = asBuyer(target)
        const draft = await client.orders.create({
          warehouse_code: 'AUSYD1',
          lines: [{ sku: target.sku, quantity: 2 }],
          shipping: { shipping_method_id: 'au-standard', address_id: 'ADDR-HARBOUR-SYD' },
        })
        const options = { maxRetries: 0, headers: { 'x-sandbox-fault': fault } }
        const error = await catchError(client.orders.submit(draft.order_id, undefined, options))
        checkTrue(error instanceof OutcomeUnknownError, `${error.message} is an OutcomeUnknownError`)
        const order = await (error as OutcomeUnknownError).recover<{ order_id: string; status: string }>()
        checkEqual([order.order_id, order.status], [draft.order_id, 'confirmed'])
      },
    }),
  ),
  {
    name: 'recover() returns the real order if every response was lost on the way, and none is made twice',
    async run(target) {
      const { gatewayUrl: baseUrl, buyer: auth } = target
      const client = new TradeGateway({ baseUrl, auth, fetch: loseResponses(2) })
      const wish = buildOrder(target.sku)
      const error = await catchError(client.dropship.submit(wish, { maxRetries: 1 }))
      const order = await (error as OutcomeUnknownError).recover<{ client_order_number: string }>()
      checkEqual(order.client_order_number, wish.client_order_number)
      checkEqual(await countOrders(target, wish.client_order_number), 1, 'the number of orders')
    },
  },
  ...[true, false].map(
    (mayKeysBeFound): Case => ({
      name: `recover() finds the order by its ${mayKeysBeFound ? 'key' : 'number'} if no submit is answered any more`,
      async run(target) {
        const { gatewayUrl: baseUrl, buyer: auth } = target
        const client = new TradeGateway({ baseUrl, auth, fetch: loseForever(mayKeysBeFound) })
        const wish = buildOrder(target.sku)
        const error = await catchError(client.dropship.submit(wish, submitLimits))
        const order = await (error as OutcomeUnknownError).recover<{ client_order_number: string }>()
        checkEqual(order.client_order_number, wish.client_order_number)
        checkEqual(await countOrders(target, wish.client_order_number), 1, 'the number of orders')
      },
    }),
  ),
  {
    name: 'an endpoint that the SDK does not know can be called by its path',
    async run(target) {
      const body = await asChannel(target).request('GET', '/api/v1/warehouses')
      checkTrue(Array.isArray((body as { data: unknown }).data), 'the whole body is returned')
    },
  },
]
