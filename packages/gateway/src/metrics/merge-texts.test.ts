import { Counter, Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { DurationHistogram } from './duration-histogram.ts'
import { mergeMetricTexts } from './merge-texts.ts'

async function writeText(process: string, count: number): Promise<string> {
  const registry = new Registry()
  registry.setDefaultLabels({ process })
  new Counter({ name: 'calls_total', help: 'Calls.', labelNames: ['route'], registers: [registry] }).inc(
    { route: '/a' },
    count,
  )
  const histogram = new DurationHistogram({
    name: 'time_seconds',
    help: 'Time.',
    labelNames: [],
    buckets: [1],
    registry,
  })
  histogram.addSeries({}).observe(count)
  return registry.metrics()
}

describe('merged metrics', () => {
  it('have each metric once, with the samples of every process', async () => {
    const merged = mergeMetricTexts([
      await writeText('1', 3),
      await writeText('2', 5),
      '# HELP own Own.\nown 1\n',
    ])
    expect(merged.match(/^# HELP calls_total /gm)).toHaveLength(1)
    expect(merged.match(/^# TYPE time_seconds /gm)).toHaveLength(1)
    expect(merged).toContain('calls_total{route="/a",process="1"} 3\ncalls_total{route="/a",process="2"} 5\n')
    expect(merged).toContain('time_seconds_sum{process="2"} 5\n')
    expect(merged).toContain('own 1\n')
  })
})
