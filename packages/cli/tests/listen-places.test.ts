import { afterEach, beforeEach, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

let gateway: FakeGateway
const events: { event_id: string; type: string; occurred_at: string; data: object }[] = []
const occurred_at = '2026-11-22T00:00:00.000Z'
const happen = (event_id: string, type: string) => events.push({ event_id, type, occurred_at, data: {} })
/** Called when everything was read. */
let reachEnd = () => {}

beforeEach(async () => {
  gateway = await openFakeGateway(({ path, query }) => {
    if (path.endsWith('/me')) return { data: { channel: { channel_code: 'C-1' } } }
    if (!path.endsWith('/events')) return {}
    const since = events.findIndex(({ event_id }) => event_id === query.get('since'))
    if (since === events.length - 1) reachEnd()
    return { data: events.slice(since + 1), has_more: false, next_cursor: null }
  })
})
afterEach(() => gateway.close())

/** Forwards events of a type until there are no more. Returns the forwarded ones. */
async function listen(type: string, ...more: string[]): Promise<string[]> {
  const interruption = new Promise<void>((resolve) => {
    reachEnd = resolve
  })
  const args = [
    '--forward-to',
    `${gateway.url}/hook`,
    '--events',
    type,
    '--interval',
    '1s',
    '--json',
    ...more,
  ]
  const { code, out, err } = await runInProcess(['webhooks', 'listen', ...args], {
    env: gateway.env,
    interruption,
  })
  expect(code, err).toBe(130)
  return Array.from(out.matchAll(/"event_id":"(\w+)"/g), ([, id = '']) => id)
}

it('tgw webhooks listen skips no event that a run with other --events left out', async () => {
  happen('evt_1', 'order.created')
  expect(await listen('order.created', '--since', 'oldest')).toEqual(['evt_1'])
  happen('evt_2', 'order.created')
  happen('evt_3', 'stock.changed')
  expect(await listen('stock.changed', '--since', 'evt_1')).toEqual(['evt_3'])
  expect(await listen('order.created')).toEqual(['evt_2'])
})
