/** What a channel reads: its successful fast reads, which the request log counts per route and minute. */

import { sql } from 'kysely'
import { readChannel } from '../access/channels.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'

const hourMs = 60 * 60_000
/** More routes than the API has. */
const maxRoutes = 200

/**
 * Reads the counts of a channel's reads over the newest hours, by route, and its busiest minute. The running minute is
 * not stored yet, so it is not included. Throws `NOT_FOUND` if the channel does not exist.
 */
export async function readChannelReads(
  { store: { db }, clock }: Gateway,
  channel_code: string,
  hours: number,
) {
  await readChannel(db, channel_code)
  const now = clock.now()
  const since = now - hours * hourMs
  const counted = db
    .selectFrom('request_counts')
    .where('channel_code', '=', channel_code)
    .where('at', '>=', since)
  const routes = await counted
    .select(({ fn }) => [
      'route',
      fn.sum<number>('calls').as('calls'),
      fn.sum<number>('points').as('points'),
      fn.sum<number>('duration_us').as('duration_us'),
    ])
    .groupBy('route')
    .orderBy(sql.ref('calls'), 'desc')
    .orderBy('route')
    .limit(maxRoutes)
    .execute()
  const busiest = await counted
    .select(({ fn }) => ['at', fn.sum<number>('calls').as('calls'), fn.sum<number>('points').as('points')])
    .groupBy('at')
    .orderBy(sql.ref('calls'), 'desc')
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return {
    since: formatInstant(since),
    until: formatInstant(now),
    busiest_minute: busiest
      ? { at: formatInstant(busiest.at), calls: Number(busiest.calls), points: Number(busiest.points) }
      : null,
    routes: routes.map(({ route, calls, points, duration_us }) => ({
      route,
      calls: Number(calls),
      points: Number(points),
      mean_ms: Math.round(Number(duration_us) / Number(calls)) / 1000,
    })),
  }
}
