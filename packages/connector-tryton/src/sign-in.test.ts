import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import type { Environment } from './environment.ts'
import { isPossible, SignIn } from './sign-in.ts'

const servers: { close: () => void }[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** A shop that takes as long for each name as the table says, by a clock that only it and the pauses move. */
async function openShop(times: Readonly<Record<string, number>>) {
  const clock = { at: 0 }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const { username }: { username: string } = JSON.parse(body)
      clock.at += times[username] ?? 0
      response.end(JSON.stringify({ code: 401, result: 'wrong' }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  servers.push(server)
  const environment: Environment = {
    now: () => clock.at,
    elapsed: () => clock.at,
    random: () => 0,
    pause: async (ms) => {
      clock.at += ms
    },
  }
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo
  const config = { url: `http://127.0.0.1:${port}`, database: 'db', shop: 'trade', shops: {} }
  const connector = { environment, config, log: () => undefined }
  // Signing in uses no other part of a connector until a password is right.
  return { clock, signIn: new SignIn(connector as unknown as Connector) }
}

describe('A refused sign-in', () => {
  it('takes the same time for an unknown name, a wrong password and an impossible text', async () => {
    const { clock, signIn } = await openShop({ known: 1_200, unknown: 50 })
    const measure = async (username: string) => {
      const began = clock.at
      const result = await signIn.signIn({ username, password: 'wrong' })
      return { took: clock.at - began, result }
    }
    const known = await measure('known')
    expect(await measure('unknown')).toEqual(known)
    expect(await measure('a\u0000b')).toEqual(known)
  })

  it('takes as long as the slowest one so far, if Tryton is slow', async () => {
    const { clock, signIn } = await openShop({ known: 4_000, unknown: 50 })
    await signIn.signIn({ username: 'known', password: 'wrong' })
    const began = clock.at
    await signIn.signIn({ username: 'unknown', password: 'wrong' })
    expect(clock.at - began).toBe(4_000)
  })

  it.each(['a\u0000b', '\ud800', 'a\nb', 'a\rb', ' ', ''])('is certain for the text %j', (text) => {
    expect(isPossible(text)).toBe(false)
  })
})
