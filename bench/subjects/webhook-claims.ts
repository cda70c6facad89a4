import { sql } from 'kysely'
import type { Bench } from '../bench.ts'
import { type Gateway, leaseQueues, readDueDeliveries, releaseQueues } from '../internals.ts'
import { median, splitSeries } from '../statistics.ts'

const smallBacklog = 10_000
const claimsPerRound = 40
const maxRowsPerRead = 64
/** The most rows of one insert. On a slow disk, a million of them take longer than a statement may. */
const rowsPerInsert = 10_000
const claimBound = { is: 'at most', must: 1.2 } as const

interface Queue {
  readonly endpoint_id: string
  readonly channel_code: string
}

/**
 * Measures whether leasing queues and reading their due deliveries becomes slower with a large backlog at the same
 * endpoints.
 */
export async function measureClaims(
  { report, options }: Bench,
  internals: Gateway,
  waiting: number,
): Promise<void> {
  const queues = await readQueues(internals)
  const claims = claimsPerRound * options.rounds
  report.printProgress('claiming due deliveries')
  await fillBacklog(internals, queues, { count: smallBacklog, from: 1 })
  await measureClaimTimes(internals, queues, claims)
  const few = await measureClaimTimes(internals, queues, claims)
  report.printProgress(`claiming due deliveries among ${waiting.toLocaleString('en')}`)
  await fillBacklog(internals, queues, { count: waiting, from: 1_000_000 })
  await measureClaimTimes(internals, queues, claims)
  const many = await measureClaimTimes(internals, queues, claims)
  const fewMs = median(few)
  report.judge({
    subject: 'webhooks',
    target: `claim with ${waiting.toLocaleString('en')} deliveries waiting / with ${smallBacklog.toLocaleString('en')}`,
    unit: '×',
    values: splitSeries(many).map((part) => median(part) / fewMs),
    bound: claimBound,
    detail: `${median(many).toFixed(2)} ms to ${fewMs.toFixed(2)} ms`,
  })
}

async function readQueues({ store }: Gateway): Promise<readonly Queue[]> {
  const { rows } = await sql<Queue>`
    select q.endpoint_id, e.channel_code from webhook_queues as q
    join webhook_endpoints as e on e.endpoint_id = q.endpoint_id where e.channel_code like 'fine-%'`.execute(
    store.db,
  )
  return rows
}

interface Backlog {
  readonly count: number
  /** The number of the first event, so that a second backlog does not collide with the first one. */
  readonly from: number
}

async function fillBacklog({ store }: Gateway, queues: readonly Queue[], { count, from }: Backlog) {
  const { db } = store
  const each = Math.ceil(count / queues.length)
  const end = from + each - 1
  for (const { endpoint_id, channel_code } of queues)
    for (let first = from; first <= end; first += rowsPerInsert)
      await sql`
        insert into webhook_deliveries (delivery_id, channel_code, endpoint_id, event_id, event_number, event_type,
          status, attempts, due_at, ahead_ms, created_at)
        select 'whd_' || ${sql.lit(endpoint_id)} || i, ${sql.lit(channel_code)}, ${sql.lit(endpoint_id)}, 'evt_backlog_' || i, i,
          'order.created', 'pending', 0, 1000000 + i, 0, 0
        from generate_series(${sql.lit(first)}::bigint, ${sql.lit(Math.min(first + rowsPerInsert - 1, end))}::bigint) as i`.execute(
        db,
      )
  await sql`update webhook_queues set due_at = 1, leased_until = 0, leased_by = null`.execute(db)
  await sql`vacuum analyze webhook_deliveries`.execute(db)
}

/** Leases all queues and reads their due deliveries `claims` times. Returns the times in milliseconds. */
async function measureClaimTimes(
  internals: Gateway,
  queues: readonly Queue[],
  claims: number,
): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < claims; at++) {
    const began = performance.now()
    const leased = await leaseQueues(internals, 'bench', queues.length)
    const cursors = leased.map((endpoint_id) => ({ endpoint_id, due_at: -1, event_number: -1 }))
    await readDueDeliveries(internals, cursors, maxRowsPerRead)
    times.push(performance.now() - began)
    await releaseQueues(
      internals,
      'bench',
      leased.map((endpoint_id) => ({ endpoint_id, last_success_at: null, due_at: null })),
    )
  }
  return times
}
