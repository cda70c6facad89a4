import { setTimeout as pause } from 'node:timers/promises'
import { type Subject, withGateway } from '../bench.ts'
import type { RunningGateway } from '../gateway.ts'
import { createNumberReader } from '../load.ts'
import { type Options, targetRows } from '../options.ts'
import { sendProbeCommand } from '../probe.ts'
import { readRss } from '../processes.ts'
import { sendRequest } from '../send-request.ts'
import { median } from '../statistics.ts'

const settleMs = 10_000
const everyMs = 500
/** Only this number of samples at the end are used, because the memory has settled by then. */
const settledSamples = 5

interface Footprint {
  readonly rss: readonly number[]
  readonly highest: number
  /** Bytes of heap and buffers that are live after a full garbage collection. */
  readonly live: readonly number[]
  readonly jsonBytes: number
}

/** Compares the live bytes that the stock adds to an empty gateway with the size of the stock as JSON. */
export const measureMemory: Subject = async (bench) => {
  const { report, options } = bench
  const idle = await withGateway(await bench.provideStock('empty'), (gateway) =>
    measureFootprint(gateway, options),
  )
  const full = await withGateway(await bench.provideStock('large'), (gateway) =>
    measureFootprint(gateway, options),
  )
  const viewed = await withGateway(await bench.provideStock('large', { view: true }), (gateway) =>
    measureFootprint(gateway, options),
  )
  const computeRatioAbove = (live: number, base: Footprint) => (live - median(base.live)) / full.jsonBytes
  const rows = `${options.sizes.large.toLocaleString('en')} rows`
  const isOfTarget = options.sizes.large >= targetRows
  report.judge({
    subject: 'memory',
    target: `live bytes of ${rows} / their JSON`,
    unit: '×',
    values: full.live.map((live) => computeRatioAbove(live, idle)),
    ...(isOfTarget ? { bound: { is: 'at most' as const, must: 1.5, stretch: 1.2 } } : {}),
    detail:
      `JSON ${formatMegabytes(full.jsonBytes)}; the process ${formatMegabytes(median(full.rss))}, ${formatMegabytes(median(idle.rss))} without stock, ` +
      `${formatMegabytes(full.highest)} while loading`,
  })
  report.judge({
    subject: 'memory',
    target: `a view over them, extra live bytes / their JSON`,
    unit: '×',
    values: viewed.live.map((live) => computeRatioAbove(live, full)),
    detail: `the process ${formatMegabytes(median(viewed.rss))}`,
  })
  report.judge({
    subject: 'memory',
    target: 'memory without stock',
    unit: 'MB',
    values: idle.rss.map((rss) => rss / 1e6),
    bound: { is: 'at most', must: 150, stretch: 120 },
  })
}

async function measureFootprint(
  { process, stockUrl, headers }: RunningGateway,
  { quick }: Options,
): Promise<Footprint> {
  const { headers: stockHeaders } = await sendRequest(stockUrl, { method: 'HEAD', headers })
  const samples: number[] = []
  for (let waited = 0; waited < settleMs / (quick ? 4 : 1); waited += everyMs) {
    await pause(everyMs)
    samples.push(readRss(process))
  }
  const highest = readRss(process, 'VmHWM')
  const live: number[] = []
  for (let at = 0; at < settledSamples; at++) {
    await sendProbeCommand(process, 'collectGarbage')
    const seen = createNumberReader(await sendProbeCommand(process, 'report'))
    live.push(seen('heapUsed') + seen('external'))
  }
  const jsonBytes = Number(stockHeaders['content-length'])
  return { rss: samples.slice(-settledSamples), highest, live, jsonBytes }
}

function formatMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
