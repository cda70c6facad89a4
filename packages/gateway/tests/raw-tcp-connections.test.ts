/** Connections: the sequence of responses, how connections end, bytes that are not HTTP, and timeouts. */

import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '../src/http/app.ts'
import { createGatewayServer } from '../src/http/server.ts'
import { call, openTestGateway, type TestGateway } from './harness.ts'
import {
  type Bytes,
  buildRequest,
  createInsider,
  exchangeBytes,
  expectAnswer,
  expectHealthy,
  expectSafeResponse,
  type Insider,
  type RawAnswer,
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

const json = 'Content-Type: application/json'
const stock = '/api/v1/warehouses/AUSYD1/stock'
const buildGet = (path: string, ...headers: string[]) =>
  buildRequest(`GET ${path}`, [`Authorization: Bearer ${who.token}`, ...headers])
const listCodes = (answers: readonly RawAnswer[]) =>
  answers.map((each) => readError(each)?.code ?? each.status)

describe('requests on one connection', () => {
  it('are answered in their order, whoever is faster', async () => {
    const paths = [
      '/livez',
      stock,
      '/api/v1/me',
      '/nope',
      '/api/v1/errors',
      stock,
      '/errors/NOT_FOUND',
      '/Api/x',
    ]
    const buildIdHeader = (index: number) => `X-Request-Id: pipelined-${index}`
    const bytes = paths.map((path, index) => buildGet(path, buildIdHeader(index))).join('')
    const { answers } = await exchangeBytes(house.port, bytes, { answers: paths.length })
    for (const answer of answers) expectSafeResponse(answer, who.secrets)
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual(
      paths.map((_path, index) => [`pipelined-${index}`]),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 404, 200, 200, 200, 410])
  })

  it('are all answered where a client sends thousands ahead and reads', async () => {
    const count = 3_000
    // In pieces: this client has the event loop of the gateway, and reads nothing while one piece is worked on.
    const pieces = Array.from({ length: 10 }, () => buildGet('/Api/x').repeat(count / 10))
    const { answers } = await exchangeBytes(house.port, pieces, { answers: count })
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: count }, () => 410))
  })

  it('are worked on one after the other, so that a client that does not read costs one response', async () => {
    const begun: ServerResponse[] = []
    const server = createGatewayServer(house.gateway, (_request, response) => begun.push(response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(buildGet('/api/v1/me').repeat(50))
    const waitFor = async (holds: () => boolean) => {
      while (!holds()) await new Promise((resolve) => setImmediate(resolve))
    }
    for (let served = 1; served <= 3; served++) {
      await waitFor(() => begun.length === served)
      // Time for the others to be begun, if they were.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
      expect(begun).toHaveLength(served)
      begun.at(-1)?.end('done')
    }
    let isClosed = false
    socket.on('close', () => {
      isClosed = true
    })
    socket.write(buildGet('/api/v1/me').repeat(1_100))
    await waitFor(() => isClosed)
    server.close()
  })

  it('keep to it where bodies stand between them', async () => {
    const token = buildRequest('POST /api/v1/auth/token', [json, 'Content-Length: 2'], '{}')
    const { answers } = await exchangeBytes(house.port, token + buildGet('/api/v1/me') + token, {
      answers: 3,
    })
    expect(listCodes(answers)).toEqual(['AUTH_BAD_CREDENTIALS', 200, 'AUTH_BAD_CREDENTIALS'])
  })

  it('stays open after a response that was there before the request was parsed to its end', async () => {
    const reads = [
      buildGet(`${stock}?sku=NOPE`),
      buildGet('/api/v1/me', 'Content-Length: 0'),
      buildRequest('GET /api/v1/me'),
    ]
    const { answers, closed } = await exchangeBytes(house.port, reads.join(''), { answers: reads.length })
    expect(listCodes(answers)).toEqual(['NOT_FOUND', 200, 'AUTH_MISSING_TOKEN'])
    for (const { headers } of answers) expect(headers.get('connection')).toEqual(['keep-alive'])
    expect(closed).toBe(false)
  })

  const rubbish: readonly (readonly [name: string, bytes: Bytes, status: number])[] = [
    ['rubbish', 'JUNK\r\n\r\n', 400],
    ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex'), 400],
    ['a header without an end', `GET / HTTP/1.1\r\nA: ${'b'.repeat(20_000)}`, 431],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 405],
    [
      'a broken body',
      buildRequest('POST /api/v1/auth/token', [json, 'Transfer-Encoding: chunked'], 'zz\r\n'),
      400,
    ],
  ]
  it.each(rubbish)('are answered whole before %s that follows them', async (_name, bytes, status) => {
    const whole = await exchangeBytes(house.port, buildGet(stock, 'X-Request-Id: before-rubbish'))
    const pieces = [buildGet(stock, 'X-Request-Id: before-rubbish'), bytes]
    const joined = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)))
    for (const sent of [pieces, joined]) {
      const { answers } = await exchangeBytes(house.port, sent, { untilClosed: true })
      for (const answer of answers) expectSafeResponse(answer, who.secrets)
      expect(answers.map((each) => each.status)).toEqual([200, status])
      expect(answers[0]?.body.equals(whole.answers[0]?.body ?? Buffer.alloc(0))).toBe(true)
    }
  })

  it('are not answered after one that asked to close', async () => {
    const bytes = buildGet('/api/v1/me', 'Connection: close') + buildGet(stock)
    const { answers } = await exchangeBytes(house.port, bytes, { untilClosed: true })
    expect(listCodes(answers)[0]).toBe(200)
    expect(answers.filter(({ status }) => status < 400)).toHaveLength(1)
  })
})

describe('the last request of a connection', () => {
  it('is number 10,000: a whole response that says so, and then the end', async () => {
    const [most, batch] = [10_000, 500]
    const socket = connect({ port: house.port, host: '127.0.0.1', noDelay: true })
    const heads: string[] = []
    let rest = ''
    const writeBatch = (more = 0) => socket.write(buildRequest('GET /livez').repeat(batch + more))
    socket.setEncoding('latin1').on('data', (text: string) => {
      const whole = `${rest}${text}`.split(/(?<="live":true}})/)
      rest = whole.at(-1)?.endsWith('}}') ? '' : (whole.pop() ?? '')
      const before = heads.length
      heads.push(...whole)
      if (Math.floor(before / batch) === Math.floor(heads.length / batch) || heads.length >= most) return
      // A few more than are allowed come with the last ones.
      writeBatch(heads.length + batch === most ? 5 : 0)
    })
    writeBatch()
    await new Promise<void>((resolve) => socket.on('end', resolve))
    expect(heads).toHaveLength(most)
    expect(heads.filter((head) => !/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*X-API-Version: /i.test(head))).toEqual(
      [],
    )
    expect(heads.findIndex((head) => /^Connection: close\r$/m.test(head))).toBe(most - 1)
    expect(rest).toBe('')
    socket.destroy()
  }, 30_000)

  it('is one that asks for another protocol, so that no later response takes the place of one behind it', async () => {
    const upgrade = [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    ]
    const bytes = buildGet('/api/v1/me', 'X-Request-Id: upgrade-1', ...upgrade)
    const second = buildGet('/livez', 'X-Request-Id: behind-it')
    const third = buildGet('/livez', 'X-Request-Id: later-one')
    const { answers } = await exchangeBytes(house.port, [bytes + second, third], { untilClosed: true })
    expect(answers.map(({ headers }) => headers.get('x-request-id'))).toEqual([['upgrade-1']])
    expect(answers[0]?.status).toBe(200)
    expect(answers[0]?.headers.get('connection')).toEqual(['close'])
  })
})

describe('a connection that ends early', () => {
  const halves: readonly (readonly [name: string, bytes: Bytes])[] = [
    ['in the request line', 'GET /liv'],
    ['after the request line', 'GET /livez HTTP/1.1\r\n'],
    ['in a header', 'GET /livez HTTP/1.1\r\nHo'],
    ['before the empty line', 'GET /livez HTTP/1.1\r\nHost: a\r\n'],
    ['in a body', buildRequest('POST /api/v1/auth/token', [json, 'Content-Length: 9'], '{"a"')],
    [
      'in a chunk',
      buildRequest('POST /api/v1/auth/token', [json, 'Transfer-Encoding: chunked'], '9\r\n{"a"'),
    ],
    [
      'before the last chunk',
      buildRequest('POST /api/v1/auth/token', [json, 'Transfer-Encoding: chunked'], '2\r\n{}\r\n'),
    ],
  ]
  it.each(halves)('%s is told so', async (_name, bytes) => {
    const status = { status: 400, code: 'BAD_REQUEST' }
    await expectAnswer(house, who, { name: 'half', bytes, ...status, send: { end: true } })
  })

  it('without a byte gets none', async () => {
    expect(await exchangeBytes(house.port, '', { end: true })).toEqual({
      answers: [],
      interim: [],
      closed: true,
    })
  })

  const abandoned: readonly (readonly [name: string, bytes: () => string])[] = [
    ['CONNECT', () => 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'],
    [
      'CONNECT and bytes for its tunnel',
      () => `CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n${'x'.repeat(100_000)}`,
    ],
    ['a pull of a warehouse', () => buildGet(stock)],
    ['a page', () => buildGet('/errors')],
    ['half a body', () => buildRequest('POST /api/v1/auth/token', [json, 'Content-Length: 9000'], '{"a"')],
    ['rubbish', () => 'JUNK\r\n\r\n'],
    [
      'a body too large',
      () => buildRequest('POST /api/v1/auth/token', [json, 'Content-Length: 900000'], 'a'.repeat(60_000)),
    ],
    [
      'an expectation',
      () => buildRequest('POST /api/v1/auth/token', [json, 'Expect: 100-continue', 'Content-Length: 2']),
    ],
  ]
  it.each(abandoned)('by a reset after %s harms nobody', async (_name, bytes) => {
    await Promise.all(Array.from({ length: 20 }, (_each, index) => sendAndReset(bytes(), index % 2 === 0)))
    expect((await call(house, 'GET', '/livez')).status).toBe(200)
  })
})

/** Resets the connection as soon as the bytes have been sent or, without `atOnce`, one turn of the event loop later. */
function sendAndReset(bytes: string, atOnce: boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const socket = connect({ port: house.port, host: '127.0.0.1' })
  const reset = () => socket.resetAndDestroy()
  socket.on('connect', () => socket.write(bytes, () => (atOnce ? reset() : setImmediate(reset))))
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  return promise
}

describe('what is no HTTP', () => {
  const clientHello = Buffer.from(
    '16030100710100006d0303000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f000004130113020100' +
      '0040002b0003020304000d0004000208040033002600240001d0020',
    'hex',
  )
  const foreign: readonly (readonly [name: string, bytes: Bytes])[] = [
    ['a TLS hello', clientHello],
    ['the preface of HTTP/2 with a frame', `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${'\0'.repeat(9)}`],
    ['a line of SMTP', 'EHLO gateway.example\r\n'],
    ['a line of SSH', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a command of Redis', '*1\r\n$4\r\nPING\r\n'],
    ['a start-up packet of PostgreSQL', Buffer.from('0000000804d2162f', 'hex')],
    ['a header of the PROXY protocol', `PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n${buildRequest('GET /livez')}`],
    ['NULs', '\0'.repeat(1_000)],
    ['spaces', ' '.repeat(1_000)],
    ['a megabyte of letters', 'a'.repeat(1_000_000)],
    ['an answer instead of a request', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ]
  it.each(foreign)('%s is refused', async (_name, bytes) => {
    const refused = { status: 400, code: 'BAD_REQUEST' }
    const said = await expectAnswer(house, who, {
      name: 'foreign',
      bytes,
      ...refused,
      send: { end: true, untilClosed: true },
    })
    expect(said.closed).toBe(true)
  })

  const rounds = 200
  const together = 40
  it(`${rounds} rounds of random and mutated bytes get well-formed answers, none of them our fault`, async () => {
    const random = createRandom(20_261_121)
    const seeds = [
      buildGet(stock),
      buildGet('/errors/NOT_FOUND?lang=ko', 'Accept: text/markdown'),
      buildRequest(
        'POST /api/v1/auth/token',
        [json, 'Content-Length: 36'],
        '{"client_id":"a","client_secret":"b"}',
      ),
      buildRequest(
        'POST /api/v1/plan-requests',
        [json, 'Transfer-Encoding: chunked'],
        '2\r\n{}\r\n0\r\n\r\n',
      ),
    ].map((text) => Buffer.from(text))
    for (let round = 0; round < rounds; round += together) {
      const batch = Array.from({ length: together }, (_each, index) =>
        index % 4 === 0
          ? createRandomBytes(random)
          : mutateRequest(random, seeds[index % seeds.length] ?? Buffer.alloc(0)),
      )
      await Promise.all(batch.map(expectWellFormed))
    }
  })
})

async function expectWellFormed(bytes: Buffer): Promise<void> {
  const { answers } = await exchangeBytes(house.port, bytes, {
    end: true,
    answers: 9,
    untilClosed: true,
  }).catch((cause: unknown) => {
    throw new Error(`After ${JSON.stringify(bytes.toString('latin1'))}`, { cause })
  })
  for (const answer of answers) {
    expectSafeResponse(answer, who.secrets)
    expect(answer.status, bytes.toString('latin1')).toBeLessThan(500)
  }
}

type Random = (below: number) => number

/**
 * Creates a small generator (mulberry32) of random whole numbers. The same seed yields the same numbers in every run.
 */
function createRandom(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function createRandomBytes(random: Random): Buffer {
  return Buffer.from(Array.from({ length: 1 + random(400) }, () => random(256)))
}

const telling = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ':',
  ' ',
  '\t',
  '%',
  '..',
  '/',
  '\\',
  '"',
  '{',
  '\xff',
  'HTTP/1.0',
  ', ',
]

/**
 * Mutates a valid request in one to four places: a changed byte, an inserted special sequence, a removed or repeated
 * part.
 */
function mutateRequest(random: Random, good: Buffer): Buffer {
  let bytes = good
  for (let change = 1 + random(4); change > 0; change--) {
    const at = random(bytes.length)
    const until = Math.min(bytes.length, at + 1 + random(12))
    const inserts = [
      Buffer.of(random(256)),
      Buffer.from(telling[random(telling.length)] ?? '', 'latin1'),
      Buffer.alloc(0),
      Buffer.concat([bytes.subarray(at, until), bytes.subarray(at, until)]),
    ]
    const insert = inserts[random(inserts.length)] ?? Buffer.alloc(0)
    bytes = Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(until)])
  }
  return bytes
}

describe('the time that a request may take', () => {
  it('is 10 s for its headers and 30 s for all of it', () => {
    const { headersTimeout, requestTimeout } = createGatewayServer(house.gateway, () => {})
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 10_000, requestTimeout: 30_000 })
  })

  const slow: readonly (readonly [name: string, bytes: string])[] = [
    ['slow headers', 'GET /livez HTTP/1.1\r\nHost: a\r\n'],
    ['a slow body', buildRequest('POST /api/v1/auth/token', [json, 'Content-Length: 9'], '{')],
    ['a connection that says nothing', ''],
  ]
  it('over, says so and ends the connection', async () => {
    const server = createApp(house.gateway)
    Object.assign(server, { headersTimeout: 50, requestTimeout: 100 })
    const port = await listenOn(server)
    await Promise.all(
      slow.map(async ([name, bytes]) => {
        const { answers } = await exchangeBytes(port, bytes)
        expect(listCodes(answers), name).toEqual(['BAD_REQUEST'])
        for (const answer of answers) expectSafeResponse(answer, who.secrets)
        expect(answers[0]?.status).toBe(408)
        expect(answers[0]?.headers.get('connection')).toEqual(['close'])
      }),
    )
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})

async function listenOn(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return address.port
}

describe('the address of a client', () => {
  const maxFailures = 100
  const failSignIn = async (at: TestGateway, forwarded: (index: number) => string, index: number) => {
    const body = { client_id: 'nobody', client_secret: 'nothing' }
    const headers = {
      'x-forwarded-for': forwarded(index),
      'x-real-ip': forwarded(index),
      forwarded: `for=${forwarded(index)}`,
    }
    const { json: answer } = await call(at, 'POST', '/api/v1/auth/token', { body, headers })
    return answer.error.code
  }

  const failSignIns = async (at: TestGateway, forwarded: (index: number) => string) => {
    const calls = Array.from({ length: maxFailures }, (_each, index) => failSignIn(at, forwarded, index))
    return new Set(await Promise.all(calls))
  }

  it('is the peer’s where the peer is no trusted proxy, whatever it forwards', async () => {
    const strict = await openTestGateway({ settings: { TRUST_PROXY: '192.0.2.0/24' } })
    const formatAddress = (index: number) => `198.51.100.${index}`
    expect(await failSignIns(strict, formatAddress)).toEqual(new Set(['AUTH_BAD_CREDENTIALS']))
    expect(await failSignIn(strict, formatAddress, maxFailures)).toBe('AUTH_LOCKED')
    await strict.close()
  })

  it('is the last hop that a trusted proxy did not add', async () => {
    const proxied = await openTestGateway({ settings: { TRUST_PROXY: '127.0.0.1,192.0.2.0/24' } })
    const formatForwarded = (index: number) => `203.0.113.${index}, 198.51.100.7, 192.0.2.9`
    expect(await failSignIns(proxied, formatForwarded)).toEqual(new Set(['AUTH_BAD_CREDENTIALS']))
    expect(await failSignIn(proxied, formatForwarded, maxFailures)).toBe('AUTH_LOCKED')
    expect(await failSignIn(proxied, () => '198.51.100.8', 0)).toBe('AUTH_BAD_CREDENTIALS')
    expect(await failSignIn(proxied, () => 'not an address, :::, 999.1.1.1', 0)).toBe('AUTH_BAD_CREDENTIALS')
    await proxied.close()
  })
})

describe('the gateway', () => {
  it('lives, serves and holds on to nothing after all of this', () => expectHealthy(house, who, heapBefore))
})
