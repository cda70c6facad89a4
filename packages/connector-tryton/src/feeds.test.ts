import { expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import { systemEnvironment } from './environment.ts'
import { createProductFeed, createStockFeed, Zones } from './feeds.ts'
import { type Feed, RecentWrites } from './hints.ts'
import type { Warehouse } from './places.ts'
import { toInstant } from './values.ts'

const start = Date.parse('2026-11-27T08:00:00Z')
const written = toInstant(start + 1_000)

interface Row {
  parse(value: unknown): unknown
}

type Fields = Readonly<Record<string, unknown>>

/** A Tryton of which all rows were written just now. */
function createPolling(rows: Readonly<Record<string, readonly Fields[]>>) {
  const clock = { now: start }
  const searchRead = async (model: string, _domain: readonly unknown[], row: Row) =>
    (rows[model] ?? []).map((each) => row.parse({ ...each, write_date: written, create_date: written }))
  const connector = {
    rpc: { searchRead, readEpoch: async () => 'e1', readServerTime: () => clock.now },
    config: { url: 'http://127.0.0.1', database: 'trade' },
    environment: { ...systemEnvironment, elapsed: () => clock.now },
    places: { modules: new Set<string>(), priceList: null },
  } as unknown as Connector
  const pollAgain = async (feed: Feed) => {
    const { cursor } = await feed.poll(null)
    clock.now += 2_000
    return (await feed.poll(cursor)).keys
  }
  const polling = { connector, recent: new RecentWrites(connector), prices: { forgetList: () => undefined } }
  return { polling, pollAgain }
}

it('hints no product and no style whose code the protocol does not take', async () => {
  const codes = ['', null, 'x'.repeat(65), 'x'.repeat(64)]
  const products = codes.map((code, id) => ({ id: id + 1, code, 'template.': { code } }))
  const moves = codes.map((code, id) => ({
    ...{ id: id + 1, from_location: 1, to_location: 1 },
    'product.': { code },
  }))
  const { polling, pollAgain } = createPolling({
    'product.product': products,
    'product.template': products,
    'stock.move': moves,
    'stock.location': [{ id: 1, warehouse: 1 }],
  })
  // The feed uses no other part of a warehouse.
  const warehouse = { id: 1 } as unknown as Warehouse
  const stockFeed = createStockFeed(polling, warehouse, new Zones(polling.connector))
  expect(await pollAgain(stockFeed)).toEqual(['x'.repeat(64)])
  expect(await pollAgain(createProductFeed(polling))).toEqual(['x'.repeat(64)])
})
