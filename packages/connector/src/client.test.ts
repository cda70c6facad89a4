import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { erpClient } from './client.ts'
import { type Erp, UnknownOutcome, within } from './erp.ts'

const closers: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address: AddressInfo | string | null = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return address.port
}

function clientOf(port: number, path = ''): Erp {
  const client = erpClient(`http://127.0.0.1:${port}${path}`, 'token')
  closers.push(() => client.close())
  return client.erp
}

async function served(listener: RequestListener, path = ''): Promise<Erp> {
  const server = createServer(listener)
  const port = await portOf(server)
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  return clientOf(port, path)
}

/** An ERP that says `text`, whatever it is asked. */
function saying(text: string, status = 200): Promise<Erp> {
  return served((request, response) => {
    request.resume()
    response.writeHead(status).end(text)
  })
}

/** A server that treats the bare connection as `treat` says. */
async function tcp(treat: (socket: Socket) => void): Promise<Erp> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    treat(socket)
  })
  const port = await portOf(server)
  closers.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return clientOf(port)
}

/** What was thrown, where it is an `UnknownOutcome`. */
async function unknown(call: Promise<unknown>): Promise<UnknownOutcome> {
  const outcome = await call.then(
    (answer) => new Error(`Answered ${JSON.stringify(answer)}.`),
    (error: unknown) => error,
  )
  if (outcome instanceof UnknownOutcome) return outcome
  throw outcome
}

describe('erpClient', () => {
  it('knows that a refused connection carried nothing', async () => {
    const server = createTcpServer()
    const port = await portOf(server)
    await new Promise((resolve) => server.close(resolve))
    const outcome = await unknown(clientOf(port).describe({}))
    expect(outcome).toMatchObject({ kind: 'unreachable', sent: false })
  })

  it('sends the bearer token and the input to the URL of the operation', async () => {
    let seen: unknown
    const erp = await served((request, response) => {
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
    const erp = await saying('{"rejected":{"reason":"not_found","message":"There is none."}}')
    const answer = await erp.addresses({ customer_code: 'A' })
    expect(answer).toEqual({ rejected: { reason: 'not_found', message: 'There is none.' } })
  })

  it('passes the shortages of a refusal through, and takes garbled ones for no refusal', async () => {
    const shortages = [{ sku: 'A', quantity: 3, quantity_available: 1 }]
    const refusal = { reason: 'insufficient_stock', message: 'Too few.', shortages }
    const erp = await saying(JSON.stringify({ rejected: refusal }))
    expect(await erp.void({ reference: 'a' })).toEqual({ rejected: refusal })
    const garbled = await saying(JSON.stringify({ rejected: { ...refusal, shortages: [{ sku: 'A' }] } }))
    expect(await unknown(garbled.void({ reference: 'a' }))).toMatchObject({ kind: 'malformed', sent: true })
  })

  it('carries the fault that a sandbox is asked to show, and none otherwise', async () => {
    const seen: unknown[] = []
    const erp = await served((request, response) => {
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
    const erp = await saying(text, status)
    expect(await unknown(erp.warehouses({}))).toMatchObject({ kind, sent: true })
  })

  it('does not know what became of a call whose connection is reset', async () => {
    const erp = await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))
    expect(await unknown(erp.warehouses({}))).toMatchObject({ kind: 'unreachable', sent: true })
  })

  it('does not take half an answer for one', async () => {
    const erp = await tcp((socket) =>
      socket.once('data', () => {
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 200\r\n\r\n'
        socket.write(`${head}{"ok":{"warehouses":[`, () => socket.resetAndDestroy())
      }),
    )
    expect(await unknown(erp.warehouses({}))).toMatchObject({ kind: 'unreachable', sent: true })
  })

  it('does not take an answer for one that is no HTTP', async () => {
    const erp = await tcp((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
    expect(await unknown(erp.warehouses({}))).toMatchObject({ kind: 'unreachable', sent: true })
  })

  it.each([
    ['never answers', (_socket: Socket) => {}],
    [
      'stops in the middle of an answer',
      (socket: Socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n{"ok":')),
    ],
  ])('gives up in time where the ERP %s', async (_name, treat) => {
    const erp = await tcp(treat)
    expect(await unknown(erp.warehouses({}, within(50)))).toMatchObject({ kind: 'timeout', sent: true })
  })

  it('takes a signal of any reason for a call that was given up', async () => {
    const controller = new AbortController()
    const erp = await tcp((socket) => socket.once('data', () => controller.abort('shutting down')))
    const call = erp.warehouses({}, { signal: controller.signal })
    expect(await unknown(call)).toMatchObject({ kind: 'timeout', sent: true })
  })

  it('sends nothing where the signal was aborted before', async () => {
    let connections = 0
    const erp = await tcp(() => {
      connections += 1
    })
    const call = erp.warehouses({}, { signal: AbortSignal.abort() })
    expect(await unknown(call)).toMatchObject({ kind: 'timeout', sent: false })
    expect(connections).toBe(0)
  })

  it('refuses an answer that does not end', async () => {
    const piece = Buffer.alloc(1024 * 1024, ' ')
    const erp = await served((request, response) => {
      request.resume()
      const pour = () => {
        while (response.write(piece)) if (response.destroyed) return
      }
      response.on('drain', pour)
      pour()
    })
    expect(await unknown(erp.warehouses({}))).toMatchObject({ kind: 'malformed', sent: true })
  })

  it('answers again once the ERP is back', async () => {
    let isAway = true
    const erp = await served((request, response) => {
      request.resume()
      if (isAway) response.destroy()
      else response.end('{"ok":{"warehouses":[]}}')
    })
    expect((await unknown(erp.warehouses({}))).kind).toBe('unreachable')
    isAway = false
    expect(await erp.warehouses({})).toEqual({ ok: { warehouses: [] } })
  })
})
