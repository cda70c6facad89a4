import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { Networks } from '../kernel/networks.ts'
import { readClientAddressKey } from './address.ts'

/** Creates the requests of one connection. */
function connectFrom(address: string) {
  const socket = new Socket()
  let remoteAddress: string | undefined = address
  Object.defineProperty(socket, 'remoteAddress', { get: () => remoteAddress })
  return {
    createRequest: (...forwarded: string[]) =>
      // The function reads no other members.
      ({ socket, headersDistinct: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage,
    close: () => {
      remoteAddress = undefined
    },
  }
}

describe('the key of a client', () => {
  it.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:db8:1:2:3::4', '2001:db8:1:2::/64'],
    ['::ffff:10.0.0.1', undefined],
    ['::1', undefined],
  ])('is that of the peer %s for each request of its connection', (address, key) => {
    const { createRequest, close } = connectFrom(address)
    const read = () => readClientAddressKey(undefined, createRequest('203.0.113.9'))
    expect([read(), read()]).toEqual([key, key])
    expect(readClientAddressKey(undefined, connectFrom('192.0.2.1').createRequest())).toBe('192.0.2.1')
    close()
    expect(read(), 'a closed connection').toBeUndefined()
  })

  it('is another one for each request that a trusted proxy passes on', () => {
    const { createRequest } = connectFrom('::ffff:10.0.0.1')
    const read = (hop: string) => readClientAddressKey(new Networks(['10.0.0.0/8']), createRequest(hop))
    expect([read('203.0.113.9'), read('203.0.113.10')]).toEqual(['203.0.113.9', '203.0.113.10'])
  })
})
