/** Request lines and headers that no HTTP client would send. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './harness.ts'
import {
  buildRequest,
  createInsider,
  exchangeBytes,
  expectAnswer,
  expectHealthy,
  type Insider,
  type RawCase,
  readError,
} from './raw-tcp.ts'

let house: TestGateway
let who: Insider
const heapBefore = process.memoryUsage().heapUsed

beforeAll(async () => {
  house = await openTestGateway()
  who = await createInsider(house)
})
afterAll(() => house.close())

const host = 'Host: gateway.example'
const bearer = 'Authorization: Bearer {token}'
const json = 'Content-Type: application/json'
const joinHead = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const bad = { status: 400, code: 'BAD_REQUEST' }
const closed = { connection: /^close$/ }

const startLines: RawCase[] = [
  ...['/api/v1/me', '/livez'].flatMap((path) => [
    { name: `no Host on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`), ...bad },
    { name: `an empty Host on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, 'Host:'), ...bad },
    { name: `two Hosts on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, host, host), ...bad },
    { name: `a Host list on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, 'Host: a, b'), ...bad },
    { name: `a Host with a path on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, 'Host: a/b'), ...bad },
    { name: `a Host with a user on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, 'Host: u:p@a'), ...bad },
    { name: `a Host with markup on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, 'Host: <b>'), ...bad },
    { name: `a Host beyond ASCII on ${path}`, bytes: joinHead(`GET ${path} HTTP/1.1`, 'Host: \xe9'), ...bad },
    { name: `absolute-form of ${path}`, bytes: buildRequest(`GET http://other.example${path}`), ...bad },
    { name: `a fragment on ${path}`, bytes: buildRequest(`GET ${path}#part`), ...bad },
    { name: `a space in ${path}`, bytes: buildRequest(`GET ${path} x`), ...bad },
    { name: `a tab before ${path}`, bytes: buildRequest(`GET\t${path}`), ...bad },
    { name: `a NUL in ${path}`, bytes: buildRequest(`GET ${path}\0`), ...bad },
    { name: `raw UTF-8 in ${path}`, bytes: buildRequest(`GET ${path}/caf\xc3\xa9`), ...bad },
    { name: `HTTP/0.9 said of ${path}`, bytes: joinHead(`GET ${path} HTTP/0.9`, host), ...bad },
    { name: `HTTP/1.2 said of ${path}`, bytes: joinHead(`GET ${path} HTTP/1.2`, host), ...bad },
    { name: `HTTP/2.0 said of ${path}`, bytes: joinHead(`GET ${path} HTTP/2.0`, host), ...bad },
    { name: `HTTP/9.9 said of ${path}`, bytes: joinHead(`GET ${path} HTTP/9.9`, host), ...bad },
    { name: `a lower-case method on ${path}`, bytes: buildRequest(`get ${path}`), ...bad },
    { name: `an unknown method on ${path}`, bytes: buildRequest(`FETCH ${path}`), ...bad },
    {
      name: `a URL of 8,193 characters on ${path}`,
      bytes: buildRequest(`GET ${buildLongUrl(path, 8_193)}`),
      ...bad,
      status: 414,
    },
    {
      name: `a URL larger than all headers on ${path}`,
      bytes: buildRequest(`GET ${buildLongUrl(path, 20_000)}`),
      ...bad,
      status: 431,
    },
    {
      name: `TRACE ${path}`,
      bytes: buildRequest(`TRACE ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `OPTIONS ${path}`,
      bytes: buildRequest(`OPTIONS ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `PROPFIND ${path}`,
      bytes: buildRequest(`PROPFIND ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `QUERY ${path}`,
      bytes: buildRequest(`QUERY ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `PATCH ${path}`,
      bytes: buildRequest(`PATCH ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
  ]),
  { name: 'asterisk-form', bytes: buildRequest('OPTIONS *'), ...bad },
  { name: 'asterisk-form with GET', bytes: buildRequest('GET *'), ...bad },
  { name: 'authority-form with GET', bytes: buildRequest('GET gateway.example:80'), ...bad },
  { name: 'a method of 5,000 characters', bytes: buildRequest(`${'G'.repeat(5_000)} /livez`), ...bad },
  { name: 'a request of HTTP/0.9', bytes: 'GET /livez\r\n', ...bad, send: { end: true } },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...bad },
  {
    name: 'HTTP/1.0 without Host is served, then closed',
    bytes: joinHead('GET /livez HTTP/1.0'),
    status: 200,
    answers: closed,
  },
  {
    name: 'HTTP/1.0 on the contract is served, then closed',
    bytes: joinHead('GET /api/v1/errors HTTP/1.0'),
    status: 200,
    answers: closed,
  },
  {
    name: 'a URL of 8,192 characters is read',
    bytes: buildRequest(`GET ${buildLongUrl('/livez', 8_192)}`),
    status: 200,
  },
  {
    name: 'a Host that is an IPv6 address',
    bytes: joinHead('GET /livez HTTP/1.1', 'Host: [::1]:8080'),
    status: 200,
  },
  {
    name: 'a Host with a port',
    bytes: joinHead('GET /livez HTTP/1.1', 'Host: Gateway.example:80'),
    status: 200,
  },
  { name: 'empty lines before a request', bytes: `\r\n\r\n${buildRequest('GET /livez')}`, status: 200 },
  {
    name: 'CONNECT',
    bytes: joinHead(
      'CONNECT other.example:443 HTTP/1.1',
      'Host: other.example:443',
      'X-Request-Id: own-id-of-connect',
      'Accept-Language: ko',
    ),
    ...bad,
    status: 405,
    answers: {
      allow: /^GET, HEAD$/,
      'x-request-id': /^own-id-of-connect$/,
      'content-language': /^ko$/,
      ...closed,
    },
    send: { untilClosed: true },
  },
]

function buildLongUrl(path: string, length: number): string {
  return `${path}?${'q'.repeat(length - path.length - 1)}`
}

const headerLines: RawCase[] = [
  { name: 'a bare LF after the request line', bytes: `GET /livez HTTP/1.1\n${host}\r\n\r\n`, ...bad },
  { name: 'a bare LF after a header', bytes: `GET /livez HTTP/1.1\r\n${host}\nA: b\r\n\r\n`, ...bad },
  { name: 'a bare LF as the last line', bytes: `GET /livez HTTP/1.1\r\n${host}\r\n\n`, ...bad },
  { name: 'a bare CR in a header', bytes: buildRequest('GET /livez', ['A: b\rc']), ...bad },
  { name: 'a NUL in a header', bytes: buildRequest('GET /livez', ['A: b\0c']), ...bad },
  { name: 'a NUL in a header name', bytes: buildRequest('GET /livez', ['A\0: b']), ...bad },
  { name: 'an escape sequence in a header', bytes: buildRequest('GET /livez', ['A: \x1b[2J']), ...bad },
  { name: 'a folded header', bytes: buildRequest('GET /livez', ['A: b', ' c']), ...bad },
  { name: 'a space before the colon', bytes: buildRequest('GET /livez', ['A : b']), ...bad },
  { name: 'a line without a colon', bytes: buildRequest('GET /livez', ['Abc']), ...bad },
  { name: 'a header without a name', bytes: buildRequest('GET /livez', [': b']), ...bad },
  { name: 'a header name beyond ASCII', bytes: buildRequest('GET /livez', ['\xe9: b']), ...bad },
  { name: 'a space before the first header', bytes: `GET /livez HTTP/1.1\r\n ${host}\r\n\r\n`, ...bad },
  {
    name: 'headers of 17 kB',
    bytes: buildRequest('GET /livez', [`A: ${'b'.repeat(17_000)}`]),
    ...bad,
    status: 431,
  },
  {
    name: 'one header without an end',
    bytes: `GET /livez HTTP/1.1\r\nA: ${'b'.repeat(1_000_000)}`,
    ...bad,
    status: 431,
  },
  {
    name: '101 headers on the contract',
    bytes: buildRequest('GET /api/v1/errors', Array(100).fill('A: b')),
    ...bad,
    status: 431,
  },
  {
    name: '101 headers on a page',
    bytes: buildRequest('GET /livez', Array(100).fill('A: b')),
    ...bad,
    status: 431,
  },
  { name: '3,000 headers', bytes: buildRequest('GET /livez', Array(3_000).fill('A:')), ...bad, status: 431 },
  { name: '100 headers are read', bytes: buildRequest('GET /livez', Array(99).fill('A: b')), status: 200 },
  {
    name: 'headers of 15 kB are read',
    bytes: buildRequest('GET /livez', [`A: ${'b'.repeat(15_000)}`]),
    status: 200,
  },
  {
    name: 'an override of the method is ignored on a GET',
    bytes: buildRequest('GET /api/v1/errors', ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: POST']),
    status: 200,
  },
  {
    name: 'an override of the method is ignored on a POST',
    bytes: buildRequest('POST /api/v1/me', ['X-HTTP-Method-Override: GET', bearer, 'Content-Length: 0']),
    ...bad,
    status: 405,
  },
  {
    name: 'an upgrade to WebSocket is ignored',
    bytes: buildRequest('GET /api/v1/me', [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: c2FtcGxlLWtleS0wMDAwMA==',
      'Sec-WebSocket-Version: 13',
    ]),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
  },
  {
    name: 'an upgrade to h2c is ignored',
    bytes: buildRequest('GET /livez', [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    ]),
    status: 200,
  },
  {
    name: 'a range is ignored',
    bytes: buildRequest('GET /api/v1/errors', ['Range: bytes=0-1']),
    status: 200,
  },
  {
    name: 'gzip as Content-Encoding of a page',
    bytes: buildRequest('GET /livez', ['Content-Encoding: gzip']),
    ...bad,
    status: 415,
  },
]

const token = 'POST /api/v1/auth/token'
const plan = 'POST /api/v1/plan-requests'
const planBody = '{"plan":"nope"}'
const sent = [json, `Content-Length: ${planBody.length}`]
const invalidToken = { status: 401, code: 'AUTH_INVALID_TOKEN' }
const invalidKey = { status: 400, code: 'IDEMPOTENCY_INVALID_KEY' }
const noAdmin = { status: 401, code: 'ADMIN_UNAUTHORIZED' }
const channels = 'GET /admin/api/channels'
const doubled: RawCase[] = [
  { name: 'Authorization, equal', bytes: buildRequest('GET /api/v1/me', [bearer, bearer]), ...invalidToken },
  {
    name: 'Authorization, the good one first',
    bytes: buildRequest('GET /api/v1/me', [bearer, 'Authorization: Bearer x']),
    ...invalidToken,
  },
  {
    name: 'Authorization, the good one last',
    bytes: buildRequest('GET /api/v1/me', ['authorization: Basic x', bearer]),
    ...invalidToken,
  },
  {
    name: 'Authorization, an empty one',
    bytes: buildRequest('GET /api/v1/me', ['Authorization:', bearer]),
    ...invalidToken,
  },
  {
    name: 'Authorization, joined by a comma',
    bytes: buildRequest('GET /api/v1/me', [`${bearer}, Bearer {token}`]),
    ...invalidToken,
  },
  {
    name: 'Idempotency-Key, equal',
    bytes: buildRequest(plan, [bearer, ...sent, 'Idempotency-Key: a', 'Idempotency-Key: a'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key, different',
    bytes: buildRequest(plan, [bearer, ...sent, 'Idempotency-Key: a', 'idempotency-key: b'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key, an empty one',
    bytes: buildRequest(plan, [bearer, ...sent, 'Idempotency-Key:', 'Idempotency-Key: b'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key, joined by a comma',
    bytes: buildRequest(plan, [bearer, ...sent, 'Idempotency-Key: a, b'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key on a GET is ignored',
    bytes: buildRequest('GET /api/v1/me', [bearer, 'Idempotency-Key: a', 'Idempotency-Key: b']),
    status: 200,
  },
  {
    name: 'Idempotency-Key at the token endpoint is ignored',
    bytes: buildRequest(token, [json, 'Idempotency-Key: a', 'Idempotency-Key: b', 'Content-Length: 2'], '{}'),
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
  },
  {
    name: 'x-admin-token, equal',
    bytes: buildRequest(channels, ['x-admin-token: {admin}', 'x-admin-token: {admin}']),
    ...noAdmin,
  },
  {
    name: 'x-admin-token, the good one last',
    bytes: buildRequest(channels, ['x-admin-token: x', 'X-Admin-Token: {admin}']),
    ...noAdmin,
  },
  {
    name: 'x-admin-token, joined by a comma',
    bytes: buildRequest(channels, ['x-admin-token: {admin}, {admin}']),
    ...noAdmin,
  },
  { name: 'Content-Type, equal', bytes: buildRequest(plan, [bearer, json, ...sent], planBody), ...bad },
  {
    name: 'Content-Type, different',
    bytes: buildRequest(plan, [bearer, 'Content-Type: text/plain', ...sent], planBody),
    ...bad,
  },
  {
    name: 'Content-Type, joined by a comma',
    bytes: buildRequest(
      plan,
      [bearer, `${json}, text/plain`, `Content-Length: ${planBody.length}`],
      planBody,
    ),
    ...bad,
    status: 415,
  },
  {
    name: 'Content-Encoding',
    bytes: buildRequest(
      plan,
      [bearer, ...sent, 'Content-Encoding: identity', 'Content-Encoding: gzip'],
      planBody,
    ),
    ...bad,
  },
  {
    name: 'X-Request-Id: neither is taken',
    bytes: buildRequest('GET /api/v1/me', ['X-Request-Id: first-own-id', 'X-Request-Id: second-own-id']),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    answers: { 'x-request-id': /^req_/ },
  },
  {
    name: 'X-Request-Id on a page: neither is taken',
    bytes: buildRequest('GET /nope', ['X-Request-Id: first-own-id', 'X-Request-Id: second-own-id']),
    ...bad,
    status: 404,
    answers: { 'x-request-id': /^req_/ },
  },
  {
    name: 'X-Request-Id joined by a comma',
    bytes: buildRequest('GET /api/v1/me', ['X-Request-Id: first-own-id, second-own-id']),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    answers: { 'x-request-id': /^req_/ },
  },
  {
    name: 'Accept-Language: the heavier one',
    bytes: buildRequest('GET /api/v1/nope', ['Accept-Language: zh;q=0.5', 'Accept-Language: ko']),
    ...bad,
    status: 404,
    answers: { 'content-language': /^ko$/ },
  },
]

describe('a request line or Host that is not ours', () => {
  it.each(startLines)('$name: $status', async (each) => void (await expectAnswer(house, who, each)))
})

describe('header lines', () => {
  it.each(headerLines)('$name: $status', async (each) => void (await expectAnswer(house, who, each)))
})

describe('a header sent twice', () => {
  it.each(doubled)('$name: $status', async (each) => void (await expectAnswer(house, who, each)))
})

describe('after a refusal', () => {
  it('nothing that follows on the connection is carried out', async () => {
    const hidden = '{"plan":"reader"}'
    const smuggled = buildRequest(
      plan,
      [`Authorization: Bearer ${who.token}`, json, `Content-Length: ${hidden.length}`],
      hidden,
    )
    const first = joinHead('GET /livez HTTP/1.1', host, host)
    const said = await exchangeBytes(house.port, first + smuggled, { untilClosed: true })
    expect(said.answers.map(readError).map((error) => error?.code)).toEqual(['BAD_REQUEST'])
    const [row] = await house.gateway.store.db.selectFrom('plan_requests').selectAll().execute()
    expect(row).toBeUndefined()
  })

  it('a request without a body that follows on the connection is not carried out either', async () => {
    const { token } = await createInsider(house)
    const authorization = [`Authorization: Bearer ${token}`]
    const smuggled = buildRequest('POST /api/v1/auth/revoke', [...authorization, 'Content-Length: 0'])
    const first = joinHead('GET /livez HTTP/1.1', host, host)
    const { answers } = await exchangeBytes(house.port, first + smuggled, { untilClosed: true })
    expect(answers.map(readError).map((error) => error?.code)).toEqual(['BAD_REQUEST'])
    const readStatus = async (request: string) =>
      (await exchangeBytes(house.port, request, { answers: 1 })).answers.map(({ status }) => status)
    const me = buildRequest('GET /api/v1/me', authorization)
    expect(await readStatus(me)).toEqual([200])
    // The request alone would have been carried out.
    expect(await readStatus(smuggled)).toEqual([200])
    expect(await readStatus(me)).toEqual([401])
  })
})

describe('the gateway', () => {
  it('lives, serves and holds on to nothing after all of this', () => expectHealthy(house, who, heapBefore))
})
