/**
 * What the settlement of a write returns to its callers (a worker, a retry with the same key, a person), what it asks the
 * ERP for, and what it notes. `settlement.test.ts` and `settling-erp.test.ts` have the guarantees for clients.
 */

import {
  type Capabilities,
  type ErpResult,
  type Output,
  ok,
  rejected,
  UnknownOutcome,
} from '@trade-gateway/connector'
import { afterEach, describe, expect, it } from 'vitest'
import type { IntentRow } from '../src/store/tables.ts'
import { type Finding, settle, settleAll, settleManually } from '../src/writes/settle.ts'
import { recordSighting } from '../src/writes/sightings.ts'
import { maxSendDelayMs } from '../src/writes/timing.ts'
import { writes } from '../src/writes.ts'
import { openTestGateway } from './harness.ts'
import { expectLost, LateErp, type Site } from './late-erp.ts'
import { buildDropship, createDraft, expectData, expectError, openShop } from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
const maxRequestMs = 60_000
const silenceMs = maxSendDelayMs + maxRequestMs

interface LateSite extends Site {
  /** What the ERP reports instead of looking up; undefined if it looks up. */
  report: Output<'lookup'> | undefined
  /** Whether the ERP cannot report its stock. */
  isStockUnreadable: boolean
  /** What the ERP answers instead of settling; undefined if it settles. */
  answer: ErpResult<Output<'settle'>> | undefined
}

let site: LateSite | undefined
afterEach(async () => {
  await site?.house.close()
  site = undefined
})

async function openLateSite(capabilities: Partial<Capabilities>): Promise<LateSite> {
  const erp = new LateErp()
  const opened: Omit<LateSite, keyof Site> = {
    answer: undefined,
    report: undefined,
    isStockUnreadable: false,
  }
  const house = await openTestGateway({
    styles: 10,
    journey: never,
    capabilities: { dedupes_by_reference: false, max_request_ms: maxRequestMs, ...capabilities },
    wrapErp: (inner) =>
      erp.wrap({
        ...inner,
        lookup: async (input, options) => (opened.report ? ok(opened.report) : inner.lookup(input, options)),
        settle: async (input, options) => opened.answer ?? inner.settle(input, options),
        'stock.read': async (input, options) => {
          if (opened.isStockUnreadable) throw new UnknownOutcome('malformed', 'A quantity is -1.')
          return inner['stock.read'](input, options)
        },
      }),
  })
  site = Object.assign(opened, { house, shop: openShop(house), erp })
  return site
}

const refusal = rejected('invalid_state', 'The books are closed.')
const lookedUp = { lookup: 'strong', settles: false } as const
const settling = { lookup: 'none', settles: true } as const
const mute = { lookup: 'none', settles: false } as const

interface Doubt {
  readonly sku: string
  readonly intent: IntentRow
  /** Reads the intent as it is stored now; undefined if it was settled. */
  read(): Promise<IntentRow | undefined>
}

/** Loses a submit of two units. */
async function loseSubmit({ house, shop, erp }: LateSite): Promise<Doubt> {
  const sku = await shop.createSku({ AUSYD1: 10 })
  const body = { ...buildDropship(sku), quantity: 2 }
  const key = { 'idempotency-key': body.client_order_number }
  await expectLost(erp, () => shop.post('/dropship-orders/submit', body, key))
  const find = () =>
    house.gateway.store.db
      .selectFrom('intents')
      .selectAll()
      .orderBy('sent_at', 'desc')
      .orderBy('document_id')
      .execute()
  const [intent] = await find()
  if (!intent) throw new Error('The submit left no intent.')
  const read = async () => (await find()).find((each) => each.document_id === intent.document_id)
  return { sku, intent, read }
}

async function countOrders({ house }: Site, status: string): Promise<number> {
  const { values } = await house.gateway.memory.metrics.orders.get()
  return values.find(({ labels }) => labels.status === status)?.value ?? 0
}

async function readDocument({ house }: Site, { intent }: Doubt) {
  const answer = await house.gateway.erp['documents.read']({ references: [intent.reference] })
  const document = 'ok' in answer ? answer.ok.documents[0] : undefined
  if (!document) throw new Error('The ERP has no such document.')
  return document
}

const settleNow = ({ house }: Site, { intent }: Doubt, kinds = writes) => settle(house.gateway, kinds, intent)

describe('a write that is looked up', () => {
  it('says when to ask again, notes each look-up, and is absent after two that found nothing', async () => {
    const late = await openLateSite(lookedUp)
    const { house, erp } = late
    const doubt = await loseSubmit(late)
    erp.underWay.splice(0)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 30 })
    expect(await doubt.read()).toMatchObject({ looked_at: house.clock.now(), missed_at: null })
    house.clock.advance(silenceMs - 2_500)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 3 })
    house.clock.advance(2_000)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 1 })
    house.clock.advance(500)
    const missedAt = house.clock.now()
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 1 })
    house.clock.advance(500)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 1 })
    expect(await doubt.read()).toMatchObject({ looked_at: missedAt + 500, missed_at: missedAt })
    erp.scripted.push('in_progress')
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 1 })
    expect(await doubt.read()).toMatchObject({ missed_at: null })
    expect(await settleNow(late, doubt)).toMatchObject({ outcome: 'unsure' })
    house.clock.advance(1_000)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'absent' })
    expect(await doubt.read()).toBeUndefined()
    expect(await countOrders(late, 'undone')).toBe(1)
  })

  it('is found with its stock figures, which are published, and is gone for whoever asks later', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    await late.erp.deliver()
    expect(await late.shop.readAvailable(doubt.sku)).toBe(10)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'found' })
    expect(await late.shop.readAvailable(doubt.sku)).toBe(8)
    const lookups = late.erp.lookups
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'gone' })
    expect(late.erp.lookups).toBe(lookups)
  })

  it('is found although its stock figures cannot be read, also by a person', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    await late.erp.deliver()
    late.isStockUnreadable = true
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'found' })
    expect(await doubt.read()).toBeUndefined()
    const { db } = late.house.gateway.store
    const key = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirst()
    expect(key).toMatchObject({ state: 'completed', http_status: 200 })
    const putOff = await db.selectFrom('unreadable_stock').select('sku').execute()
    expect(putOff).toContainEqual({ sku: doubt.sku })
    const other = await loseSubmit(late)
    await late.erp.deliver()
    const document = await readDocument(late, other)
    const finding = { intent: other.intent, document, record: async () => {} }
    expect(await settleManually(late.house.gateway, writes, finding)).toBe('settled')
  })

  it('has its stock read wherever it is carried, because a document that has ended allocates none', async () => {
    const late = await openLateSite(lookedUp)
    const { erp, house, shop } = late
    const sku = await shop.createSku({ AUSYD1: 10, AUSYD2: 1 })
    const { order_id } = await createDraft(shop, sku, 2)
    expectData(await shop.post(`/orders/${order_id}/submit`))
    expect(await shop.readAvailable(sku)).toBe(8)
    expectError(await erp.whileLate(() => shop.send('DELETE', `/orders/${order_id}`)), 'UPSTREAM_TIMEOUT')
    await erp.deliver()
    const intent = await house.gateway.store.db.selectFrom('intents').selectAll().executeTakeFirstOrThrow()
    const found = await house.sandbox.erp.lookup({ reference: intent.reference })
    if (!('ok' in found && found.ok.document)) throw new Error('The ERP did not look it up.')
    const lines = found.ok.document.lines.map((line) => ({ ...line, allocations: [] }))
    late.report = { ...found.ok, document: { ...found.ok.document, lines } }
    expect(await settle(house.gateway, writes, intent)).toEqual({ outcome: 'found' })
    expect(await shop.readAvailable(sku)).toBe(10)
  })

  it('is not found by a report without a document', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    late.erp.scripted.push('found')
    expect(await settleNow(late, doubt)).toMatchObject({ outcome: 'unsure' })
  })

  it('is not found while it is in progress, even if the ERP shows its document', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    await late.erp.deliver()
    const found = await late.house.sandbox.erp.lookup({ reference: doubt.intent.reference })
    if (!('ok' in found)) throw new Error('The ERP did not look it up.')
    late.report = { ...found.ok, state: 'in_progress' }
    expect(await settleNow(late, doubt)).toMatchObject({ outcome: 'unsure' })
  })

  it('is left to the request that works on its document', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    const { store } = late.house.gateway
    const settled = await store.withLock(doubt.intent.lock_name, 0, () => settleNow(late, doubt))
    expect(settled).toEqual({ outcome: 'unsure', retryAfter: 1 })
    expect(late.erp.lookups).toBe(0)
  })

  it('counts its silence from the first look, also if another request works on its document then', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    const { gateway, clock } = late.house
    // As in another process, which has not seen the write before.
    const intent = { ...doubt.intent, sent_at: doubt.intent.sent_at + 1 }
    const seenAt = clock.monotonic()
    await gateway.store.withLock(intent.lock_name, 0, () => settle(gateway, writes, intent))
    clock.advance(silenceMs)
    expect(recordSighting(gateway, intent).since).toBe(seenAt)
  })

  it('of a kind that this process does not know is left alone, with an error that says so', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    await expect(settleNow(late, doubt, [])).rejects.toThrow(
      'The kind of write "dropship.submit" is unknown: a newer version of the gateway started it.',
    )
    expect(await doubt.read()).toEqual(doubt.intent)
  })

  it('that is known not to be sent is undone without the ERP, and frees its key', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    late.erp.underWay.splice(0)
    recordSighting(late.house.gateway, doubt.intent).isUnsent = true
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'absent' })
    expect(late.erp.lookups).toBe(0)
    expect(await doubt.read()).toBeUndefined()
    const { db } = late.house.gateway.store
    const key = await db.selectFrom('idempotency_keys').selectAll().executeTakeFirst()
    expect(key).toMatchObject({ state: 'failed', http_status: 503 })
  })
})

describe('a write to an ERP that neither looks up nor settles', () => {
  it('stays in doubt, and nothing is asked', async () => {
    const late = await openLateSite(mute)
    const doubt = await loseSubmit(late)
    late.house.clock.advance(2 * silenceMs)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'unsure', retryAfter: 30 })
    expect([late.erp.lookups, late.erp.settles]).toEqual([0, 0])
  })
})

describe('a write to an ERP that settles', () => {
  it('is absent at once', async () => {
    const late = await openLateSite(settling)
    const doubt = await loseSubmit(late)
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'absent' })
    expect([late.erp.lookups, late.erp.settles]).toEqual([0, 1])
  })

  it('is found', async () => {
    const late = await openLateSite(settling)
    const doubt = await loseSubmit(late)
    await late.erp.deliver()
    expect(await settleNow(late, doubt)).toEqual({ outcome: 'found' })
  })

  it.each(['strong', 'none'] as const)(
    'is not settled while writes are paused, look-ups being %s',
    async (lookup) => {
      const late = await openLateSite({ lookup, settles: true })
      const doubt = await loseSubmit(late)
      late.house.clock.advance(2 * silenceMs)
      const { gateway } = late.house
      const paused = { ...gateway, upstream: withClosedWrites(gateway.upstream) }
      const settled = await settle(paused, writes, doubt.intent)
      expect(settled).toMatchObject({ outcome: 'unsure' })
      expect([late.erp.lookups, late.erp.settles]).toEqual([lookup === 'none' ? 0 : 1, 0])
    },
  )

  it('stays in doubt with the reason if the ERP refuses or fails', async () => {
    const late = await openLateSite(settling)
    const doubt = await loseSubmit(late)
    late.answer = refusal
    const fail = () => settleNow(late, doubt).catch((error: unknown) => error)
    const { reference } = doubt.intent
    const refused = await fail()
    expect(refused).toBeInstanceOf(UnknownOutcome)
    expect(refused).toMatchObject({
      kind: 'failed',
      sent: true,
      message: `The ERP refused to settle ${reference}: invalid_state: The books are closed.`,
    })
    const cause = new TypeError('a fault of the connector')
    late.erp.settleFailures.push(() => {
      throw cause
    })
    const failed = await fail()
    expect(failed).toBeInstanceOf(UnknownOutcome)
    const message = `The ERP could not be told to settle ${reference}.`
    expect(failed).toMatchObject({ kind: 'failed', message, cause })
    const lost = new UnknownOutcome('timeout', 'Nothing came back.')
    late.erp.settleFailures.push(() => {
      throw lost
    })
    expect(await fail()).toBe(lost)
    expect(await doubt.read()).toMatchObject({ looked_at: null })
  })
})

function withClosedWrites<T extends { readonly writes: object }>(upstream: T): T {
  const closed = { isOpen: false }
  return new Proxy(upstream, {
    get: (target, name) => {
      if (name === 'writes') return closed
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('the worker that settles', () => {
  it('logs a write that it could not settle, and begins with the one whose last look-up is oldest', async () => {
    const late = await openLateSite(settling)
    const first = await loseSubmit(late)
    late.house.clock.advance(1)
    const second = await loseSubmit(late)
    const warned: unknown[] = []
    const { gateway } = late.house
    const log = {
      ...gateway.log,
      warn: (fields: object, message: string) => warned.push({ ...fields, message }),
    }
    const watched = { ...gateway, log }
    late.answer = refusal
    await settleAll(watched, writes)
    const message = 'a write of unknown outcome could not be settled yet'
    expect(warned).toMatchObject([
      { subject: first.intent.document_id, message },
      { subject: second.intent.document_id, message },
    ])
    const lookedAt = late.house.clock.now()
    for (const { read } of [first, second])
      expect(await read()).toMatchObject({ looked_at: lookedAt, missed_at: null })
    late.house.clock.advance(1)
    const third = await loseSubmit(late)
    late.house.clock.advance(1)
    await gateway.store.db
      .updateTable('intents')
      .set({ looked_at: late.house.clock.now() })
      .where('document_id', '=', first.intent.document_id)
      .execute()
    warned.length = 0
    await settleAll(watched, writes)
    const inOrder = [second, third, first].map(({ intent }) => ({ subject: intent.document_id }))
    expect(warned).toMatchObject(inOrder)
  })

  it('is not kept from a write by the many that requests are at work on', async () => {
    const late = await openLateSite(lookedUp)
    const { gateway, clock } = late.house
    const doubt = await loseSubmit(late)
    expect(await settleNow(late, doubt)).toMatchObject({ outcome: 'unsure' })
    await late.erp.deliver()
    clock.advance(1_000)
    const busy = Array.from({ length: 150 }, (_, at) => ({
      ...doubt.intent,
      ...{ document_id: `dso_busy${at}`, reference: `BUSY${at}`, lock_name: 'busy', scope: null },
      sent_at: clock.now(),
    }))
    await gateway.store.db.insertInto('intents').values(busy).execute()
    await gateway.store.withLock('busy', 0, () => settleAll(gateway, writes))
    expect(await doubt.read()).toBeUndefined()
    const seenAt = clock.monotonic()
    clock.advance(1_000)
    const unseen = busy.filter((intent) => recordSighting(gateway, intent).since !== seenAt)
    expect(unseen).toEqual([])
  })

  it('asks for no lease if nothing is open, and notes what is open also without it', async () => {
    const late = await openLateSite(mute)
    const { gateway, clock } = late.house
    const leases: string[] = []
    const withLease = async (name: string) => {
      leases.push(name)
      return undefined
    }
    const other = { ...gateway, store: { ...gateway.store, withLease } } as typeof gateway
    await settleAll(other, writes)
    expect(leases).toEqual([])
    const { intent } = await loseSubmit(late)
    // As in another process, which has not seen the write before.
    const memory = { ...gateway.memory }
    const seenAt = clock.monotonic()
    await settleAll({ ...other, memory }, writes)
    expect(leases).toEqual(['settle writes'])
    clock.advance(5_000)
    expect(recordSighting({ ...gateway, memory }, intent).since).toBe(seenAt)
  })
})

describe('a person who settles a write', () => {
  const find = (doubt: Doubt, document: Finding['document']): Finding => ({
    intent: doubt.intent,
    document,
    record: async () => {},
  })
  const answerAbsent = ({ house }: Site, doubt: Doubt) =>
    settleManually(house.gateway, writes, find(doubt, null))

  it('completes it with the document that was found, once, and with its record', async () => {
    const late = await openLateSite(mute)
    const doubt = await loseSubmit(late)
    await late.erp.deliver()
    const document = await readDocument(late, doubt)
    let records = 0
    const record = async () => {
      records += 1
    }
    const { gateway } = late.house
    const answer = () => settleManually(gateway, writes, { ...find(doubt, document), record })
    expect(await answer()).toBe('settled')
    expect(records).toBe(1)
    const order = expectData(await late.shop.get(`/dropship-orders/${doubt.intent.document_id}`))
    expect(order).toMatchObject({ in_doubt: false, status: 'pending' })
    expect(order.submitted_at).not.toBeNull()
    expect(await answer()).toBe('settled')
    expect(records).toBe(1)
  })

  it('is told that the document does not show the write, and that another request works on it', async () => {
    const late = await openLateSite(mute)
    const doubt = await loseSubmit(late)
    await late.erp.deliver()
    const document = { ...(await readDocument(late, doubt)), kind: 'hold' as const }
    const { gateway } = late.house
    const answer = () => settleManually(gateway, writes, find(doubt, document))
    expect(await answer()).toBe('not done')
    const locked = await gateway.store.withLock(doubt.intent.lock_name, 0, answer)
    expect(locked).toBe('busy')
    expect(await doubt.read()).toBeDefined()
  })

  it('may say that it is absent only after its silence, if the ERP cannot be asked', async () => {
    const late = await openLateSite(mute)
    const doubt = await loseSubmit(late)
    late.house.clock.advance(silenceMs - 1)
    expect(await answerAbsent(late, doubt)).toBe('busy')
    late.house.clock.advance(1)
    expect(await answerAbsent(late, doubt)).toBe('settled')
    expect(late.erp.lookups).toBe(0)
    expect(await doubt.read()).toBeUndefined()
    expect(await countOrders(late, 'undone')).toBe(1)
  })

  it('is not believed while a look-up may not show what the ERP has', async () => {
    const lagMs = 2 * maxRequestMs
    const late = await openLateSite({ lookup: 'eventual', lookup_lag_ms: lagMs, settles: false })
    const doubt = await loseSubmit(late)
    const { clock } = late.house
    clock.advance(silenceMs)
    await late.erp.deliver()
    late.report = { state: 'absent', document: null }
    expect(await answerAbsent(late, doubt)).toBe('busy')
    // The last millisecond in which the look-up may not show it.
    clock.advance(lagMs - 1)
    expect(await answerAbsent(late, doubt)).toBe('busy')
    late.report = undefined
    clock.advance(1)
    expect(await answerAbsent(late, doubt)).toBe('at erp')
    expect(await doubt.read()).toBeDefined()
  })

  it('may say so at once of a write that was not sent', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    recordSighting(late.house.gateway, doubt.intent).isUnsent = true
    expect(await answerAbsent(late, doubt)).toBe('settled')
    expect(late.erp.lookups).toBe(0)
  })

  it('is contradicted by a look-up that finds the write, or that cannot exclude it yet', async () => {
    const late = await openLateSite(lookedUp)
    const doubt = await loseSubmit(late)
    expect(await answerAbsent(late, doubt)).toBe('busy')
    late.erp.scripted.push('in_progress')
    late.house.clock.advance(2 * silenceMs)
    expect(await answerAbsent(late, doubt)).toBe('busy')
    await late.erp.deliver()
    expect(await answerAbsent(late, doubt)).toBe('at erp')
    expect(late.erp.lookups).toBe(3)
    expect(await doubt.read()).toBeDefined()
  })

  it('has the reference fenced at once, and is asked again only while writes may reach the ERP', async () => {
    const late = await openLateSite(settling)
    const doubt = await loseSubmit(late)
    const { gateway } = late.house
    const paused = { ...gateway, upstream: withClosedWrites(gateway.upstream) }
    expect(await settleManually(paused, writes, find(doubt, null))).toBe('busy')
    expect(late.erp.settles).toBe(0)
    expect(await answerAbsent(late, doubt)).toBe('settled')
    expect(late.erp.settles).toBe(1)
  })

  it('is not believed before the silence if the ERP has something else under the reference', async () => {
    const late = await openLateSite(settling)
    const doubt = await loseSubmit(late)
    late.answer = ok({ state: 'found', document: null })
    expect(await answerAbsent(late, doubt)).toBe('busy')
  })

  it('answers for an ERP that fails, but only after the silence', async () => {
    const late = await openLateSite(settling)
    const doubt = await loseSubmit(late)
    late.answer = refusal
    await expect(answerAbsent(late, doubt)).rejects.toThrow('The ERP refused to settle')
    late.house.clock.advance(silenceMs)
    expect(await answerAbsent(late, doubt)).toBe('settled')
  })
})
