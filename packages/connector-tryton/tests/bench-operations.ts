/** The operations of the connector, in this process: their times, and the calls of Tryton that they make. */
import { type Input, unwrap } from '@trade-gateway/connector'
import { type Bench, time } from './bench-table.ts'
import { type Live, openLive, stockUp, toHold, toQuote, toSubmit, warehouse_code } from './live.ts'
import { openProxy } from './proxy.ts'

const parallelHolds = 40
const quotedLines = 20

interface Operation {
  readonly name: string
  readonly target?: string
  /** Makes what the operation starts from, which is not measured, and returns the operation. */
  readonly prepare: (live: Live) => Promise<() => Promise<unknown>>
}

const operations: readonly Operation[] = [
  {
    name: 'stock.read, one SKU',
    prepare: async (live) => () => live.erp['stock.read']({ warehouse_code, skus: [sku] }),
  },
  { name: 'stock.changed, nothing new', prepare: preparePoll },
  {
    name: 'quote, one line',
    prepare: async (live) => async () => unwrap(await live.erp.quote(toQuote(live, sku, 1))),
  },
  { name: `quote, ${quotedLines} lines`, target: '≤ 800 ms', prepare: prepareLongQuote },
  {
    name: 'hold',
    target: '≤ 300 ms',
    prepare: async (live) => async () => unwrap(await live.erp.hold(toHold(live, sku, 1))),
  },
  { name: 'release', prepare: prepareRelease },
  {
    name: 'submit',
    target: 'p50 ≤ 1.0 s, p99 ≤ 2.5 s',
    prepare: async (live) => async () => unwrap(await live.erp.submit(toSubmit(live, sku, 1))),
  },
  { name: 'submit, from a hold', prepare: prepareHeldSubmit },
  { name: 'submit, repeated', prepare: prepareRepeat },
  { name: 'void', target: '≤ 1.2 s', prepare: prepareVoid },
  { name: 'lookup of an order', prepare: prepareLookup },
]
let sku = ''

export async function measureOperations({ sandbox, table, repeats }: Bench): Promise<void> {
  const proxy = await openProxy(sandbox.url)
  const counted = await openLive({ url: proxy.url, staffUrl: sandbox.url })
  const live = await openLive({ staffUrl: sandbox.url })
  sku = await stockUp(live, 0, 100_000)
  for (const { name, target = '', prepare } of operations) {
    // The first one fills caches.
    for (let warm = 0; warm < 2; warm++) {
      const run = await prepare(counted)
      proxy.seen.length = 0
      await run()
    }
    const trips = proxy.seen.length
    const times = []
    for (let number = 0; number < repeats; number++) times.push(await time(await prepare(live)))
    table.add({ name, times, target, trips })
  }
  const inputs = Array.from({ length: parallelHolds }, () => toHold(live, sku, 1))
  let made = 0
  const hold = async (input: Input<'hold'>) => {
    // On a busy machine, the last ones meet the deadline of a request.
    const result = await live.erp.hold(input).catch(() => undefined)
    if (result && 'ok' in result && result.ok.document) made += 1
  }
  const times = [await time(() => Promise.all(inputs.map(hold)))]
  table.add({ name: `${made} of ${parallelHolds} holds of one SKU at once`, times, target: '≤ 15 s' })
  await proxy.close()
}

async function preparePoll({ erp }: Live) {
  const { cursor } = unwrap(await erp['stock.changed']({ warehouse_code, cursor: null }))
  return () => erp['stock.changed']({ warehouse_code, cursor })
}

async function prepareLongQuote(live: Live) {
  const { rows } = unwrap(
    await live.erp['stock.snapshot']({ warehouse_code, after: null, limit: quotedLines }),
  )
  const lines = rows.map((row) => ({ sku: row.sku, quantity: 1 }))
  return async () => unwrap(await live.erp.quote({ ...toQuote(live, sku, 1), lines }))
}

async function holdOne(live: Live): Promise<string> {
  const input: Input<'hold'> = toHold(live, sku, 1)
  unwrap(await live.erp.hold(input))
  return input.reference
}

async function prepareRelease(live: Live) {
  const reference = await holdOne(live)
  return async () => unwrap(await live.erp.release({ reference, reason: 'release' }))
}

async function prepareHeldSubmit(live: Live) {
  const input = toSubmit(live, sku, 1, { hold_reference: await holdOne(live) })
  return async () => unwrap(await live.erp.submit(input))
}

async function submitOne(live: Live): Promise<Input<'submit'>> {
  const input = toSubmit(live, sku, 1)
  unwrap(await live.erp.submit(input))
  return input
}

async function prepareRepeat(live: Live) {
  const input = await submitOne(live)
  return async () => unwrap(await live.erp.submit(input))
}

async function prepareVoid(live: Live) {
  const { reference } = await submitOne(live)
  return async () => unwrap(await live.erp.void({ reference }))
}

async function prepareLookup(live: Live) {
  const { reference } = await submitOne(live)
  return async () => unwrap(await live.erp.lookup({ reference }))
}
