import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type House, openHouse } from './harness.ts'
import {
  converse,
  errorOf,
  expectAnswer,
  expectUnharmed,
  type Insider,
  insider,
  type RawCase,
  request,
} from './raw-tcp.ts'

/** Request lines and header lines as no HTTP client would send them. */
let house: House
let who: Insider
const heapBefore = process.memoryUsage().heapUsed

beforeAll(async () => {
  house = await openHouse()
  who = await insider(house)
})
afterAll(() => house.close())

const host = 'Host: gateway.example'
const bearer = 'Authorization: Bearer {token}'
const json = 'Content-Type: application/json'
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const bad = { status: 400, code: 'BAD_REQUEST' }
const closed = { connection: /^close$/ }

const startLines: RawCase[] = [
  ...['/api/v1/me', '/livez'].flatMap((path) => [
    { name: `no Host on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`), ...bad },
    { name: `an empty Host on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, 'Host:'), ...bad },
    { name: `two Hosts on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, host, host), ...bad },
    { name: `a Host list on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, 'Host: a, b'), ...bad },
    { name: `a Host with a path on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, 'Host: a/b'), ...bad },
    { name: `a Host with a user on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, 'Host: u:p@a'), ...bad },
    { name: `a Host with markup on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, 'Host: <b>'), ...bad },
    { name: `a Host beyond ASCII on ${path}`, bytes: lines(`GET ${path} HTTP/1.1`, 'Host: \xe9'), ...bad },
    { name: `absolute-form of ${path}`, bytes: request(`GET http://other.example${path}`), ...bad },
    { name: `a fragment on ${path}`, bytes: request(`GET ${path}#part`), ...bad },
    { name: `a space in ${path}`, bytes: request(`GET ${path} x`), ...bad },
    { name: `a tab before ${path}`, bytes: request(`GET\t${path}`), ...bad },
    { name: `a NUL in ${path}`, bytes: request(`GET ${path}\0`), ...bad },
    { name: `raw UTF-8 in ${path}`, bytes: request(`GET ${path}/caf\xc3\xa9`), ...bad },
    { name: `HTTP/0.9 said of ${path}`, bytes: lines(`GET ${path} HTTP/0.9`, host), ...bad },
    { name: `HTTP/1.2 said of ${path}`, bytes: lines(`GET ${path} HTTP/1.2`, host), ...bad },
    { name: `HTTP/2.0 said of ${path}`, bytes: lines(`GET ${path} HTTP/2.0`, host), ...bad },
    { name: `HTTP/9.9 said of ${path}`, bytes: lines(`GET ${path} HTTP/9.9`, host), ...bad },
    { name: `a lower-case method on ${path}`, bytes: request(`get ${path}`), ...bad },
    { name: `an unknown method on ${path}`, bytes: request(`FETCH ${path}`), ...bad },
    {
      name: `a URL of 8,193 characters on ${path}`,
      bytes: request(`GET ${longUrl(path, 8_193)}`),
      ...bad,
      status: 414,
    },
    {
      name: `a URL larger than all headers on ${path}`,
      bytes: request(`GET ${longUrl(path, 20_000)}`),
      ...bad,
      status: 431,
    },
    {
      name: `TRACE ${path}`,
      bytes: request(`TRACE ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `OPTIONS ${path}`,
      bytes: request(`OPTIONS ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `PROPFIND ${path}`,
      bytes: request(`PROPFIND ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `QUERY ${path}`,
      bytes: request(`QUERY ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
    {
      name: `PATCH ${path}`,
      bytes: request(`PATCH ${path}`),
      ...bad,
      status: 405,
      answers: { allow: /^GET, HEAD$/ },
    },
  ]),
  { name: 'asterisk-form', bytes: request('OPTIONS *'), ...bad },
  { name: 'asterisk-form with GET', bytes: request('GET *'), ...bad },
  { name: 'authority-form with GET', bytes: request('GET gateway.example:80'), ...bad },
  { name: 'a method of 5,000 characters', bytes: request(`${'G'.repeat(5_000)} /livez`), ...bad },
  { name: 'a request of HTTP/0.9', bytes: 'GET /livez\r\n', ...bad, send: { end: true } },
  { name: 'the preface of HTTP/2', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', ...bad },
  {
    name: 'HTTP/1.0 without Host is served, then closed',
    bytes: lines('GET /livez HTTP/1.0'),
    status: 200,
    answers: closed,
  },
  {
    name: 'HTTP/1.0 on the contract is served, then closed',
    bytes: lines('GET /api/v1/errors HTTP/1.0'),
    status: 200,
    answers: closed,
  },
  {
    name: 'a URL of 8,192 characters is read',
    bytes: request(`GET ${longUrl('/livez', 8_192)}`),
    status: 200,
  },
  {
    name: 'a Host that is an IPv6 address',
    bytes: lines('GET /livez HTTP/1.1', 'Host: [::1]:8080'),
    status: 200,
  },
  {
    name: 'a Host with a port',
    bytes: lines('GET /livez HTTP/1.1', 'Host: Gateway.example:80'),
    status: 200,
  },
  { name: 'empty lines before a request', bytes: `\r\n\r\n${request('GET /livez')}`, status: 200 },
  {
    name: 'CONNECT',
    bytes: lines(
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

function longUrl(path: string, length: number): string {
  return `${path}?${'q'.repeat(length - path.length - 1)}`
}

const headerLines: RawCase[] = [
  { name: 'a bare LF after the request line', bytes: `GET /livez HTTP/1.1\n${host}\r\n\r\n`, ...bad },
  { name: 'a bare LF after a header', bytes: `GET /livez HTTP/1.1\r\n${host}\nA: b\r\n\r\n`, ...bad },
  { name: 'a bare LF as the last line', bytes: `GET /livez HTTP/1.1\r\n${host}\r\n\n`, ...bad },
  { name: 'a bare CR in a header', bytes: request('GET /livez', ['A: b\rc']), ...bad },
  { name: 'a NUL in a header', bytes: request('GET /livez', ['A: b\0c']), ...bad },
  { name: 'a NUL in a header name', bytes: request('GET /livez', ['A\0: b']), ...bad },
  { name: 'an escape sequence in a header', bytes: request('GET /livez', ['A: \x1b[2J']), ...bad },
  { name: 'a folded header', bytes: request('GET /livez', ['A: b', ' c']), ...bad },
  { name: 'a space before the colon', bytes: request('GET /livez', ['A : b']), ...bad },
  { name: 'a line without a colon', bytes: request('GET /livez', ['Abc']), ...bad },
  { name: 'a header without a name', bytes: request('GET /livez', [': b']), ...bad },
  { name: 'a header name beyond ASCII', bytes: request('GET /livez', ['\xe9: b']), ...bad },
  { name: 'a space before the first header', bytes: `GET /livez HTTP/1.1\r\n ${host}\r\n\r\n`, ...bad },
  {
    name: 'headers of 17 kB',
    bytes: request('GET /livez', [`A: ${'b'.repeat(17_000)}`]),
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
    bytes: request('GET /api/v1/errors', Array(100).fill('A: b')),
    ...bad,
    status: 431,
  },
  {
    name: '101 headers on a page',
    bytes: request('GET /livez', Array(100).fill('A: b')),
    ...bad,
    status: 431,
  },
  { name: '3,000 headers', bytes: request('GET /livez', Array(3_000).fill('A:')), ...bad, status: 431 },
  { name: '100 headers are read', bytes: request('GET /livez', Array(99).fill('A: b')), status: 200 },
  {
    name: 'headers of 15 kB are read',
    bytes: request('GET /livez', [`A: ${'b'.repeat(15_000)}`]),
    status: 200,
  },
  {
    name: 'an override of the method is ignored on a GET',
    bytes: request('GET /api/v1/errors', ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: POST']),
    status: 200,
  },
  {
    name: 'an override of the method is ignored on a POST',
    bytes: request('POST /api/v1/me', ['X-HTTP-Method-Override: GET', bearer, 'Content-Length: 0']),
    ...bad,
    status: 405,
  },
  {
    name: 'an upgrade to WebSocket is ignored',
    bytes: request('GET /api/v1/me', [
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
    bytes: request('GET /livez', [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
    ]),
    status: 200,
  },
  { name: 'a range is ignored', bytes: request('GET /api/v1/errors', ['Range: bytes=0-1']), status: 200 },
  {
    name: 'gzip as Content-Encoding of a page',
    bytes: request('GET /livez', ['Content-Encoding: gzip']),
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
  { name: 'Authorization, equal', bytes: request('GET /api/v1/me', [bearer, bearer]), ...invalidToken },
  {
    name: 'Authorization, the good one first',
    bytes: request('GET /api/v1/me', [bearer, 'Authorization: Bearer x']),
    ...invalidToken,
  },
  {
    name: 'Authorization, the good one last',
    bytes: request('GET /api/v1/me', ['authorization: Basic x', bearer]),
    ...invalidToken,
  },
  {
    name: 'Authorization, an empty one',
    bytes: request('GET /api/v1/me', ['Authorization:', bearer]),
    ...invalidToken,
  },
  {
    name: 'Authorization, joined by a comma',
    bytes: request('GET /api/v1/me', [`${bearer}, Bearer {token}`]),
    ...invalidToken,
  },
  {
    name: 'Idempotency-Key, equal',
    bytes: request(plan, [bearer, ...sent, 'Idempotency-Key: a', 'Idempotency-Key: a'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key, different',
    bytes: request(plan, [bearer, ...sent, 'Idempotency-Key: a', 'idempotency-key: b'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key, an empty one',
    bytes: request(plan, [bearer, ...sent, 'Idempotency-Key:', 'Idempotency-Key: b'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key, joined by a comma',
    bytes: request(plan, [bearer, ...sent, 'Idempotency-Key: a, b'], planBody),
    ...invalidKey,
  },
  {
    name: 'Idempotency-Key on a GET is ignored',
    bytes: request('GET /api/v1/me', [bearer, 'Idempotency-Key: a', 'Idempotency-Key: b']),
    status: 200,
  },
  {
    name: 'Idempotency-Key at the token endpoint is ignored',
    bytes: request(token, [json, 'Idempotency-Key: a', 'Idempotency-Key: b', 'Content-Length: 2'], '{}'),
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
  },
  {
    name: 'x-admin-token, equal',
    bytes: request(channels, ['x-admin-token: {admin}', 'x-admin-token: {admin}']),
    ...noAdmin,
  },
  {
    name: 'x-admin-token, the good one last',
    bytes: request(channels, ['x-admin-token: x', 'X-Admin-Token: {admin}']),
    ...noAdmin,
  },
  {
    name: 'x-admin-token, joined by a comma',
    bytes: request(channels, ['x-admin-token: {admin}, {admin}']),
    ...noAdmin,
  },
  { name: 'Content-Type, equal', bytes: request(plan, [bearer, json, ...sent], planBody), ...bad },
  {
    name: 'Content-Type, different',
    bytes: request(plan, [bearer, 'Content-Type: text/plain', ...sent], planBody),
    ...bad,
  },
  {
    name: 'Content-Type, joined by a comma',
    bytes: request(plan, [bearer, `${json}, text/plain`, `Content-Length: ${planBody.length}`], planBody),
    ...bad,
    status: 415,
  },
  {
    name: 'Content-Encoding',
    bytes: request(plan, [bearer, ...sent, 'Content-Encoding: identity', 'Content-Encoding: gzip'], planBody),
    ...bad,
  },
  {
    name: 'X-Request-Id: neither is taken',
    bytes: request('GET /api/v1/me', ['X-Request-Id: first-own-id', 'X-Request-Id: second-own-id']),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    answers: { 'x-request-id': /^req_/ },
  },
  {
    name: 'X-Request-Id on a page: neither is taken',
    bytes: request('GET /nope', ['X-Request-Id: first-own-id', 'X-Request-Id: second-own-id']),
    ...bad,
    status: 404,
    answers: { 'x-request-id': /^req_/ },
  },
  {
    name: 'X-Request-Id joined by a comma',
    bytes: request('GET /api/v1/me', ['X-Request-Id: first-own-id, second-own-id']),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    answers: { 'x-request-id': /^req_/ },
  },
  {
    name: 'Accept-Language: the heavier one',
    bytes: request('GET /api/v1/nope', ['Accept-Language: zh;q=0.5', 'Accept-Language: ko']),
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
    const smuggled = request(
      plan,
      [`Authorization: Bearer ${who.token}`, json, `Content-Length: ${hidden.length}`],
      hidden,
    )
    const first = lines('GET /livez HTTP/1.1', host, host)
    const said = await converse(house.port, first + smuggled, { untilClosed: true })
    expect(said.answers.map(errorOf).map((error) => error?.code)).toEqual(['BAD_REQUEST'])
    const [row] = await house.gateway.store.db.selectFrom('plan_requests').selectAll().execute()
    expect(row).toBeUndefined()
  })
})

describe('the gateway', () => {
  it('lives, serves and holds on to nothing after all of this', () => expectUnharmed(house, who, heapBefore))
})
