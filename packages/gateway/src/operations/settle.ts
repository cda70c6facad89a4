import { accepted, type ErpDocument, within } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { IntentRow } from '../store/tables.ts'
import { type AnyWrite, type Figures, finish, mostLateMs, undo, type Write } from './intent.ts'

/**
 * Settles a write of unknown outcome by what the ERP says of its reference, and only by that; it looks up and never
 * sends. Found: the answer is applied as if it had just come. An absence counts only once no late request can take
 * effect any more and the ERP has been asked twice since, a pause apart: then the document is as before. What the ERP
 * cannot tell stays in doubt, for a person.
 */
const lookupTimeoutMs = 10_000
/** Between the two look-ups that prove an absence. */
const leastPauseMs = 1_000
const mostRetrySeconds = 30
const mostPerTurn = 100

export type Settled =
  | { readonly outcome: 'found' | 'absent' | 'gone' }
  | { readonly outcome: 'unsure'; readonly retryAfter: number }

/** Looks one intent up, unless someone works on its document; `gone` where it was settled meanwhile. */
export async function settle(
  gateway: Gateway,
  writes: readonly AnyWrite[],
  intent: IntentRow,
): Promise<Settled> {
  const settled = await gateway.store.withLock(intent.lock_name, 0, async () => {
    const row = await currentIntent(gateway, intent)
    return row ? looked(gateway, writeOf(writes, row), row) : { outcome: 'gone' as const }
  })
  return settled ?? { outcome: 'unsure', retryAfter: 1 }
}

/** Settles an intent by what a person found in the ERP. */
export async function settleByHand(
  gateway: Gateway,
  writes: readonly AnyWrite[],
  intent: IntentRow,
  document: ErpDocument | null,
): Promise<'settled' | 'busy' | 'not done'> {
  const done = await gateway.store.withLock(intent.lock_name, 0, async () => {
    const row = await currentIntent(gateway, intent)
    if (!row) return 'settled' as const
    const write = writeOf(writes, row)
    if (document && !write.isDone(document)) return 'not done' as const
    if (document === null) await undo(gateway, write, row, 502)
    else await finish(gateway, write, row, { document, figures: await figuresOf(gateway, document) })
    return 'settled' as const
  })
  return done ?? 'busy'
}

/** One turn of the worker: every intent that nobody works on. */
export async function settleAll(gateway: Gateway, writes: readonly AnyWrite[]): Promise<void> {
  const open = await gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .orderBy('looked_at', (order) => order.asc().nullsFirst())
    .orderBy('sent_at')
    .limit(mostPerTurn)
    .execute()
  for (const intent of open) {
    await settle(gateway, writes, intent).catch(async (error: unknown) => {
      gateway.log.warn({ error, subject: intent.document_id }, 'a write in doubt could not be settled yet')
      // It goes behind the others.
      await note(gateway, intent, gateway.clock.now(), false)
    })
  }
}

async function currentIntent(gateway: Gateway, intent: IntentRow): Promise<IntentRow | undefined> {
  return gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .where('document_id', '=', intent.document_id)
    .where('kind', '=', intent.kind)
    .where('reference', '=', intent.reference)
    .executeTakeFirst()
}

/** The cast holds: `detail` is what the write of this kind put there. */
function writeOf(writes: readonly AnyWrite[], { kind }: IntentRow): Write<unknown> {
  const known = writes.find((write) => write.kind === kind)
  if (!known) throw new Error(`There is no kind of write ${kind}: a newer gateway began it.`)
  return known as Write<unknown>
}

async function looked(gateway: Gateway, write: Write<unknown>, intent: IntentRow): Promise<Settled> {
  const { lookup, lookup_lag_ms, max_request_ms } = await gateway.upstream.capabilities()
  if (lookup === 'none') return { outcome: 'unsure', retryAfter: mostRetrySeconds }
  const now = gateway.clock.now()
  const { state, document } = accepted(
    await gateway.erp.lookup({ reference: intent.reference }, within(lookupTimeoutMs)),
  )
  if (state === 'found' && document && write.isDone(document)) {
    await finish(gateway, write, intent, { document, figures: await figuresOf(gateway, document) })
    return { outcome: 'found' }
  }
  const silentUntil = intent.sent_at + mostLateMs + Math.max(max_request_ms, lookup_lag_ms)
  const isMiss = state !== 'in_progress' && now >= silentUntil
  const pause = Math.max(leastPauseMs, lookup_lag_ms)
  if (isMiss && intent.missed_at !== null && now - intent.missed_at >= pause) {
    await undo(gateway, write, intent, 502)
    return { outcome: 'absent' }
  }
  await note(gateway, intent, now, isMiss)
  const wait = isMiss ? pause : Math.max(leastPauseMs, silentUntil - now)
  return { outcome: 'unsure', retryAfter: Math.min(mostRetrySeconds, Math.ceil(wait / 1000)) }
}

async function note(gateway: Gateway, intent: IntentRow, now: number, isMiss: boolean): Promise<void> {
  const missed_at = isMiss ? (intent.missed_at ?? now) : null
  await gateway.store.db
    .updateTable('intents')
    .set({ looked_at: now, missed_at })
    .where('document_id', '=', intent.document_id)
    .where('reference', '=', intent.reference)
    .execute()
}

/** The newest figures of everything that a document may have touched: a look-up carries none. */
async function figuresOf(gateway: Gateway, document: ErpDocument): Promise<Figures> {
  const skus = new Map<string, Set<string>>()
  for (const { sku, allocations } of document.lines) {
    for (const { warehouse_code } of allocations) {
      skus.set(warehouse_code, (skus.get(warehouse_code) ?? new Set()).add(sku))
    }
  }
  const figures: Figures = []
  for (const [warehouse_code, named] of skus) {
    const input = { warehouse_code, skus: [...named] }
    const { rows } = accepted(await gateway.erp['stock.read'](input, within(lookupTimeoutMs)))
    figures.push({ warehouse_code, rows })
  }
  return figures
}
