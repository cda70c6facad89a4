/** The hourly sums of the requests and of the attempts of webhooks, for the operator's overview. */

import { sql } from 'kysely'
import { mcpPath } from '../contract/paths.ts'
import type { Gateway } from '../gateway.ts'
import { Histogram, toBucket } from '../kernel/histogram.ts'
import { type HourlyFigures, toHour } from '../kernel/hourly-figures.ts'
import type { RequestRow } from '../store/tables.ts'

const dayMs = 24 * 60 * 60_000
const hourMs = 60 * 60_000
/** How long the sums are kept. They are few, so they may outlive the rows of the request log. */
const keptMs = 31 * dayMs
/** The largest number of channels in an overview, those with the most points first. */
const maxChannels = 50
/** The operator's own calls are left out: a console that is open all day would hide the channels' figures. */
const operatorsPrefix = '/admin/'

type Counted = Pick<
  RequestRow,
  'at' | 'channel_code' | 'route' | 'status' | 'code' | 'points' | 'duration_us' | 'upstream_us'
>

/** Adds a finished request to the sums of its hour. */
export function countInHour(hours: HourlyFigures, request: Counted): void {
  const { at, channel_code, route, status, code, points, duration_us, upstream_us } = request
  if (route.startsWith(operatorsPrefix)) return
  const failures = status >= 400 ? 1 : 0
  hours.add(at, 'total', '', {
    calls: 1,
    failures,
    points,
    // Calls to the ERP that ran at the same time may add up to more than the request took. The time of an agent's call
    // is that of the calls that it makes, which are counted by themselves.
    gateway_us: route === mcpPath ? 0 : Math.max(0, duration_us - upstream_us),
    upstream_us,
    upstream_calls: upstream_us > 0 ? 1 : 0,
  })
  hours.add(at, 'latency', String(toBucket(duration_us)), { calls: 1 })
  if (channel_code !== '') hours.add(at, 'channel', channel_code, { calls: 1, failures, points })
  if (code !== null) hours.add(at, 'code', code, { calls: 1 })
}

const columns = [
  'kind',
  'at',
  'name',
  'calls',
  'failures',
  'points',
  'gateway_us',
  'upstream_us',
  'upstream_calls',
] as const

/** Adds what waits in memory to the sums in the database. What could not be stored waits for the next turn. */
export async function storeHours({ memory, store }: Gateway): Promise<void> {
  const rows = memory.hours.take()
  try {
    while (rows.length > 0) {
      const batch = rows.slice(0, store.batchRows)
      await store.db
        .insertInto('hourly_figures')
        .columns(columns)
        .expression(store.bulk.rows('hourly_figures', columns, batch))
        .onConflict((conflict) =>
          conflict.columns(['kind', 'at', 'name']).doUpdateSet((eb) => ({
            calls: eb('hourly_figures.calls', '+', eb.ref('excluded.calls')),
            failures: eb('hourly_figures.failures', '+', eb.ref('excluded.failures')),
            points: eb('hourly_figures.points', '+', eb.ref('excluded.points')),
            gateway_us: eb('hourly_figures.gateway_us', '+', eb.ref('excluded.gateway_us')),
            upstream_us: eb('hourly_figures.upstream_us', '+', eb.ref('excluded.upstream_us')),
            upstream_calls: eb('hourly_figures.upstream_calls', '+', eb.ref('excluded.upstream_calls')),
          })),
        )
        .execute()
      rows.splice(0, batch.length)
    }
  } finally {
    memory.hours.putBack(rows)
  }
}

/** Removes the sums that are older than their retention. */
export async function dropOldHours({ store, clock }: Gateway): Promise<void> {
  await store.db
    .deleteFrom('hourly_figures')
    .where('at', '<', clock.now() - keptMs)
    .execute()
}

/** Reads the sums of the newest hours, the running one included. Reads at most one row per hour, kind and name. */
export async function readHours(gateway: Gateway, hours: number) {
  await storeHours(gateway)
  const now = gateway.clock.now()
  const since = toHour(now) - (hours - 1) * hourMs
  const [series, latency, errors, channels] = await Promise.all([
    readSeries(gateway, { since, hours }),
    readLatency(gateway, since),
    readTop(gateway, { kind: 'code', since, by: 'calls' }),
    readTop(gateway, { kind: 'channel', since, by: 'points' }),
  ])
  return { since, until: now, series, latency, errors, channels }
}

/** Reads one entry per hour, oldest first, also for hours without a request. */
async function readSeries({ store }: Gateway, { since, hours }: { since: number; hours: number }) {
  const rows = await store.db
    .selectFrom('hourly_figures')
    .selectAll()
    .where('kind', 'in', ['total', 'webhook'])
    .where('at', '>=', since)
    .execute()
  const byKey = new Map(rows.map((row) => [`${row.kind} ${row.at} ${row.name}`, row]))
  const find = (at: number, kind: string, name: string) => byKey.get(`${kind} ${at} ${name}`)
  return Array.from({ length: hours }, (_, index) => {
    const at = since + index * hourMs
    const total = find(at, 'total', '')
    const countAttempts = (outcome: string) => find(at, 'webhook', outcome)?.calls ?? 0
    return {
      at,
      calls: total?.calls ?? 0,
      failures: total?.failures ?? 0,
      points: total?.points ?? 0,
      gateway_ms: computeMean(total?.gateway_us, total?.calls),
      upstream_ms: computeMean(total?.upstream_us, total?.upstream_calls),
      webhooks_delivered: countAttempts('delivered'),
      webhooks_failed: countAttempts('failed'),
      dead_letters: countAttempts('dead_letter'),
    }
  })
}

/** Computes a mean in milliseconds from a sum in microseconds; null without a call. */
function computeMean(sumUs = 0, calls = 0): number | null {
  return calls === 0 ? null : Math.round(sumUs / calls) / 1000
}

/** Reads how long the requests took. */
async function readLatency({ store }: Gateway, since: number): Promise<Histogram> {
  const rows = await store.db
    .selectFrom('hourly_figures')
    .select(['name', ({ fn }) => fn.sum<number>('calls').as('calls')])
    .where('kind', '=', 'latency')
    .where('at', '>=', since)
    .groupBy('name')
    .execute()
  const histogram = new Histogram()
  for (const { name, calls } of rows) histogram.addToBucket(Number(name), Number(calls))
  return histogram
}

interface Ranking {
  readonly kind: 'code' | 'channel'
  readonly since: number
  readonly by: 'calls' | 'points'
}

/** Reads the names of a kind with the largest sums, largest first. */
async function readTop({ store }: Gateway, { kind, since, by }: Ranking) {
  const rows = await store.db
    .selectFrom('hourly_figures')
    .select(({ fn }) => [
      'name',
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>('points').as('points'),
      fn.sum<number>('failures').as('failures'),
    ])
    .where('kind', '=', kind)
    .where('at', '>=', since)
    .groupBy('name')
    .orderBy(sql.ref(by), 'desc')
    .orderBy('name')
    .limit(maxChannels)
    .execute()
  return rows.map(({ name, calls, points, failures }) => ({
    name,
    calls: Number(calls),
    points: Number(points),
    failures: Number(failures),
  }))
}
