/**
 * Invalid bodies, queries, paths and headers: each is refused with the name of the wrong part before it has any effect.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../src/contract/language.ts'
import {
  adminToken,
  type CallInit,
  type CallResult,
  call,
  createWorld,
  openTestGateway,
  type TestGateway,
} from './harness.ts'
import { buildRequest, createInsider, expectAnswer, expectNoLeak, type Insider } from './raw-tcp.ts'

let house: TestGateway
let who: Insider

beforeAll(async () => {
  house = await openTestGateway()
  who = await createInsider(house)
})
afterAll(() => house.close())

interface Refusal {
  readonly status: number
  readonly code: string
  readonly param?: string
}

const bad: Refusal = { status: 400, code: 'BAD_REQUEST' }
const unsupported: Refusal = { status: 415, code: 'BAD_REQUEST' }
const describeInvalid = (param: string): Refusal => ({ status: 422, code: 'VALIDATION_FAILED', param })

async function expectRefused(
  method: string,
  path: string,
  init: CallInit,
  refusal: Refusal,
): Promise<CallResult> {
  const answer = await call(house, method, path, { token: who.token, ...init })
  const { code, param } = answer.json.error ?? {}
  expect({ status: answer.status, code, param }).toEqual({ param: undefined, ...refusal })
  expectNoLeak(answer.text, who.secrets)
  return answer
}

const plans = '/api/v1/plan-requests'
const json = { 'content-type': 'application/json' }
const encodeLatin1 = (text: string) => Buffer.from(text, 'latin1')

const unreadable: readonly (readonly [name: string, raw: string | Uint8Array])[] = [
  ['nothing', new Uint8Array()],
  ['spaces', '  \r\n'],
  ['an array', '[]'],
  ['an array of a request', '[{"plan":"reader"}]'],
  ['a string', '"reader"'],
  ['a number', '1'],
  ['null', 'null'],
  ['true', 'true'],
  ['a byte that is no UTF-8', encodeLatin1('{"plan":"\xff"}')],
  ['an overlong slash', encodeLatin1('{"plan":"\xc0\xaf"}')],
  ['an encoded surrogate', encodeLatin1('{"plan":"\xed\xa0\x80"}')],
  ['half of a character at the end', encodeLatin1('{"plan":"reader"}\xe2\x82')],
  ['a code point beyond Unicode', encodeLatin1('{"plan":"\xf4\x90\x80\x80"}')],
  ['a byte order mark', '\ufeff{"plan":"reader"}'],
  ['UTF-16, little end first', Buffer.from('\ufeff{"plan":"reader"}', 'utf16le')],
  ['UTF-16, without a mark', Buffer.from('{"plan":"reader"}', 'utf16le')],
  ['UTF-32', Buffer.from('{\0\0\0}\0\0\0')],
  ['Latin-1', encodeLatin1('{"plan":"caf\xe9"}')],
  ['something after the object', '{"plan":"reader"}x'],
  ['two objects', '{"plan":"reader"}{"plan":"full"}'],
  ['two lines of objects', '{"plan":"reader"}\n{"plan":"full"}'],
  ['a NUL after the object', '{"plan":"reader"}\0'],
  ['an object without an end', '{"plan":"reader"'],
  ['a comma too many', '{"plan":"reader",}'],
  ['a comment of a line', '{"plan":"reader"} // plan'],
  ['a comment inside', '{"plan":/* plan */"reader"}'],
  ['a key without quotes', '{plan:"reader"}'],
  ['single quotes', "{'plan':'reader'}"],
  ['NaN', '{"plan":NaN}'],
  ['Infinity', '{"plan":-Infinity}'],
  ['a number with a leading zero', '{"plan":01}'],
  ['a hexadecimal number', '{"plan":0x1}'],
  ['a tab in a string', '{"plan":"rea\tder"}'],
  ['a NUL in a string', '{"plan":"rea\0der"}'],
  ['an unknown escape', '{"plan":"\\x41"}'],
  ['a space that JSON does not know', '\u00a0{"plan":"reader"}'],
  ['a form', 'plan=reader'],
  ['XML', '<plan>reader</plan>'],
  ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['33 levels in a field', `{"plan":${'['.repeat(32)}${']'.repeat(32)}}`],
  ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
  ['100,000 levels', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['100,000 levels without an end', '['.repeat(100_000)],
  ['a key twice', '{"plan":"full","plan":"reader"}'],
  ['a key twice, once escaped', '{"plan":"full","pl\\u0061n":"reader"}'],
  ['a key twice with other spaces', '{"plan" :"full",\n"plan"\t: "reader"}'],
  ['a key twice, deeper', '{"plan":"reader","reason":{"a":1,"b":[{"c":1,"c":2}]}}'],
  ['a key twice, deeper and escaped', '{"plan":"reader","reason":{"a":1,"\\u0061":2}}'],
  ['an empty key twice', '{"":1,"":2}'],
  ['the key __proto__', '{"plan":"reader","__proto__":{"plan":"full"}}'],
  ['the key __proto__, escaped', '{"plan":"reader","\\u005f_proto__":{}}'],
  ['the key constructor', '{"plan":"reader","constructor":{"prototype":{}}}'],
  ['the key prototype, deeper', '{"plan":"reader","reason":{"prototype":1}}'],
]

describe('a body that is no JSON object, or could be two, is refused', () => {
  it.each(unreadable)('%s', async (_name, raw) => {
    await expectRefused('POST', plans, { raw, headers: json }, bad)
  })
})

const misfits: readonly (readonly [name: string, raw: string, param: string])[] = [
  ['a missing field', '{}', 'plan'],
  ['a null', '{"plan":null}', 'plan'],
  ['a number', '{"plan":1}', 'plan'],
  ['a number beyond all numbers', '{"plan":1e309}', 'plan'],
  ['a list', '{"plan":["reader"]}', 'plan'],
  ['an object', '{"plan":{"plan":"reader"}}', 'plan'],
  ['an unknown word', '{"plan":"gold"}', 'plan'],
  ['a word in other letters', '{"plan":"READER"}', 'plan'],
  ['a word with a space', '{"plan":"reader "}', 'plan'],
  ['a key of every object', '{"plan":"toString"}', 'plan'],
  ['32 levels', `{"plan":${'['.repeat(31)}${']'.repeat(31)}}`, 'plan'],
  ['a number for a text', '{"plan":"reader","reason":5}', 'reason'],
  ['an empty text', '{"plan":"reader","reason":""}', 'reason'],
  ['a text too long', `{"plan":"reader","reason":"${'a'.repeat(501)}"}`, 'reason'],
  ['an escaped NUL', '{"plan":"reader","reason":"a\\u0000b"}', 'reason'],
  ['an escape sequence', '{"plan":"reader","reason":"\\u001b[2J"}', 'reason'],
  ['a line end', '{"plan":"reader","reason":"a\\r\\nb"}', 'reason'],
  ['half of a character', '{"plan":"reader","reason":"\\ud83d"}', 'reason'],
  ['halves in the wrong order', '{"plan":"reader","reason":"\\ude00\\ud83d"}', 'reason'],
  ['a decomposed letter', '{"plan":"reader","reason":"e\\u0301"}', 'reason'],
  ['an unknown field', '{"plan":"reader","nope":1}', 'nope'],
  ['a field that only the gateway sets', '{"plan":"reader","channel_code":"other"}', 'channel_code'],
  ['a state', '{"plan":"reader","status":"approved"}', 'status'],
  ['a field in other letters', '{"plan":"reader","Reason":"x"}', 'Reason'],
  ['an unknown field that every object has', '{"plan":"reader","toString":1}', 'toString'],
  ['an unknown field without a name', '{"plan":"reader","":1}', ''],
  [
    'an unknown field with line ends in its name',
    '{"plan":"reader","a\\r\\nX-Injected: 1":1}',
    'aX-Injected: 1',
  ],
  ['an unknown field that is half of a character', '{"plan":"reader","a\\ud800":1}', 'a'],
  ['an unknown field with a long name', `{"plan":"reader","${'k'.repeat(5_000)}":1}`, `${'k'.repeat(100)}…`],
]

describe('a body that does not fit is refused by the name of the field', () => {
  it.each(misfits)('%s', async (_name, raw, param) => {
    await expectRefused('POST', plans, { raw, headers: json }, describeInvalid(param))
  })

  it('lists the other problems too, but not thousands of them', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_each, index) => [`f${index}`, 1]))
    const answer = await call(house, 'POST', plans, { token: who.token, body: { ...many, plan: 1 } })
    expect(answer.json.error.code).toBe('VALIDATION_FAILED')
    expect(answer.json.error.errors.length).toBeGreaterThan(1)
    expect(answer.json.error.errors.length).toBeLessThanOrEqual(20)
  })

  it('costs nothing, unless ten in the minute before were refused', async () => {
    house.clock.advance(61_000)
    const { headers } = await expectRefused('POST', plans, { body: {} }, describeInvalid('plan'))
    expect(headers.get('ratelimit-cost')).toBe('0')
  })
})

const body = '{"plan":"trader"}'
const createTypedBody = (type: string) => ({ raw: Buffer.from(body), headers: { 'content-type': type } })

describe('a body of another type than JSON in UTF-8 is refused', () => {
  const others = [
    'text/plain',
    'text/json',
    'application/jsonx',
    'application/ld+json',
    'application/problem+json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '*/*',
    'json',
    '; charset=utf-8',
    'application/json, text/plain',
    'application/json; charset=latin1',
    'application/json; charset=ISO-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf8mb4',
    'application/json; charset=',
    'application/json; charset',
    'application/json; charset="utf-8',
    'application/json; charset =latin1',
    'application/json; charset=utf-8; charset=latin1',
  ]
  it.each(others)(
    '%s',
    async (type) => void (await expectRefused('POST', plans, createTypedBody(type), unsupported)),
  )

  it('without a type', async () => {
    await expectRefused('POST', plans, { raw: Buffer.from(body) }, unsupported)
  })

  it.each(['gzip', 'br', 'deflate', 'x-gzip', 'identity, gzip', 'nope'])(
    'encoded as %s',
    async (encoding) => {
      const headers = { ...json, 'content-encoding': encoding }
      await expectRefused('POST', plans, { raw: body, headers }, unsupported)
    },
  )

  const read = [
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json;charset="UTF-8"',
    'application/json; version=1; odd',
    'application/json;',
  ]
  it.each(read)('%s is read', async (type) => {
    const { token } = await createWorld(house, { plan: 'reader' })
    expect((await call(house, 'POST', plans, { token, ...createTypedBody(type) })).status).toBe(201)
  })
})

const stock = '/api/v1/warehouses/AUSYD1/stock'
const queries: readonly (readonly [path: string, query: string, refusal: Refusal])[] = [
  [stock, 'nope=1', describeInvalid('nope')],
  [stock, 'Page=1', describeInvalid('Page')],
  [stock, '__proto__=1', describeInvalid('__proto__')],
  [stock, 'constructor=1', describeInvalid('constructor')],
  [stock, 'toString', describeInvalid('toString')],
  [stock, '=1', describeInvalid('')],
  [stock, 'page=1&page=2', describeInvalid('page')],
  [stock, 'page=1&page=1', describeInvalid('page')],
  [stock, 'page=1&p%61ge=2', describeInvalid('page')],
  [stock, '__proto__=1&__proto__=2', describeInvalid('__proto__')],
  [stock, 'page[]=1', describeInvalid('page[]')],
  [stock, 'page%5B%5D=1', describeInvalid('page[]')],
  [stock, 'page[0]=1', describeInvalid('page[0]')],
  [stock, 'page.x=1', describeInvalid('page.x')],
  [stock, 'page;page_size=1', describeInvalid('page;page_size')],
  [stock, 'a%0d%0ab=1', describeInvalid('ab')],
  [stock, 'access_token=x', describeInvalid('access_token')],
  [stock, 'page', describeInvalid('page')],
  [stock, 'page=', describeInvalid('page')],
  [stock, 'page=0', describeInvalid('page')],
  [stock, 'page=-1', describeInvalid('page')],
  [stock, 'page=1.5', describeInvalid('page')],
  [stock, 'page=1e3', describeInvalid('page')],
  [stock, 'page=1e9', describeInvalid('page')],
  [stock, 'page=0x10', describeInvalid('page')],
  [stock, 'page=%2B1', describeInvalid('page')],
  [stock, 'page=+1', describeInvalid('page')],
  [stock, 'page=%201', describeInvalid('page')],
  [stock, 'page=1%00', describeInvalid('page')],
  [stock, 'page=true', describeInvalid('page')],
  [stock, 'page=NaN', describeInvalid('page')],
  [stock, 'page=%D9%A3', describeInvalid('page')],
  [stock, 'page=%EF%BC%91', describeInvalid('page')],
  [stock, 'page=1000000001', describeInvalid('page')],
  [stock, 'page=99999999999999999999', describeInvalid('page')],
  [stock, 'page_size=0', describeInvalid('page_size')],
  [stock, 'page_size=-1', describeInvalid('page_size')],
  [stock, 'page_size=1001', describeInvalid('page_size')],
  [stock, 'page_size=1000000', describeInvalid('page_size')],
  [stock, 'page=1&page_size=1001', describeInvalid('page_size')],
  [stock, 'sku=%', bad],
  [stock, 'sku=%4', bad],
  [stock, 'sku=%zz', bad],
  [stock, 'sku=%ff', bad],
  [stock, 'sku=%C0%AF', bad],
  [stock, 'sku=%ED%A0%80', bad],
  [stock, '%ff=1', bad],
  ['/api/v1/me', 'nope=1', describeInvalid('nope')],
  ['/api/v1/errors', 'lang=zh', describeInvalid('lang')],
  ['/api/v1/warehouses', 'page=1', describeInvalid('page')],
  ...['/api/v1/products', '/api/v1/plan-requests', '/api/v1/addresses', '/api/v1/shipping-methods'].flatMap(
    (path): (readonly [string, string, Refusal])[] => [
      [path, 'page=0', describeInvalid('page')],
      [path, 'page=1000000001', describeInvalid('page')],
      [path, 'page_size=0', describeInvalid('page_size')],
      [path, 'page_size=201', describeInvalid('page_size')],
      [path, 'page_size=1000000', describeInvalid('page_size')],
      [path, 'start_date=2026-02-30', describeInvalid('start_date')],
      [path, 'start_date=2026-02-29', describeInvalid('start_date')],
      [path, 'end_date=2026-13-01', describeInvalid('end_date')],
      [path, 'start_date=2026-11-00', describeInvalid('start_date')],
      [path, 'start_date=2026-11-21&end_date=2026-11-20', describeInvalid('start_date')],
      [path, 'start_date=2025-11-20&end_date=2026-11-21', describeInvalid('start_date')],
      [path, 'start_date=2016-11-21', describeInvalid('start_date')],
      [path, 'start_date=0000-01-01', describeInvalid('start_date')],
      [path, 'start_date=2026-11-20T00:00:00Z', describeInvalid('start_date')],
      [path, 'start_date=2026-11-20%2B11:00', describeInvalid('start_date')],
      [path, 'start_date=20261120', describeInvalid('start_date')],
      [path, 'start_date=2026-1-1', describeInvalid('start_date')],
      [path, 'start_date=%2B2026-11-20', describeInvalid('start_date')],
      [path, 'start_date=-2026-11-20', describeInvalid('start_date')],
      [path, 'start_date=21/11/2026', describeInvalid('start_date')],
      [path, 'start_date=today', describeInvalid('start_date')],
      [path, 'start_date=', describeInvalid('start_date')],
      [path, 'start_date=2026-11-20&start_date=2026-11-20', describeInvalid('start_date')],
      [path, 'as_of=2026-11-21', describeInvalid('as_of')],
      [path, 'as_of=2026-11-21T12:00:00%2B11:00', describeInvalid('as_of')],
      [path, 'as_of=2026-11-21T25:00:00Z', describeInvalid('as_of')],
      [path, 'as_of=1795262400', describeInvalid('as_of')],
    ],
  ),
  [plans, 'status=nope', describeInvalid('status')],
  [plans, 'status=', describeInvalid('status')],
  [plans, 'status=PENDING', describeInvalid('status')],
  ['/api/v1/products', 'q=', describeInvalid('q')],
  ['/api/v1/products', `q=${'a'.repeat(101)}`, describeInvalid('q')],
  ['/api/v1/products', 'q=a%00', describeInvalid('q')],
  ['/api/v1/products', 'updated_since=yesterday', describeInvalid('updated_since')],
]

describe('a query that does not fit is refused by the name of the parameter', () => {
  it.each(queries)('%s?%s', async (path, query, refusal) => {
    await expectRefused('GET', `${path}?${query}`, {}, refusal)
  })

  it.each(['page=1&page_size=1000', 'page=01', 'page=1000000000', '&&page=1&', '&'])(
    '%s is read',
    async (query) => {
      expect((await call(house, 'GET', `${stock}?${query}`, { token: who.token })).status).toBe(200)
    },
  )

  it('a page beyond the last is empty', async () => {
    const { json: far } = await call(house, 'GET', `${stock}?page=1000000000&page_size=1000`, {
      token: who.token,
    })
    expect(far).toMatchObject({ data: [], has_more: false })
  })

  it('a span of 366 days is read', async () => {
    const span = 'start_date=2025-11-21&end_date=2026-11-21'
    expect((await call(house, 'GET', `${plans}?${span}`, { token: who.token })).status).toBe(200)
  })
})

describe('a text of the operator that no database can store is refused', () => {
  const admin = adminToken
  const filters = [
    ['/admin/api/audit', 'actor'],
    ['/admin/api/audit', 'action'],
    ['/admin/api/audit', 'subject'],
    ['/admin/api/audit/export', 'subject'],
    ['/admin/api/requests', 'request_id'],
    ['/admin/api/requests', 'route'],
  ] as const

  it.each(filters)('by %s as %s', async (path, param) => {
    await expectRefused('GET', `${path}?${param}=a%00b`, { admin }, describeInvalid(param))
  })

  it.each([
    ['a NUL', String.raw`a\u0000b`],
    ['half a character', String.raw`a\ud800b`],
    ['spaces only', '   '],
  ])('as the reason of a pause with %s', async (_what, reason) => {
    const raw = `{"seconds":60,"reason":"${reason}"}`
    const init = { admin, headers: json, raw }
    await expectRefused('POST', '/admin/api/upstream/pause', init, describeInvalid('reason'))
  })

  it('and the spaces around a reason are left out', async () => {
    const body = { seconds: 60, reason: ' The ERP is being updated ' }
    const paused = await call(house, 'POST', '/admin/api/upstream/pause', { admin, body })
    expect(paused.json.data.reason).toBe('The ERP is being updated')
    await call(house, 'DELETE', '/admin/api/upstream/pause', { admin })
  })
})

describe('a SKU or style is compared byte by byte, and is never more than a text', () => {
  const malformed: readonly (readonly [name: string, sku: string])[] = [
    ['empty', ''],
    ['65 characters', 'a'.repeat(65)],
    ['a kilobyte', 'a'.repeat(1_000)],
    ['a NUL', '%00'],
    ['a NUL at the end', 'LIN%00'],
    ['a line end', 'LIN%0d%0a'],
    ['an escape sequence', '%1b[2J'],
    ['a decomposed letter', 'e%CC%81'],
    ['a zero-width space', 'LIN%E2%80%8B'],
    ['a zero-width joiner', '%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9'],
    ['a right-to-left override', '%E2%80%AELIN'],
    ['a right-to-left mark', 'LIN%E2%80%8F'],
    ['a byte order mark', '%EF%BB%BFLIN'],
    ['a soft hyphen', 'LIN%C2%AD'],
    ['a line separator', 'LIN%E2%80%A8'],
    ['a language tag', 'LIN%F3%A0%81%81'],
  ]
  it.each(malformed)('%s is malformed', async (_name, text) => {
    await expectRefused('GET', `${stock}?sku=${text}`, {}, describeInvalid('sku'))
    await expectRefused('GET', `${stock}?product_code=${text}`, {}, describeInvalid('product_code'))
    await expectRefused('GET', `/api/v1/products?sku=${text}`, {}, describeInvalid('sku'))
  })

  const unknown: readonly (readonly [name: string, sku: string])[] = [
    ['a quote of SQL', "'%20OR%20'1'='1"],
    ['a comment of SQL', 'LIN%27;--'],
    ['a wildcard', '%25'],
    ['another wildcard', '_'],
    ['an asterisk', '*'],
    ['a range of a pattern', '[A-Z].*'],
    ['__proto__', '__proto__'],
    ['constructor', 'constructor'],
    ['toString', 'toString'],
    ['hasOwnProperty', 'hasOwnProperty'],
    ['64 characters', 'a'.repeat(64)],
    ['a full-width letter', '%EF%BC%A1'],
    ['markup', '%3Cscript%3Ealert(1)%3C/script%3E'],
    ['a path', '../../etc/passwd'],
    ['a template', '$%7B7*7%7D'],
    ['a leading space', '%20LIN'],
    ['null', 'null'],
    ['an emoji', '%F0%9F%91%95'],
  ]
  it.each(unknown)('%s is unknown', async (_name, text) => {
    const unknownSku = { status: 404, code: 'NOT_FOUND', param: 'sku' }
    const { json: refused } = await expectRefused('GET', `${stock}?sku=${text}`, {}, unknownSku)
    expect(refused.error.reason).toBe('sku_unknown')
    await expectRefused('GET', `${stock}?product_code=${text}`, {}, { ...unknownSku, param: 'product_code' })
    const inPath = text.replaceAll('/', '%20')
    await expectRefused('GET', `/api/v1/products/${inPath}`, {}, { ...unknownSku, param: 'product_code' })
  })
})

describe('a warehouse is known by its exact code', () => {
  const unknown = { status: 404, code: 'WAREHOUSE_UNKNOWN', param: 'warehouse_code' }
  const codes = [
    'ausyd2',
    'AUSYD3',
    'AU%20',
    '%20AU',
    'AU%0a',
    'AU%C2%A0',
    'AU%E2%80%8B',
    '%EF%BC%A1U',
    'AU*',
    '*',
    'AU,CN',
    'AU;CN',
    "AU'--",
    '__proto__',
    'constructor',
    'toString',
    'undefined',
    'A'.repeat(2_000),
  ]
  it.each(codes)('%s is unknown', async (code) => {
    await expectRefused('GET', `/api/v1/warehouses/${code}/stock`, {}, unknown)
  })

  it.each(['AU%2F..%2FCN', 'AU%5C..%5CCN', 'AU%00', 'AU%ff'])('%s is malformed', async (code) => {
    await expectRefused('GET', `/api/v1/warehouses/${code}/stock`, {}, bad)
  })

  it('in one encoding or another', async () => {
    const answer = await call(house, 'GET', '/api/v1/warehouses/%41USYD%31/stock?page=1', {
      token: who.token,
    })
    expect(answer.json.data[0].warehouse_code).toBe('AUSYD1')
  })
})

describe('an Idempotency-Key is 1 to 255 visible ASCII characters, once', () => {
  const refused: readonly (readonly [name: string, key: string])[] = [
    ['256 characters', 'k'.repeat(256)],
    ['nothing', ''],
    ['spaces', '   '],
    ['a space inside', 'a b'],
    ['a tab inside', 'a\tb'],
    ['a letter beyond ASCII', 'caf\xe9'],
    ['UTF-8', Buffer.from('键').toString('latin1')],
    ['a DEL', 'a\x7f'],
  ]
  const sent = ['Content-Type: application/json', 'Content-Length: 17', 'Authorization: Bearer {token}']
  it.each(refused)('%s is refused', async (_name, key) => {
    const status = { status: 400, code: 'IDEMPOTENCY_INVALID_KEY' }
    const bytes = buildRequest(`POST ${plans}`, [...sent, `Idempotency-Key: ${key}`], body)
    // Node's HTTP parser refuses DEL, because no header may contain it.
    await expectAnswer(house, who, { name: key, bytes, ...(key.includes('\x7f') ? bad : status) })
  })

  it.each(['k', 'k'.repeat(255), '"quoted"', '!#$%&*+-.^_`|~', '__proto__'])('%s is kept', async (key) => {
    const { token } = await createWorld(house, { plan: 'reader' })
    const init = { token, body: { plan: 'trader' }, headers: { 'idempotency-key': key } }
    const [first, again] = [await call(house, 'POST', plans, init), await call(house, 'POST', plans, init)]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
  })

  it.each([
    ['a long one', 'k'.repeat(256)],
    ['a space', 'a b'],
    ['nothing', ''],
  ])('%s is ignored on a GET', async (_name, key) => {
    const headers = { 'idempotency-key': key }
    expect((await call(house, 'GET', '/api/v1/me', { token: who.token, headers })).status).toBe(200)
  })
})

describe('Accept-Language is understood where it can be, and never refused', () => {
  const asked: readonly (readonly [header: string, language: string])[] = [
    ['zh', 'zh'],
    ['zh-CN', 'zh'],
    ['ZH-hans-CN', 'zh'],
    ['ko-KR', 'ko'],
    ['en-AU', 'en'],
    ['ko;q=0.9, en;q=0.1', 'ko'],
    ['en;q=0.1, ko;q=0.9', 'ko'],
    ['fr, zh;q=0.1', 'zh'],
    ['fr, de;q=0.5', 'en'],
    ['*', 'en'],
    ['zh;q=0', 'en'],
    ['zh;q=2', 'en'],
    ['ko;q=abc', 'en'],
    ['ko;q=-1', 'en'],
    ['korean', 'en'],
    ['zh_CN', 'en'],
    [';;;,,,q=', 'en'],
    [',,zh,,', 'zh'],
    ['__proto__', 'en'],
    ['\xe4', 'en'],
    ['', 'en'],
    ['z'.repeat(10_000), 'en'],
    [`${'x,'.repeat(4_000)}ko`, 'en'],
  ]
  it.each(asked.map(([header, language]) => [header.slice(0, 30), header, language]))(
    '%s',
    async (_name, header, language) => {
      const headers = { 'accept-language': header }
      const answer = await call(house, 'GET', '/api/v1/errors/NOPE', { headers })
      expect(answer.json.error.code).toBe('NOT_FOUND')
      expect(answer.headers.get('content-language')).toBe(language)
      expect(answer.headers.get('vary')).toContain('Accept-Language')
    },
  )

  it.each(languages)('refusals speak %s, and their codes and fields do not change', async (language) => {
    const headers = { 'accept-language': language }
    const expectRefusedAt = async (path: string, init: CallInit, refusal: Refusal, method = 'POST') => {
      const answer = await expectRefused(
        method,
        path,
        { ...init, headers: { ...init.headers, ...headers } },
        refusal,
      )
      expect(answer.headers.get('content-language')).toBe(language)
    }
    await expectRefusedAt(plans, { raw: '{', headers: json }, bad)
    await expectRefusedAt(plans, { body: { plan: 'gold' } }, describeInvalid('plan'))
    await expectRefusedAt(plans, { body: { plan: 'full', nope: 1 } }, describeInvalid('nope'))
    await expectRefusedAt(plans, { raw: body, headers: { 'content-type': 'text/plain' } }, unsupported)
    await expectRefusedAt(
      plans,
      { body: {}, headers: { 'idempotency-key': 'a b' } },
      { status: 400, code: 'IDEMPOTENCY_INVALID_KEY' },
    )
    await expectRefusedAt(`${stock}?page=0`, {}, describeInvalid('page'), 'GET')
    await expectRefusedAt(`${stock}?sku=nope`, {}, { status: 404, code: 'NOT_FOUND', param: 'sku' }, 'GET')
    await expectRefusedAt(
      `${plans}?start_date=2026-11-21&end_date=2026-11-20`,
      {},
      describeInvalid('start_date'),
      'GET',
    )
    await expectRefusedAt('/api/v1/nope', {}, { status: 404, code: 'BAD_REQUEST' }, 'GET')
    await expectRefusedAt('/api/v1/me', { token: 'x' }, { status: 401, code: 'AUTH_INVALID_TOKEN' }, 'GET')
    await expectRefusedAt('/Api/x', {}, { status: 410, code: 'ENDPOINT_GONE' }, 'GET')
    await expectRefusedAt('/nope', {}, { status: 404, code: 'BAD_REQUEST' }, 'GET')
    await expectRefusedAt('/admin/api/channels', {}, { status: 401, code: 'ADMIN_UNAUTHORIZED' }, 'GET')
    await expectRefusedAt(
      '/admin/api/channels',
      { admin: adminToken, body: {} },
      describeInvalid('channel_code'),
    )
  })
})

describe('If-None-Match is understood where it can be, and never refused', () => {
  const others = [
    '',
    '"',
    'garbage',
    '""',
    'W/""',
    'W/"nope"',
    '"a", "b", W/"c"',
    ',,,',
    '"__proto__"',
    '\xe9',
    'a'.repeat(10_000),
    '"x",'.repeat(2_000),
  ]
  it.each(others.map((header) => [header.slice(0, 20), header]))(
    '%s is another version',
    async (_name, header) => {
      const headers = { 'if-none-match': header }
      const answer = await call(house, 'GET', `${stock}?page=1&page_size=1`, { token: who.token, headers })
      expect(answer.status).toBe(200)
    },
  )

  it.each([(tag: string) => tag, () => '*', (tag: string) => `"a", ${tag}`, (tag: string) => `${tag},W/"b"`])(
    'the version is found: %#',
    async (headerOf) => {
      const first = await call(house, 'GET', stock, { token: who.token })
      const headers = { 'if-none-match': headerOf(first.headers.get('etag') ?? '') }
      const again = await call(house, 'GET', stock, { token: who.token, headers })
      expect([again.status, again.text]).toEqual([304, ''])
    },
  )
})
