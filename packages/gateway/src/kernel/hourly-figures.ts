/**
 * Figures of one hour, by kind and name, that wait in memory until they are added to the database. The overview reads
 * these sums: a day of a busy request log has too many rows to be summed up for each look at it.
 */

const hourMs = 60 * 60_000
/** The largest number of waiting figures. Beyond it, names that are new are left out; the totals have no names. */
const maxWaiting = 20_000

/**
 * What a figure counts: `total` all requests (name empty), `channel` and `code` those of a channel or with an error
 * code, `latency` those in a bucket of durations, `webhook` attempts by outcome.
 */
export type FigureKind = 'total' | 'channel' | 'code' | 'latency' | 'webhook'

/** Sums over the calls of an hour. Durations are microseconds. */
export interface Figures {
  readonly calls: number
  readonly failures?: number
  readonly points?: number
  /** Time within the gateway, without the calls to the ERP. */
  readonly gateway_us?: number
  readonly upstream_us?: number
  /** The number of calls that called the ERP. */
  readonly upstream_calls?: number
}

export interface HourlyFigureRow extends Required<Figures> {
  readonly kind: string
  /** The start of the hour in epoch milliseconds. */
  readonly at: number
  readonly name: string
}

/** A row whose sums grow in place: several are counted for each request, so that a copy each time would cost more. */
type Sum = { -readonly [Field in keyof HourlyFigureRow]: HourlyFigureRow[Field] }

export class HourlyFigures {
  /** The waiting sums by hour, kind and name. Nested maps, because building a key for each sum would cost more. */
  #hours = new Map<number, Map<string, Map<string, Sum>>>()
  #size = 0

  /** Adds figures to the hour of `at`, in epoch milliseconds. */
  add(at: number, kind: FigureKind, name: string, figures: Figures) {
    this.#addTo({ kind, at: toHour(at), name }, figures)
  }

  /** Takes all waiting rows, sorted by their key, so that processes that store the same rows never deadlock. */
  take(): HourlyFigureRow[] {
    const taken = [...this.#hours.values()].flatMap((kinds) =>
      [...kinds.values()].flatMap((names) => [...names.values()]),
    )
    this.#hours = new Map()
    this.#size = 0
    return taken.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1))
  }

  /** Puts rows back that could not be stored. */
  putBack(rows: readonly HourlyFigureRow[]) {
    for (const row of rows) this.#addTo(row, row)
  }

  #addTo({ kind, at, name }: Pick<Sum, 'kind' | 'at' | 'name'>, figures: Figures) {
    const names = findOrCreate(findOrCreate(this.#hours, at), kind)
    const known = names.get(name)
    if (!known && this.#size >= maxWaiting && kind !== 'total') return
    const sum = known ?? { kind, at, name, ...noFigures }
    if (!known) {
      names.set(name, sum)
      this.#size += 1
    }
    sum.calls += figures.calls
    sum.failures += figures.failures ?? 0
    sum.points += figures.points ?? 0
    sum.gateway_us += figures.gateway_us ?? 0
    sum.upstream_us += figures.upstream_us ?? 0
    sum.upstream_calls += figures.upstream_calls ?? 0
  }
}

function findOrCreate<Key, InnerKey, Value>(
  map: Map<Key, Map<InnerKey, Value>>,
  key: Key,
): Map<InnerKey, Value> {
  const known = map.get(key) ?? new Map<InnerKey, Value>()
  if (known.size === 0) map.set(key, known)
  return known
}

function toKey({ kind, at, name }: HourlyFigureRow): string {
  return `${kind} ${at} ${name}`
}

const noFigures = {
  calls: 0,
  failures: 0,
  points: 0,
  gateway_us: 0,
  upstream_us: 0,
  upstream_calls: 0,
}

/** Returns the start of an hour in epoch milliseconds. */
export function toHour(at: number): number {
  return Math.floor(at / hourMs) * hourMs
}
