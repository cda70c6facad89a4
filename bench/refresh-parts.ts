import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as tick, setImmediate as yieldToLoop } from 'node:timers/promises'
import { createFigure, formatSku, warehouse } from './goods.ts'
import { batchRows, type Gateway, openInternals, writeStock } from './internals.ts'

/**
 * Measures the two halves of a refresh without HTTP and without an ERP: writing batches into the database, and updating
 * the snapshot in memory. Arguments: stock rows, changed rows, rounds. Sends each round's figures to its parent.
 */

const [rows = 0, changed = 1, rounds = 0] = process.argv.slice(2).map(Number)
/** The number of the first batch. It is above those that the run has used before, so that each figure is new. */
const firstChange = 1_000
const resolutionMs = 1

/**
 * The variables that `startPinned` adds to every environment. They are left out here, because the gateway refuses
 * settings that it does not know.
 */
const systemNames = ['PATH', 'LANG']
const settings = Object.entries(process.env).filter(([name]) => !systemNames.includes(name))
const gateway = await openInternals(Object.fromEntries(settings.map(([name, value = '']) => [name, value])))
await gateway.mirror.stock.follow()
for (let round = 0; round < rounds; round++) {
  const write = await measureWork(() => writeBatches(gateway, round))
  const follow = await measureWork(() => gateway.mirror.stock.follow())
  process.send?.({
    writeMs: write.ms,
    writeBlockedMs: write.blockedMs,
    followMs: follow.ms,
    followBlockedMs: follow.blockedMs,
  })
}
await gateway.store.close()

async function writeBatches(open: Gateway, round: number): Promise<void> {
  const step = Math.floor(rows / changed)
  for (let from = 0; from < changed; from += batchRows) {
    const skus = Array.from({ length: Math.min(batchRows, changed - from) }, (_, at) =>
      formatSku((from + at) * step),
    )
    await writeStock(open, {
      warehouse_code: warehouse.warehouse_code,
      rows: skus.map((sku) => createFigure(sku, firstChange + round)),
      gone: [],
      gone_seq: null,
    })
    // In production the gateway awaits an ERP call for each batch, which lets the event loop run.
    await yieldToLoop()
  }
}

async function measureWork(work: () => Promise<void>) {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  // The first tick after `enable` only sets the start time.
  await tick(2 * resolutionMs)
  const began = performance.now()
  await work()
  const ms = performance.now() - began
  // One more tick, so that the histogram records the end of the work.
  await tick(2 * resolutionMs)
  histogram.disable()
  return { ms, blockedMs: Math.max(0, histogram.max / 1e6 - resolutionMs) }
}
