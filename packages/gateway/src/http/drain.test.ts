import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { Drain } from './drain.ts'

/** A response that fits into no buffer of the operating system. */
const largeBytes = 32 * 1024 * 1024

/** Starts a server, and a client that has sent a GET and reads nothing before `read`. */
async function openExchange(listener: RequestListener) {
  const drain = new Drain(systemClock)
  const served = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    drain.trackResponse(response)
    listener(request, response)
    served.resolve()
  })
  drain.trackConnections(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').pause()
  socket.write('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n')
  await served.promise
  const read = async () => {
    let bytes = 0
    for await (const chunk of socket) bytes += chunk.length
    return bytes
  }
  drain.hurry()
  return { end: () => drain.end(server), read }
}

it('sends a large response to its end to a client that reads slowly', async () => {
  const { end, read } = await openExchange((_, response) => response.end(Buffer.alloc(largeBytes)))
  const ended = end()
  expect(await read()).toBeGreaterThan(largeBytes)
  await ended
})

it('closes the connection after a response that had begun before', async () => {
  let finish = () => {}
  const { end, read } = await openExchange((_, response) => {
    response.write('begun')
    finish = () => response.end('ended')
  })
  const ended = end()
  finish()
  await read()
  await ended
})
