/**
 * One write on its way: what is committed before it is sent, what keeps it from being sent, and what each ending leaves
 * behind. The write is of a kind of its own, which changes no documents.
 */

import { type CallOptions, type ErpDocument, ok, rejected, UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Call, Keyed } from '../src/contract/call.ts'
import { GatewayError } from '../src/contract/errors.ts'
import { Reply } from '../src/contract/reply.ts'
import type { Gateway } from '../src/gateway.ts'
import { toJson } from '../src/store/json.ts'
import { CommitUnanswered, DatabaseSilent } from '../src/store/trouble.ts'
import {
  readDetail,
  replaceDetail,
  type Write,
  type WritePlan,
  type Writer,
  type Written,
} from '../src/writes/intent.ts'
import { findKeyRow, storeCommittedResponse } from '../src/writes/keys.ts'
import { performWrite } from '../src/writes/perform.ts'
import { publishFigures } from '../src/writes/publish.ts'
import { deriveReference } from '../src/writes/reference.ts'
import { unsealResponse } from '../src/writes/sealed-keys.ts'
import { recordSighting } from '../src/writes/sightings.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

interface Detail {
  readonly note: string
}
type Body = { readonly data: string }

let house: TestGateway
let gateway: Gateway
let nudged: string[]
let ended: unknown[]
let plans = 0
let plan: WritePlan<Detail, string>
let call: Call
let key: Keyed
let lockLoss: AbortController

const written: Written = { document: { reference: 'TG1' } as ErpDocument, figures: [] }

const write: Write<Detail, Body, string> = {
  kind: 'dropship.test',
  makesEvents: true,
  isDone: () => true,
  async apply({ detail, intent }, outcome, row) {
    ended.push({ applied: detail.note, request: intent.request_id, outcome, row })
    return new Reply({ data: 'done' })
  },
  async undo({ detail, isReferenceSpent }) {
    ended.push({ undone: detail.note, isReferenceSpent })
  },
}

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
})
afterAll(() => house.close())
beforeEach(() => {
  nudged = []
  ended = []
  gateway = { ...house.gateway, nudge: (topic) => void nudged.push(topic) }
  lockLoss = new AbortController()
  const id = `dso_${++plans}`
  plan = {
    document: { type: 'dropship_order', id },
    held: { lock: `document ${id}`, lost: lockLoss.signal },
    reference: deriveReference(gateway, id),
    channel_code: 'channel',
    detail: { note: `note of ${id}` },
    status: 201,
    skus: [],
    row: 'the row',
    buildDocumentUpdates: () => [],
    send: async () => ok(written),
  }
  key = {
    ...{ scope: `scope of ${id}`, fingerprint: 'ab12'.repeat(16), channel_code: 'channel', method: 'POST' },
    ...{ path: '/orders', idempotency_key: id, lost: new AbortController().signal, isKept: false },
  }
  call = { requestId: `request-of-${id}`, key } as unknown as Call
})

const perform = (more: Partial<typeof plan> = {}, writer: Partial<Writer> = {}) =>
  performWrite({ gateway, call, ...writer }, write, { ...plan, ...more })

/** Performs a write that fails, and returns its error. */
async function fail(more: Partial<typeof plan> = {}, writer: Partial<Writer> = {}): Promise<GatewayError> {
  const error: unknown = await perform(more, writer).catch((failure: unknown) => failure)
  if (error instanceof GatewayError) return error
  throw new Error(`It did not fail with an error for a client: ${String(error)}`)
}

const findIntent = () =>
  gateway.store.db
    .selectFrom('intents')
    .selectAll()
    .where('document_id', '=', plan.document.id)
    .executeTakeFirst()
const readKey = () => findKeyRow(gateway.store.db, key.scope)

async function readCounts(): Promise<Record<string, number>> {
  const { values } = await gateway.memory.metrics.orders.get()
  const own = values.filter(({ labels }) => labels.kind === 'dropship' && labels.status !== undefined)
  return Object.fromEntries(own.map(({ labels, value }) => [String(labels.status), value]))
}

/** Returns what this process knows of the write, which was sent just now. */
const recordOwnSighting = () =>
  recordSighting(gateway, {
    ...{ document_id: plan.document.id, kind: write.kind },
    ...{ reference: plan.reference, sent_at: house.clock.now() },
  })

/** Returns by how much the counts of orders change while something runs. */
async function countWhile(work: () => Promise<unknown>): Promise<Record<string, number>> {
  const before = await readCounts()
  await work()
  const after = await readCounts()
  const changes = Object.entries(after).map(([status, count]) => [status, count - (before[status] ?? 0)])
  return Object.fromEntries(changes.filter(([, change]) => change !== 0))
}

/** Replaces members of an object with private ones. */
function override<T extends object>(target: T, members: Readonly<Record<string, unknown>>): T {
  return new Proxy(target, {
    get: (inner, name) => {
      if (typeof name === 'string' && name in members) return members[name]
      const value: unknown = Reflect.get(inner, name, inner)
      return typeof value === 'function' ? value.bind(inner) : value
    },
  })
}

const unknown = new UnknownOutcome('failed', 'Nothing came back.')
const unsent = new UnknownOutcome('unreachable', 'It was never sent.', { sent: false })

describe('a write that the ERP performs', () => {
  it('is committed before it is sent, and its outcome with its response, its record and its events', async () => {
    const seen: unknown[] = []
    const send = async (options: CallOptions) => {
      const { isUnsent } = recordSighting(gateway, (await findIntent()) as never)
      seen.push({
        ...{ intent: await findIntent(), key: (await readKey())?.state, isUnsent },
        ...{
          ends: options.signal instanceof AbortSignal,
          isEnded: options.signal?.aborted,
          hasFault: 'fault' in options,
        },
      })
      return ok(written)
    }
    let records = 0
    const record = async () => {
      records += 1
    }
    let reply: Reply<Body> | undefined
    const counts = await countWhile(async () => {
      reply = await perform({ send, record })
    })
    expect(seen).toMatchObject([
      {
        intent: {
          ...{ document_id: plan.document.id, lock_name: plan.held.lock, kind: write.kind },
          ...{ reference: plan.reference, channel_code: 'channel', scope: key.scope, http_status: 201 },
          ...{ request_id: call.requestId, sent_at: house.clock.now(), missed_at: null, looked_at: null },
        },
        ...{ key: 'in_doubt', isUnsent: false, ends: true, isEnded: false, hasFault: false },
      },
    ])
    expect(reply?.body).toEqual({ data: 'done' })
    expect(ended).toEqual([
      { applied: plan.detail.note, request: call.requestId, outcome: written, row: 'the row' },
    ])
    expect(await findIntent()).toBeUndefined()
    const row = await readKey()
    expect(row).toMatchObject({ state: 'completed', http_status: 201, resource_id: plan.document.id })
    expect(row && unsealResponse(gateway, row)).toMatchObject({ status: 201, body: '{"data":"done"}' })
    expect([key.isKept, records, call.documentId]).toEqual([true, 1, plan.document.id])
    expect(nudged).toEqual(['events'])
    expect(counts).toEqual({ placed: 1 })
  })

  it('without a call has no key, and is a worker’s', async () => {
    await perform({}, { call: undefined })
    expect(ended).toMatchObject([{ request: 'worker' }])
    expect(await readKey()).toBeUndefined()
  })

  it('without a status of its own has 200', async () => {
    const { status: _status, ...plain } = plan
    await performWrite({ gateway, call }, write, plain)
    expect(await readKey()).toMatchObject({ http_status: 200 })
  })

  it('wakes nobody and counts as no order if it makes no events', async () => {
    const { makesEvents: _events, ...quiet } = write
    const counts = await countWhile(() => performWrite({ gateway, call }, quiet, plan))
    expect([counts, nudged]).toEqual([{}, []])
  })

  it('without warehouses may change the stock of all, if the ERP processes writes per warehouse', async () => {
    const upstream = override(gateway.upstream, {
      capabilities: async () => ({
        ...(await house.gateway.upstream.capabilities()),
        serialise: 'warehouse',
      }),
    })
    const locks: string[] = []
    const withLock: Gateway['store']['withLock'] = (name, waitMs, work) => {
      locks.push(name)
      return house.gateway.store.withLock(name, waitMs, work)
    }
    await perform({}, { gateway: { ...gateway, upstream, store: { ...gateway.store, withLock } } })
    expect(locks).toEqual(['allocate AUSYD1', 'allocate AUSYD2', 'allocate CHNZJ1'])
  })

  it('passes on the fault of a call in the sandbox', async () => {
    const faults: unknown[] = []
    const send = async ({ fault }: CallOptions) => {
      faults.push(fault)
      return ok(written)
    }
    await perform({ send }, { call: { ...call, fault: 'slow' } })
    expect(faults).toEqual(['slow'])
  })

  it('stays in doubt if its outcome cannot be stored', async () => {
    const broken = { ...write, apply: () => Promise.reject(new Error('the disk is full')) }
    const error: unknown = await performWrite({ gateway, call }, broken, plan).catch(
      (failure: unknown) => failure,
    )
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', facts: { reason: 'upstream_unknown' } })
    expect(await findIntent()).toBeDefined()
    expect([await readKey(), key.isKept]).toMatchObject([{ state: 'in_doubt' }, false])
  })

  it('is in doubt for its caller if another process has settled it meanwhile', async () => {
    const send = async () => {
      await gateway.store.db.deleteFrom('intents').where('document_id', '=', plan.document.id).execute()
      return ok(written)
    }
    const { code, facts } = await fail({ send })
    expect([code, facts.say]).toEqual(['UPSTREAM_TIMEOUT', ['document_in_doubt', { id: plan.document.id }]])
    expect(ended).toEqual([])
  })
})

describe('the stock figures of a write to an ERP without a counter', () => {
  /** Performs a write that returns a figure without a counter and one with it; returns the counters of the outcome. */
  async function performWithFigures(more: Partial<Gateway> = {}): Promise<readonly (number | null)[]> {
    const [sku = ''] = house.gateway.mirror.stock.snapshot('AUSYD1')?.blocks[0]?.skus ?? []
    const answer = await gateway.erp['stock.read']({ warehouse_code: 'AUSYD1', skus: [sku] })
    const [figure] = 'ok' in answer ? answer.ok.rows : []
    if (!figure) throw new Error('The ERP has no stock.')
    const rows = [{ ...figure, stock_seq: null }, figure]
    const upstream = override(gateway.upstream, { known: { stock_seq: false } })
    await performWrite({ gateway: { ...gateway, upstream, ...more }, call }, write, {
      ...plan,
      send: async () => ok({ ...written, figures: [{ warehouse_code: 'AUSYD1', rows }] }),
    })
    const [{ outcome }] = ended as [{ outcome: Written }]
    return outcome.figures.flatMap((each) => each.rows.map(({ stock_seq }) => stock_seq))
  }

  it('get the number that was taken before it was sent, unless they have a counter', async () => {
    const [number, counter] = await performWithFigures()
    expect(number).toBeLessThan(0)
    expect(counter).toBeGreaterThan(0)
  })

  it('are left out if no number could be taken, and the write is done', async () => {
    const db = override(gateway.store.db, {
      insertInto: (table: 'counters' | 'intents') => {
        if (table === 'counters') throw new Error('no number')
        return gateway.store.db.insertInto(table)
      },
    })
    const [counter, ...others] = await performWithFigures({ store: { ...gateway.store, db } })
    expect(counter).toBeGreaterThan(0)
    expect(others).toEqual([])
  })

  it('leave the write done if they cannot be stored or followed', async () => {
    const follow = () => Promise.reject(new Error('no stock'))
    const mirror = override(gateway.mirror, { stock: override(gateway.mirror.stock, { follow }) })
    const [, counter] = await performWithFigures({ mirror })
    expect(counter).toBeGreaterThan(0)
    expect(await findIntent()).toBeUndefined()
  })

  it('wait for the next turn while another process keeps the database from storing them', async () => {
    const [sku = ''] = house.gateway.mirror.stock.snapshot('AUSYD1')?.blocks[0]?.skus ?? []
    const answer = await gateway.erp['stock.read']({ warehouse_code: 'AUSYD1', skus: [sku] })
    const figures = [{ warehouse_code: 'AUSYD1', rows: 'ok' in answer ? answer.ok.rows : [] }]
    const cancelled = Object.assign(new Error('canceling statement'), { code: '57014' })
    const transaction = () => {
      throw cancelled
    }
    const store = { ...gateway.store, db: override(gateway.store.db, { transaction }) }
    await publishFigures({ ...gateway, store }, figures)
    expect([...(gateway.memory.figures.waiting.get('AUSYD1')?.keys() ?? [])]).toEqual([sku])
    await publishFigures(gateway, [{ warehouse_code: 'AUSYD2', rows: [] }])
    expect(gateway.memory.figures.waiting.size).toBe(0)
  })
})

describe('a write that the ERP refuses', () => {
  const send = async () => rejected('invalid_state', 'The books are closed.')

  it('is undone with its key, and counted', async () => {
    const counts = await countWhile(async () => {
      const { code, facts } = await fail({ send })
      expect([code, facts.reason]).toEqual(['UPSTREAM_REJECTED', 'invalid_state'])
    })
    expect(ended).toEqual([{ undone: plan.detail.note, isReferenceSpent: false }])
    expect(await findIntent()).toBeUndefined()
    expect(await readKey()).toMatchObject({ state: 'failed', http_status: 422 })
    expect(counts).toEqual({ rejected: 1 })
  })

  it('is in doubt for its caller if another process has settled it meanwhile', async () => {
    const settledElsewhere = async () => {
      await gateway.store.db.deleteFrom('intents').where('document_id', '=', plan.document.id).execute()
      return send()
    }
    const { facts } = await fail({ send: settledElsewhere })
    expect(facts.say).toEqual(['document_in_doubt', { id: plan.document.id }])
  })

  it('leaves the same write alone that another process has begun since, and is in doubt for its caller', async () => {
    const repeated = async () => {
      const { store } = gateway
      const own = await findIntent()
      if (!own) throw new Error('There is no intent.')
      await store.db.deleteFrom('intents').where('document_id', '=', own.document_id).execute()
      const later = { ...own, sent_at: own.sent_at + 1, request_id: 'another-request' }
      await store.db.insertInto('intents').values(later).execute()
      return send()
    }
    const { facts } = await fail({ send: repeated })
    expect(facts.say).toEqual(['document_in_doubt', { id: plan.document.id }])
    expect(await findIntent()).toMatchObject({ request_id: 'another-request' })
    expect(await readKey()).toMatchObject({ state: 'in_doubt' })
  })

  it('is in doubt for its caller if it cannot be undone', async () => {
    const broken = { ...write, undo: () => Promise.reject(new Error('the disk is full')) }
    const error: unknown = await performWrite({ gateway, call }, broken, { ...plan, send }).catch(
      (failure: unknown) => failure,
    )
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', facts: { reason: 'upstream_unknown' } })
    expect(await findIntent()).toBeDefined()
  })
})

describe('a write without a response', () => {
  it.each([
    ['no response', unknown],
    ['a fault of the gateway', new TypeError('no')],
  ])('stays in doubt after %s', async (_name, cause) => {
    const counts = await countWhile(async () => {
      const { code, facts } = await fail({ send: () => Promise.reject(cause) })
      expect([code, facts.reason, facts.cause]).toEqual(['UPSTREAM_ERROR', 'upstream_unknown', cause])
    })
    const intent = await findIntent()
    expect(intent).toBeDefined()
    expect(intent && recordSighting(gateway, intent).isUnsent).toBe(false)
    expect(await readKey()).toMatchObject({ state: 'in_doubt' })
    expect([ended, counts]).toEqual([[], { unknown: 1 }])
  })
})

describe('a write whose response shows that it was not done', () => {
  it('stays in doubt, whatever the ERP says', async () => {
    const open = { ...write, isDone: ({ status }: ErpDocument) => status === 'cancelled' }
    const document = { reference: plan.reference, status: 'open' } as ErpDocument
    const send = async () => ok({ ...written, document })
    const error: unknown = await performWrite({ gateway, call }, open, { ...plan, send }).catch(
      (failure: unknown) => failure,
    )
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR', facts: { reason: 'upstream_unknown' } })
    const cause = {
      kind: 'malformed',
      message: 'After dropship.test, the ERP reported a document that is open.',
    }
    expect(error).toMatchObject({ cause })
    expect(await readKey()).toMatchObject({ state: 'in_doubt' })
    expect([ended, await findIntent()]).toEqual([[], expect.anything()])
  })

  it('is done if the ERP has no document of it', async () => {
    const open = { ...write, isDone: () => false }
    const send = async () => ok({ ...written, document: null })
    await performWrite({ gateway, call }, open, { ...plan, send })
    expect(ended).toHaveLength(1)
  })
})

/** Something that happens once a write waits for it, which is after the commit of its intent. */
const whenAwaited = (happen: () => void) =>
  ({
    // biome-ignore lint/suspicious/noThenProperty: the moment at which it is awaited matters.
    then: (resolve: () => void, reject: (error: unknown) => void) => {
      try {
        happen()
        resolve()
      } catch (error) {
        reject(error)
      }
    },
  }) as unknown as Promise<void>

describe('a write that is not sent', () => {
  const send = () => Promise.reject(new Error('It was sent.'))

  /** Checks that the write was undone, and is not in doubt. */
  async function expectUndone(http_status: number) {
    expect(ended).toEqual([{ undone: plan.detail.note, isReferenceSpent: false }])
    expect(await findIntent()).toBeUndefined()
    expect(await readKey()).toMatchObject({ state: 'failed', http_status })
  }

  it('because the ERP cannot be reached is undone and counted', async () => {
    const counts = await countWhile(async () => {
      const { code, facts } = await fail({ send: () => Promise.reject(unsent) })
      expect([code, facts.reason, facts.say]).toEqual(['UPSTREAM_ERROR', undefined, ['erp_unreachable']])
    })
    await expectUndone(502)
    expect(counts).toEqual({ not_sent: 1 })
    expect(recordOwnSighting().isUnsent).toBe(true)
  })

  it('because the gateway refuses it fails with that error', async () => {
    const refusal = new GatewayError('READ_ONLY_MODE')
    expect(await fail({ send: () => Promise.reject(refusal) })).toBe(refusal)
    await expectUndone(403)
  })

  it('because its token was revoked while it waited fails with that error', async () => {
    const refusal = new GatewayError('AUTH_INVALID_TOKEN')
    const caller = { channel_code: 'channel' } as Call['caller']
    const sessions = Object.assign(Object.create(gateway.sessions), {
      requireLive: () => Promise.reject(refusal),
    })
    const error = await fail({ send }, { call: { ...call, caller }, gateway: { ...gateway, sessions } })
    expect(error).toBe(refusal)
    await expectUndone(401)
  })

  it.each([
    [
      'its document’s lock was lost',
      (): void => lockLoss.abort(),
      { reason: 'storage_unavailable', say: ['lock_lost'] },
    ],
    [
      'it waited for more than a second',
      (): void => house.clock.advance(1_001),
      { reason: 'overloaded', say: ['write_too_late'] },
    ],
    [
      'its machine was suspended, so that another process may have undone it',
      (): void => house.clock.suspend(1_001),
      { reason: 'overloaded', say: ['write_too_late'] },
    ],
  ])('because %s is undone, and the gateway says that it is its own fault', async (_why, happen, told) => {
    const counts = await countWhile(async () => {
      const { code, facts } = await fail({ send, ready: whenAwaited(happen) })
      expect([code, facts]).toStrictEqual(['INTERNAL', { status: 503, retryAfter: 2, ...told }])
    })
    await expectUndone(503)
    expect(counts).toEqual({ not_sent: 1 })
  })

  it('is sent after a wait of a second', async () => {
    await perform({ ready: whenAwaited(() => house.clock.advance(1_000)) })
    expect(ended).toHaveLength(1)
  })

  it('if what it waits for fails', async () => {
    const refusal = new GatewayError('UPSTREAM_ERROR')
    const ready = whenAwaited(() => {
      throw refusal
    })
    expect(await fail({ send, ready })).toBe(refusal)
    await expectUndone(502)
  })
})

describe('the intent of a write', () => {
  const send = () => Promise.reject(new Error('It was sent.'))
  const listIntents = () =>
    gateway.store.db.selectFrom('intents').selectAll().where('document_id', '=', plan.document.id).execute()

  it('is not committed if another process has changed the document', async () => {
    const { facts } = await fail({
      send,
      buildDocumentUpdates: (db) => [
        db.updateTable('dropship_orders').set({ in_doubt: 2 }).where('dropship_order_id', '=', 'none'),
      ],
    })
    expect(facts.say).toEqual(['document_in_doubt', { id: plan.document.id }])
    expect(await listIntents()).toEqual([])
    expect(await readKey()).toMatchObject({ state: 'failed', http_status: 504 })
    expect(ended).toEqual([])
  })

  it('of a worker is not committed either, and is known not to be sent', async () => {
    const buildDocumentUpdates: typeof plan.buildDocumentUpdates = (db) => [
      db.updateTable('dropship_orders').set({ in_doubt: 2 }).where('dropship_order_id', '=', 'none'),
    ]
    await fail({ send, buildDocumentUpdates }, { call: undefined })
    expect(await listIntents()).toEqual([])
    expect(recordOwnSighting().isUnsent).toBe(true)
  })

  it('that cannot be withdrawn while the database is silent may be stored', async () => {
    const db = override(gateway.store.db, {
      transaction: () => ({ execute: () => Promise.reject(new DatabaseSilent()) }),
    })
    const error: unknown = await performWrite(
      { gateway: { ...gateway, store: { ...gateway.store, db } }, call },
      write,
      {
        ...{ ...plan, send },
        buildDocumentUpdates: (tables) => [
          tables.updateTable('dropship_orders').set({ in_doubt: 2 }).where('dropship_order_id', '=', 'none'),
        ],
      },
    ).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(CommitUnanswered)
  })

  it('is changed only if it is as it was read', async () => {
    await fail({ send: () => Promise.reject(unknown) })
    const [intent] = await listIntents()
    if (!intent) throw new Error('There is no intent.')
    const { db } = gateway.store
    await replaceDetail(db, intent, toJson<unknown>({ note: 'new' }))
    expect((await listIntents()).map(readDetail)).toEqual([{ note: 'new' }])
    await replaceDetail(db, intent, toJson<unknown>({ note: 'newer' }))
    await replaceDetail(db, { ...intent, document_id: 'another' }, toJson<unknown>({ note: 'newest' }))
    expect((await listIntents()).map(readDetail)).toEqual([{ note: 'new' }])
  })

  it('is not committed beside another one of the document', async () => {
    await fail({ send: () => Promise.reject(unknown) })
    const other = { ...call, key: { ...key, scope: `${key.scope} again` } }
    const { facts } = await fail({ send }, { call: other })
    expect(facts.say).toEqual(['document_in_doubt', { id: plan.document.id }])
    const { facts: ofWorker } = await fail({ send }, { call: undefined })
    expect(ofWorker.say).toEqual(facts.say)
    expect(await listIntents()).toHaveLength(1)
  })

  it('is not committed if another process has its key', async () => {
    await storeCommittedResponse(gateway, key, { status: 200, headers: [], body: '{}' })
    const { code } = await fail({ send })
    expect(code).toBe('IDEMPOTENCY_IN_PROGRESS')
    expect(await listIntents()).toEqual([])
    expect(await readKey()).toMatchObject({ state: 'completed' })
  })

  it('is not committed if its check refuses it', async () => {
    const refusal = new GatewayError('VALIDATION_FAILED')
    expect(await fail({ send, check: () => Promise.reject(refusal) })).toBe(refusal)
    expect([await listIntents(), await readKey()]).toEqual([[], undefined])
  })

  it('that may have been committed without a response is known not to be sent', async () => {
    const silence = new Error('no response')
    const store = { ...gateway.store, executeAtOnce: () => Promise.reject(silence) }
    const error: unknown = await performWrite({ gateway: { ...gateway, store }, call }, write, {
      ...plan,
      send,
    }).catch((failure: unknown) => failure)
    expect(error).toBe(silence)
    expect(recordOwnSighting().isUnsent).toBe(true)
  })
})
