import { type Bench, listStoreKinds, type Subject, withGateway } from '../bench.ts'
import { type FilledStock, startGateway } from '../gateway.ts'
import { targetRows } from '../options.ts'
import { median } from '../statistics.ts'

/** Measures the time from the start of the process to its first stock read, with a full database. */
export const measureStarts: Subject = async (bench) => {
  const { sizes } = bench.options
  const empty = await measureStartTimes(bench, await bench.provideStock('empty'))
  for (const kind of listStoreKinds(bench.options)) {
    const stock = await bench.provideStock('large', kind)
    const seconds = await measureStartTimes(bench, stock)
    bench.report.judge({
      subject: 'start',
      target: `start with ${sizes.large.toLocaleString('en')} rows, ${stock.kind}`,
      unit: 's',
      values: seconds,
      ...(sizes.large >= targetRows ? { bound: { is: 'at most' as const, must: 5, stretch: 2 } } : {}),
      detail: `${median(empty).toFixed(2)} s of it without stock`,
    })
  }
}

async function measureStartTimes({ options, report }: Bench, stock: FilledStock): Promise<number[]> {
  report.printProgress(`starting with ${stock.rows.toLocaleString('en')} rows on ${stock.kind}`)
  const token = await withGateway(stock, (gateway) => gateway.requestToken(stock.channels.rich))
  const seconds: number[] = []
  for (let round = 0; round < options.repeats; round++) {
    const gateway = await startGateway(stock, token)
    seconds.push(gateway.startMs / 1000)
    await gateway.end()
  }
  return seconds
}
