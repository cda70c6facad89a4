import { callOk, callRefused } from './call.ts'
import { type Check, ConformanceFailure, joinSome, type Skipped, skip } from './check.ts'
import {
  checkEach,
  createUnknownKey,
  listStockListings,
  type Row,
  type StockListing,
  sampleRows,
} from './listing.ts'

type Look = (listing: StockListing) => Promise<Skipped | undefined>

/** The checks that apply to stock only: warehouses, counters, currency and incoming goods. */
export const stockChecks: readonly Check[] = [
  {
    id: 'stock.unknown_warehouse',
    states: 'An unknown warehouse is refused with not_found.',
    async run(erp) {
      const warehouse_code = createUnknownKey(1)
      await callRefused(erp, 'stock.snapshot', { warehouse_code, after: null, limit: 1 }, 'not_found')
      await callRefused(erp, 'stock.read', { warehouse_code, skus: [createUnknownKey(2)] }, 'not_found')
      await callRefused(erp, 'stock.changed', { warehouse_code, cursor: null }, 'not_found')
      return undefined
    },
  },
  defineCounterCheck(
    {
      id: 'rows',
      states: 'The stock_seq of a SKU never decreases from one read to the next.',
      hasCounter: true,
    },
    requireRisingRowCounters,
  ),
  defineCounterCheck(
    {
      id: 'answers',
      states: 'The stock_seq of a response is not below that of a row that was returned before.',
      hasCounter: true,
    },
    requireCurrentCounter,
  ),
  defineCounterCheck(
    { id: 'absent', states: 'If the ERP has no counter, every stock_seq is null.', hasCounter: false },
    requireNoCounters,
  ),
  defineStockCheck('stock.currency', 'A row is in the currency of its warehouse.', requireWarehouseCurrency),
  defineStockCheck(
    'stock.incoming',
    'The latest_date of incoming goods is not before their earliest_date.',
    requireAscendingDays,
  ),
]

function defineStockCheck(id: string, states: string, look: Look): Check {
  return { id, states, run: async (erp) => checkEach(await listStockListings(erp), look) }
}

interface CounterCheck {
  readonly id: string
  readonly states: string
  readonly hasCounter: boolean
}

/** Defines a check that applies only to ERPs with a change counter (`stock_seq`), or only to those without. */
function defineCounterCheck({ id, states, hasCounter }: CounterCheck, look: Look): Check {
  return {
    id: `stock.seq.${id}`,
    states,
    async run(erp) {
      const { capabilities } = await callOk(erp, 'describe', {})
      if (capabilities.stock_seq !== hasCounter) {
        return skip(`The ERP declares that it has ${hasCounter ? 'no' : 'a'} counter (stock_seq).`)
      }
      return checkEach(await listStockListings(erp), look)
    },
  }
}

async function requireRisingRowCounters(listing: StockListing): Promise<Skipped | undefined> {
  const sample = await sampleRows(listing)
  if (sample.length === 0) return skip(`There is nothing in ${listing.name}.`)
  const keys = sample.map(({ key }) => key)
  const looks = [sample, (await listing.read(keys)).rows, (await listing.read(keys)).rows]
  const newest = new Map<string, number>()
  for (const row of looks.flat()) {
    if (row.seq === null) throw createMissingCounterFailure(listing, row)
    const before = newest.get(row.key) ?? 0
    if (row.seq < before)
      throw createFallingCounterFailure(listing, `${row.key} with ${row.seq} after ${before}`)
    newest.set(row.key, row.seq)
  }
  return undefined
}

async function requireCurrentCounter(listing: StockListing): Promise<Skipped | undefined> {
  const sample = await sampleRows(listing)
  if (sample.length === 0) return skip(`There is nothing in ${listing.name}.`)
  const given = Math.max(...sample.map(({ seq }) => seq ?? 0))
  const read = await listing.read([createUnknownKey(1)])
  const page = await listing.readPage(null, 1)
  for (const [name, seq] of [
    ['stock.read', read.seq],
    ['stock.snapshot', page.seq],
  ] as const) {
    if (seq === null || seq < given) {
      throw createFallingCounterFailure(listing, `${name} as a whole with ${seq} after a row with ${given}`)
    }
  }
  return undefined
}

async function requireNoCounters(listing: StockListing): Promise<Skipped | undefined> {
  const page = await listing.readPage(null, 100)
  const keys = [createUnknownKey(1), ...page.rows.map(({ key }) => key)]
  const read = await listing.read(keys)
  const counted = [...page.rows, ...read.rows].filter(({ seq }) => seq !== null)
  if (counted.length === 0 && page.seq === null && read.seq === null) return undefined
  throw new ConformanceFailure({
    expected: `stock_seq to be null everywhere in ${listing.name}, as the ERP declares stock_seq: false`,
    actual:
      counted.length > 0
        ? `a number at ${joinSome(counted.map(({ key }) => key))}`
        : 'a number in the response',
    remedy: 'Return null, or declare stock_seq: true and keep its guarantee.',
  })
}

function createMissingCounterFailure(listing: StockListing, row: Row): ConformanceFailure {
  return new ConformanceFailure({
    expected: `a stock_seq in every row of ${listing.name}, as the ERP declares stock_seq: true`,
    actual: `null in ${row.key}`,
    remedy: 'Return a counter with every row, or declare stock_seq: false and return null everywhere.',
  })
}

function createFallingCounterFailure(listing: StockListing, actual: string): ConformanceFailure {
  return new ConformanceFailure({
    expected: `stock_seq in ${listing.name} never to decrease`,
    actual,
    remedy:
      'Read the counter of a response after those of its rows, in commit order, or declare stock_seq: false. The gateway drops figures that seem older than its own.',
  })
}

async function requireWarehouseCurrency(listing: StockListing): Promise<Skipped | undefined> {
  const { warehouse_code, currency } = listing.warehouse
  const strange = (await sampleRows(listing)).find(({ value }) => value.currency !== currency)
  if (!strange) return undefined
  throw new ConformanceFailure({
    expected: `the prices of ${warehouse_code} in ${currency}, the currency of the warehouse`,
    actual: `${strange.value.currency} at ${strange.key}`,
    remedy: 'Return prices in the currency of the warehouse, or correct that currency.',
  })
}

async function requireAscendingDays(listing: StockListing): Promise<Skipped | undefined> {
  for (const { key, value } of await sampleRows(listing)) {
    const turned = value.incoming.find(({ earliest_date, latest_date }) => latest_date < earliest_date)
    if (!turned) continue
    throw new ConformanceFailure({
      expected: 'latest_date not to be before earliest_date',
      actual: `${turned.earliest_date} to ${turned.latest_date} for ${key} in ${listing.name}`,
      remedy: 'Return the same day twice if only one is known.',
    })
  }
  return undefined
}
