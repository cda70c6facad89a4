/** The end, size and timing of request bodies, sent as raw bytes. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './harness.ts'
import {
  buildRequest,
  createInsider,
  expectAnswer,
  expectHealthy,
  type Insider,
  type RawCase,
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

const token = 'POST /api/v1/auth/token'
const chunked = 'Transfer-Encoding: chunked'
const framing: RawCase[] = [
  {
    name: 'Content-Length and Transfer-Encoding',
    bytes: buildRequest(token, [json, 'Content-Length: 5', chunked], '0\r\n\r\n'),
    ...bad,
  },
  {
    name: 'Transfer-Encoding and Content-Length',
    bytes: buildRequest(token, [json, chunked, 'Content-Length: 5'], '0\r\n\r\n'),
    ...bad,
  },
  {
    name: 'two different lengths',
    bytes: buildRequest(token, [json, 'Content-Length: 2', 'Content-Length: 3'], '{}'),
    ...bad,
  },
  {
    name: 'two equal lengths',
    bytes: buildRequest(token, [json, 'Content-Length: 2', 'Content-Length: 2'], '{}'),
    ...bad,
  },
  ...['2, 2', '-2', '+2', '0x2', '2.0', '', '2 2', '99999999999999999999999'].map((length) => ({
    name: `the length "${length}"`,
    bytes: buildRequest(token, [json, `Content-Length: ${length}`], '{}'),
    ...bad,
  })),
  ...[
    'xchunked',
    'identity',
    'gzip',
    'gzip, chunked',
    'chunked, chunked',
    'chunked, identity',
    'chunked;q=1',
    '"chunked"',
    '',
  ].map((coding) => ({
    name: `the transfer coding "${coding}"`,
    bytes: buildRequest(token, [json, `Transfer-Encoding: ${coding}`], '2\r\n{}\r\n0\r\n\r\n'),
    ...bad,
  })),
  { name: 'chunked said twice', bytes: buildRequest(token, [json, chunked, chunked], '0\r\n\r\n'), ...bad },
  {
    name: 'chunked in HTTP/1.0',
    bytes: joinHead(`${token} HTTP/1.0`, host, json, chunked).concat('2\r\n{}\r\n0\r\n\r\n'),
    ...bad,
  },
  ...['fffffffffffffffff', '-1', '0x2', '2 2', 'zz', ''].map((size) => ({
    name: `the chunk size "${size}"`,
    bytes: buildRequest(token, [json, chunked], `${size}\r\n{}\r\n0\r\n\r\n`),
    ...bad,
  })),
  {
    name: 'a chunk longer than it says',
    bytes: buildRequest(token, [json, chunked], '2\r\n{}}}\r\n0\r\n\r\n'),
    ...bad,
  },
  { name: 'a chunk ended by a bare LF', bytes: buildRequest(token, [json, chunked], '2\n{}\n0\n\n'), ...bad },
  {
    name: 'a chunk extension of 20 kB',
    bytes: buildRequest(token, [json, chunked], `2;a=${'b'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    ...bad,
  },
  {
    name: 'a broken chunk after a good one',
    bytes: [
      buildRequest(
        token,
        [json, chunked, 'X-Request-Id: own-id-of-body', 'Accept-Language: ko'],
        '1\r\n{\r\n',
      ),
      'zz\r\n',
    ],
    ...bad,
    answers: { 'x-request-id': /^own-id-of-body$/, 'content-language': /^ko$/, ...closed },
  },
  {
    name: 'a broken chunk to a page is answered once',
    bytes: buildRequest('POST /livez', [json, chunked], 'zz\r\n'),
    ...bad,
    status: 405,
    send: { untilClosed: true },
  },
  {
    name: 'a broken chunk without a token is answered once',
    bytes: buildRequest('POST /api/v1/plan-requests', [json, chunked], 'zz\r\n'),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    send: { untilClosed: true },
  },
  {
    name: 'a body that ends too early',
    bytes: buildRequest(token, [json, 'Content-Length: 10'], '{}'),
    ...bad,
    send: { end: true },
  },
  {
    name: 'a token in a trailer is not read',
    bytes: buildRequest('POST /api/v1/plan-requests', [json, chunked], `2\r\n{}\r\n0\r\n${bearer}\r\n\r\n`),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
  },
  {
    name: 'a length in a trailer',
    bytes: buildRequest(token, [json, chunked], '2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n'),
    ...bad,
  },
  {
    name: 'CHUNKED in capitals is read',
    bytes: buildRequest(token, [json, 'Transfer-Encoding: CHUNKED'], '2\r\n{}\r\n0\r\n\r\n'),
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
  },
  {
    name: 'a body in single bytes is read',
    bytes: [buildRequest(token, [json, 'Content-Length: 2']), '{', '}'],
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
  },
]

const maxBody = 256 * 1024
const big = 'a'.repeat(100_000)
const bodies: RawCase[] = [
  {
    name: 'a length of one byte too many, before any byte',
    bytes: buildRequest(token, [json, `Content-Length: ${maxBody + 1}`]),
    ...bad,
    status: 413,
    answers: closed,
  },
  {
    name: 'a length beyond 2^53',
    bytes: buildRequest(token, [json, 'Content-Length: 9007199254740993'], '{}'),
    ...bad,
    status: 413,
    answers: closed,
  },
  {
    name: 'a body of 12 MB, to a sender that reads when it has written',
    bytes: [buildRequest(token, [json, 'Content-Length: 12000000']), ...Array(120).fill(big)],
    ...bad,
    status: 413,
    answers: closed,
    send: { readLate: true, untilClosed: true },
  },
  {
    name: 'chunks of 12 MB, to a sender that reads when it has written',
    bytes: [buildRequest(token, [json, chunked]), ...Array(120).fill(`186a0\r\n${big}\r\n`), '0\r\n\r\n'],
    ...bad,
    status: 413,
    answers: closed,
    send: { readLate: true, untilClosed: true },
  },
  {
    name: 'a body of exactly 256 kB is read',
    bytes: buildRequest(token, [json, `Content-Length: ${maxBody}`], `{${' '.repeat(maxBody - 2)}}`),
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
  },
  {
    name: 'an unread body of 12 MB, to a sender that reads when it has written',
    bytes: [
      buildRequest('POST /api/v1/plan-requests', [json, 'Content-Length: 12000000']),
      ...Array(120).fill(big),
    ],
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    answers: closed,
    send: { readLate: true, untilClosed: true },
  },
  {
    name: 'a compressed body, to a sender that reads when it has written',
    bytes: [
      buildRequest(token, [json, 'Content-Encoding: gzip', 'Content-Length: 12000000']),
      ...Array(120).fill(big),
    ],
    ...bad,
    status: 415,
    answers: closed,
    send: { readLate: true, untilClosed: true },
  },
  {
    name: 'a GET with a small body ignores it',
    bytes: buildRequest('GET /api/v1/errors', ['Content-Length: 9'], 'page=nope'),
    status: 200,
    answers: { connection: /^keep-alive$/ },
  },
  {
    name: 'a GET with a chunked body ignores it',
    bytes: buildRequest('GET /api/v1/errors', [chunked], '2\r\n{}\r\n0\r\n\r\n'),
    status: 200,
    answers: { connection: /^keep-alive$/ },
  },
  {
    name: 'a GET with a body of 64 kB and a byte',
    bytes: buildRequest('GET /api/v1/errors', ['Content-Length: 65537'], 'b'.repeat(65_537)),
    ...bad,
    status: 413,
    answers: closed,
  },
  {
    name: 'a POST to a page',
    bytes: buildRequest('POST /livez', [json, 'Content-Length: 2'], '{}'),
    ...bad,
    status: 405,
  },
  {
    name: 'an unread body that arrives after the answer',
    bytes: [buildRequest('POST /api/v1/plan-requests', [json, 'Content-Length: 2']), '{}'],
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    send: { untilClosed: true },
  },
]

const ask = 'Expect: 100-continue'
const expectations: (RawCase & { interim?: number[] })[] = [
  {
    name: 'without a token: 401 and no 100',
    bytes: buildRequest('POST /api/v1/plan-requests', [ask, json, 'Content-Length: 2']),
    status: 401,
    code: 'AUTH_MISSING_TOKEN',
    answers: closed,
    send: { untilClosed: true },
  },
  {
    name: 'with a body too large: 413 and no 100',
    bytes: buildRequest(token, [ask, json, 'Content-Length: 300000']),
    ...bad,
    status: 413,
    answers: closed,
    send: { untilClosed: true },
  },
  {
    name: 'with a wrong content type: 415 and no 100',
    bytes: buildRequest(token, [ask, 'Content-Type: text/plain', 'Content-Length: 2']),
    ...bad,
    status: 415,
    send: { untilClosed: true },
  },
  {
    name: 'on a page: 405 and no 100',
    bytes: buildRequest('POST /livez', [ask, json, 'Content-Length: 2']),
    ...bad,
    status: 405,
    send: { untilClosed: true },
  },
  {
    name: 'on a legacy path: 410 and no 100',
    bytes: buildRequest('POST /Api/stock', [ask, json, 'Content-Length: 2']),
    status: 410,
    code: 'ENDPOINT_GONE',
    send: { untilClosed: true },
  },
  {
    name: 'where the body is wanted: 100, then the answer',
    bytes: [buildRequest(token, [ask, json, 'Content-Length: 2']), '{}'],
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
    interim: [100],
  },
  {
    name: 'in any case of letters',
    bytes: [buildRequest(token, ['Expect: 100-Continue', json, 'Content-Length: 2']), '{}'],
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
    interim: [100],
  },
  {
    name: 'in HTTP/1.0 is ignored',
    bytes: joinHead(`${token} HTTP/1.0`, ask, json, 'Content-Length: 2').concat('{}'),
    status: 401,
    code: 'AUTH_BAD_CREDENTIALS',
  },
  ...['200-ok', '', '100-continue, 200-ok', 'x-100-continue', '100'].map((value) => ({
    name: `of "${value}"`,
    bytes: buildRequest('POST /api/v1/plan-requests', [`Expect: ${value}`, json, 'Content-Length: 2'], '{}'),
    ...bad,
    status: 417,
  })),
  {
    name: 'twice',
    bytes: buildRequest(token, [ask, ask, json, 'Content-Length: 2'], '{}'),
    ...bad,
    status: 417,
  },
  {
    name: 'odd, in Chinese',
    bytes: buildRequest('GET /livez', ['Expect: tea', 'Accept-Language: zh', 'X-Request-Id: own-id-of-tea']),
    ...bad,
    status: 417,
    answers: { 'content-language': /^zh$/, 'x-request-id': /^own-id-of-tea$/ },
  },
]

describe('framing that two readers would read differently', () => {
  it.each(framing)('$name: $status', async (each) => void (await expectAnswer(house, who, each)))
})

describe('bodies larger than allowed, or not wanted', () => {
  it.each(bodies)('$name: $status', async (each) => void (await expectAnswer(house, who, each)))
})

describe('an expectation', () => {
  it.each(expectations)('$name: $status', async (each) => {
    const said = await expectAnswer(house, who, each)
    expect(said.interim).toEqual(each.interim ?? [])
  })
})

describe('the gateway', () => {
  it('lives, serves and holds on to nothing after all of this', () => expectHealthy(house, who, heapBefore))
})
