import { asked, refused } from './ask.ts'
import { type Check, ConformanceFailure, type Skipped, skip, someOf } from './check.ts'
import { noSuchKey, overEach, type Row, type StockListing, sampleOf, stockListings } from './listing.ts'

type Look = (listing: StockListing) => Promise<Skipped | undefined>

/** Checks of what only stock has: warehouses, counters, currency, incoming goods. */
export const stockChecks: readonly Check[] = [
  {
    id: 'stock.unknown_warehouse',
    states: 'A warehouse that is not there is refused with not_found.',
    async run(erp) {
      const warehouse_code = noSuchKey(1)
      await refused(erp, 'stock.snapshot', { warehouse_code, after: null, limit: 1 }, 'not_found')
      await refused(erp, 'stock.read', { warehouse_code, skus: [noSuchKey(2)] }, 'not_found')
      await refused(erp, 'stock.changed', { warehouse_code, cursor: null }, 'not_found')
      return undefined
    },
  },
  counterCheck('rows', 'The stock_seq of a SKU never decreases from one read to the next.', true, rowsRise),
  counterCheck(
    'answers',
    'The stock_seq of an answer is not behind a row that was given before it.',
    true,
    answersKeepUp,
  ),
  counterCheck('absent', 'Where the ERP has no counter, every stock_seq is null.', false, noCounters),
  stockCheck('stock.currency', 'A row is in the currency of its warehouse.', compareCurrency),
  stockCheck('stock.incoming', 'Incoming goods land on the first day of their window or later.', compareDays),
]

function stockCheck(id: string, states: string, look: Look): Check {
  return { id, states, run: async (erp) => overEach(await stockListings(erp), look) }
}

/** A check that applies to ERPs with a counter, or to those without. */
function counterCheck(id: string, states: string, withCounter: boolean, look: Look): Check {
  return {
    id: `stock.seq.${id}`,
    states,
    async run(erp) {
      const { capabilities } = await asked(erp, 'describe', {})
      if (capabilities.stock_seq !== withCounter) {
        return skip(`The ERP says that it has ${withCounter ? 'no' : 'a'} counter (stock_seq).`)
      }
      return overEach(await stockListings(erp), look)
    },
  }
}

async function rowsRise(listing: StockListing): Promise<Skipped | undefined> {
  const sample = await sampleOf(listing)
  if (sample.length === 0) return skip(`There is nothing in ${listing.of}.`)
  const keys = sample.map(({ key }) => key)
  const looks = [sample, (await listing.read(keys)).rows, (await listing.read(keys)).rows]
  const newest = new Map<string, number>()
  for (const row of looks.flat()) {
    if (row.seq === null) throw withoutCounter(listing, row)
    const before = newest.get(row.key) ?? 0
    if (row.seq < before) throw fallingBehind(listing, `${row.key} with ${row.seq} after ${before}`)
    newest.set(row.key, row.seq)
  }
  return undefined
}

async function answersKeepUp(listing: StockListing): Promise<Skipped | undefined> {
  const sample = await sampleOf(listing)
  if (sample.length === 0) return skip(`There is nothing in ${listing.of}.`)
  const given = Math.max(...sample.map(({ seq }) => seq ?? 0))
  const read = await listing.read([noSuchKey(1)])
  const page = await listing.page(null, 1)
  for (const [name, seq] of [
    ['stock.read', read.seq],
    ['stock.snapshot', page.seq],
  ] as const) {
    if (seq === null || seq < given) {
      throw fallingBehind(listing, `${name} as a whole with ${seq} after a row with ${given}`)
    }
  }
  return undefined
}

async function noCounters(listing: StockListing): Promise<Skipped | undefined> {
  const page = await listing.page(null, 100)
  const keys = [noSuchKey(1), ...page.rows.map(({ key }) => key)]
  const read = await listing.read(keys)
  const counted = [...page.rows, ...read.rows].filter(({ seq }) => seq !== null)
  if (counted.length === 0 && page.seq === null && read.seq === null) return undefined
  throw new ConformanceFailure({
    expected: `stock_seq to be null everywhere in ${listing.of}, as the ERP declares stock_seq: false`,
    came:
      counted.length > 0 ? `a number at ${someOf(counted.map(({ key }) => key))}` : 'a number in the answer',
    remedy: 'Answer null, or declare stock_seq: true and keep its promise.',
  })
}

function withoutCounter(listing: StockListing, row: Row): ConformanceFailure {
  return new ConformanceFailure({
    expected: `a stock_seq at every row of ${listing.of}, as the ERP declares stock_seq: true`,
    came: `null at ${row.key}`,
    remedy: 'Give every row its counter, or declare stock_seq: false and answer null everywhere.',
  })
}

function fallingBehind(listing: StockListing, came: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `stock_seq in ${listing.of} never to run back`,
    came,
    remedy:
      'Take the counter of an answer after its rows’ own, from one commit order, or declare stock_seq: false: the gateway drops figures that look older than what it has.',
  })
}

async function compareCurrency(listing: StockListing): Promise<Skipped | undefined> {
  const { warehouse_code, currency } = listing.warehouse
  const strange = (await sampleOf(listing)).find(({ value }) => value.currency !== currency)
  if (!strange) return undefined
  throw new ConformanceFailure({
    expected: `the prices of ${warehouse_code} in ${currency}, the currency of the warehouse`,
    came: `${strange.value.currency} at ${strange.key}`,
    remedy: 'Answer the price list of the warehouse, or correct the currency of the warehouse.',
  })
}

async function compareDays(listing: StockListing): Promise<Skipped | undefined> {
  for (const { key, value } of await sampleOf(listing)) {
    const turned = value.incoming.find(({ earliest_date, latest_date }) => latest_date < earliest_date)
    if (!turned) continue
    throw new ConformanceFailure({
      expected: 'latest_date not to be before earliest_date',
      came: `${turned.earliest_date} to ${turned.latest_date} for ${key} in ${listing.of}`,
      remedy: 'Answer the same day twice where only one is known.',
    })
  }
  return undefined
}
