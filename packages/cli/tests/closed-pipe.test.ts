/** What a command does when its output cannot be written: its reader goes, as `head` does, or the disk is full. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
let sent: string[]
let keys: (string | undefined)[]

const events = ['evt_1', 'evt_2'].map((event_id) => ({
  event_id,
  type: 'order.created',
  occurred_at: '2026-11-22T00:00:00.000Z',
  data: {},
}))

beforeEach(async () => {
  sent = []
  keys = []
  gateway = await openFakeGateway(({ method, path, idempotencyKey }) => {
    if (method === 'POST') {
      sent.push(path)
      keys.push(idempotencyKey)
    }
    if (path.endsWith('/submit')) return { data: { dropship_order_id: 'dso_1' } }
    if (path.endsWith('/secret-rotations')) return { data: { secret: 'whsec_1' } }
    if (path.endsWith('/redeliver')) return { data: { delivery_id: 'whd_1', status: 'pending' } }
    if (path.endsWith('/me')) return { data: { channel: { channel_code: 'C-1' }, sandbox: true } }
    if (path.endsWith('/events')) return { data: events, has_more: false, next_cursor: null }
    const endpoint = { endpoint_id: 'whe_1' }
    if (path.endsWith('/webhook-endpoints')) return { data: [endpoint], has_more: false, next_cursor: null }
    const data = ['whd_1', 'whd_2'].map((id) => ({ ...endpoint, delivery_id: id, status: 'dead_letter' }))
    return { data, has_more: false, next_cursor: null }
  })
})
afterEach(() => gateway.close())

const run = (...argv: string[]) => runInProcess(argv, { env: gateway.env, outputFailure: 'EPIPE' })

describe('a reader of the output that has gone', () => {
  it.each([
    ['webhooks', 'list'],
    ['api', 'GET', '/api/v1/me'],
    ['commands', '--json'],
    ['webhooks', 'replay', '--help'],
  ])('has what it wanted of tgw %s %s', async (...argv) => {
    expect(await run(...argv)).toMatchObject({ code: 0, err: '' })
  })

  it('ends a command that does something with 141, because the rest is not done', async () => {
    const { code, err } = await run('webhooks', 'replay', '--failed', '--json')
    expect(sent).toEqual(['/api/v1/webhook-deliveries/whd_1/redeliver'])
    expect(code).toBe(141)
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'EPIPE' }, exit_code: 141 })
  })

  it('ends tgw webhooks listen with 141', async () => {
    const to = ['--forward-to', `${gateway.url}/hook`, '--since', 'oldest', '--interval', '1s']
    expect(await run('webhooks', 'listen', ...to)).toMatchObject({
      code: 141,
      err: expect.stringContaining('The reader of standard output has gone'),
    })
    expect(sent).toEqual(['/hook'])
  })

  it('ends a write by tgw api with 141', async () => {
    expect(await run('api', 'POST', '/api/v1/webhook-endpoints')).toMatchObject({ code: 141 })
  })
})

describe('a write whose response cannot be printed', () => {
  const submit = ['dropship', 'submit', '-f', '-', '--json']
  const rotate = ['webhooks', 'rotate-secret', 'whe_1', '--json']

  it.each([
    ['EPIPE', 141, submit],
    ['ENOSPC', 1, submit],
    ['EPIPE', 141, rotate],
    ['ENOSPC', 1, rotate],
  ] as const)(
    'and fails with %s names its key, under which it is not performed twice',
    async (outputFailure, code, argv) => {
      const { env } = gateway
      const failed = await runInProcess(argv, { env, input: '{}', outputFailure })
      expect(failed.code).toBe(code)
      const { error } = JSON.parse(failed.err)
      expect(error).toMatchObject({ code: outputFailure, idempotency_key: keys[0] })
      expect(error.hints.join(' ')).toContain('The write was performed')
      expect(error.hints.join(' ')).not.toContain('run the command again')
      const repeated = await runInProcess([...argv, '--idempotency-key', error.idempotency_key], {
        env,
        input: '{}',
      })
      expect(repeated.code).toBe(0)
      expect(keys).toEqual([keys[0], keys[0]])
    },
  )

  it('names no key of tgw webhooks replay, which takes none', async () => {
    const { err } = await run('webhooks', 'replay', '--failed', '--json')
    expect(JSON.parse(err).error).not.toHaveProperty('idempotency_key')
  })
})
