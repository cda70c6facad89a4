import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as tick, setImmediate as yieldToLoop } from 'node:timers/promises'
import { erpFrom, rejected } from '@trade-gateway/connector'
import { readConfig } from '../packages/gateway/src/config.ts'
import { type Gateway, openGateway } from '../packages/gateway/src/gateway.ts'
import { jsonLog } from '../packages/gateway/src/kernel/log.ts'
import { writeStock } from '../packages/gateway/src/stock/write.ts'
import { batchRows } from '../packages/gateway/src/store/store.ts'
import { figureOf, skuOf, warehouse } from './goods.ts'
import { openStore } from './stock.ts'

/**
 * A refresh without HTTP and without an ERP, in two halves: writing batches into the database, and bringing memory
 * to it. Arguments: rows in stock, rows that change, rounds. Tells its parent of each round.
 */
const [rows = 0, changed = 1, rounds = 0] = process.argv.slice(2).map(Number)
/** Above the changes that the run made before, so that each figure is new. */
const firstChange = 1_000
const resolutionMs = 1

const settings = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'PATH'))
const config = readConfig(settings)
const store = await openStore(Object.fromEntries(Object.entries(settings).map(([k, v]) => [k, v ?? ''])))
const erp = erpFrom(async (id) => rejected('not_supported', `${id} is not asked here`))
const gateway = await openGateway({ config, store, erp, log: jsonLog('silent') })
await gateway.mirror.stock.follow()
for (let round = 0; round < rounds; round++) {
  const write = await timed(() => writeBatches(gateway, round))
  const follow = await timed(() => gateway.mirror.stock.follow())
  process.send?.({
    writeMs: write.ms,
    writeBlockedMs: write.blockedMs,
    followMs: follow.ms,
    followBlockedMs: follow.blockedMs,
  })
}
await store.close()

async function writeBatches(open: Gateway, round: number): Promise<void> {
  const step = Math.floor(rows / changed)
  for (let from = 0; from < changed; from += batchRows) {
    const skus = Array.from({ length: Math.min(batchRows, changed - from) }, (_, at) =>
      skuOf.number((from + at) * step),
    )
    await writeStock(open, {
      warehouse_code: warehouse.warehouse_code,
      rows: skus.map((sku) => figureOf(sku, firstChange + round)),
      gone: [],
      gone_seq: null,
    })
    // In operation the ERP is asked for each batch, and the loop goes round meanwhile.
    await yieldToLoop()
  }
}

async function timed(work: () => Promise<void>) {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  // The first tick only tells from when on to count.
  await tick(2 * resolutionMs)
  const began = performance.now()
  await work()
  const ms = performance.now() - began
  // One more tick, so that the last piece of work is seen.
  await tick(2 * resolutionMs)
  histogram.disable()
  return { ms, blockedMs: Math.max(0, histogram.max / 1e6 - resolutionMs) }
}
