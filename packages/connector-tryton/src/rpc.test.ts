import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Environment } from './environment.ts'
import { Rpc } from './rpc.ts'

const servers: { close: () => void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A Tryton that refuses every login, and counts them. */
async function openRefusing() {
  const clock = { at: 0 }
  let logins = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      logins += 1
      response.writeHead(401, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>401 Unauthorized</title>')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const environment: Environment = {
    now: () => clock.at,
    elapsed: () => clock.at,
    random: () => 0,
    pause: async () => {},
  }
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const rpc = new Rpc({
    url: `http://127.0.0.1:${port}`,
    database: 'db',
    user: 'gateway',
    password: 'x',
    environment,
  })
  const call = () => rpc.call('model.party.party.search', [[]], z.unknown())
  return { clock, call, countLogins: () => logins }
}

describe('A refused login', () => {
  it('is not sent again for ten seconds, because Tryton locks a user out who tries too often', async () => {
    const { clock, call, countLogins } = await openRefusing()
    for (let tries = 0; tries < 5; tries++)
      await expect(call()).rejects.toThrow('the password of gateway is wrong')
    clock.at += 9_999
    await expect(call()).rejects.toThrow('the password of gateway is wrong')
    expect(countLogins()).toBe(1)
    clock.at += 1
    await expect(call()).rejects.toThrow('the password of gateway is wrong')
    expect(countLogins()).toBe(2)
  })
})
