import { setTimeout as pause } from 'node:timers/promises'
import { ask } from '../ask.ts'
import { type Bench, type Subject, withGateway } from '../bench.ts'
import type { RunningGateway } from '../gateway.ts'
import { numbersIn } from '../load.ts'
import { largeOfTargets } from '../options.ts'
import { probed } from '../probe.ts'
import { rssOf } from '../processes.ts'
import { median } from '../statistics.ts'

const settleMs = 10_000
const everyMs = 500
/** The last samples are taken for settled. */
const settledSamples = 5

interface Footprint {
  readonly samples: readonly number[]
  readonly rss: number
  readonly highest: number
  /** After a full collection, which nobody does in operation: what is really held. */
  readonly collected: number
  readonly jsonBytes: number
}

/** Memory above that of a gateway without stock, against the bytes of the stock's JSON. */
export const memory: Subject = async (bench) => {
  const { report, options } = bench
  const idle = await withGateway(await bench.stock('empty'), footprintOf(bench))
  const full = await withGateway(await bench.stock('large'), footprintOf(bench))
  const viewed = await withGateway(await bench.stock('large', { view: true }), footprintOf(bench))
  const above = (rss: number, base: Footprint) => (rss - base.rss) / full.jsonBytes
  const rows = `${options.sizes.large.toLocaleString('en')} rows`
  const isOfTarget = options.sizes.large >= largeOfTargets
  report.judge({
    subject: 'memory',
    target: `memory of ${rows} / their JSON`,
    unit: '×',
    values: full.samples.map((rss) => above(rss, idle)),
    ...(isOfTarget ? { bound: { is: 'at most' as const, must: 1.5, stretch: 1.2 } } : {}),
    detail:
      `${mb(full.rss)} − ${mb(idle.rss)} idle, JSON ${mb(full.jsonBytes)}; highest while loading ${mb(full.highest)}; ` +
      `after a full collection ${((full.collected - idle.collected) / full.jsonBytes).toFixed(2)} ×`,
  })
  report.judge({
    subject: 'memory',
    target: `a view over them, extra / their JSON`,
    unit: '×',
    values: viewed.samples.map((rss) => above(rss, full)),
    detail: `${mb(viewed.rss)}; after a full collection ${((viewed.collected - full.collected) / full.jsonBytes).toFixed(2)} ×`,
  })
  report.judge({
    subject: 'memory',
    target: 'memory without stock',
    unit: 'MB',
    values: idle.samples.map((rss) => rss / 1e6),
    bound: { is: 'at most', must: 150 },
  })
}

function footprintOf({ options }: Bench) {
  return async (gateway: RunningGateway): Promise<Footprint> => {
    const { process, stockUrl, headers } = gateway
    const { headers: told } = await ask(stockUrl, { method: 'HEAD', headers })
    const samples: number[] = []
    for (let waited = 0; waited < settleMs / (options.quick ? 4 : 1); waited += everyMs) {
      await pause(everyMs)
      samples.push(rssOf(process))
    }
    const settled = samples.slice(-settledSamples)
    const highest = rssOf(process, 'VmHWM')
    await probed(process, 'collect')
    const collected = numbersIn(await probed(process, 'tell'))('rss')
    const jsonBytes = Number(told['content-length'])
    return { samples: settled, rss: median(settled), highest, collected, jsonBytes }
  }
}

function mb(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
