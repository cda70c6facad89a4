import { sql } from 'kysely'
import { capabilitiesOfPlan, planNamed } from '../access/plans.ts'
import { allowlistOf, type Sight } from '../events/sight.ts'
import type { Gateway } from '../gateway.ts'
import type { ChannelRow, EventRow, WebhookDeliveryRow, WebhookEndpointRow } from '../store/tables.ts'
import type { PostError } from './egress.ts'

/**
 * The queues as the database keeps them. What is leased is a whole queue, the deliveries of one endpoint, never a
 * single delivery: so an endpoint's load is bounded over all processes, no two work on the same delivery, and nothing
 * is written of a delivery before its attempt is over. A queue's `due_at` is never later than its earliest pending
 * delivery, so that finding work costs the same however much is waiting. Everything is done in batches.
 */
export const leaseMs = 60_000

/** Leases queues that are due and that nobody works on, the longest due first. */
export async function leaseQueues(gateway: Gateway, by: string, most: number): Promise<string[]> {
  const now = gateway.clock.now()
  const rows = await gateway.store.db
    .updateTable('webhook_queues')
    .set({ leased_by: by, leased_until: now + leaseMs })
    .where('endpoint_id', 'in', (query) =>
      query
        .selectFrom('webhook_queues')
        .select('endpoint_id')
        .where('due_at', '<=', now)
        .where('leased_until', '<=', now)
        .orderBy('due_at')
        .limit(most)
        .modifyEnd(gateway.store.locking.skipLocked),
    )
    .returning('endpoint_id')
    .execute()
  return rows.map(({ endpoint_id }) => endpoint_id)
}

/** The name of the session lock that a process holds as long as it delivers: it ends with the process. */
function lockOf(by: string): string {
  return `delivering ${by}`
}

/** Runs `work` while others can see that this process lives. */
export function whileAlive(
  gateway: Gateway,
  by: string,
  work: (lost: AbortSignal) => Promise<void>,
): Promise<unknown> {
  return gateway.store.withLock(lockOf(by), 0, work)
}

/** Frees what processes had leased that are gone; one that merely stands still loses it when its leases run out. */
export async function freeLeasesOfDead(gateway: Gateway, by: string): Promise<void> {
  const { db } = gateway.store
  const others = await db
    .selectFrom('webhook_queues')
    .select('leased_by')
    .distinct()
    .where('leased_by', 'is not', null)
    .where('leased_by', '!=', by)
    .execute()
  for (const { leased_by: other } of others) {
    if (other === null) continue
    await gateway.store.withLock(lockOf(other), 0, async () => {
      await db
        .updateTable('webhook_queues')
        .set({ leased_by: null, leased_until: 0 })
        .where('endpoint_id', 'in', (query) =>
          query
            .selectFrom('webhook_queues')
            .select('endpoint_id')
            .where('leased_by', '=', other)
            .orderBy('endpoint_id')
            .modifyEnd(gateway.store.locking.forUpdate),
        )
        .execute()
    })
  }
}

/** Keeps leases; answers those that are still ours. */
export async function renewLeases(
  gateway: Gateway,
  by: string,
  endpoints: readonly string[],
): Promise<string[]> {
  const { db, bulk, locking } = gateway.store
  return db.transaction().execute(async (tx) => {
    const own = await tx
      .selectFrom('webhook_queues')
      .select('endpoint_id')
      .where('endpoint_id', 'in', bulk.texts(endpoints))
      .where('leased_by', '=', by)
      .orderBy('endpoint_id')
      .modifyEnd(locking.forUpdate)
      .execute()
    const ids = own.map(({ endpoint_id }) => endpoint_id)
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
  /** Where nothing is to be done for now although deliveries are due: when to look again. */
  readonly due_at: number | null
}

/** Gives queues back; answers whether one of them is due again already. */
export async function releaseQueues(
  gateway: Gateway,
  by: string,
  releases: readonly Release[],
): Promise<boolean> {
  if (releases.length === 0) return false
  const { db, bulk, locking } = gateway.store
  const rows = bulk.rows('webhook_queues', ['endpoint_id', 'last_success_at', 'due_at'], releases)
  const due = await db.transaction().execute(async (tx) => {
    // Locked before their deliveries are looked at, in a statement of its own: what was added meanwhile is seen.
    await tx
      .selectFrom('webhook_queues')
      .select('endpoint_id')
      .where('endpoint_id', 'in', bulk.texts(releases.map(({ endpoint_id }) => endpoint_id)))
      .orderBy('endpoint_id')
      .modifyEnd(locking.forUpdate)
      .execute()
    const { rows: released } = await sql<{ due_at: number | null }>`
      update webhook_queues as q set leased_until = 0, leased_by = null,
        last_success_at = coalesce(r.succeeded_at, q.last_success_at),
        due_at = coalesce(r.left_until, (
          select min(d.due_at) from webhook_deliveries as d
          where d.endpoint_id = q.endpoint_id and d.status = 'pending'))
      from (select endpoint_id as id, last_success_at as succeeded_at, due_at as left_until from (${rows}) as x) as r
      where r.id = q.endpoint_id and q.leased_by = ${by}
      returning due_at`.execute(tx)
    return released
  })
  const now = gateway.clock.now()
  return due.some(({ due_at }) => due_at !== null && due_at <= now)
}

/** A delivery that is due, with its event; the event's fields are null where it is not kept any more. */
export type Due = Pick<
  WebhookDeliveryRow,
  'delivery_id' | 'endpoint_id' | 'event_id' | 'event_number' | 'event_type' | 'attempts'
> & { readonly due_at: number } & {
  readonly [Field in 'request_id' | 'occurred_at' | 'data' | 'warehouse_code']: EventRow[Field] | null
}

/** Up to where a queue was read. */
export interface Cursor {
  readonly endpoint_id: string
  readonly due_at: number
  readonly event_number: number
}

/** The deliveries that are due behind each cursor, in the order in which they became due, at most `most` for each. */
export async function readDue(gateway: Gateway, cursors: readonly Cursor[], most: number): Promise<Due[]> {
  const now = gateway.clock.now()
  const { store } = gateway
  if (store.kind === 'sqlite') {
    const found: Due[] = []
    for (const { endpoint_id, due_at, event_number } of cursors) {
      const after = sql`d.endpoint_id = ${endpoint_id} and (d.due_at, d.event_number) > (${due_at}, ${event_number})`
      const { rows } = await sql<Due>`
        select ${dueColumns} from (
          select ${ownColumns} from webhook_deliveries as d where ${after} and d.status = 'pending' and d.due_at <= ${now}
          order by d.due_at, d.event_number limit ${most}) as d
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
      order by d.due_at, d.event_number limit ${most}) as d
    left join events as e on e.event_id = d.event_id order by d.endpoint_id, d.due_at, d.event_number`.execute(
    store.db,
  )
  return rows
}

const own = 'd.delivery_id, d.endpoint_id, d.event_id, d.event_number, d.event_type, d.attempts, d.due_at'
const ownColumns = sql.raw(own)
const dueColumns = sql.raw(`${own}, e.request_id, e.occurred_at, e.data, e.warehouse_code`)

/** Where and how an endpoint is delivered to, as it stands. */
export interface Target
  extends Pick<WebhookEndpointRow, 'endpoint_id' | 'channel_code' | 'url' | 'secret_sealed' | 'formers'> {
  readonly event_types: readonly string[]
  readonly sight: Sight
  readonly state: 'live' | 'paused' | 'deleted'
}

/** The endpoints as they are now. */
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
      'channels.deleted_at as channel_deleted_at',
    ])
    .where('endpoint_id', 'in', gateway.store.bulk.texts(endpoints))
    .execute()
  return new Map(
    rows.map((row) => {
      const sight = {
        allowlist: allowlistOf(row.warehouse_allowlist),
        named: new Set<string>(JSON.parse(row.warehouse_codes)),
      }
      return [
        row.endpoint_id,
        { ...row, event_types: JSON.parse(row.event_types), sight, state: stateOf(row) },
      ]
    }),
  )
}

type Standing = Pick<ChannelRow, 'plan' | 'webhooks_enabled' | 'deleted_at'> & {
  readonly channel_deleted_at: number | null
}

function stateOf({ deleted_at, channel_deleted_at, webhooks_enabled, plan }: Standing): Target['state'] {
  if (deleted_at !== null || channel_deleted_at !== null) return 'deleted'
  const may = capabilitiesOfPlan[planNamed(plan)].includes('webhooks.manage')
  return may && webhooks_enabled === 1 ? 'live' : 'paused'
}

/** What became of an attempt. */
export interface Outcome {
  readonly delivery_id: string
  readonly endpoint_id: string
  /** Attempts that were over before this one. */
  readonly attempts: number
  readonly status: 'pending' | 'delivered' | 'dead_letter' | 'cancelled'
  readonly last_status: number | null
  readonly last_error: PostError | null
  readonly last_response: string | null
  readonly attempted_at: number
  /** How long until the next attempt; null where there is none. */
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
 * Writes what became of attempts. One that another process wrote meanwhile stays as it is. Time that the sandbox's
 * clock was set forward shortens the waits to come. Pending is what has a `due_at`, asked for in a form of which there
 * are no statistics: old ones, of a time when little was waiting, are a reason to read all that waits.
 */
export async function writeOutcomes(gateway: Gateway, outcomes: readonly Outcome[]): Promise<void> {
  const { db, bulk } = gateway.store
  const rows = bulk.rows('webhook_deliveries', outcomeColumns, outcomes)
  await sql`
    update webhook_deliveries as d set status = o.status, last_status = o.last_status, last_error = o.last_error,
      last_response = o.last_response, attempted_at = o.attempted_at,
      attempts = d.attempts + case when o.status = 'cancelled' then 0 else 1 end,
      finished_at = case when o.status = 'pending' then null else o.attempted_at end,
      due_at = case when o.due_at is null then null when d.ahead_ms >= o.due_at then o.attempted_at
        else o.attempted_at + o.due_at - d.ahead_ms end,
      ahead_ms = case when o.due_at is null or d.ahead_ms < o.due_at then 0 else d.ahead_ms - o.due_at end
    from (${rows}) as o
    where o.delivery_id = d.delivery_id and d.attempts = o.attempts and coalesce(d.due_at, -1) >= 0`.execute(
    db,
  )
  const failed = outcomes.filter(({ last_error, status }) => last_error !== null && status !== 'cancelled')
  if (failed.length > 0) await noteFailures(gateway, failed)
}

/** The newest failure of each endpoint: a receiver that is gone shows in its health. */
async function noteFailures(gateway: Gateway, failed: readonly Outcome[]): Promise<void> {
  const { db, bulk, locking } = gateway.store
  const newest = new Map(failed.map((each) => [each.endpoint_id, each]))
  const notes = [...newest.values()].map((each) => ({
    endpoint_id: each.endpoint_id,
    last_failure_at: each.attempted_at,
    last_failure_status: each.last_status,
  }))
  const rows = bulk.rows('webhook_queues', ['endpoint_id', 'last_failure_at', 'last_failure_status'], notes)
  await db.transaction().execute(async (tx) => {
    await tx
      .selectFrom('webhook_queues')
      .select('endpoint_id')
      .where('endpoint_id', 'in', bulk.texts([...newest.keys()]))
      .orderBy('endpoint_id')
      .modifyEnd(locking.forUpdate)
      .execute()
    await sql`
      update webhook_queues as q set last_failure_at = f.last_failure_at, last_failure_status = f.last_failure_status
      from (${rows}) as f where f.endpoint_id = q.endpoint_id`.execute(tx)
  })
}

const cancelBatch = 500
const mostCancelBatches = 1_000

/** Cancels whatever is still to be delivered to an endpoint that is gone. */
export async function cancelQueue(gateway: Gateway, endpoint_id: string): Promise<void> {
  for (let batch = 0; batch < mostCancelBatches; batch++) {
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
          .limit(cancelBatch),
      )
      .executeTakeFirst()
    if (cancelled.numUpdatedRows < cancelBatch) return
  }
}
