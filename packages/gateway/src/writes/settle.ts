/**
 * Settles a write of unknown outcome only by what the ERP reports about its reference. It never sends the write. If the
 * ERP has the write, its outcome is applied like a response.
 *
 * An ERP that settles is asked to finish or fence the write (`settle`). If it then has nothing, the write is undone at
 * once, because nothing that was sent can take effect any more. While writes may not reach the ERP, and for every other
 * ERP, the write is only looked up. It is then undone only if no late request can take effect any more, and two
 * look-ups after that, with a pause between them, found nothing. If the ERP offers no look-up either, the outcome stays
 * unknown until a person settles it.
 *
 * A write that this process knows not to have sent, because the commit of its intent had no response, is undone without
 * asking the ERP.
 */

import {
  type Capabilities,
  type ErpDocument,
  type Output,
  UnknownOutcome,
  unwrap,
  withTimeout,
} from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { Tx } from '../store/store.ts'
import type { IntentRow } from '../store/tables.ts'
import { type AnyWrite, identifyIntent, type Write } from './intent.ts'
import { countOrder } from './order-count.ts'
import { applyOutcome, undoWrite } from './perform.ts'
import { maxSightings, recordSighting, type Sighting } from './sightings.ts'
import { maxSendDelayMs } from './timing.ts'
import { rereadTouchedStock } from './touched-stock.ts'

const lookupTimeoutMs = 10_000
/** The longest time that the ERP may take to finish or fence a write. A retry with the same key waits for it. */
const settleTimeoutMs = 15_000
/** The shortest pause between the two look-ups that prove that the ERP does not have a write. */
const minPauseMs = 1_000
const maxRetrySeconds = 30
const maxPerTurn = 100

export type Settled =
  | { readonly outcome: 'found' | 'absent' | 'gone' }
  | { readonly outcome: 'unsure'; readonly retryAfter: number }

/**
 * Looks up or settles one intent, unless another request works on its document. Returns `gone` if it was settled in the meantime.
 */
export async function settle(
  gateway: Gateway,
  writes: readonly AnyWrite[],
  intent: IntentRow,
): Promise<Settled> {
  recordSighting(gateway, intent)
  const settled = await gateway.store.withLock(intent.lock_name, 0, async () => {
    const row = await findCurrentIntent(gateway, intent)
    return row ? settleByReference(gateway, requireWriteKind(writes, row), row) : { outcome: 'gone' as const }
  })
  return settled ?? { outcome: 'unsure', retryAfter: 1 }
}

/** What a person found in the ERP about a write. */
export interface Finding {
  readonly intent: IntentRow
  /** The ERP's document; null if the ERP does not have it. */
  readonly document: ErpDocument | null
  /** Records the settlement in the audit log, in the same commit. */
  record(tx: Tx): Promise<void>
}

/** Settles an intent by what a person found in the ERP. */
export async function settleManually(
  gateway: Gateway,
  writes: readonly AnyWrite[],
  { intent, document, record }: Finding,
): Promise<'settled' | 'busy' | 'not done' | 'at erp'> {
  const done = await gateway.store.withLock(intent.lock_name, 0, async () => {
    const row = await findCurrentIntent(gateway, intent)
    if (!row) return 'settled' as const
    const write = requireWriteKind(writes, row)
    if (document && !write.isDone(document)) return 'not done' as const
    if (document === null) {
      const now = await askAgain(gateway, write, row)
      if (now !== 'absent') return now
      const isReferenceSpent = (await gateway.upstream.capabilities()).settles
      await undoWrite(gateway, write, { intent: row, httpStatus: 502, isReferenceSpent, record })
      countOrder(gateway, write, 'undone')
    } else await applyFound(gateway, write, { intent: row, document, record })
    return 'settled' as const
  })
  return done ?? 'busy'
}

/**
 * Asks the ERP about a write that a person did not find there. It may have arrived since, and may still arrive until its
 * silence is over, unless the ERP fences its reference now. Once a look-up shows whatever arrived, a person may answer for
 * an ERP that cannot.
 */
async function askAgain(
  gateway: Gateway,
  write: Write<unknown>,
  intent: IntentRow,
): Promise<'absent' | 'at erp' | 'busy'> {
  const sighting = recordSighting(gateway, intent)
  if (sighting.isUnsent) return 'absent'
  const capabilities = await gateway.upstream.capabilities()
  // The only look-up must show what took effect last. The worker's second one does, because of the pause before it.
  const believedFrom = computeSilentUntil(sighting, capabilities) + capabilities.lookup_lag_ms
  const isSilent = gateway.clock.monotonic() >= believedFrom
  const maySettle = capabilities.settles && gateway.upstream.writes.isOpen
  if (maySettle || capabilities.lookup !== 'none') {
    const asking = (maySettle ? finishOrFence : lookUp)(gateway, intent.reference)
    const report = await asking.catch((error: unknown) => {
      if (!isSilent) throw error
      return undefined
    })
    if (report?.state === 'found' && report.document && write.isDone(report.document)) return 'at erp'
    if (report?.state === 'in_progress') return 'busy'
    if (maySettle && report?.state === 'absent') return 'absent'
  }
  return isSilent ? 'absent' : 'busy'
}

/**
 * Looks up or settles open intents, beginning with the one whose last look-up is oldest. One turn of the worker.
 * One process asks the ERP for all. The others note what is open, so that a successor waits no longer than it must.
 */
export async function settleAll(gateway: Gateway, writes: readonly AnyWrite[]): Promise<void> {
  const open = await gateway.store.db
    .selectFrom('intents')
    .selectAll()
    // Writes that requests are still at work on are never looked up. They must not come before the others for good.
    .orderBy(({ fn }) => fn.coalesce('looked_at', 'sent_at'))
    .limit(maxPerTurn)
    .execute()
  if (open.length === 0) return
  for (const intent of open.length < maxPerTurn ? open : await listOpenWrites(gateway))
    recordSighting(gateway, intent)
  await gateway.store.withLease('settle writes', () => settleInTurn(gateway, writes, open))
}

/** Lists the open writes for their sightings, also those that the turn does not come to. */
function listOpenWrites({ store }: Gateway) {
  return store.db
    .selectFrom('intents')
    .select(['document_id', 'kind', 'reference', 'sent_at'])
    .limit(maxSightings)
    .execute()
}

async function settleInTurn(
  gateway: Gateway,
  writes: readonly AnyWrite[],
  open: readonly IntentRow[],
): Promise<void> {
  for (const intent of open) {
    await settle(gateway, writes, intent).catch(async (error: unknown) => {
      gateway.log.warn(
        { error, subject: intent.document_id },
        'a write of unknown outcome could not be settled yet',
      )
      // After a failed look-up, the intent comes after the others in the next turn.
      await recordLookup(gateway, intent, false)
    })
  }
}

async function findCurrentIntent(gateway: Gateway, intent: IntentRow): Promise<IntentRow | undefined> {
  return gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .where(({ and }) => and(identifyIntent(intent)))
    .executeTakeFirst()
}

/**
 * Returns the kind of write that an intent belongs to; throws if this process does not know it. The cast holds because
 * the write of this kind stored `detail`.
 */
function requireWriteKind(writes: readonly AnyWrite[], { kind }: IntentRow): Write<unknown> {
  const known = writes.find((write) => write.kind === kind)
  if (!known)
    throw new Error(`The kind of write "${kind}" is unknown: a newer version of the gateway started it.`)
  return known as Write<unknown>
}

async function settleByReference(
  gateway: Gateway,
  write: Write<unknown>,
  intent: IntentRow,
): Promise<Settled> {
  const sighting = recordSighting(gateway, intent)
  if (sighting.isUnsent) {
    await undoWrite(gateway, write, { intent, httpStatus: 503 })
    return { outcome: 'absent' }
  }
  const capabilities = await gateway.upstream.capabilities()
  const { lookup, lookup_lag_ms, settles } = capabilities
  const maySettle = settles && gateway.upstream.writes.isOpen
  if (!maySettle && lookup === 'none') return { outcome: 'unsure', retryAfter: maxRetrySeconds }
  const now = gateway.clock.monotonic()
  const ask = maySettle ? finishOrFence : lookUp
  const { state, document } = await ask(gateway, intent.reference)
  if (state === 'found' && document && write.isDone(document)) {
    await applyFound(gateway, write, { intent, document })
    return { outcome: 'found' }
  }
  if (maySettle && state === 'absent') return undoAbsent(gateway, write, { intent, capabilities })
  const silentUntil = computeSilentUntil(sighting, capabilities)
  const isMiss = state !== 'in_progress' && now >= silentUntil
  const pause = Math.max(minPauseMs, lookup_lag_ms)
  if (isMiss && sighting.missedAt !== undefined && now - sighting.missedAt >= pause) {
    return undoAbsent(gateway, write, { intent, capabilities })
  }
  sighting.missedAt = isMiss ? (sighting.missedAt ?? now) : undefined
  await recordLookup(gateway, intent, isMiss)
  const wait = isMiss ? pause : Math.max(minPauseMs, silentUntil - now)
  return { outcome: 'unsure', retryAfter: Math.min(maxRetrySeconds, Math.ceil(wait / 1000)) }
}

/** Computes until when a write that was sent may still take effect, by the monotonic clock. */
function computeSilentUntil(
  { since }: Sighting,
  { max_request_ms }: Pick<Capabilities, 'max_request_ms'>,
): number {
  return since + maxSendDelayMs + max_request_ms
}

/** What the ERP reports about a reference. */
type Report = Output<'lookup'>

async function lookUp({ erp }: Gateway, reference: string): Promise<Report> {
  return unwrap(await erp.lookup({ reference }, withTimeout(lookupTimeoutMs)))
}

/**
 * Has the ERP finish or fence what was begun under a reference. Every failure is an `UnknownOutcome`, because the write
 * stays in doubt: a refusal too, and a pause of writes that began in the meantime.
 */
async function finishOrFence({ erp }: Gateway, reference: string): Promise<Report> {
  const settled = await erp.settle({ reference }, withTimeout(settleTimeoutMs)).catch((cause: unknown) => {
    if (cause instanceof UnknownOutcome) throw cause
    throw new UnknownOutcome('failed', `The ERP could not be told to settle ${reference}.`, { cause })
  })
  if ('ok' in settled) return settled.ok
  const { reason, message } = settled.rejected
  throw new UnknownOutcome('failed', `The ERP refused to settle ${reference}: ${reason}: ${message}`)
}

interface Absent {
  readonly intent: IntentRow
  readonly capabilities: Capabilities
}

/**
 * Undoes a write that the ERP does not have. An ERP that settles may have fenced its reference, now or before a crash of
 * the gateway, so that nothing can be created under it any more.
 */
async function undoAbsent(
  gateway: Gateway,
  write: Write<unknown>,
  { intent, capabilities }: Absent,
): Promise<Settled> {
  const isReferenceSpent = capabilities.settles
  await undoWrite(gateway, write, { intent, httpStatus: 502, isReferenceSpent })
  countOrder(gateway, write, 'undone')
  return { outcome: 'absent' }
}

interface Found {
  readonly intent: IntentRow
  readonly document: ErpDocument
  record?(tx: Tx): Promise<void>
}

/**
 * Applies the result of a look-up like a response of the ERP. A look-up returns no stock figures, so they are read
 * afterwards.
 */
async function applyFound(
  gateway: Gateway,
  write: Write<unknown>,
  { document, ...found }: Found,
): Promise<void> {
  await applyOutcome({ gateway, call: undefined }, write, { ...found, written: { document, figures: [] } })
  await rereadTouchedStock(gateway, document)
}

/** Records the look-up, for operators and for the sequence of the next turn. */
async function recordLookup(gateway: Gateway, intent: IntentRow, isMiss: boolean): Promise<void> {
  const now = gateway.clock.now()
  const missed_at = isMiss ? (intent.missed_at ?? now) : null
  await gateway.store.db
    .updateTable('intents')
    .set({ looked_at: now, missed_at })
    .where(({ and }) => and(identifyIntent(intent)))
    .execute()
}
