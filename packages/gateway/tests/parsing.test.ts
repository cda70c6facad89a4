/** What is read from a request, as bytes on the wire: bodies that are ignored, left out or no text, and their refusals. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { en } from '../src/contract/texts/en.ts'
import { maxDepth } from '../src/kernel/json.ts'
import { storeRequests } from '../src/requests/record.ts'
import { buyers, call, type LooseJson, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'
import { exchangeBytes } from './raw-tcp.ts'

const tokenPath = '/api/v1/auth/token'
const maxIgnoredBytes = 64 * 1024
const maxCheapBytes = 16 * 1024
const [{ username, password }] = buyers

let house: TestGateway
let token: string

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
  token = await signInBuyer(house)
})
afterAll(() => house.close())

interface Sent {
  readonly status: number
  readonly json: LooseJson
  readonly headers: ReadonlyMap<string, readonly string[]>
}

/** Sends a request with exactly these headers. */
async function send(line: string, headers: readonly string[], body = ''): Promise<Sent> {
  const head = [`${line} HTTP/1.1`, 'Host: gateway', `Authorization: Bearer ${token}`, ...headers]
  const { answers } = await exchangeBytes(house.port, `${head.join('\r\n')}\r\n\r\n${body}`)
  const [{ status, headers: received, body: bytes }] = answers as [(typeof answers)[0]]
  return { status, headers: received, json: JSON.parse(bytes.toString() || '{}') }
}
const withLength = (body: string, type = 'application/json') => [
  ...(type === '' ? [] : [`Content-Type: ${type}`]),
  `Content-Length: ${body.length}`,
]
const post = (path: string, body: string, type?: string) => send(`POST ${path}`, withLength(body, type), body)
const sendForm = (body: string) => post(tokenPath, body, 'application/x-www-form-urlencoded')

describe('a body that nobody asked for', () => {
  it.each(['GET /api/v1/me', 'DELETE /api/v1/orders/ord_none'])(
    'of %s is ignored up to 64 KiB',
    async (line) => {
      const without = await send(line, [])
      const ignored = 'x'.repeat(maxIgnoredBytes)
      expect((await send(line, withLength(ignored), ignored)).status).toBe(without.status)
      const over = await send(line, [`Content-Length: ${maxIgnoredBytes + 1}`], `${ignored}x`)
      expect(over.status).toBe(413)
    },
  )

  it('of a POST is ignored as well, unless it has fields', async () => {
    const path = '/api/v1/reservations/rsv_none/confirm'
    for (const body of ['', '{}', ' {} ', '[1]', '"text"', '{"a"', 'a=1'])
      expect((await post(path, body)).json.error.code, body).toBe('NOT_FOUND')
    for (const type of ['application/json', 'text/plain'])
      expect((await post(path, '{"shipping":{}}', type)).json.error).toMatchObject({
        code: 'VALIDATION_FAILED',
        param: 'shipping',
      })
  })
})

describe('a body that may be left out', () => {
  const line = 'POST /api/v1/carts'

  it('is left out with and without a length', async () => {
    for (const headers of [[], ['Content-Length: 0']]) expect((await send(line, headers)).status).toBe(201)
  })

  it('is read where it is there, however it is framed', async () => {
    const body = '{"nonsense":1}'
    const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    const pieces = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    for (const answer of [await send(line, chunked, pieces), await send(line, withLength(body), body)])
      expect(answer.json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'nonsense' })
  })
})

describe('a refusal of what was sent', () => {
  const path = '/api/v1/orders'
  const fill = (text: string, words: Record<string, unknown>) =>
    text.replace(/\{(\w+)\}/g, (_whole, name: string) => String(words[name]))

  it.each<[what: string, body: string, sentence: keyof typeof en.sentences, words?: object]>([
    ['an empty body', '', 'body_missing'],
    ['a list', '[]', 'body_not_object'],
    ['a word', '"text"', 'body_not_object'],
    ['nothing', 'null', 'body_not_object'],
    ['a key twice', '{"lines":1,"lines":2}', 'body_duplicate_key', { key: 'lines' }],
    [
      'a body too deep',
      '['.repeat(maxDepth + 1) + ']'.repeat(maxDepth + 1),
      'body_too_deep',
      { most: maxDepth },
    ],
    ['no JSON', '{', 'body_not_json'],
  ])('says what is wrong with %s', async (_what, body, sentence, words = {}) => {
    const { status, json } = await post(path, body)
    expect([status, json.error.code]).toEqual([400, 'BAD_REQUEST'])
    expect(json.error.message).toBe(fill(en.sentences[sentence], { ...words }))
  })

  it.each(['', 'text/plain', 'application/json; charset=latin1', 'application/json; charset=charset=utf-8'])(
    'names the media type: "%s"',
    async (type) => {
      const { status, json } = await post(path, '{}', type)
      expect(status).toBe(415)
      expect(json.error.message).toBe(fill(en.sentences.body_type, { type, expected: 'application/json' }))
    },
  )

  it('says what an Idempotency-Key is, also if it is there twice', async () => {
    const keys = ['Idempotency-Key: one', 'Idempotency-Key: one']
    for (const headers of [keys, ['Idempotency-Key: a b']]) {
      const { json } = await send(`POST ${path}`, [...headers, ...withLength('{}')], '{}')
      expect(json.error).toMatchObject({
        code: 'IDEMPOTENCY_INVALID_KEY',
        message: en.sentences.key_invalid,
      })
    }
    const once = await send(`POST ${path}`, [...keys.slice(1), ...withLength('{}')], '{}')
    expect(once.json.error.code).toBe('VALIDATION_FAILED')
  })

  it('lists the known parameters, whatever the name of an unknown one', async () => {
    for (const name of ['nonsense', '__proto__']) {
      const { json } = await send(`GET /api/v1/idempotency-keys?${name}=1`, [])
      const known = fill(en.sentences.parameter_unknown, { param: name, known: 'key' })
      expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED' })
      expect(JSON.stringify(json.error)).toContain(JSON.stringify(known).slice(1, -1))
    }
  })

  it('of a date range comes before points are charged and the ERP is asked', async () => {
    const read = (range: string) => send(`GET /api/v1/transactions?${range}`, [])
    // The first refusals of a minute cost nothing.
    house.clock.advance(61_000)
    const reversed = await read('start_date=2026-11-20&end_date=2026-11-01')
    expect(reversed.json.error).toMatchObject({ code: 'VALIDATION_FAILED', reason: 'invalid_field' })
    expect(reversed.headers.get('ratelimit-cost')).toEqual(['0'])
    expect((await read('start_date=2026-11-01&end_date=2026-11-20')).status).toBe(200)
  })
})

describe('the number of a refused order', () => {
  const submit = async (id: string, body: object) => {
    await call(house, 'POST', '/api/v1/orders', { token, body, headers: { 'x-request-id': id } })
    await storeRequests(house.gateway)
    const { db } = house.gateway.store
    const row = await db
      .selectFrom('requests')
      .select('client_order_number')
      .where('request_id', '=', id)
      .executeTakeFirstOrThrow()
    return row.client_order_number
  }

  it('is kept if it is valid by itself', async () => {
    expect(await submit('parsing-valid', { client_order_number: 'N-1', nonsense: 1 })).toBe('N-1')
    for (const [at, number] of [undefined, 'x'.repeat(65), 5, null, ['N-1']].entries())
      expect(await submit(`parsing-bad-${at}`, { client_order_number: number, nonsense: 1 })).toBeNull()
  })
})

describe('a form', () => {
  const credentials = `grant_type=password&username=${encodeURIComponent(username)}`

  it.each(['100%', '100%a', '100%zz', '%4', '%41', 'caf%C3%A9', 'caf\xc3\xa9'])(
    'is text with a percent sign or without: %s',
    async (wrong) => {
      const { json } = await sendForm(`${credentials}&password=${wrong}`)
      expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
      house.clock.advance(60 * 60_000)
    },
  )

  it.each(['%FF', '%ff', '\xff', '%C3%%A9', '%C3'])('is refused if it is no text: %j', async (wrong) => {
    const { status, json } = await sendForm(`${credentials}&password=${wrong}`)
    expect([status, json.error.message]).toEqual([400, en.sentences.body_not_utf8])
  })

  it('is refused if a parameter is there twice, and says which', async () => {
    const { json } = await sendForm(`${credentials}&password=a&password=${encodeURIComponent(password)}`)
    expect(json.error).toMatchObject({
      code: 'BAD_REQUEST',
      message: fillParameter('password'),
    })
  })

  it('has wrong credentials where it is longer than any', async () => {
    const { json } = await sendForm(`${credentials}&password=${'x'.repeat(maxCheapBytes)}`)
    expect(json.error.code).toBe('AUTH_BAD_CREDENTIALS')
  })
})

const fillParameter = (param: string) => en.sentences.parameter_twice.replace('{param}', param)
