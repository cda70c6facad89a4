/**
 * Redelivers many events, a bounded batch per call. A pass begins when nothing of the same selection is under way. Its
 * row keeps the place of the last batch and moves in the commit of each batch. So any process continues a pass, a crash
 * repeats nothing, and a pass ends: it never comes back to a place and excludes what happened after its beginning.
 */

import { type Acting, recordChange } from '../audit/audit.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { toCanonicalJson } from '../kernel/json.ts'
import type { Tx } from '../store/store.ts'
import type { WebhookRedeliveryRow } from '../store/tables.ts'
import { storeOperatorsResponse } from '../writes/keys.ts'
import {
  type Counted,
  countSelected,
  type Place,
  type Remainder,
  readSelected,
  type Selected,
  type Selection,
  start,
} from './selection.ts'
import { sendAgain } from './send-again.ts'
import { createDelivery, insertDeliveries, makeQueuesDue } from './sequence.ts'

/** The largest number of deliveries that one call sends again. */
export const maxDeliveriesPerCall = 500
/** How long after its last batch a pass is continued. Later, the same selection begins a new pass. */
const passIdleMs = 60 * 60_000
const turnWaitMs = 10_000
const busyRetrySeconds = 1

interface Pass extends Remainder {
  readonly key: string
  /** How many deliveries are left; undefined before the first batch. */
  readonly remaining: number | undefined
}

/** Counts what a redelivery of the selection would send: all of it, or what is left of the pass that is under way. */
export async function countRedelivery(gateway: Gateway, selection: Selection): Promise<Counted> {
  return countSelected(gateway, await findPass(gateway, selection))
}

/** What a call sent again, and how many deliveries are left; at least that many if the count ended at its bound. */
export interface Redelivered {
  readonly redelivered: number
  readonly remaining: number
}

/**
 * Sends the next batch of the selection again. Throws `VALIDATION_FAILED` if more is left than the caller expects, and
 * `INTERNAL` with status 503 while another call sends a batch of the same selection.
 */
export async function redeliverBatch(
  acting: Acting,
  selection: Selection,
  expected: number,
): Promise<Redelivered> {
  const { gateway } = acting
  const turn = `redeliver ${toCanonicalJson(selection)}`
  const done = await gateway.store.withLock(turn, turnWaitMs, async () => {
    const pass = await findPass(gateway, selection)
    const before = pass.remaining ?? (await countSelected(gateway, pass)).count
    if (before > expected) throw toGrownError(before, expected)
    return sendBatch(acting, pass, before)
  })
  if (done) return done
  throw toBusyError()
}

async function sendBatch(acting: Acting, pass: Pass, before: number): Promise<Redelivered> {
  const { gateway } = acting
  const { selected, next } = await readSelected(gateway, pass, maxDeliveriesPerCall)
  const redelivered = selected.length
  // Deliveries may have come and gone since the count, so only the end of the streams ends the pass.
  const remaining = next ? Math.max(before - redelivered, 1) : 0
  if (redelivered === 0 && pass.remaining === undefined && !next) return { redelivered, remaining }
  await gateway.store.db.transaction().execute(async (tx) => {
    await movePass(gateway, tx, pass, next && { ...next, remaining })
    await sendSelected(gateway, tx, selected)
    const { selection } = pass
    const change = {
      before: { ...selection, remaining: before },
      after: { ...selection, remaining, redelivered },
    }
    // A repeated call under the same key would send the next batch.
    await storeOperatorsResponse(acting, tx, { redelivered, remaining })
    await recordChange(acting, tx, change)
  })
  gateway.nudge('deliveries')
  return { redelivered, remaining }
}

/** Makes existing deliveries due again, and creates those that do not exist. */
async function sendSelected(gateway: Gateway, tx: Tx, selected: readonly Selected[]): Promise<void> {
  const now = gateway.clock.now()
  await sendAgain(
    gateway,
    tx,
    selected.flatMap(({ delivery_id }) => delivery_id ?? []),
  )
  const missing = selected.filter(({ delivery_id }) => delivery_id === null)
  await insertDeliveries(
    gateway,
    tx,
    missing.map((each) => createDelivery(gateway, each, now)),
  )
  await makeQueuesDue(gateway, tx, [...new Set(selected.map(({ endpoint_id }) => endpoint_id))])
}

/** Finds the pass of a selection that is under way, or describes a new one. */
async function findPass(gateway: Gateway, selection: Selection): Promise<Pass> {
  const key = toCanonicalJson(selection)
  const now = gateway.clock.now()
  const row = await gateway.store.db
    .selectFrom('webhook_redeliveries')
    .selectAll()
    .where('selection', '=', key)
    .where('touched_at', '>', now - passIdleMs)
    .executeTakeFirst()
  if (!row) return { key, selection, after: start, startedAt: now, remaining: undefined }
  return { key, selection, after: toPlace(row), startedAt: row.started_at, remaining: row.remaining }
}

function toPlace({ endpoint_id, type, channel_code, at, event_id }: WebhookRedeliveryRow): Place {
  return { endpoint_id, type, channel_code, at, event_id }
}

type NewPlace = Place & { readonly remaining: number }

/** Moves a pass to its next place, or ends it. Throws if another process moved it in the meantime. */
async function movePass(gateway: Gateway, tx: Tx, pass: Pass, next: NewPlace | undefined): Promise<void> {
  const { key: selection, after, remaining, startedAt: started_at } = pass
  let former = tx.deleteFrom('webhook_redeliveries').where('selection', '=', selection)
  // A row that is too old to be continued gives way to the new pass.
  const isContinued = remaining !== undefined
  if (isContinued) former = former.where('at', '=', after.at).where('event_id', '=', after.event_id)
  const { numDeletedRows } = await former.executeTakeFirst()
  if (isContinued && numDeletedRows !== 1n) throw toBusyError()
  if (!next) return
  await tx
    .insertInto('webhook_redeliveries')
    .values({ selection, started_at, touched_at: gateway.clock.now(), ...next })
    .execute()
}

function toBusyError(): GatewayError {
  return new GatewayError('INTERNAL', {
    status: 503,
    say: ['redelivery_busy'],
    retryAfter: busyRetrySeconds,
  })
}

function toGrownError(count: number, expected: number): GatewayError {
  return new GatewayError('VALIDATION_FAILED', {
    param: 'expected_count',
    reason: 'invalid_state',
    say: ['redelivery_grew', { count, expected }],
    hint: ['hint_redelivery_grew'],
    more: { count },
  })
}
