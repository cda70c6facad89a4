/**
 * The webhook queues in the database. Each contains the deliveries of one endpoint.
 *
 * A process leases a whole queue, never a single delivery. So all processes together bound the load on an endpoint, and
 * no two work on the same delivery. A delivery needs no write before its attempt has ended.
 *
 * A queue's `due_at` is never later than that of its earliest pending delivery, so the cost of finding work does not
 * depend on the number of waiting deliveries.
 */

import { sql } from 'kysely'
import { parseAllowlist, type Visibility } from '../events/visibility.ts'
import type { Gateway } from '../gateway.ts'
import { capabilitiesOfPlan, toPlan } from '../identity/plans.ts'
import type { ChannelRow, EventRow, WebhookDeliveryRow, WebhookEndpointRow } from '../store/tables.ts'
import type { PostError } from './egress.ts'
import { buildQueueLock } from './lock-order.ts'

/** How long a lease lasts unless it is renewed. */
export const leaseMs = 60_000

/**
 * Leases due queues that no process holds; those that have been due longest come first. `owner` is the leasing process.
 */
export async function leaseQueues(gateway: Gateway, owner: string, maxQueues: number): Promise<string[]> {
  const now = gateway.clock.now()
  const rows = await gateway.store.db
    .updateTable('webhook_queues')
    .set({ leased_by: owner, leased_until: now + leaseMs })
    .where('endpoint_id', 'in', (query) =>
      query
        .selectFrom('webhook_queues')
        .select('endpoint_id')
        .where('due_at', '<=', now)
        .where('leased_until', '<=', now)
        .orderBy('due_at')
        .limit(maxQueues)
        .modifyEnd(gateway.store.locking.skipLocked),
    )
    .returning('endpoint_id')
    .execute()
  return rows.map(({ endpoint_id }) => endpoint_id)
}

/** Builds the name of the session lock that a process holds while it delivers; the lock ends with the process. */
function toProcessLockName(owner: string): string {
  return `delivering ${owner}`
}

/** Runs `work` with the session lock by which other processes recognise that this one is alive. */
export function withProcessLock(
  gateway: Gateway,
  owner: string,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<unknown> {
  return gateway.store.withLock(toProcessLockName(owner), 0, work)
}

/** Frees the leases of processes that have ended. A process that only hangs loses its leases when they expire. */
export async function freeOrphanedLeases(gateway: Gateway, owner: string): Promise<void> {
  const { db } = gateway.store
  const others = await db
    .selectFrom('webhook_queues')
    .select('leased_by')
    .distinct()
    .where('leased_by', 'is not', null)
    .where('leased_by', '!=', owner)
    .execute()
  for (const { leased_by: other } of others) {
    if (other === null) continue
    await gateway.store.withLock(toProcessLockName(other), 0, () => freeStrayLeases(gateway, other, []))
  }
}

/** Frees the leases of a process that are of no use to it: their taking had no answer, or their end had none. */
export async function freeStrayLeases(
  { store }: Gateway,
  owner: string,
  used: readonly string[],
): Promise<void> {
  const { db, bulk } = store
  await db
    .updateTable('webhook_queues')
    .set({ leased_by: null, leased_until: 0 })
    .where(
      'endpoint_id',
      'in',
      buildQueueLock(db, store)
        .where('leased_by', '=', owner)
        .where('endpoint_id', 'not in', bulk.texts(used)),
    )
    .execute()
}

/** Renews leases; returns the endpoints whose lease this process still has. */
export async function renewLeases(
  gateway: Gateway,
  owner: string,
  endpoints: readonly string[],
): Promise<string[]> {
  const { store } = gateway
  const { db, bulk } = store
  return db.transaction().execute(async (tx) => {
    const held = await buildQueueLock(tx, store)
      .where('endpoint_id', 'in', bulk.texts(endpoints))
      .where('leased_by', '=', owner)
      .execute()
    const ids = held.map(({ endpoint_id }) => endpoint_id)
    await tx
      .updateTable('webhook_queues')
      .set({ leased_until: gateway.clock.now() + leaseMs })
      .where('endpoint_id', 'in', bulk.texts(ids))
      .execute()
    return ids
  })
}

export interface Release {
  readonly endpoint_id: string
  readonly last_success_at: number | null
  /** When the queue is due again, if its due deliveries must wait; null to use the due times of its deliveries. */
  readonly due_at: number | null
}

/** Releases queues. Returns whether one of them is already due again. */
export async function releaseQueues(
  gateway: Gateway,
  owner: string,
  releases: readonly Release[],
): Promise<boolean> {
  if (releases.length === 0) return false
  const { store } = gateway
  const { db, bulk } = store
  const rows = bulk.rows('webhook_queues', ['endpoint_id', 'last_success_at', 'due_at'], releases)
  const due = await db.transaction().execute(async (tx) => {
    // Locks first, in a separate statement, so that the update below sees the deliveries that were added in the
    // meantime.
    await buildQueueLock(tx, store)
      .where('endpoint_id', 'in', bulk.texts(releases.map(({ endpoint_id }) => endpoint_id)))
      .execute()
    const { rows: released } = await sql<{ due_at: number | null }>`
      update webhook_queues as q set leased_until = 0, leased_by = null,
        last_success_at = coalesce(r.succeeded_at, q.last_success_at),
        due_at = coalesce(r.left_until, (
          select min(d.due_at) from webhook_deliveries as d
          where d.endpoint_id = q.endpoint_id and d.status = 'pending'))
      from (select endpoint_id as id, last_success_at as succeeded_at, due_at as left_until from (${rows}) as x) as r
      where r.id = q.endpoint_id and q.leased_by = ${owner}
      returning due_at`.execute(tx)
    return released
  })
  const now = gateway.clock.now()
  return due.some(({ due_at }) => due_at !== null && due_at <= now)
}

/** A due delivery with its event. The event's fields are null if the event has been deleted. */
export type Due = Pick<
  WebhookDeliveryRow,
  'delivery_id' | 'endpoint_id' | 'event_id' | 'event_number' | 'event_type' | 'attempts'
> & { readonly due_at: number } & {
  readonly [Field in 'request_id' | 'occurred_at' | 'data' | 'warehouse_code' | 'trace_parent']:
    | EventRow[Field]
    | null
}

/** The position up to which a queue was read. */
export interface Cursor {
  readonly endpoint_id: string
  readonly due_at: number
  readonly event_number: number
}

/** Reads at most `maxPerQueue` due deliveries after each cursor; those of one queue are sorted by their due time. */
export async function readDueDeliveries(
  gateway: Gateway,
  cursors: readonly Cursor[],
  maxPerQueue: number,
): Promise<Due[]> {
  const now = gateway.clock.now()
  const { store } = gateway
  if (store.kind === 'sqlite') {
    const found: Due[] = []
    for (const { endpoint_id, due_at, event_number } of cursors) {
      const after = sql`d.endpoint_id = ${endpoint_id} and (d.due_at, d.event_number) > (${due_at}, ${event_number})`
      const { rows } = await sql<Due>`
        select ${dueColumns} from (
          select ${ownColumns} from webhook_deliveries as d where ${after} and d.status = 'pending' and d.due_at <= ${now}
          order by d.due_at, d.event_number limit ${maxPerQueue}) as d
        left join events as e on e.event_id = d.event_id order by d.due_at, d.event_number`.execute(store.db)
      found.push(...rows)
    }
    return found
  }
  const from = store.bulk.rows('webhook_deliveries', ['endpoint_id', 'due_at', 'event_number'], cursors)
  const { rows } = await sql<Due>`
    select ${dueColumns} from (${from}) as c cross join lateral (
      select ${ownColumns} from webhook_deliveries as d
      where d.endpoint_id = c.endpoint_id and d.status = 'pending' and d.due_at <= ${now}
        and (d.due_at, d.event_number) > (c.due_at, c.event_number)
      order by d.due_at, d.event_number limit ${maxPerQueue}) as d
    left join events as e on e.event_id = d.event_id order by d.endpoint_id, d.due_at, d.event_number`.execute(
    store.db,
  )
  return rows
}

const own = 'd.delivery_id, d.endpoint_id, d.event_id, d.event_number, d.event_type, d.attempts, d.due_at'
const ownColumns = sql.raw(own)
const dueColumns = sql.raw(`${own}, e.request_id, e.occurred_at, e.data, e.warehouse_code, e.trace_parent`)

/** An endpoint's settings for delivery, as they were last read. */
export interface Target
  extends Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code' | 'url' | 'secret_sealed' | 'formers'> {
  readonly event_types: readonly string[]
  readonly visibility: Visibility
  readonly state: 'live' | 'paused' | 'deleted'
}

/** Reads the current settings of the endpoints. */
export async function readTargets(
  gateway: Gateway,
  endpoints: readonly string[],
): Promise<Map<string, Target>> {
  const rows = await gateway.store.db
    .selectFrom('webhook_endpoints')
    .innerJoin('channels', 'channels.channel_code', 'webhook_endpoints.channel_code')
    .selectAll('webhook_endpoints')
    .select([
      'channels.warehouse_allowlist',
      'channels.plan',
      'channels.webhooks_enabled',
      'channels.paused',
      'channels.deleted_at as channel_deleted_at',
    ])
    .where('endpoint_id', 'in', gateway.store.bulk.texts(endpoints))
    .execute()
  return new Map(
    rows.map((row) => {
      const visibility = {
        allowlist: parseAllowlist(row.warehouse_allowlist),
        named: new Set<string>(JSON.parse(row.warehouse_codes)),
      }
      return [
        row.endpoint_id,
        { ...row, event_types: JSON.parse(row.event_types), visibility, state: readEndpointStatus(row) },
      ]
    }),
  )
}

type EndpointStatus = Pick<ChannelRow, 'plan' | 'webhooks_enabled' | 'paused' | 'deleted_at'> & {
  readonly channel_deleted_at: number | null
}

function readEndpointStatus({
  deleted_at,
  channel_deleted_at,
  webhooks_enabled,
  paused,
  plan,
}: EndpointStatus): Target['state'] {
  if (deleted_at !== null || channel_deleted_at !== null) return 'deleted'
  const isInPlan = capabilitiesOfPlan[toPlan(plan)].includes('webhooks.manage')
  return isInPlan && webhooks_enabled === 1 && paused === 0 ? 'live' : 'paused'
}

/** The outcome of an attempt. */
export interface Outcome {
  readonly delivery_id: string
  readonly endpoint_id: string
  /** The number of attempts that had ended before this one. */
  readonly attempts: number
  readonly status: 'pending' | 'delivered' | 'dead_letter' | 'cancelled'
  readonly last_status: number | null
  readonly last_error: PostError | null
  readonly last_response: string | null
  readonly attempted_at: number
  /** The delay of the next attempt, in milliseconds after `attempted_at`; null if there is none. */
  readonly due_at: number | null
}

const outcomeColumns = [
  'delivery_id',
  'attempts',
  'status',
  'last_status',
  'last_error',
  'last_response',
  'attempted_at',
  'due_at',
] as const satisfies readonly (keyof WebhookDeliveryRow)[]

/**
 * Writes the outcomes of attempts. `d.attempts = o.attempts` protects an outcome that another process wrote in the
 * meantime. `ahead_ms`, the time by which the sandbox's clock was advanced, shortens the next delays.
 *
 * Pending deliveries are selected by `coalesce(d.due_at, -1) >= 0`, because PostgreSQL's planner has no statistics for
 * that expression. With `status = 'pending'`, outdated statistics made the planner read all pending deliveries.
 *
 * The rows are locked in the order of their ids, as `sendAgain` does. The update alone locks in any order.
 */
export async function writeOutcomes(gateway: Gateway, outcomes: readonly Outcome[]): Promise<void> {
  const { db, bulk, locking } = gateway.store
  const rows = bulk.rows('webhook_deliveries', outcomeColumns, outcomes)
  await sql`
    with o as (
      select r.* from (${rows}) as r join webhook_deliveries as w on w.delivery_id = r.delivery_id
      order by w.delivery_id ${locking.forUpdate})
    update webhook_deliveries as d set status = o.status, last_status = o.last_status, last_error = o.last_error,
      last_response = o.last_response, attempted_at = o.attempted_at,
      attempts = d.attempts + case when o.status = 'cancelled' then 0 else 1 end,
      finished_at = case when o.status = 'pending' then null else o.attempted_at end,
      due_at = case when o.due_at is null then null when d.ahead_ms >= o.due_at then o.attempted_at
        else o.attempted_at + o.due_at - d.ahead_ms end,
      ahead_ms = case when o.due_at is null or d.ahead_ms < o.due_at then 0 else d.ahead_ms - o.due_at end
    from o where o.delivery_id = d.delivery_id and d.attempts = o.attempts and coalesce(d.due_at, -1) >= 0`.execute(
    db,
  )
  const failed = outcomes.filter(({ last_error, status }) => last_error !== null && status !== 'cancelled')
  if (failed.length > 0) await saveLastFailures(gateway, failed)
  // Last, because the caller repeats a batch that failed, and nothing would keep its attempts from being counted twice.
  countAttempts(gateway, outcomes)
}

/** Counts the attempts for the operator's overview. */
function countAttempts({ memory }: Gateway, outcomes: readonly Outcome[]): void {
  for (const { status, attempted_at } of outcomes) {
    if (status === 'cancelled') continue
    memory.hours.add(attempted_at, 'webhook', status === 'delivered' ? 'delivered' : 'failed', { calls: 1 })
    if (status === 'dead_letter') memory.hours.add(attempted_at, 'webhook', 'dead_letter', { calls: 1 })
  }
}

/** Saves the newest failure of each endpoint, which shows in the endpoint's health. */
async function saveLastFailures(gateway: Gateway, failed: readonly Outcome[]): Promise<void> {
  const { store } = gateway
  const { db, bulk } = store
  const newest = new Map(failed.map((each) => [each.endpoint_id, each]))
  const notes = [...newest.values()].map((each) => ({
    endpoint_id: each.endpoint_id,
    last_failure_at: each.attempted_at,
    last_failure_status: each.last_status,
  }))
  const rows = bulk.rows('webhook_queues', ['endpoint_id', 'last_failure_at', 'last_failure_status'], notes)
  await db.transaction().execute(async (tx) => {
    await buildQueueLock(tx, store)
      .where('endpoint_id', 'in', bulk.texts([...newest.keys()]))
      .execute()
    await sql`
      update webhook_queues as q set last_failure_at = f.last_failure_at, last_failure_status = f.last_failure_status
      from (${rows}) as f where f.endpoint_id = q.endpoint_id`.execute(tx)
  })
}

const deliveriesPerCancel = 500
const maxCancelBatches = 10

/**
 * Cancels pending deliveries of a deleted endpoint, so many that others do not wait for it. The rest stays due, with those
 * that others have locked: waiting for them in another order could deadlock, and ordering all of them would cost too much.
 */
export async function cancelQueue(gateway: Gateway, endpoint_id: string): Promise<void> {
  for (let batch = 0; batch < maxCancelBatches; batch++) {
    const cancelled = await gateway.store.db
      .updateTable('webhook_deliveries')
      .set({
        status: 'cancelled',
        last_error: 'endpoint_deleted',
        due_at: null,
        finished_at: gateway.clock.now(),
      })
      .where('delivery_id', 'in', (query) =>
        query
          .selectFrom('webhook_deliveries')
          .select('delivery_id')
          .where('endpoint_id', '=', endpoint_id)
          .where('status', '=', 'pending')
          .limit(deliveriesPerCancel)
          .modifyEnd(gateway.store.locking.skipLocked),
      )
      .executeTakeFirst()
    if (cancelled.numUpdatedRows < deliveriesPerCancel) return
  }
}
