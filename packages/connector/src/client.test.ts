import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { erpClient } from './client.ts'
import { type Erp, InputNotAccepted, UnknownOutcome, withTimeout } from './erp.ts'
import { makeStorable } from './storable.ts'
import { cutText } from './text.ts'

const closers: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listenOnFreePort(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

function createClient(port: number, path = ''): Erp {
  const client = erpClient(`http://127.0.0.1:${port}${path}`, 'token')
  closers.push(() => client.close())
  return client.erp
}

async function serveErp(listener: RequestListener, path = ''): Promise<Erp> {
  const server = createServer(listener)
  const port = await listenOnFreePort(server)
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return createClient(port, path)
}

/** Serves an ERP that responds with `text` to every call. */
function serveText(text: string, status = 200): Promise<Erp> {
  return serveErp((request, response) => {
    request.resume()
    response.writeHead(status).end(text)
  })
}

/** Serves a raw TCP server that handles each connection with `treat`. */
async function serveTcp(treat: (socket: Socket) => void): Promise<Erp> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    treat(socket)
  })
  const port = await listenOnFreePort(server)
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return createClient(port)
}

/** Returns the `UnknownOutcome` that a call throws. */
async function catchUnknown(call: Promise<unknown>): Promise<UnknownOutcome> {
  const outcome = await call.then(
    (answer) => new Error(`Answered ${JSON.stringify(answer)}.`),
    (error: unknown) => error,
  )
  if (outcome instanceof UnknownOutcome) return outcome
  throw outcome
}

describe('erpClient', () => {
  it('reports a refused connection as not sent', async () => {
    const server = createTcpServer()
    const port = await listenOnFreePort(server)
    await new Promise((resolve) => server.close(resolve))
    const outcome = await catchUnknown(createClient(port).describe({}))
    expect(outcome).toMatchObject({ kind: 'unreachable', sent: false })
  })

  it('sends the bearer token and the input to the URL of the operation', async () => {
    let seen: unknown
    const erp = await serveErp((request, response) => {
      const { method, url, headers } = request
      seen = { method, url, authorization: headers.authorization, type: headers['content-type'] }
      request.resume()
      response.end('{"ok":{"warehouses":[]}}')
    }, '/connector/')
    expect(await erp.warehouses({})).toEqual({ ok: { warehouses: [] } })
    expect(seen).toEqual({
      method: 'POST',
      url: '/connector/warehouses',
      authorization: 'Bearer token',
      type: 'application/json',
    })
  })

  it('passes a refusal through', async () => {
    const erp = await serveText('{"rejected":{"reason":"not_found","message":"There is none."}}')
    const answer = await erp.addresses({ customer_code: 'A' })
    expect(answer).toEqual({ rejected: { reason: 'not_found', message: 'There is none.' } })
  })

  it('passes the shortages of a refusal through, and reports malformed ones as an unknown outcome', async () => {
    const shortages = [{ sku: 'A', quantity: 3, quantity_available: 1 }]
    const refusal = { reason: 'insufficient_stock', message: 'Too few.', shortages }
    const erp = await serveText(JSON.stringify({ rejected: refusal }))
    expect(await erp.void({ reference: 'a' })).toEqual({ rejected: refusal })
    const garbled = await serveText(JSON.stringify({ rejected: { ...refusal, shortages: [{ sku: 'A' }] } }))
    expect(await catchUnknown(garbled.void({ reference: 'a' }))).toMatchObject({
      kind: 'malformed',
      sent: true,
    })
  })

  it('sends the requested sandbox fault, and none by default', async () => {
    const seen: unknown[] = []
    const erp = await serveErp((request, response) => {
      seen.push(request.headers['x-sandbox-fault'])
      request.resume()
      response.end('{"ok":{"warehouses":[]}}')
    })
    await erp.warehouses({}, { fault: 'SLOW;delay=5' })
    await erp.warehouses({})
    expect(seen).toEqual(['SLOW;delay=5', undefined])
  })

  it.each([
    [200, '', 'malformed'],
    [200, '<html>', 'malformed'],
    [200, 'null', 'malformed'],
    [200, '[]', 'malformed'],
    [200, '{}', 'malformed'],
    [200, '{"ok":null}', 'malformed'],
    [200, '{"ok":{"warehouses":[{"warehouse_code":"A"}]}}', 'malformed'],
    [200, '{"rejected":null}', 'malformed'],
    [200, '{"rejected":{"reason":"sold_out","message":"No."}}', 'malformed'],
    [200, '{"ok":{"warehouses":[]},"rejected":{"reason":"not_found","message":"No."}}', 'malformed'],
    [201, '{"ok":{"warehouses":[]}}', 'failed'],
    [302, '', 'failed'],
    [400, '{"failed":"Malformed."}', 'failed'],
    [401, '{"rejected":{"reason":"not_found","message":"No."}}', 'failed'],
    [500, '{"ok":{"warehouses":[]}}', 'failed'],
    [503, 'busy', 'failed'],
  ] as const)('takes a %i with %j for an unknown outcome', async (status, text, kind) => {
    const erp = await serveText(text, status)
    expect(await catchUnknown(erp.warehouses({}))).toMatchObject({ kind, sent: true })
  })

  it('tells a read whose input is not accepted from one that failed, and leaves a write unknown', async () => {
    const erp = await serveText('{"failed":"Malformed."}', 400)
    expect(await catchUnknown(erp.warehouses({}))).toBeInstanceOf(InputNotAccepted)
    expect(await catchUnknown(erp.void({ reference: 'a' }))).not.toBeInstanceOf(InputNotAccepted)
    const failing = await serveText('{"failed":"It failed."}', 500)
    expect(await catchUnknown(failing.warehouses({}))).not.toBeInstanceOf(InputNotAccepted)
  })

  it('takes the document of another reference for an unknown outcome, and of its own for the result', async () => {
    const order = {
      ...{ reference: 'TG1', number: 'SO-1', kind: 'order', order_type: 'dropship', status: 'open' },
      ...{ status_raw: 'OPEN', lines: [], costs: null, arrival: null, currency: 'AUD', paid: false },
      ...{ payment_url: null, expires_at: null, submitted_at: null, cancelled_at: null, shipments: [] },
    }
    const erp = await serveText(JSON.stringify({ ok: { state: 'found', document: order, figures: [] } }))
    const message = (id: string) => `${id}: the ERP's response has the document TG1 and not TG2.`
    const calls = { void: erp.void, lookup: erp.lookup, settle: erp.settle }
    for (const [id, run] of Object.entries(calls)) {
      const unknown = { kind: 'malformed', sent: true, message: message(id) }
      expect(await catchUnknown(run({ reference: 'TG2' }))).toMatchObject(unknown)
      expect(await run({ reference: 'TG1' })).toMatchObject({ ok: { document: order } })
    }
    const absent = await serveText('{"ok":{"state":"absent","document":null}}')
    expect(await absent.lookup({ reference: 'TG2' })).toMatchObject({ ok: { document: null } })
  })

  it('reports a reset connection as an unknown outcome', async () => {
    const erp = await serveTcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect(await catchUnknown(erp.warehouses({}))).toMatchObject({ kind: 'unreachable', sent: true })
  })

  it('rejects a truncated response', async () => {
    const erp = await serveTcp((socket) =>
      socket.once('data', () => {
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 200\r\n\r\n'
        socket.write(`${head}{"ok":{"warehouses":[`, () => socket.resetAndDestroy())
      }),
    )
    expect(await catchUnknown(erp.warehouses({}))).toMatchObject({ kind: 'unreachable', sent: true })
  })

  it('rejects a response that is not HTTP', async () => {
    const erp = await serveTcp((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
    expect(await catchUnknown(erp.warehouses({}))).toMatchObject({ kind: 'unreachable', sent: true })
  })

  it.each([
    ['never answers', (_socket: Socket) => {}],
    [
      'stops in the middle of an answer',
      (socket: Socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n{"ok":')),
    ],
  ])('times out if the ERP %s', async (_name, treat) => {
    const erp = await serveTcp(treat)
    expect(await catchUnknown(erp.warehouses({}, withTimeout(50)))).toMatchObject({
      kind: 'timeout',
      sent: true,
    })
  })

  it('reports an aborted signal as a timeout, whatever its reason', async () => {
    const controller = new AbortController()
    const erp = await serveTcp((socket) => socket.once('data', () => controller.abort('shutting down')))
    const call = erp.warehouses({}, { signal: controller.signal })
    expect(await catchUnknown(call)).toMatchObject({ kind: 'timeout', sent: true })
  })

  it('sends no request if the signal is already aborted', async () => {
    let connections = 0
    const erp = await serveTcp(() => {
      connections += 1
    })
    const call = erp.warehouses({}, { signal: AbortSignal.abort() })
    expect(await catchUnknown(call)).toMatchObject({ kind: 'timeout', sent: false })
    expect(connections).toBe(0)
  })

  it('rejects a response above the size limit', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const erp = await serveErp((request, response) => {
      request.resume()
      const writeUntilFull = () => {
        while (response.write(piece)) if (response.destroyed) return
      }
      response.on('drain', writeUntilFull)
      writeUntilFull()
    })
    expect(await catchUnknown(erp.warehouses({}))).toMatchObject({ kind: 'malformed', sent: true })
  })

  it('works again after the ERP has restarted', async () => {
    let isAway = true
    const erp = await serveErp((request, response) => {
      request.resume()
      if (isAway) response.destroy()
      else response.end('{"ok":{"warehouses":[]}}')
    })
    expect((await catchUnknown(erp.warehouses({}))).kind).toBe('unreachable')
    isAway = false
    expect(await erp.warehouses({})).toEqual({ ok: { warehouses: [] } })
  })
})

describe('unstorable text', () => {
  const clean = (body: unknown) => makeStorable(JSON.stringify(body), body)
  const cases: [string, string, string][] = [
    ['NUL', 'A\0B', 'A\ufffdB'],
    ['a high surrogate alone', 'A\ud800', 'A\ufffd'],
    ['a low surrogate alone', '\udfffB', '\ufffdB'],
  ]

  it.each(cases)('in a code drops its row: %s', (_name, bad) => {
    const row = (sku: string) => ({ product_code: 'TEE', sku })
    const storable = clean({ rows: [row('GOOD-1'), row(bad), row('GOOD-2 😀')], next: null })
    expect(storable).toEqual({
      body: { rows: [row('GOOD-1'), row('GOOD-2 😀')], next: null },
      leftOut: new Set([JSON.stringify(bad)]),
      repaired: new Set(),
      isBroken: false,
    })
    expect(clean({ skus: ['A', bad], cursor: 'c' })).toMatchObject({
      body: { skus: ['A'], cursor: 'c' },
      leftOut: new Set([JSON.stringify(bad)]),
    })
  })

  it.each(cases)(
    'in the code of a SKU drops it from its style, and a style without any other: %s',
    (_name, bad) => {
      const style = (code: string, ...skus: string[]) => ({
        product_code: code,
        skus: skus.map((sku) => ({ sku })),
      })
      const storable = clean({
        products: [style('TEE', 'S', bad, 'M'), style('CAP', bad), style('HAT', 'ONE')],
      })
      expect(storable).toMatchObject({
        body: { products: [style('TEE', 'S', 'M'), style('HAT', 'ONE')] },
        isBroken: false,
      })
      expect([...storable.leftOut]).toEqual([JSON.stringify(bad), '"CAP"'])
    },
  )

  it.each(cases)('in any other text is repaired, and its row is named: %s', (_name, bad, good) => {
    const build = (text: string) => ({
      documents: [{ reference: 'ord-1', shipments: [{ number: 'S-1', carrier: text }] }],
      products: [{ names: { en: text }, product_code: 'TEE' }],
      as_of: text,
    })
    expect(clean(build(bad))).toEqual({
      body: build(good),
      leftOut: new Set(),
      repaired: new Set(['"S-1"', '"TEE"', '"as_of"']),
      isBroken: false,
    })
  })

  it.each([
    ['a cursor', { products: [], next: 'A\0' }],
    ['a code outside a list', { customer_code: '\ud800' }],
    ['the style of a row of stock', { rows: [{ sku: 'A', product_code: 'TEE\0' }] }],
    ['a code in a document', { documents: [{ reference: 'ord-1', lines: [{ sku: 'A\0' }] }] }],
    ['more levels than can be read', JSON.parse(`${'['.repeat(50)}"\\u0000"${']'.repeat(50)}`)],
  ])('makes a response malformed in %s', (_name, body) => {
    expect(clean(body).isBroken).toBe(true)
  })
})

describe('cutText', () => {
  it.each([
    ['short', 5, 'short'],
    ['longer', 4, 'long'],
    ['abc😀', 4, 'abc'],
    ['abc😀', 5, 'abc😀'],
    ['𠮷𠮷', 3, '𠮷'],
  ])('cuts %s to %i', (text, most, expected) => {
    expect(cutText(text, most)).toBe(expected)
  })
})

describe('the body of a failed response', () => {
  it.each([500, 200])(
    'is not in the error, whose message and cause are logged: status %s',
    async (status) => {
      const erp = await serveText('<p>customer Alex Lee, phone 5550 1234</p>', status)
      const error = await catchUnknown(erp.describe({}))
      const everything = `${error.stack} ${error.message} ${String(error.cause)}`
      expect(everything).not.toMatch(/Alex|5550|customer/)
    },
  )
})
