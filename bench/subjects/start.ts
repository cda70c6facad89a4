import { type Bench, type Subject, storeKinds, withGateway } from '../bench.ts'
import { startGateway } from '../gateway.ts'
import { largeOfTargets } from '../options.ts'
import { median } from '../statistics.ts'
import type { FilledStock } from '../stock.ts'

/** From the start of the process to its first answer about stock, with all of the stock in the database. */
export const start: Subject = async (bench) => {
  const { sizes } = bench.options
  const empty = await startsOf(bench, await bench.stock('empty'))
  for (const kind of storeKinds(bench.options)) {
    const stock = await bench.stock('large', kind)
    const seconds = await startsOf(bench, stock)
    bench.report.judge({
      subject: 'start',
      target: `start with ${sizes.large.toLocaleString('en')} rows, ${stock.kind}`,
      unit: 's',
      values: seconds,
      ...(sizes.large >= largeOfTargets ? { bound: { is: 'at most' as const, must: 5, stretch: 2 } } : {}),
      detail: `${median(empty).toFixed(2)} s of it without stock`,
    })
  }
}

async function startsOf({ options, report }: Bench, stock: FilledStock): Promise<number[]> {
  report.progress(`starting with ${stock.rows.toLocaleString('en')} rows on ${stock.kind}`)
  const token = await withGateway(stock, (gateway) => gateway.token(stock.channels.rich))
  const seconds: number[] = []
  for (let round = 0; round < options.repeats; round++) {
    const gateway = await startGateway(stock, token)
    seconds.push(gateway.startMs / 1000)
    await gateway.end()
  }
  return seconds
}
