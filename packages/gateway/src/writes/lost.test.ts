import {
  type ErpDocument,
  type ErpResult,
  type Output,
  ok,
  rejected,
  UnknownOutcome,
} from '@trade-gateway/connector'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../gateway.ts'
import { jsonLog } from '../kernel/log.ts'
import { migrate } from '../store/migrate.ts'
import { readLateWritesMark } from '../store/restores.ts'
import { openSqlite } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import {
  awaitLateWrites,
  findForSure,
  findLostDocument,
  findLostOrder,
  mayBeLost,
  removeFromLost,
} from './lost.ts'
import { listFormerNextReferences } from './reference.ts'

type Found = Output<'lookup'>

const restoredAt = 1_000_000
const thirtyDays = 30 * 24 * 60 * 60_000
const maxRequestMs = 20_000
const lookupLagMs = 5_000
const order = { kind: 'order', reference: 'TG1' } as ErpDocument
const nothing: Found = { state: 'absent', document: null }
const inDoubt = {
  code: 'UPSTREAM_TIMEOUT',
  facts: { reason: 'upstream_unknown', say: ['document_in_doubt', { id: 'ord_1' }] },
}

let store: Store
let now: number
let steady: number
let restores: { origin: string; taken_at: number; restored_at: number }[]
let lateWritesSince: number | undefined
let lookup: 'strong' | 'none'
let settles: boolean
let isOpen: boolean
/** What the ERP has; every other reference is unknown to it. */
let found: Map<string, Found | UnknownOutcome>
let settled: ErpResult<Output<'settle'>>
/** The references that were looked up, and those that were settled. */
let asked: string[]
let fenced: string[]
let gateway: Gateway

beforeEach(async () => {
  store = openSqlite(':memory:', jsonLog('silent'))
  await migrate(store)
  now = restoredAt
  steady = 0
  restores = [{ origin: 'first', taken_at: 0, restored_at: restoredAt }]
  lateWritesSince = undefined
  lookup = 'strong'
  settles = true
  isOpen = true
  found = new Map()
  settled = ok({ state: 'absent', document: null })
  asked = []
  fenced = []
  gateway = {
    installation: 'one',
    store,
    clock: { now: () => now, monotonic: () => steady },
    memory: {
      get restores() {
        return restores
      },
      get lateWritesSince() {
        return lateWritesSince
      },
      set lateWritesSince(since) {
        lateWritesSince = since
      },
    },
    upstream: {
      capabilities: async () => ({
        ...{ lookup, settles, max_request_ms: maxRequestMs, lookup_lag_ms: lookupLagMs },
      }),
      writes: {
        get isOpen() {
          return isOpen
        },
      },
    },
    erp: {
      lookup: async ({ reference }: { reference: string }, { signal }: { signal: AbortSignal }) => {
        expect(signal.aborted).toBe(false)
        asked.push(reference)
        const result = found.get(reference) ?? nothing
        if (result instanceof UnknownOutcome) throw result
        return ok(result)
      },
      settle: async ({ reference }: { reference: string }, { signal }: { signal: AbortSignal }) => {
        expect(signal.aborted).toBe(false)
        fenced.push(reference)
        return settled
      },
    },
  } as unknown as Gateway
})
afterEach(() => store.close())

const find = (...references: readonly string[]) => findLostOrder(gateway, 'ord_1', references)
const listNext = (reference: string) => listFormerNextReferences(gateway, reference)
const beginLateWrites = async () => {
  lateWritesSince = steady
  const mark = { key: 'writes of the lost time may arrive', value: 'first' }
  await store.db.insertInto('installation').values(mark).execute()
}

describe('a document', () => {
  it('of a database that never was restored is not lost', () => {
    restores = []
    expect([mayBeLost(gateway), mayBeLost(gateway, 0)]).toEqual([false, false])
  })

  it('of before the restore may always be lost, and a later one within 30 days of it', () => {
    now = restoredAt + thirtyDays - 1
    expect(mayBeLost(gateway)).toBe(true)
    now += 1
    expect(mayBeLost(gateway)).toBe(false)
    expect([restoredAt, restoredAt + 1].map((createdAt) => mayBeLost(gateway, createdAt))).toEqual([
      true,
      false,
    ])
    restores.push({ origin: 'second', taken_at: 0, restored_at: now })
    expect(mayBeLost(gateway)).toBe(true)
  })
})

describe('an order of the lost time', () => {
  it('is found under the first reference that the ERP knows', async () => {
    found.set('TG2', { state: 'found', document: order })
    found.set('TG1', { state: 'found', document: { kind: 'hold' } as ErpDocument, fenced: false })
    expect(await find('TG1', 'TG2', 'TG3')).toEqual({ document: order, isFenced: false })
    expect(asked).toEqual(['TG1', 'TG2'])
  })

  it('is not looked for at an ERP without look-ups', async () => {
    lookup = 'none'
    expect(await find('TG1')).toEqual({ document: undefined, isFenced: false })
    expect(asked).toEqual([])
  })

  it('is found under the references that took the place of fenced ones', async () => {
    const [second = ''] = listNext('TG1')
    const [third = ''] = listNext(second)
    found.set('TG1', { ...nothing, fenced: true }).set(second, { ...nothing, fenced: true })
    expect(await find('TG1', 'TG2')).toEqual({ document: undefined, isFenced: true })
    found.set(third, { state: 'found', document: order })
    expect(await find('TG1')).toEqual({ document: order, isFenced: true })
  })

  it('is not looked for under them if the ERP has fenced none', async () => {
    found.set('TG1', { ...nothing, fenced: false })
    expect(await find('TG1')).toEqual({ document: undefined, isFenced: false })
    expect(asked).toEqual(['TG1'])
  })

  it('is looked for under the first of them, also if it was asked for, while the ERP does not say what it has fenced', async () => {
    const [second = ''] = listNext('TG1')
    expect(await find('TG1')).toEqual({ document: undefined, isFenced: false })
    expect(asked.splice(0)).toEqual(['TG1', second])
    await find('TG1', second)
    expect(asked).toEqual(['TG1', second, ...listNext(second)])
  })

  it('is looked for under 64 references at most', async () => {
    restores.push({ origin: 'second', taken_at: 0, restored_at: restoredAt })
    found = { get: () => ({ ...nothing, fenced: true }) } as unknown as typeof found
    await find('TG1')
    expect([asked.length, new Set(asked).size]).toEqual([64, 64])
  })

  it.each([
    ['timeout', 'UPSTREAM_TIMEOUT'],
    ['unreachable', 'UPSTREAM_ERROR'],
  ] as const)('that the ERP does not report because of %s fails as %s', async (kind, code) => {
    found.set('TG1', new UnknownOutcome(kind, 'Nothing came back.'))
    await expect(find('TG1')).rejects.toMatchObject({ code })
  })
})

describe('an order that the ERP has not finished', () => {
  beforeEach(() => {
    found.set('TG1', { state: 'in_progress', document: null })
  })

  it('is settled at the ERP', async () => {
    settled = ok({ state: 'found', document: order })
    expect(await find('TG1')).toEqual({ document: order, isFenced: false })
    expect(fenced).toEqual(['TG1'])
  })

  it('counts as fenced if the ERP settles that there is none', async () => {
    expect(await find('TG1')).toEqual({ document: undefined, isFenced: true })
    expect(asked).toEqual(['TG1', ...listNext('TG1')])
  })

  it('counts as not fenced if the ERP settles that the reference has another document', async () => {
    settled = ok({ state: 'found', document: { kind: 'hold' } as ErpDocument })
    expect(await find('TG1')).toEqual({ document: undefined, isFenced: false })
    expect(asked).toEqual(['TG1'])
  })

  it('is in doubt at an ERP that settles nothing, and while writes are paused', async () => {
    settles = false
    await expect(find('TG1')).rejects.toMatchObject(inDoubt)
    ;[settles, isOpen] = [true, false]
    await expect(find('TG1')).rejects.toMatchObject(inDoubt)
    expect(fenced).toEqual([])
  })

  it('is not taken for fenced if the ERP refuses to settle it', async () => {
    settled = rejected('invalid_state', 'Not now.')
    await expect(find('TG1')).rejects.toThrow()
  })
})

describe('a search that finds nothing', () => {
  const search = (more: { readonly takesMs?: number; readonly finds?: string } = {}) =>
    findForSure(gateway, 'ord_1', async () => {
      steady += more.takesMs ?? 0
      return more.finds
    })

  it('is certain without a restore of late, and once this process has awaited the end', async () => {
    expect(await search()).toBeUndefined()
    await beginLateWrites()
    lateWritesSince = undefined
    expect(await search()).toBeUndefined()
    expect(await findLostDocument(gateway, 'ord_1', ['TG1'])).toBeUndefined()
  })

  it('is in doubt as long as a request may run and a look-up may lag, by its beginning', async () => {
    await beginLateWrites()
    steady = maxRequestMs + lookupLagMs - 1
    await expect(search({ takesMs: 1 })).rejects.toMatchObject(inDoubt)
    expect(lateWritesSince).toBe(0)
    expect(await search()).toBeUndefined()
    expect([lateWritesSince, await readLateWritesMark(store.db)]).toEqual([undefined, false])
  })

  it('counts from the start of the process', async () => {
    steady = maxRequestMs
    await beginLateWrites()
    steady += maxRequestMs + lookupLagMs - 1
    await expect(search()).rejects.toMatchObject(inDoubt)
  })

  it('is certain once another process has awaited the end', async () => {
    lateWritesSince = 0
    expect(await search()).toBeUndefined()
    expect(lateWritesSince).toBeUndefined()
  })

  it('is as certain as can be at an ERP without look-ups, and others go on waiting', async () => {
    lookup = 'none'
    await beginLateWrites()
    expect(await search()).toBeUndefined()
    expect([lateWritesSince, await readLateWritesMark(store.db)]).toEqual([undefined, true])
  })

  it('fails like a question to the ERP that never described itself', async () => {
    await beginLateWrites()
    gateway = {
      ...gateway,
      upstream: { capabilities: () => Promise.reject(new UnknownOutcome('unreachable', 'No route.')) },
    } as unknown as Gateway
    await expect(search({ finds: 'an order' })).rejects.toMatchObject({ code: 'UPSTREAM_ERROR' })
  })
})

describe('a search that finds an order', () => {
  it('returns it, also while others may arrive', async () => {
    await beginLateWrites()
    found.set('TG1', { state: 'found', document: order })
    expect(await findLostDocument(gateway, 'ord_1', ['TG1'])).toEqual(order)
    found.clear()
    await expect(findLostDocument(gateway, 'ord_1', ['TG1'])).rejects.toMatchObject(inDoubt)
  })
})

describe('a turn of the worker', () => {
  it('ends the wait when it is over', async () => {
    await beginLateWrites()
    await awaitLateWrites(gateway)
    expect(lateWritesSince).toBe(0)
    steady = maxRequestMs + lookupLagMs
    await awaitLateWrites(gateway)
    expect([lateWritesSince, await readLateWritesMark(store.db)]).toEqual([undefined, false])
  })
})

describe('the list of documents that nobody asked for', () => {
  it('loses the one that was found', async () => {
    const row = {
      ...{ number: '1', kind: 'order', order_type: 'wholesale', status: 'open', lines: '[]' as never },
      ...{ currency: 'AUD', total: null, submitted_at: null, found_at: now },
    }
    const rows = ['TG1', 'TG2'].map((reference) => ({ ...row, reference }))
    await store.db.insertInto('lost_documents').values(rows).execute()
    await store.db.transaction().execute((tx) => removeFromLost(tx, 'TG1'))
    const left = await store.db.selectFrom('lost_documents').select('reference').execute()
    expect(left).toEqual([{ reference: 'TG2' }])
  })
})
