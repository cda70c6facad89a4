import { expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import { systemEnvironment } from './environment.ts'
import { Feed, RecentWrites, type Source, type Write } from './hints.ts'

const source: Source = { model: 'stock.move', domain: [], fields: [] }
const start = Date.parse('2026-11-27T08:00:00Z')
/** Two seconds after the start. */
const create_date = {
  ...{ __class__: 'datetime', year: 2026, month: 11, day: 27 },
  ...{ hour: 8, minute: 0, second: 2, microsecond: 0 },
}

interface Row {
  parse(value: unknown): unknown
}

/** A Tryton with as many new rows as `rows` says, of which a read returns no more than it asks for. */
function createTryton() {
  const tryton = { rows: 0, now: start }
  const searchRead = async (_model: string, _domain: unknown, row: Row, { limit }: { limit: number }) =>
    Array.from({ length: Math.min(tryton.rows, limit) }, (_, index) =>
      row.parse({ id: index + 1, create_date, write_date: null }),
    )
  const rpc = { searchRead, writes: 0, readEpoch: async () => 'e1', readServerTime: () => tryton.now }
  const config = { url: 'http://127.0.0.1', database: 'trade' }
  const environment = { ...systemEnvironment, elapsed: () => tryton.now }
  const connector = { rpc, config, environment, places: { modules: new Set<string>() } }
  // Hints use no other part of a connector.
  return { tryton, connector: connector as unknown as Connector }
}

/** Two feeds that share what is read. All rows are of two SKUs. */
function createFeeds(connector: Connector): [Feed, Feed] {
  const recent = new RecentWrites(connector)
  const toKeys = async (writes: readonly Write[]) => writes.map(({ row }) => `S${row.id % 2}`)
  const create = () => new Feed({ connector, recent }, 'stock', { sources: [source], toKeys })
  return [create(), create()]
}

/** Polls both feeds, of which the second began 20 s later, when the rows were 18 s old. */
async function pollBoth(rows: number) {
  const { tryton, connector } = createTryton()
  const [early, late] = createFeeds(connector)
  const first = await early.poll(null)
  tryton.now = start + 20_000
  const second = await late.poll(null)
  tryton.now += 1_000
  tryton.rows = rows
  return [await early.poll(first.cursor), await late.poll(second.cursor)]
}

it('names each SKU that was written once', async () => {
  const [early, late] = await pollBoth(3)
  expect(early).toMatchObject({ everything: false, keys: ['S1', 'S0'] })
  expect(late).toMatchObject({ everything: false, keys: [] })
})

it('hints everything if one read does not take all writes, also to a feed that shares the read', async () => {
  for (const hints of await pollBoth(60_000)) expect(hints).toMatchObject({ everything: true, keys: [] })
})
