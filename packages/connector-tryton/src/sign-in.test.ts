import { unwrap } from '@trade-gateway/connector'
import { describe, expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import { isPossible, SignIn } from './sign-in.ts'
import { createTestEnvironment, serveLocally } from './testing/local-tryton.ts'

/** A Tryton in which a customer has an e-mail, and a shop that lets everybody in: as itself, with the given addresses. */
async function openShopFor(addresses: readonly number[]) {
  const clock = { at: 0 }
  const email = 'buyer@customer.example'
  const url = await serveLocally((request, response) => {
    const isLogin = request.url?.endsWith('/user/login')
    request.resume().on('end', () => {
      const account = { email, addresses: addresses.map((id) => ({ id })) }
      response.end(JSON.stringify({ code: 200, result: isLogin ? '0123456789abcdef' : account }))
    })
  })
  const party = { id: 7, code: 'CUSTOMER', name: 'The customer', active: true }
  const logged: string[] = []
  const connector = {
    environment: createTestEnvironment(clock),
    config: { url, database: 'db', shop: 'trade', shops: {}, session_hours: 24 },
    rpc: {
      searchRead: async (_model: string, _domain: unknown, row: { parse(value: unknown): unknown }) => [
        row.parse({ 'party.': party }),
      ],
    },
    log: (line: string) => logged.push(line),
  }
  // Signing in uses no other part of a connector.
  const signIn = new SignIn(connector as unknown as Connector)
  return {
    ...{ clock, party, logged },
    signIn: () => signIn.signIn({ username: email, password: 'right' }),
    findCustomer: (session: string) => signIn.findCustomer(session),
  }
}

/** A shop that takes as long for each name as the table says, by a clock that only it and the pauses move. */
async function openShop(times: Readonly<Record<string, number>>) {
  const clock = { at: 0 }
  const url = await serveLocally((request, response) => {
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
  const environment = createTestEnvironment(clock)
  const config = { url, database: 'db', shop: 'trade', shops: {} }
  const connector = { environment, config, log: () => undefined }
  // Signing in uses no other part of a connector until a password is right.
  return { clock, signIn: new SignIn(connector as unknown as Connector) }
}

describe('An account', () => {
  it('is that of the customer whose address it has', async () => {
    const { signIn } = await openShopFor([4])
    expect(await signIn()).toMatchObject({ ok: { customer_code: 'CUSTOMER' } })
  })

  it('that somebody has created with the e-mail of a customer is not that of the customer', async () => {
    const { signIn, logged } = await openShopFor([])
    expect(await signIn()).toMatchObject({ rejected: { reason: 'bad_credentials' } })
    expect(logged).toEqual([
      'account buyer@customer.example: its customer lacks an address or a code, or is not active, so it cannot sign in or order',
    ])
  })

  it('of a customer that was deactivated cannot sign in, and its open session ends', async () => {
    const { clock, party, signIn, findCustomer } = await openShopFor([4])
    const { session } = unwrap(await signIn())
    party.active = false
    expect(await signIn()).toMatchObject({ rejected: { reason: 'bad_credentials' } })
    clock.at += 10_000
    expect(await findCustomer(session)).toBeUndefined()
  })
})

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
