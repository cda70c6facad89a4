import { once } from 'node:events'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { erpClient } from './client.ts'
import { ok } from './erp.ts'
import { erpServer, idleConnectionMs } from './server.ts'
import { prepareStop } from './stop.ts'
import { createInMemoryErp } from './testing/in-memory-erp.ts'

const token = 'a-token-of-the-erp'

async function listen(listener: RequestListener) {
  const server = createServer({ keepAliveTimeout: idleConnectionMs }, listener)
  const stop = prepareStop(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return { server, stop, port, url: `http://127.0.0.1:${port}` }
}

it('ends the call that is running, and takes no other one of a client that keeps its connection', async () => {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  let calls = 0
  const warehouses = async () => {
    calls += 1
    begun.resolve()
    await may.promise
    return ok({ warehouses: [] })
  }
  const { stop, url } = await listen(erpServer({ ...createInMemoryErp().erp, warehouses }, { token }))
  const client = erpClient(url, token)
  const call = client.erp.warehouses({})
  await begun.promise
  const stopped = stop()
  may.resolve()
  expect(await call).toEqual(ok({ warehouses: [] }))
  // A client that is told nothing would use the connection again, though not always for its next call.
  for (let tries = 0; tries < 5; tries++)
    await expect(client.erp.warehouses({})).rejects.toMatchObject({ kind: 'unreachable', sent: false })
  await stopped
  expect(calls).toBe(1)
  await client.close()
})

it('closes a connection whose first request comes after the stop, also if it is refused at once', async () => {
  const { server, stop, port } = await listen(erpServer(createInMemoryErp().erp, { token }))
  const accepted = once(server, 'connection')
  const socket = connect(port, '127.0.0.1')
  await accepted
  const stopped = stop()
  socket.end('POST /warehouses HTTP/1.1\r\nHost: erp\r\nContent-Length: 0\r\n\r\n')
  const head = (await once(socket, 'data')).join('')
  expect(head).toMatch(/^HTTP\/1\.1 401 /)
  expect(head).toMatch(/^Connection: close\r$/im)
  await stopped
})

it('closes an idle connection at once', async () => {
  const { stop, url } = await listen(erpServer(createInMemoryErp().erp, { token }))
  const client = erpClient(url, token)
  await client.erp.warehouses({})
  await stop()
  await client.close()
})

/** A response that fits into no buffer of the operating system. */
const largeBytes = 32 * 1024 * 1024

/** Sends a GET. Reads nothing before `read`, which resolves with the number of bytes when the connection ends. */
async function request(port: number) {
  const socket = connect(port, '127.0.0.1').pause()
  await once(socket, 'connect')
  socket.write('GET / HTTP/1.1\r\nHost: erp\r\n\r\n')
  const read = async () => {
    let bytes = 0
    for await (const chunk of socket) bytes += chunk.length
    return bytes
  }
  return { socket, read }
}

it('sends a large response to its end to a client that reads slowly', async () => {
  const ended = Promise.withResolvers<void>()
  const { stop, port } = await listen((_, response) => {
    response.end(Buffer.alloc(largeBytes))
    ended.resolve()
  })
  const { read } = await request(port)
  await ended.promise
  const stopped = stop()
  expect(await read()).toBeGreaterThan(largeBytes)
  await stopped
})

it('sends both of two large responses to their ends', async () => {
  const requests: ServerResponse[] = []
  const { server, stop, port } = await listen((_, response) => requests.push(response))
  const clients = [await request(port), await request(port)]
  while (requests.length < 2) await once(server, 'request')
  requests[0]?.end(Buffer.alloc(largeBytes))
  const stopped = stop()
  // Says that its connection closes, and ends while the other one is being sent.
  requests[1]?.end(Buffer.alloc(largeBytes))
  for (const bytes of await Promise.all(clients.map(({ read }) => read())))
    expect(bytes).toBeGreaterThan(largeBytes)
  await stopped
})

it('closes the connection after a response that had begun before the stop', async () => {
  const begun = Promise.withResolvers<ServerResponse>()
  const { stop, port } = await listen((_, response) => {
    response.write('begun')
    begun.resolve(response)
  })
  const { socket, read } = await request(port)
  const response = await begun.promise
  const stopped = stop()
  response.end('ended')
  await read()
  await stopped
  expect(socket.destroyed).toBe(true)
})
