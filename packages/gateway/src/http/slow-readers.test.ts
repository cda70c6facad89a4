import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { endUnreadConnections } from './slow-readers.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** Sends a request on a connection that stays open. Resolves with what ends it: the server, or the end of the wait. */
async function keepOpen({ isWorking }: { isWorking: (socket: Socket) => boolean }) {
  const server = createServer({ keepAliveTimeout: 20 }, (_, response) => response.end('done'))
  endUnreadConnections(server, isWorking)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  closers.push(() => client.destroy())
  closers.push(() => server.close())
  const timedOut = new Promise<'asked'>((resolve) => server.on('timeout', () => resolve('asked')))
  const ended = new Promise<'ended'>((resolve) => client.once('close', () => resolve('ended')))
  client.resume().write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await timedOut
  return Promise.race([ended, new Promise<'open'>((resolve) => setTimeout(resolve, 200, 'open'))])
}

describe('a kept connection', () => {
  it('is closed when no request has come for the time that it is kept', async () => {
    expect(await keepOpen({ isWorking: () => false })).toBe('ended')
  })

  it('is left alone while its request is worked on', async () => {
    expect(await keepOpen({ isWorking: () => true })).toBe('open')
  })
})
