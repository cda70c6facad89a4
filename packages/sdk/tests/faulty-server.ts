/**
 * A server that behaves as gateways and the proxies before them do on bad days. The address names the script, so that
 * a client in another runtime can choose one: `<url>/<script>/<run>` is a base address. Requests of a run get the
 * responses of the script in order, and the last one again and again. `GET <url>/<script>/<run>/log` lists them.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

type Responder = (request: IncomingMessage, response: ServerResponse) => void

/** A request that a run received. */
export interface LoggedRequest {
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly authorization: string | null
  readonly body: string
}

export interface FaultyServer {
  readonly url: string
  close(): Promise<void>
}

const order = { dropship_order_id: 'dso_1', client_order_number: 'NO-1', sku: 'A-1', status: 'pending' }

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}) {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'req_12345678',
    ...headers,
  })
  response.end(text)
}

const succeed =
  (data: unknown = order): Responder =>
  (_, response) =>
    sendJson(response, 200, { data })

/** A failure in the gateway's envelope. Without `retryable` the client looks the code up in its catalogue. */
const fail =
  (status: number, code: string, headers = {}, more = {}): Responder =>
  (_, response) =>
    sendJson(
      response,
      status,
      { error: { code, message: `${code} happened.`, request_id: 'req_12345678', ...more } },
      headers,
    )

/** The gateway refuses a request before it changes anything. */
const refuseWith = (reason: string) =>
  fail(503, 'INTERNAL', { 'retry-after': '0' }, { retryable: true, reason })

/** The database did not confirm a commit to the gateway. Unlike a refusal, this failure has no reason. */
const leaveCommitUnknown = fail(503, 'INTERNAL', { 'retry-after': '0' }, { retryable: true })

const sendHtml =
  (status: number): Responder =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' })
    response.end('<html><head><style>p{}</style></head><body><h1>Bad Gateway</h1><p>nginx</p></body></html>')
  }

const drop: Responder = (request) => void request.socket.destroy()
const hang: Responder = () => {}

const truncateGzip: Responder = (_, response) => {
  const packed = gzipSync(JSON.stringify({ data: { ...order, remark: 'x'.repeat(10_000) } }))
  const half = packed.subarray(0, packed.length >> 1)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': half.length,
  })
  response.end(half)
}

const breakOff: Responder = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 })
  response.write('{"data":')
  setImmediate(() => response.destroy())
}

const redirect: Responder = (_, response) => {
  response.writeHead(301, { location: 'https://elsewhere.example/api' })
  response.end()
}

const oldToken = { deprecation: '@1788998400', sunset: 'Mon, 30 Nov 2026 23:59:59 GMT' }

const scripts: Readonly<Record<string, readonly Responder[]>> = {
  ok: [succeed()],
  'html-page': [sendHtml(502), succeed()],
  'html-page-forever': [sendHtml(502)],
  'html-success': [sendHtml(200)],
  'html-refusal': [sendHtml(403)],
  'truncated-gzip': [truncateGzip, succeed()],
  'broken-off': [breakOff, succeed()],
  'broken-off-forever': [breakOff],
  dropped: [drop, drop, succeed()],
  'dropped-forever': [drop],
  'dropped-then-rejected': [drop, fail(422, 'UPSTREAM_REJECTED', {}, { reason: 'insufficient_stock' })],
  'dropped-then-limited': [drop, fail(429, 'RATE_LIMITED', { 'retry-after': '900' })],
  'not-received': [fail(408, 'BAD_REQUEST'), succeed()],
  'not-received-forever': [fail(408, 'BAD_REQUEST')],
  'dropped-then-not-received': [drop, fail(408, 'BAD_REQUEST')],
  hanging: [hang],
  'limited-without-header': [fail(429, 'RATE_LIMITED'), succeed()],
  'limited-for-a-second': [fail(429, 'RATE_LIMITED', { 'retry-after': '1' }), succeed()],
  'limited-for-an-hour': [fail(429, 'RATE_LIMITED', { 'retry-after': '3600' })],
  'in-progress': [fail(409, 'IDEMPOTENCY_IN_PROGRESS', { 'retry-after': '0' }), succeed()],
  'shed-load': [refuseWith('overloaded'), succeed()],
  'shed-load-forever': [refuseWith('overloaded')],
  'storage-full-forever': [refuseWith('storage_full')],
  'storage-away-forever': [refuseWith('storage_unavailable')],
  'commit-unknown': [leaveCommitUnknown, succeed()],
  'commit-unknown-forever': [leaveCommitUnknown],
  'commit-unknown-then-shed-load': [leaveCommitUnknown, refuseWith('overloaded')],
  fault: [fail(500, 'INTERNAL')],
  'platform-timeout': [fail(504, 'FUNCTION_INVOCATION_TIMEOUT'), succeed()],
  'platform-timeout-forever': [fail(504, 'FUNCTION_INVOCATION_TIMEOUT')],
  'platform-fault': [fail(500, 'FUNCTION_INVOCATION_FAILED')],
  'blocked-success': [(_, response) => sendJson(response, 200, { status: 'blocked' })],
  'refused-success': [fail(200, 'NOT_FOUND')],
  redirected: [redirect],
  'expired-once': [fail(401, 'AUTH_EXPIRED'), succeed()],
  'expired-forever': [fail(401, 'AUTH_EXPIRED')],
  'new-words': [succeed({ ...order, status: 'teleported', carrier_mood: 'good' })],
  'new-code': [fail(418, 'TEAPOT_FOUND', {}, { reason: 'too_hot' })],
  'old-token': [(_, response) => sendJson(response, 200, { data: order }, oldToken)],
}

const maxBodyBytes = 64 * 1024

export async function openFaultyServer(): Promise<FaultyServer> {
  const runs = new Map<string, LoggedRequest[]>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    // Deno by itself repeats a request whose kept connection broke, which would leave open what the client itself did.
    response.shouldKeepAlive = false
    const [, script = '', run = '', ...rest] = (request.url ?? '').split('/')
    const path = `/${rest.join('/')}`
    const log = runs.get(`${script}/${run}`) ?? []
    runs.set(`${script}/${run}`, log)
    if (path === '/log') return sendJson(response, 200, log)
    log.push({
      method: request.method ?? '',
      path,
      key: readHeader(request, 'idempotency-key'),
      authorization: readHeader(request, 'authorization'),
      body: await readBody(request),
    })
    if (path === '/api/v1/auth/token') return answerToken(script, log.length, request, response)
    const calls = log.filter((each) => each.path !== '/api/v1/auth/token').length
    const responders = script.startsWith('code-')
      ? [fail(Number(script.split('-')[1]), script.split('-')[2] ?? '')]
      : scripts[script]
    const responder = responders?.[Math.min(calls, responders.length) - 1]
    if (responder) responder(request, response)
    else sendJson(response, 404, { error: { code: 'NOT_FOUND', message: `There is no script ${script}.` } })
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Tokens are numbered, so that a test sees which one a request used. */
function answerToken(script: string, number: number, request: IncomingMessage, response: ServerResponse) {
  if (script === 'bad-credentials') return fail(401, 'AUTH_BAD_CREDENTIALS')(request, response)
  if (script === 'locked') return fail(429, 'AUTH_LOCKED', { 'retry-after': '900' })(request, response)
  const expires_in = script === 'short-lived' ? 61 : 3600
  sendJson(response, 200, { data: { access_token: `token-${number}`, expires_in } })
}

function readHeader(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name]
  return typeof value === 'string' ? value : null
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) if (text.length < maxBodyBytes) text += String(chunk)
  return text
}
