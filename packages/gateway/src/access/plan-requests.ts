import { sql } from 'kysely'
import type { Caller, Plan } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { pageOf, windowOf } from '../contract/lists.ts'
import { notFound } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import type { PlanRequestRow } from '../store/tables.ts'
import { changeAccess } from './channels.ts'
import { planNamed } from './plans.ts'

const states = ['pending', 'approved', 'declined'] as const
export const planRequestStates = states
export type PlanRequestState = (typeof states)[number]

/**
 * Asks for a plan. One request is pending at a time: the same one again is the same request, so that a lost answer
 * needs no second one; another one has to wait.
 */
export async function requestPlan(gateway: Gateway, caller: Caller, plan: Plan, reason: string | null) {
  if (caller.plan === plan) throw refused(['plan_present', { plan }])
  const row: PlanRequestRow = {
    plan_request_id: gateway.ids.next('plr'),
    channel_code: caller.channel_code,
    plan,
    reason,
    status: 'pending',
    created_at: gateway.clock.now(),
    decided_at: null,
  }
  const made = await gateway.store.db
    .insertInto('plan_requests')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('channel_code').where('status', '=', sql.lit('pending')).doNothing(),
    )
    .returning('plan_request_id')
    .executeTakeFirst()
  if (made) return shown(row)
  const pending = await gateway.store.db
    .selectFrom('plan_requests')
    .selectAll()
    .where('channel_code', '=', caller.channel_code)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  // One that stood in the way and was decided meanwhile is as good as pending: the caller reads the list.
  if (pending?.plan !== plan || pending.reason !== reason)
    throw refused(['plan_pending', { plan: pending?.plan ?? '' }])
  return shown(pending)
}

type Asked = Parameters<typeof windowOf>[0] & {
  readonly status?: PlanRequestState | undefined
}

/** The requests of a channel, or of all, newest first. Without dates, what is pending is shown however old it is. */
export async function listPlanRequests(gateway: Gateway, channel: string | undefined, asked: Asked) {
  const window = windowOf(asked, gateway.clock.now())
  const { status } = asked
  const isDated = asked.start_date !== undefined || asked.end_date !== undefined
  let query = gateway.store.db
    .selectFrom('plan_requests')
    .selectAll()
    .where('created_at', '<', window.to)
    .where((eb) =>
      isDated
        ? eb('created_at', '>=', window.from)
        : eb.or([eb('created_at', '>=', window.from), eb('status', '=', 'pending')]),
    )
  if (channel !== undefined) query = query.where('channel_code', '=', channel)
  if (status !== undefined) query = query.where('status', '=', status)
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('plan_request_id', 'desc')
    .offset(window.offset)
    .limit(window.pageSize + 1)
    .execute()
  return pageOf(window, rows.map(shown))
}

/** Approves or declines; a decision stands. Approving changes the plan of live tokens at once. */
export async function decidePlanRequest(gateway: Gateway, id: string, status: 'approved' | 'declined') {
  const now = gateway.clock.now()
  return changeAccess(gateway, async (tx) => {
    const row = await tx
      .selectFrom('plan_requests')
      .selectAll()
      .where('plan_request_id', '=', id)
      .executeTakeFirst()
    if (!row) throw notFound('plan_request', id)
    if (row.status === status) return shown(row)
    const decided = await tx
      .updateTable('plan_requests')
      .set({ status, decided_at: now })
      .where('plan_request_id', '=', id)
      .where('status', '=', 'pending')
      .executeTakeFirst()
    if (decided.numUpdatedRows === 0n) throw refused(['plan_decided', { status: row.status }])
    if (status === 'approved') {
      await tx
        .updateTable('channels')
        .set({ plan: row.plan, updated_at: now })
        .where('channel_code', '=', row.channel_code)
        .execute()
    }
    return shown({ ...row, status, decided_at: now })
  })
}

function shown(row: PlanRequestRow) {
  return {
    plan_request_id: row.plan_request_id,
    channel_code: row.channel_code,
    plan: planNamed(row.plan),
    reason: row.reason,
    status: states.find((state) => state === row.status) ?? 'pending',
    created_at: instant(row.created_at),
    decided_at: row.decided_at === null ? null : instant(row.decided_at),
  }
}

function refused(say: NonNullable<GatewayError['facts']['say']>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param: 'plan', reason: 'invalid_state', say })
}
