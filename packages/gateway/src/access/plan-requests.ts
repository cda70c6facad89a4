import { sql } from 'kysely'
import { type Acting, recordChange } from '../audit/audit.ts'
import type { Plan } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { ListQuery } from '../contract/lists.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { Reply } from '../contract/reply.ts'
import type { CallContext } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { toPlan } from '../identity/plans.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readListPage } from '../lists/stored.ts'
import type { Tx } from '../store/store.ts'
import type { PlanRequestRow } from '../store/tables.ts'
import { storeResponse } from '../writes/keys.ts'
import { changeAccess, computeUpdateTime, readChannel } from './channels.ts'

const states = ['pending', 'approved', 'declined'] as const
export const planRequestStates = states
export type PlanRequestState = (typeof states)[number]
const createdStatus = 201

/**
 * Stores a channel's request for another plan. A channel has at most one pending request. The same request again
 * returns the pending one, so that a client can retry after a lost response; a different request is refused.
 */
export async function requestPlan({ gateway, call, caller }: CallContext, plan: Plan, reason: string | null) {
  if (caller.plan === plan) throw toPlanStateError(['plan_present', { plan }])
  const row: PlanRequestRow = {
    plan_request_id: gateway.ids.next('plr'),
    channel_code: caller.channel_code,
    plan,
    reason,
    status: 'pending',
    created_at: gateway.clock.now(),
    decided_at: null,
  }
  return gateway.store.db.transaction().execute(async (tx) => {
    const data = toPlanRequestJson(await insertOrFindPending(tx, row))
    const resource = { type: 'plan_request', id: data.plan_request_id }
    const success = { reply: new Reply({ data }), status: createdStatus, resource }
    await storeResponse({ gateway, tx, keyed: call.key }, success)
    return data
  })
}

/** Inserts a request, or finds the same one that is pending already. Throws if the channel has another pending one. */
async function insertOrFindPending(tx: Tx, row: PlanRequestRow): Promise<PlanRequestRow> {
  const { channel_code, plan, reason } = row
  const made = await tx
    .insertInto('plan_requests')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('channel_code').where('status', '=', sql.lit('pending')).doNothing(),
    )
    .returning('plan_request_id')
    .executeTakeFirst()
  if (made) return row
  const pending = await tx
    .selectFrom('plan_requests')
    .selectAll()
    .where('channel_code', '=', channel_code)
    .where('status', '=', 'pending')
    .executeTakeFirst()
  // If the pending request was decided in the meantime, the caller still gets this error and sees the decision in the
  // list.
  if (pending?.plan !== plan || pending.reason !== reason)
    throw toPlanStateError(['plan_pending', { plan: pending?.plan ?? '' }])
  return pending
}

type PlanRequestQuery = ListQuery & {
  readonly status?: PlanRequestState | undefined
}

/**
 * Lists the requests of one channel or of all channels, newest first. Without dates, those of all channels are listed
 * regardless of their age, as are the pending ones of one channel.
 */
export async function listPlanRequests(
  gateway: Gateway,
  channel: string | undefined,
  asked: PlanRequestQuery,
) {
  let query = gateway.store.db.selectFrom('plan_requests').selectAll()
  if (channel !== undefined) query = query.where('channel_code', '=', channel)
  if (asked.status !== undefined) query = query.where('status', '=', asked.status)
  const unbounded = channel === undefined
  const list = { query, time: 'created_at', id: 'plan_request_id', open: 'pending', unbounded } as const
  return readListPage(gateway, asked, list, toPlanRequestJson)
}

/** Lists the requests of all channels, each with the present plan and the customer of its channel. */
export async function listPlanRequestsForOperator(gateway: Gateway, asked: PlanRequestQuery) {
  const page = await listPlanRequests(gateway, undefined, asked)
  const codes = [...new Set(page.data.map(({ channel_code }) => channel_code))]
  const { db, bulk } = gateway.store
  const channels = await db
    .selectFrom('channels')
    .select(['channel_code', 'plan', 'customer_code'])
    .where('channel_code', 'in', bulk.texts(codes))
    .execute()
  const byCode = new Map(channels.map((channel) => [channel.channel_code, channel]))
  const data = page.data.map((row) => {
    const channel = byCode.get(row.channel_code)
    return {
      ...row,
      channel_plan: channel ? toPlan(channel.plan) : null,
      customer_code: channel?.customer_code ?? null,
    }
  })
  return { ...page, data }
}

/**
 * Approves or declines a request. A decision is final. An approval changes the plan of live tokens at once. Throws
 * `NOT_FOUND` for the approval of a request whose channel was deleted.
 */
export async function decidePlanRequest(acting: Acting, id: string, status: 'approved' | 'declined') {
  const { gateway } = acting
  const now = gateway.clock.now()
  return changeAccess(gateway, async (tx) => {
    const row = await tx
      .selectFrom('plan_requests')
      .selectAll()
      .where('plan_request_id', '=', id)
      .executeTakeFirst()
    if (!row) throw toNotFoundError('plan_request', id)
    if (row.status === status) return toPlanRequestJson(row)
    const decided = await tx
      .updateTable('plan_requests')
      .set({ status, decided_at: now })
      .where('plan_request_id', '=', id)
      .where('status', '=', 'pending')
      .executeTakeFirst()
    if (decided.numUpdatedRows === 0n) throw toPlanStateError(['plan_decided', { status: row.status }])
    const { plan, updated_at } = await readChannel(tx, row.channel_code, status === 'declined')
    if (status === 'approved') {
      await tx
        .updateTable('channels')
        .set({ plan: row.plan, updated_at: computeUpdateTime(gateway, updated_at) })
        .where('channel_code', '=', row.channel_code)
        .execute()
    }
    const after = toPlanRequestJson({ ...row, status, decided_at: now })
    await recordChange(acting, tx, {
      before: { ...toPlanRequestJson(row), channel_plan: plan },
      after: { ...after, channel_plan: status === 'approved' ? row.plan : plan },
    })
    return after
  })
}

/**
 * Declines the pending request of a channel that is being deleted. Returns it before and after; undefined if there is
 * none.
 */
export async function declinePending(tx: Tx, channel_code: string, now: number) {
  const row = await tx
    .updateTable('plan_requests')
    .set({ status: 'declined', decided_at: now })
    .where('channel_code', '=', channel_code)
    .where('status', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  return {
    before: toPlanRequestJson({ ...row, status: 'pending', decided_at: null }),
    after: toPlanRequestJson(row),
  }
}

function toPlanRequestJson(row: PlanRequestRow) {
  return {
    plan_request_id: row.plan_request_id,
    channel_code: row.channel_code,
    plan: toPlan(row.plan),
    reason: row.reason,
    status: states.find((state) => state === row.status) ?? 'pending',
    created_at: formatInstant(row.created_at),
    decided_at: row.decided_at === null ? null : formatInstant(row.decided_at),
  }
}

function toPlanStateError(say: NonNullable<GatewayError['facts']['say']>): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param: 'plan', reason: 'invalid_state', say })
}
