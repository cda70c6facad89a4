/** What a command does when the reader of its output goes, as `head` does. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
let sent: string[]

const events = ['evt_1', 'evt_2'].map((event_id) => ({
  event_id,
  type: 'order.created',
  occurred_at: '2026-11-22T00:00:00.000Z',
  data: {},
}))

beforeEach(async () => {
  sent = []
  gateway = await openFakeGateway(({ method, path }) => {
    if (method === 'POST') sent.push(path)
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

const run = (...argv: string[]) => runInProcess(argv, { env: gateway.env, isReaderGone: true })

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
