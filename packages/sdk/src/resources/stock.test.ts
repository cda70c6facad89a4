import { expect, it, vi } from 'vitest'
import { TradeGateway } from '../client.ts'
import { FullSyncRequiredError, isGatewayError } from '../errors/errors.ts'

it('throws an error of the gateway, and no misuse, if the feed cannot be followed any more', async () => {
  const page = { data: [], version: 9, has_more: false, needs_full_sync: true }
  const client = new TradeGateway({
    baseUrl: 'https://gateway.example',
    auth: { accessToken: 'a-token' },
    fetch: async () => Response.json({ ...page, full_sync_reason: 'expired' }),
  })
  const error = await client.stock
    .follow('AUSYD1', { since: 7 })
    .next()
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(FullSyncRequiredError)
  expect(isGatewayError(error, 'FULL_SYNC_REQUIRED')).toBe(true)
  expect(error).toMatchObject({ reason: 'expired', retryable: false })
})

/** Reads two pages of a list of stock. Returns their queries. */
async function listTwoPages(first: object): Promise<(string | undefined)[]> {
  const asked: (string | undefined)[] = []
  const client = new TradeGateway({
    baseUrl: 'https://gateway.example',
    auth: { accessToken: 'a-token' },
    async fetch(input) {
      asked.push(String(input).split('?')[1])
      const row = { sku: `SKU-${asked.length}` }
      return Response.json({ data: [row], has_more: false, ...(asked.length === 1 ? first : {}) })
    },
  })
  const rows = await client.stock.list('AUSYD1').toArray({ limit: 10 })
  expect(rows.map(({ sku }) => sku)).toEqual(['SKU-1', 'SKU-2'])
  return asked
}

it('continues a list by its cursor, for which the gateway asks no database', async () => {
  const asked = await listTwoPages({ has_more: true, page: 1, next_cursor: 'the-next' })
  expect(asked).toEqual(['page_size=1000', 'page_size=1000&cursor=the-next'])
})

it('continues a list of a gateway without cursors by the number of the page', async () => {
  expect(await listTwoPages({ has_more: true })).toEqual(['page_size=1000', 'page_size=1000&page=2'])
})

/** Follows a feed whose first responses are failures. Returns how many there were when it yielded or ended. */
async function followAfter(failing: number, options: { readonly giveUpMs?: number }) {
  vi.useFakeTimers({ now: 0 })
  let asked = 0
  const client = new TradeGateway({
    baseUrl: 'https://gateway.example',
    auth: { accessToken: 'a-token' },
    maxRetries: 0,
    async fetch() {
      asked += 1
      if (asked > failing) return Response.json({ data: [{ sku: 'A' }], version: 8, has_more: false })
      const error = { code: 'INTERNAL', message: 'Away.', retryable: true }
      return Response.json({ error }, { status: 503 })
    },
  })
  let found: unknown
  const reading = client.stock.follow('AUSYD1', { since: 7, ...options }).next()
  reading.then(
    ({ value }) => {
      found = value
    },
    (error: unknown) => {
      found = error
    },
  )
  while (found === undefined) await vi.advanceTimersByTimeAsync(1_000)
  vi.useRealTimers()
  return { found, asked }
}

it('follows the feed through an outage, however long it lasts', async () => {
  expect(await followAfter(100, {})).toMatchObject({ found: { version: 8 }, asked: 101 })
})

it('ends the following if an outage lasts longer than the caller allows', async () => {
  const { found, asked } = await followAfter(100, { giveUpMs: 10_000 })
  expect(found).toMatchObject({ code: 'INTERNAL' })
  expect(asked).toBeLessThan(100)
})
