/** Traces: one trace links a request, its calls to the ERP, its log lines and the webhooks that it caused. */

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Erp, erpClient, erpServer } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLog } from '../src/kernel/log.ts'
import type { Spans } from '../src/kernel/spans.ts'
import { openSpans } from '../src/start/export-spans.ts'
import { connectAgent } from './agent.ts'
import { call, createTestConfig, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import {
  deliverDue,
  openReceiver,
  privateNets,
  type Receiver,
  readNewest,
  registerEndpoint,
} from './receiver.ts'
import { alex, type Buyer, buildDropship, openShop } from './trade.ts'

const erpToken = 'a-token-of-the-erp'
const traceId = '0af7651916cd43dd8448eb211c80319c'
const agentTraceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${traceId}-b7ad6b7169203331-01`

/** A call that reached the ERP. */
interface ErpCall {
  readonly operation: string
  readonly headers: IncomingHttpHeaders
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

/** A gateway whose ERP is behind HTTP, as in production. */
async function openTraced(spans?: Spans) {
  const erpCalls: ErpCall[] = []
  const lines: LooseJson[] = []
  let serve: ReturnType<typeof erpServer> | undefined
  const server = createServer((request, response) => {
    erpCalls.push({ operation: request.url?.slice(1) ?? '', headers: request.headers })
    serve?.(request, response)
  })
  const url = await listen(server)
  const client = erpClient(url, erpToken)
  const house = await openTestGateway({
    settings: privateNets,
    log: jsonLog('debug', { write: (line: string) => void lines.push(JSON.parse(line)) }),
    wrapErp(erp: Erp) {
      serve = erpServer(erp, { token: erpToken })
      return client.erp
    },
    ...(spans ? { spans } : {}),
  })
  return {
    house,
    shop: openShop(house),
    erpCalls,
    lines,
    async close() {
      await house.close()
      await client.close()
      await close(server)
    },
  }
}

type Traced = Awaited<ReturnType<typeof openTraced>>

/** Orders once, and returns what the receiver of the webhook got. */
async function orderOnce(shop: Buyer, receiver: Receiver, headers: Readonly<Record<string, string>>) {
  await registerEndpoint(shop.house, await shop.token(), receiver.url)
  const { status } = await shop.post(
    '/dropship-orders/submit',
    buildDropship(await shop.createSku()),
    headers,
  )
  expect(status).toBe(200)
  await deliverDue(shop.house)
  return readNewest(receiver)
}

describe('without an exporter', () => {
  let traced: Traced
  let receiver: Receiver
  beforeAll(async () => {
    traced = await openTraced()
    receiver = await openReceiver(() => traced.house.clock.now())
  })
  afterAll(async () => {
    await receiver.close()
    await traced.close()
  })

  it('the caller’s traceparent reaches the ERP, the log and the webhook unchanged', async () => {
    const { shop, erpCalls, lines } = traced
    const received = await orderOnce(shop, receiver, { traceparent })
    expect(erpCalls.find(({ operation }) => operation === 'submit')?.headers.traceparent).toBe(traceparent)
    expect(received.headers.traceparent).toBe(traceparent)
    expect(lines.find(({ route }) => route === '/api/v1/dropship-orders/submit')?.trace_id).toBe(traceId)
  })

  it('nothing has a traceparent if the caller sent none, or one that is not valid', async () => {
    const { shop, erpCalls, lines } = traced
    for (const headers of [
      {},
      { traceparent: `${traceparent}-more` },
      { traceparent: `${traceparent}, x` },
    ]) {
      erpCalls.length = 0
      lines.length = 0
      const sent = await shop.post('/dropship-orders/submit', buildDropship(await shop.createSku()), headers)
      expect(sent.status).toBe(200)
      await deliverDue(shop.house)
      expect(erpCalls.some(({ operation }) => operation === 'submit')).toBe(true)
      expect(erpCalls.every((each) => each.headers.traceparent === undefined)).toBe(true)
      expect(readNewest(receiver).headers.traceparent).toBeUndefined()
      expect(lines.every((line) => line.trace_id === undefined)).toBe(true)
    }
  })

  it('an agent’s traceparent in _meta reaches the ERP', async () => {
    const { shop, house, erpCalls } = traced
    const agent = await connectAgent(house, await shop.token())
    erpCalls.length = 0
    const input = {
      sku: await shop.createSku(),
      quantity: 1,
      recipient: alex,
      client_order_number: 'TRACE-1',
    }
    await agent.client.callTool({ name: 'quote_dropship', arguments: input, _meta: { traceparent } })
    const quoted = erpCalls.filter(({ headers }) => headers.traceparent === traceparent)
    expect(quoted.map(({ operation }) => operation)).toContain('hold')
    await agent.client.close()
  })
})

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
}

/** A collector of OpenTelemetry that takes JSON. */
async function openCollector() {
  const bodies: string[] = []
  const paths = new Set<string>()
  const server = createServer((request, response) => {
    paths.add(request.url ?? '')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  const url = await listen(server)
  return { url, paths, bodies, listSpans: () => bodies.flatMap(parseSpans), close: () => close(server) }
}

function parseSpans(body: string): ReceivedSpan[] {
  const { resourceSpans }: LooseJson = JSON.parse(body)
  const spans: LooseJson[] = resourceSpans.flatMap(({ scopeSpans }: LooseJson) =>
    scopeSpans.flatMap((scope: LooseJson) => scope.spans),
  )
  return spans.map(({ traceId: trace, spanId, parentSpanId, name, attributes }) => ({
    traceId: trace,
    spanId,
    parentSpanId,
    name,
    attributes: Object.fromEntries(
      attributes.map(({ key, value }: LooseJson) => [key, Object.values(value)[0]]),
    ),
  }))
}

describe('with an exporter', () => {
  it('one trace has the request, its calls to the ERP and its webhook, and no personal data', async () => {
    const collector = await openCollector()
    const config = createTestConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    const spans = await openSpans(config, jsonLog('silent'), () => 0)
    const traced = await openTraced(spans)
    const receiver = await openReceiver(() => traced.house.clock.now())
    const headers = { traceparent, 'x-request-id': 'traced-request' }
    const received = await orderOnce(traced.shop, receiver, headers)
    await call(traced.house, 'GET', '/api/v1/me?name=secret')
    const agent = await connectAgent(traced.house, await traced.shop.token())
    const agentTrace = traceparent.replace(traceId, agentTraceId)
    const sku = await traced.shop.createSku()
    const input = { sku, quantity: 1, recipient: alex, client_order_number: 'TRACE-2' }
    await agent.client.callTool({
      name: 'quote_dropship',
      arguments: input,
      _meta: { traceparent: agentTrace },
    })
    await agent.client.close()
    await spans.close()

    expect([...collector.paths]).toEqual(['/v1/traces'])
    const all = collector.listSpans()
    const ours = all.filter((span) => span.traceId === traceId)
    const root = ours.find(({ name }) => name === 'POST /api/v1/dropship-orders/submit')
    expect(root).toMatchObject({
      parentSpanId: 'b7ad6b7169203331',
      attributes: { request_id: 'traced-request', 'http.response.status_code': 200 },
    })
    const submit = ours.find(({ name }) => name === 'erp submit')
    expect(submit).toMatchObject({ parentSpanId: root?.spanId, attributes: { result: 'ok' } })
    const atErp = traced.erpCalls.find(({ operation }) => operation === 'submit')?.headers.traceparent
    expect(atErp).toBe(`00-${traceId}-${submit?.spanId}-01`)
    const webhook = ours.find(({ name }) => name === 'webhook order.created')
    expect(webhook).toMatchObject({ parentSpanId: root?.spanId })
    expect(received.headers.traceparent).toBe(`00-${traceId}-${webhook?.spanId}-01`)
    const ofAgent = all.filter((span) => span.traceId === agentTraceId).map(({ name }) => name)
    expect(ofAgent).toContain('tools/call quote_dropship')
    expect(ofAgent).toContain('erp hold')
    const refused = all.find(({ name }) => name === 'GET /api/v1/me')
    expect(refused?.traceId).toMatch(/^[\da-f]{32}$/)
    expect(refused?.attributes).toMatchObject({ code: 'AUTH_MISSING_TOKEN' })
    for (const planted of [alex.name, alex.phone, alex.address, 'secret', await traced.shop.token()])
      expect(collector.bodies.join()).not.toContain(planted)
    await receiver.close()
    await traced.close()
    await collector.close()
  })

  it('records no trace of its own with a share of 0, and continues the traces that callers record', async () => {
    const collector = await openCollector()
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_TRACES_SAMPLER_ARG: '0' }
    const spans = await openSpans(createTestConfig(settings), jsonLog('silent'), () => 0)
    const house: TestGateway = await openTestGateway({ spans, unfilled: true })
    await call(house, 'GET', '/api/v1/me')
    await call(house, 'GET', '/api/v1/me', { headers: { traceparent: traceparent.replace(/01$/, '00') } })
    await call(house, 'GET', '/api/v1/me', { headers: { traceparent } })
    await spans.close()
    expect(collector.listSpans().map((span) => span.traceId)).toEqual([traceId])
    await house.close()
    await collector.close()
  })

  it('serves on and warns once while no collector responds', async () => {
    const warnings: string[] = []
    const log = {
      ...jsonLog('silent'),
      warn: (_fields: object, message: string) => void warnings.push(message),
    }
    // It keeps its port: another test could listen on a free one, and respond.
    const silent = createServer().on('connection', (socket) => socket.destroy())
    const config = createTestConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: await listen(silent) })
    const spans = await openSpans(config, log, () => 0)
    const house = await openTestGateway({ spans, unfilled: true })
    expect((await call(house, 'GET', '/api/v1/me')).status).toBe(401)
    await spans.close()
    expect(warnings).toEqual(['spans could not be exported and are lost'])
    await house.close()
    await close(silent)
  }, 20_000)
})
