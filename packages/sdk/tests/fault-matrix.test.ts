import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Schemas, TradeGateway } from '../src/index.ts'
import { openTarget } from './open-target.ts'
import { buildOrder } from './portable/target.ts'

/**
 * Orders whose requests are lost before or after the commit, refused for the load, or overtaken by one of their own,
 * in random order. SDK_RUNS is the number of orders (40; a release: 1000).
 */

const runs = Number(process.env.SDK_RUNS ?? 40)
const concurrentRuns = 40
const maxFaults = 2
const inProgress = { code: 'IDEMPOTENCY_IN_PROGRESS', message: 'The first one still runs.' }

type Send = () => Promise<Response>

const faults: readonly ((send: Send) => Promise<Response>)[] = [
  // Lost on the way to the gateway.
  () => Promise.reject(new TypeError('fetch failed')),
  // Committed, and the response is lost.
  async (send) => {
    await (await send()).arrayBuffer()
    throw new TypeError('terminated')
  },
  // Committed, and a proxy answers instead.
  async (send) => {
    await (await send()).arrayBuffer()
    return new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })
  },
  async () => refuse(429, { code: 'RATE_LIMITED', message: 'Too many.' }),
  async () =>
    refuse(503, { code: 'INTERNAL', message: 'Too much load.', reason: 'overloaded', retryable: true }),
  // Committed in the database, which does not confirm it to the gateway.
  async (send) => {
    await (await send()).arrayBuffer()
    return refuse(503, { code: 'INTERNAL', message: 'The database did not confirm.', retryable: true })
  },
  async () => refuse(409, inProgress),
]

function refuse(status: number, error: object): Response {
  return Response.json({ error }, { status, headers: status === 429 ? {} : { 'retry-after': '0' } })
}

/** A client whose first requests for an order meet faults. Notes the key of every request. */
function openFaultyClient(options: ConstructorParameters<typeof TradeGateway>[0], keys: (string | null)[]) {
  const left = Array.from({ length: Math.floor(Math.random() * (maxFaults + 1)) }, pickFault)
  return new TradeGateway({
    ...options,
    fetch: (input, init) => {
      const send = () => fetch(input, init)
      if (String(input).endsWith('/auth/token')) return send()
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return (left.shift() ?? passOn)(send)
    },
  })
}

function pickFault() {
  return faults[Math.floor(Math.random() * faults.length)] ?? passOn
}

function passOn(send: Send): Promise<Response> {
  return send()
}

describe('orders through faults', () => {
  let opened: Awaited<ReturnType<typeof openTarget>>
  beforeAll(async () => {
    opened = await openTarget()
  })
  afterAll(() => opened.close())

  it(
    `are placed once each, under one key, in ${runs} runs`,
    async () => {
      const { gatewayUrl, buyer, sku } = opened.target
      const reader = new TradeGateway({ baseUrl: gatewayUrl, auth: buyer })
      const accessToken = await reader.auth.token()
      const orders: Schemas['DropshipOrder'][] = []
      const runOnce = async () => {
        const keys: (string | null)[] = []
        const client = openFaultyClient({ baseUrl: gatewayUrl, auth: { accessToken } }, keys)
        const body = buildOrder(sku)
        const order = await client.dropship.submit(body)
        expect(order.client_order_number).toBe(body.client_order_number)
        expect(new Set(keys).size).toBe(1)
        orders.push(order)
      }
      for (let done = 0; done < runs; done += concurrentRuns)
        await Promise.all(Array.from({ length: Math.min(concurrentRuns, runs - done) }, runOnce))
      const placed = await reader.dropship.list().toArray({ limit: 2 * runs })
      const byNumber = Map.groupBy(placed, (order) => order.client_order_number)
      expect([...byNumber.values()].filter((same) => same.length > 1)).toEqual([])
      expect(new Set(placed.map((order) => order.dropship_order_id))).toEqual(
        new Set(orders.map((order) => order.dropship_order_id)),
      )
    },
    60_000 + runs * 2_000,
  )
})
