import { expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import { systemEnvironment } from './environment.ts'
import { Feed, hintLagMs, RecentWrites, type Source, type Write } from './hints.ts'
import { instant, toInstant } from './values.ts'

const source: Source = { model: 'stock.move', domain: [], fields: ['product.code'] }
const start = Date.parse('2026-11-27T08:00:00Z')

interface Row {
  parse(value: unknown): unknown
}

/** A row with its stamp, and when its transaction is committed. */
interface Stored {
  readonly id: number
  readonly stamp: number
  readonly visibleAt: number
  readonly isInactive?: boolean
}

interface Read {
  readonly fields: readonly string[]
  /** How far back it reads; undefined for rows by their ids. */
  readonly back: number | undefined
  readonly found: number
}

interface Settings {
  readonly limit?: number
  readonly fields: readonly string[]
  readonly context?: { readonly active_test?: boolean }
}

/** A Tryton with rows of a model, of which a read returns no more than it asks for. */
function createTryton() {
  const tryton = { rows: [] as Stored[], now: start, reads: [] as Read[], isDown: false }
  // Parsing would take most of the time of a test with many rows.
  const parsed = new WeakMap<Stored, unknown>()
  const searchRead = async (
    _model: string,
    domain: readonly (readonly unknown[])[],
    row: Row,
    { limit = Number.POSITIVE_INFINITY, fields, context }: Settings,
  ) => {
    if (tryton.isDown) throw new Error('Tryton is down.')
    const [operator, one, other] = domain.at(-1) ?? []
    const since = operator === 'OR' ? instant.parse((one as unknown[])[2]) : undefined
    const [field, , after = 0] = (domain.at(-2) ?? []) as [string?, string?, number?]
    const matches = ({ id, stamp, visibleAt }: Stored) =>
      (field !== 'id' || id > after) &&
      visibleAt <= tryton.now &&
      (since === undefined ? (other as number[]).includes(id) : stamp > since)
    // Tryton adds `active = True` to each nested list of a domain, unless the context says otherwise.
    const isFound = (row: Stored) => matches(row) && (!row.isInactive || context?.active_test === false)
    const found = tryton.rows.filter(isFound).slice(0, limit)
    tryton.reads.push({
      fields,
      back: since === undefined ? undefined : tryton.now - since,
      found: found.length,
    })
    return found.map((stored) => {
      const { id, stamp } = stored
      const known = parsed.get(stored) ?? row.parse({ id, create_date: toInstant(stamp), write_date: null })
      parsed.set(stored, known)
      return known
    })
  }
  const rpc = { searchRead, readEpoch: async () => 'e1', readServerTime: () => tryton.now }
  const config = { url: 'http://127.0.0.1', database: 'trade' }
  const environment = { ...systemEnvironment, elapsed: () => tryton.now }
  const connector = { rpc, config, environment, places: { modules: new Set<string>() } }
  // Hints use no other part of a connector.
  return { tryton, connector: connector as unknown as Connector }
}

const createRows = (count: number, stamp: number, visibleAt = stamp): Stored[] =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, stamp, visibleAt }))

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
  tryton.rows = createRows(rows, start + 2_000)
  return [await early.poll(first.cursor), await late.poll(second.cursor)]
}

/** Polls two feeds every second for a minute, half a second apart. Returns when, and to which feed, a key was hinted. */
async function pollForAMinute(rows: readonly Stored[]) {
  const { tryton, connector } = createTryton()
  tryton.rows.push(...rows)
  const feeds = createFeeds(connector)
  const cursors = [(await feeds[0].poll(null)).cursor, (await feeds[1].poll(null)).cursor]
  const hinted: { feed: number; at: number; key: string }[] = []
  for (let half = 1; half <= 120; half++) {
    tryton.now = start + half * 500
    const which = half % 2
    const { cursor, keys } = (await feeds[which]?.poll(cursors[which] ?? null)) ?? { cursor: '', keys: [] }
    cursors[which] = cursor
    for (const key of keys) hinted.push({ feed: which, at: tryton.now - start, key })
  }
  return { hinted, reads: tryton.reads }
}

it('names each SKU that was written once', async () => {
  const [early, late] = await pollBoth(3)
  expect(early).toMatchObject({ everything: false, keys: ['S1', 'S0'] })
  expect(late).toMatchObject({ everything: false, keys: [] })
})

it('hints what was deactivated', async () => {
  const { tryton, connector } = createTryton()
  const [feed] = createFeeds(connector)
  const { cursor } = await feed.poll(null)
  tryton.now += 1_000
  tryton.rows = [{ id: 1, stamp: tryton.now, visibleAt: tryton.now, isInactive: true }]
  expect((await feed.poll(cursor)).keys).toEqual(['S1'])
})

it('hints everything if one read does not take all writes, also to a feed that shares the read', async () => {
  for (const hints of await pollBoth(100_001)) expect(hints).toMatchObject({ everything: true, keys: [] })
})

it('hints what was committed long after its stamp once to each feed, in time', async () => {
  const committed = 41_000
  const { hinted } = await pollForAMinute(createRows(1, start + 1_000, start + committed))
  expect(hinted.map(({ feed, key }) => `${feed} ${key}`).sort()).toEqual(['0 S1', '1 S1'])
  for (const { at } of hinted) expect(at - committed).toBeLessThanOrEqual(hintLagMs)
})

it('reads far back once in ten seconds for all feeds, and the fields of each row once', async () => {
  const { hinted, reads } = await pollForAMinute(createRows(2_500, start + 1_000))
  expect(hinted).toHaveLength(4)
  const long = reads.filter(({ back = 0 }) => back > 60_000)
  expect(long.length).toBeGreaterThanOrEqual(5)
  expect(long.length).toBeLessThanOrEqual(6)
  const ofFields = reads.filter(({ fields }) => fields.includes('product.code'))
  expect(ofFields.map(({ found }) => found)).toEqual([1_000, 1_000, 500])
})

it('gives no feed what failed for another one', async () => {
  const { tryton, connector } = createTryton()
  const [early, late] = createFeeds(connector)
  const { cursor } = await early.poll(null)
  tryton.now += 11_000
  tryton.isDown = true
  await expect(early.poll(cursor)).rejects.toThrow('down')
  tryton.isDown = false
  tryton.rows = createRows(1, tryton.now)
  expect((await late.poll(cursor)).keys).toEqual(['S1'])
  expect((await early.poll(cursor)).keys).toEqual(['S1'])
})

it.each([25_000, 60_000])(
  'hints %i rows that were written at once as everything once, and what is committed later by name',
  async (count) => {
    const { tryton, connector } = createTryton()
    const [feed] = createFeeds(connector)
    let { cursor } = await feed.poll(null)
    tryton.now += 1_000
    tryton.rows = createRows(count, tryton.now)
    // Stamped with them, and committed while they are still read again and again.
    tryton.rows.push({ id: count + 1, stamp: tryton.now, visibleAt: tryton.now + 30_000 })
    const hinted: unknown[] = []
    for (let polls = 0; polls < 5; polls++) {
      const { everything, keys, ...next } = await feed.poll(cursor)
      cursor = next.cursor
      if (everything || keys.length > 0) hinted.push(everything || keys)
      tryton.now += 11_000
    }
    expect(hinted).toEqual([true, ['S1']])
  },
)

it('remembers each write once, and none that no poll finds again', async () => {
  const { tryton, connector } = createTryton()
  const [feed] = createFeeds(connector)
  let { cursor } = await feed.poll(null)
  const counts: number[] = []
  for (let polls = 1; polls <= 300; polls++) {
    tryton.now = start + polls * 6_000
    tryton.rows = tryton.rows.concat([{ id: polls, stamp: tryton.now, visibleAt: tryton.now }])
    cursor = (await feed.poll(cursor)).cursor
    counts.push(feed.remembered)
  }
  // A quarter of an hour, and a little more.
  expect(Math.max(...counts)).toBeLessThanOrEqual(160)
  expect(counts.at(-1)).toBeGreaterThanOrEqual(150)
})
