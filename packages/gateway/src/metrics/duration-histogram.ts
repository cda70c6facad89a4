import { Histogram, type Registry } from 'prom-client'

export interface DurationHistogramOptions {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  /** The upper bounds of the buckets in seconds, ascending. */
  readonly buckets: readonly number[]
  readonly registry: Registry
}

/** The observed durations of one set of labels. */
export class Durations {
  readonly labels: Readonly<Record<string, string>>
  /** The number of durations in each bucket; the last one has no upper bound. */
  readonly counts: Float64Array
  sum = 0
  readonly #bounds: readonly number[]

  constructor(labels: Readonly<Record<string, string>>, bounds: readonly number[]) {
    this.labels = labels
    this.counts = new Float64Array(bounds.length + 1)
    this.#bounds = bounds
  }

  observe(seconds: number) {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && seconds > (bounds[at] ?? 0)) at++
    this.counts[at] = (this.counts[at] ?? 0) + 1
    this.sum += seconds
  }
}

/**
 * A histogram of the Prometheus client that counts in plain arrays. The client's own histogram validates and hashes the
 * labels of each observation, which took 600 to 900 ns; an observation here takes about 10 ns.
 */
export class DurationHistogram extends Histogram {
  readonly #named: { readonly name: string; readonly help: string }
  readonly #bounds: readonly number[]
  readonly #all: Durations[] = []

  constructor({ registry, labelNames, buckets, ...named }: DurationHistogramOptions) {
    super({ ...named, labelNames: [...labelNames], buckets: [...buckets], registers: [registry] })
    this.#named = named
    this.#bounds = buckets
  }

  /** Creates the durations of a set of labels. The caller keeps them, and asks once for each set. */
  addSeries(labels: Readonly<Record<string, string>>): Durations {
    const durations = new Durations(labels, this.#bounds)
    this.#all.push(durations)
    return durations
  }

  /** Returns the samples; the registry calls this method when it writes its text. */
  async getForPromString() {
    const { name, help } = this.#named
    return {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: this.#all.flatMap((each) => toSamples(name, this.#bounds, each)),
    }
  }
}

function toSamples(name: string, bounds: readonly number[], { labels, counts, sum }: Durations) {
  let total = 0
  const buckets = [...counts].map((count, at) => {
    total += count
    const le = at < bounds.length ? String(bounds[at]) : '+Inf'
    return { metricName: `${name}_bucket`, labels: { le }, sharedLabels: labels, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: {}, sharedLabels: labels, value: sum },
    { metricName: `${name}_count`, labels: {}, sharedLabels: labels, value: total },
  ]
}
