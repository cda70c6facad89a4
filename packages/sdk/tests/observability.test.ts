import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ClientEvent, formatEvent, type TradeGateway } from '../src/index.ts'
import { type FaultyServer, openFaultyServer } from './faulty-server.ts'
import { buildOrder, openRun, recipient, type Target } from './portable/target.ts'

let faulty: FaultyServer
beforeAll(async () => {
  faulty = await openFaultyServer()
})
afterAll(() => faulty.close())

const target = () => ({ faultyUrl: faulty.url }) as Target

function record(client: TradeGateway): ClientEvent[] {
  const events: ClientEvent[] = []
  for (const type of ['request', 'response', 'retry', 'notice'] as const)
    client.on(type, (event) => events.push(event))
  return events
}

describe('the events of a client', () => {
  it('tell of each request, response and retry', async () => {
    const { client } = openRun(target(), 'html-page')
    const events = record(client)
    await client.dropship.submit(buildOrder())
    const seen = events.filter((event) => 'operation' in event && event.operation === 'dropship.submit')
    expect(seen.map(({ type }) => type)).toEqual(['request', 'response', 'retry', 'request', 'response'])
    expect(seen.at(-1)).toMatchObject({ attempt: 2, status: 200, requestId: 'req_12345678' })
  })

  it('hold no token, no secret and nothing of the body', async () => {
    const secret = 'canary-secret-0123456789'
    for (const script of ['html-page', 'dropped', 'expired-once', 'old-token']) {
      const { client, readLog } = openRun(target(), script, {
        auth: { clientId: 'id', clientSecret: secret },
      })
      const events = record(client)
      const wish = buildOrder()
      await client.dropship.submit(wish)
      await client.dropship
        .list({ client_order_number: wish.client_order_number })
        .first()
        .catch(() => {})
      const text = JSON.stringify(events) + events.map(formatEvent).join('\n')
      const tokens = (await readLog()).map(
        ({ authorization }) => authorization?.slice('Bearer '.length) ?? secret,
      )
      for (const canary of [
        secret,
        ...tokens,
        ...Object.values(recipient).slice(0, 3),
        wish.client_order_number,
      ])
        expect(text).not.toContain(canary)
    }
  })

  it('do not fail a call or end the process if a listener throws or rejects, and end when asked', async () => {
    const { client } = openRun(target(), 'ok')
    const events: ClientEvent[] = []
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    client.on('request', () => {
      throw new Error('a broken log')
    })
    client.on('request', async () => {
      throw new Error('a log that is away')
    })
    const end = client.on('response', (event) => events.push(event))
    await client.me()
    end()
    const before = events.length
    await client.me()
    process.off('unhandledRejection', note)
    expect(events).toHaveLength(before)
    expect(unhandled).toEqual([])
  })

  it('tell of the end of a token', async () => {
    const { client } = openRun(target(), 'old-token')
    const events = record(client)
    await client.me()
    const notice = events.find(({ type }) => type === 'notice')
    expect(notice).toMatchObject({ sunset: 'Mon, 30 Nov 2026 23:59:59 GMT' })
  })

  it('tell that the token store failed, without its message', async () => {
    const tokenStore = {
      get: async () => undefined,
      async set() {
        throw Object.assign(new Error('cannot write token-1'), { code: 'EACCES' })
      },
    }
    const { client } = openRun(target(), 'ok', { tokenStore })
    const events = record(client)
    await client.me()
    const notices = JSON.stringify(events.filter(({ type }) => type === 'notice'))
    expect(notices).toContain('the token store failed (EACCES)')
    expect(notices).not.toContain('token-1')
  })

  it('warn of the end of a token once in a process, whatever the number of clients without a listener', async () => {
    const emit = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    try {
      for (const { client } of [openRun(target(), 'old-token'), openRun(target(), 'old-token')])
        for (let time = 0; time < 2; time++) await client.me()
      expect(emit.mock.calls).toEqual([[expect.stringContaining('2026'), 'DeprecationWarning']])
    } finally {
      emit.mockRestore()
    }
  })
})
