import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type FakeGateway, openFakeGateway } from './fake-gateway.ts'
import { runInProcess } from './run-in-process.ts'

const longAgo = '2026-11-22T00:00:00.000Z'
const present = '2026-11-23T00:00:00.000Z'
/** Of an event that happens now, at a process whose clock is a second behind. */
const now = '2026-11-22T23:59:59.000Z'

let gateway: FakeGateway
let isAway: boolean
/** How many of the first requests get no response of the gateway. */
let startFailures = 0
const events: { event_id: string; type: string; occurred_at: string; data: object }[] = []
const happen = (event_id: string, type: string, occurred_at = longAgo) =>
  events.push({ event_id, type, occurred_at, data: {} })
/** The places and types that were asked for. */
let asked: string[]
/** Called before the next page is read. */
let beforePage = () => {}
/** Called when everything was read. */
let reachEnd = () => {}

beforeEach(async () => {
  events.length = 0
  asked = []
  isAway = false
  gateway = await openFakeGateway(({ path, query }) => {
    if (startFailures > 0) {
      startFailures -= 1
      return undefined
    }
    if (path.endsWith('/me')) return { data: { channel: { channel_code: 'C-1' } } }
    if (path.endsWith('/webhook-endpoints')) return { data: [], has_more: false, as_of: present }
    if (!path.endsWith('/events')) return {}
    return isAway ? undefined : listEvents(query.get('since'), query.get('type'))
  })
})
afterEach(() => gateway.close())

/** Lists one event a page. */
function listEvents(since: string | null, type: string | null) {
  asked.push(`${type ?? 'all'} after ${since}`)
  beforePage()
  const begin = events.findIndex(({ event_id }) => event_id === since) + 1
  const left = events.slice(begin).filter((event) => type === null || event.type === type)
  if (left.length === 0) reachEnd()
  return { data: left.slice(0, 1), has_more: left.length > 1, next_cursor: null }
}

const run = (args: readonly string[], interruption?: Promise<unknown>) =>
  runInProcess(
    ['webhooks', 'listen', '--forward-to', `${gateway.url}/hook`, '--interval', '1s', '--json', ...args],
    { env: gateway.env, ...(interruption ? { interruption } : {}) },
  )

/** Forwards events until there are no more. Returns the forwarded ones. */
async function listen(...args: string[]): Promise<string[]> {
  const interruption = new Promise<void>((resolve) => {
    reachEnd = resolve
  })
  const { code, out, err } = await run(args, interruption)
  expect(code, err).toBe(130)
  return Array.from(out.matchAll(/"event_id":"(\w+)"/g), ([, id = '']) => id)
}

describe('tgw webhooks listen', () => {
  it('waits for a gateway that is away at the start', async () => {
    startFailures = 5
    happen('evt_1', 'order.created')
    expect(await listen('--since', 'oldest')).toEqual(['evt_1'])
  }, 60_000)

  it('skips no event that a run with other --events left out', async () => {
    happen('evt_1', 'order.created')
    expect(await listen('--events', 'order.created', '--since', 'oldest')).toEqual(['evt_1'])
    happen('evt_2', 'order.created')
    happen('evt_3', 'stock.changed')
    expect(await listen('--events', 'stock.changed', '--since', 'evt_1')).toEqual(['evt_3'])
    expect(await listen('--events', 'order.created')).toEqual(['evt_2'])
  })

  it('forwards what happens while it looks for the place to begin', async () => {
    for (const id of ['evt_1', 'evt_2']) happen(id, 'order.created')
    beforePage = () => {
      beforePage = () => {}
      happen('evt_3', 'order.created', now)
    }
    expect(await listen('--events', 'order.created')).toEqual(['evt_3'])
  })

  it('looks for the last order first, so that it need not read all events of stock', async () => {
    for (const id of ['evt_1', 'evt_2', 'evt_3']) happen(id, 'stock.changed')
    happen('evt_4', 'order.created')
    happen('evt_5', 'stock.changed')
    happen('evt_6', 'stock.changed', now)
    expect(await listen('--since', 'now')).toEqual(['evt_6'])
    expect(asked.slice(0, 3)).toEqual(['order.created after null', 'all after evt_4', 'all after evt_5'])
  })

  it('begins after no order that is listed after an event of the time', async () => {
    happen('evt_1', 'stock.changed', now)
    happen('evt_2', 'order.created', '2026-11-22T23:59:40.000Z')
    expect(await listen('--since', 'now')).toEqual(['evt_1', 'evt_2'])
  })

  it('of one type keeps a place among the events of that type', async () => {
    happen('evt_1', 'order.created')
    await listen('--events', 'order.created', '--since', 'oldest')
    happen('evt_2', 'stock.changed')
    asked = []
    await listen('--events', 'order.created')
    expect(new Set(asked)).toEqual(new Set(['order.created after evt_1']))
  })

  it('does not say that it forwards before it knows where to begin', async () => {
    isAway = true
    const { code, err } = await run(['--since', 'now', '--give-up', '1s'])
    expect(code).toBe(7)
    expect(err).toContain('Trying again')
    expect(err).not.toContain('Forwarding')
  })
})
