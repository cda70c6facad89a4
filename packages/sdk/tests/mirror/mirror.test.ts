import { minorUnits } from '@trade-gateway/connector'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { GatewayError, TradeGateway, UsageError } from '../../src/index.ts'
import {
  computeChecksum,
  MemoryStore,
  MirrorError,
  type MirrorEvents,
  type MirrorStore,
  type PageWrite,
  StockMirror,
} from '../../src/mirror/index.ts'
import { Meta } from '../../src/transport/meta.ts'
import { openSource, type Source } from './source.ts'
import { listStoreKinds } from './stores.ts'
import { warehouse } from './warehouse.ts'

let source: Source
beforeAll(async () => {
  source = await openSource()
})
afterAll(() => source.close())

const options = { warehouses: [warehouse], pageSize: 20, intervalMs: 20 }

type Stock = Source['client']['stock']
type Substitute<Name extends 'page' | 'changes'> = (
  ...call: Parameters<Stock[Name]>
) => Promise<Awaited<ReturnType<Stock[Name]>>>

/** The source's client with other responses to some of its calls. */
function disguise(others: { readonly page?: Substitute<'page'>; readonly changes?: Substitute<'changes'> }) {
  const { stock } = source.client
  const { page = (...call) => stock.page(...call), changes } = others
  const substituted = {
    page,
    changes(...call: Parameters<Stock['changes']>) {
      if (!changes) return stock.changes(...call)
      const data = changes(...call)
      const withResponse = async () => ({ data: await data, meta: new Meta(new Response(), 1, undefined) })
      return Object.assign(data, { withResponse })
    },
  }
  return { stock: Object.assign(Object.create(stock), substituted) }
}

/** Responds never, until the call is ended. */
const hang: Substitute<'page'> = (_, __, { signal } = {}) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

/** Waits until the mirror has what the source has. */
async function waitUntilEqual(mirror: StockMirror) {
  const wanted = JSON.stringify(await source.readAll())
  await expect
    .poll(async () => JSON.stringify(await mirror.list(warehouse)), { timeout: 10_000 })
    .toBe(wanted)
}

/** Changes the live copy behind the back of its mirror, as another program does, or a restore of the database. */
async function damage(store: MirrorStore, changes: Pick<PageWrite, 'rows' | 'removed'>) {
  const { live } = await store.readPlaces(warehouse)
  if (!live) throw new Error('There is no copy.')
  expect(await store.writePage(warehouse, { copy: 'live', from: live, to: live, ...changes })).toBe(true)
}

async function damageQuantity(store: MirrorStore) {
  const [row] = await store.list(warehouse)
  if (!row) throw new Error('The copy is empty.')
  await damage(store, { rows: [{ ...row, quantity_available: 12_345 }], removed: [] })
}

/** Returns the reasons of the full syncs that begin from now on. */
function noteFullSyncs(mirror: StockMirror): readonly string[] {
  const begun: string[] = []
  mirror.on('fullsync', ({ phase, reason }) => phase === 'begin' && begun.push(reason))
  return begun
}

describe.each(listStoreKinds())('a mirror in $name', ({ create }) => {
  it('pulls, follows, forgets withdrawn SKUs, survives a new history, and verifies itself', async () => {
    const { store, drop } = await create()
    const mirror = new StockMirror(source.client, { ...options, store })
    const events: (keyof MirrorEvents)[] = []
    for (const type of ['change', 'fullsync', 'error'] as const) mirror.on(type, () => events.push(type))
    await mirror.start()
    await mirror.ready()
    expect(await mirror.list(warehouse)).toEqual(await source.readAll())
    const [first = '', second = '', third = ''] = source.skus
    await source.change([first, second])
    await waitUntilEqual(mirror)
    await source.change([third], 'withdrawn = 1')
    await waitUntilEqual(mirror)
    expect(await mirror.get(warehouse, third)).toBeUndefined()
    await source.change([third], 'withdrawn = 0')
    await source.beginHistory()
    await source.change([first])
    await waitUntilEqual(mirror)
    expect(await mirror.verify(warehouse)).toMatchObject({ ok: true })
    expect(mirror.stalenessMs(warehouse)).toBeLessThan(60_000)
    expect(events.filter((type) => type === 'fullsync')).toHaveLength(4)
    expect(events).toContain('change')
    expect(events).not.toContain('error')
    await mirror.stop()
    await drop()
  })

  it('has nothing before its first copy, and needs no start to be read, compared and pulled', async () => {
    const { store, drop } = await create()
    const mirror = new StockMirror(source.client, { ...options, store })
    expect(await mirror.list(warehouse)).toEqual([])
    expect(await mirror.get(warehouse, source.skus[0] ?? '')).toBeUndefined()
    expect(await mirror.verify(warehouse)).toMatchObject({ ok: true })
    await drop()
    const { store: other, drop: dropOther } = await create()
    await new StockMirror(source.client, { ...options, store: other }).resync(warehouse)
    expect(await other.list(warehouse)).toEqual(await source.readAll())
    await dropOther()
  })

  it('finds a row that somebody has changed, and replaces the copy', async () => {
    const { store, drop } = await create()
    await store.open()
    const mirror = new StockMirror(source.client, { ...options, store })
    await mirror.sync(warehouse)
    await damageQuantity(store)
    expect(await mirror.verify(warehouse)).toMatchObject({ ok: false })
    await mirror.resync(warehouse)
    expect(await mirror.verify(warehouse)).toMatchObject({ ok: true })
    await drop()
  })

  it('finds a copy that was damaged before its start, replaces it, and says so', async () => {
    const { store, drop } = await create()
    await new StockMirror(source.client, { ...options, store }).sync(warehouse)
    const mirror = new StockMirror(source.client, { ...options, store })
    const begun = noteFullSyncs(mirror)
    for (const start of [1, 2]) {
      await damageQuantity(store)
      await mirror.start()
      await expect.poll(() => begun.length).toBe(start)
      await waitUntilEqual(mirror)
      await mirror.stop()
    }
    expect(new Set(begun)).toEqual(new Set(['the checksum of the copy was wrong']))
    await drop()
  })

  it('finds in each turn that rows are lost, replaces the copy, and says so', async () => {
    const { store, drop } = await create()
    const mirror = new StockMirror(source.client, { ...options, store })
    await mirror.sync(warehouse)
    const begun = noteFullSyncs(mirror)
    await mirror.sync(warehouse)
    expect(begun).toEqual([])
    await damage(store, { rows: [], removed: source.skus.slice(0, 1) })
    await mirror.sync(warehouse)
    expect(begun).toEqual(['the checksum of the copy was wrong'])
    expect(await mirror.list(warehouse)).toEqual(await source.readAll())
    await drop()
  })

  it('does not take a copy that another process moves on for a damaged one', async () => {
    const { store, drop } = await create()
    const [first = '', second = ''] = source.skus
    const other = new StockMirror(source.client, { ...options, store })
    await other.sync(warehouse)
    const moveOn = async (fields: string) => {
      await source.change([second], fields)
      await other.sync(warehouse)
    }
    const [list, count] = [store.list.bind(store), store.count.bind(store)]
    vi.spyOn(store, 'list').mockImplementationOnce(async (...call) => {
      await moveOn('on_hand = on_hand + 1')
      return list(...call)
    })
    const mirror = new StockMirror(source.client, { ...options, store })
    const begun = noteFullSyncs(mirror)
    await mirror.sync(warehouse)
    await source.change([first])
    vi.spyOn(store, 'count').mockImplementationOnce(async (...call) => {
      await moveOn('withdrawn = 1')
      return count(...call)
    })
    await mirror.sync(warehouse)
    await source.change([second], 'withdrawn = 0')
    expect(begun).toEqual([])
    await drop()
  })

  it('waits for a process of the gateway that is behind the one before', async () => {
    const { store, drop } = await create()
    await store.open()
    const pages: ((url: URL, init?: RequestInit) => Promise<Response>)[] = []
    const client = new TradeGateway({
      ...{ baseUrl: source.house.url, auth: source.auth },
      fetch: (input, init) => {
        const url = new URL(`${input}`)
        const answer = url.pathname.endsWith('/changes') ? pages.shift() : undefined
        return answer ? answer(url, init) : fetch(url, init)
      },
    })
    const mirror = new StockMirror(client, { ...options, store })
    const { version } = await mirror.sync(warehouse)
    const [first = '', second = ''] = source.skus
    await source.change([first])
    await source.change([second])
    const path = `/api/v1/warehouses/${warehouse}/stock/changes?since=${version + 2}`
    const behind = await source.client.request('GET', path)
    await source.change([first])
    // A page of the newest stock ends between its rows. The next one is of a process that has not seen that stock.
    pages.push(
      (url, init) => {
        url.searchParams.set('page_size', '1')
        return fetch(url, init)
      },
      async () => Response.json(behind),
    )
    expect(await mirror.sync(warehouse)).toMatchObject({ version: version + 3 })
    expect(await mirror.list(warehouse)).toEqual(await source.readAll())
    await drop()
  })

  it('waits for a process of the gateway that is behind the last page of a pull', async () => {
    const { store, drop } = await create()
    await store.open()
    const [first = ''] = source.skus
    const { version } = await new StockMirror(source.client, options).sync(warehouse)
    const behind = await source.client.request(
      'GET',
      `/api/v1/warehouses/${warehouse}/stock/changes?since=${version}`,
    )
    const asked: string[] = []
    const client = new TradeGateway({
      ...{ baseUrl: source.house.url, auth: source.auth },
      fetch: async (input, init) => {
        const { pathname } = new URL(`${input}`)
        asked.push(pathname)
        const ofFeed = asked.filter((path) => path.endsWith('/changes')).length
        if (pathname.endsWith('/changes') && ofFeed === 1) return Response.json(behind)
        // The first page says from where to follow, and the pages of the pull are newer.
        if (asked.filter((path) => path.endsWith('/stock')).length === 2) await source.change([first])
        return fetch(input, init)
      },
    })
    const mirror = new StockMirror(client, { ...options, store })
    const begun = noteFullSyncs(mirror)
    expect(await mirror.sync(warehouse)).toMatchObject({ version: version + 1 })
    expect(begun).toEqual(['there is no copy'])
    expect(await mirror.list(warehouse)).toEqual(await source.readAll())
    await drop()
  })

  it('is shared by two processes that follow at the same time', async () => {
    const { store, drop } = await create()
    const mirrors = [1, 2].map(() => new StockMirror(source.client, { ...options, store }))
    for (const mirror of mirrors) await mirror.start()
    for (const mirror of mirrors) await mirror.ready()
    for (let round = 0; round < 5; round++) await source.change(source.skus.slice(round * 5, round * 5 + 30))
    for (const mirror of mirrors) await waitUntilEqual(mirror)
    for (const mirror of mirrors) expect(await mirror.verify(warehouse)).toMatchObject({ ok: true })
    for (const mirror of mirrors) await mirror.stop()
    await drop()
  })
})

describe('a mirror', () => {
  it('is woken by a nudge, whatever the event says, and writes nothing of it', async () => {
    const mirror = new StockMirror(source.client, { ...options, intervalMs: 3_600_000 })
    await mirror.start()
    await mirror.ready()
    const [sku = ''] = source.skus
    await source.change([sku])
    const event = (version: number) => ({
      event_id: 'evt_1',
      type: 'stock.changed' as const,
      channel_code: 'shop',
      occurred_at: '2026-11-22T00:00:00.000Z',
      data: {
        warehouse_code: warehouse,
        since: 0,
        version,
        latest: version,
        changed_count: 1,
        rows: [{ sku, version, quantity_available: 98_765 }],
        truncated: false,
        changes_url: '',
      },
    })
    for (const version of [7, 3, 7, 1]) mirror.nudge(event(version))
    mirror.nudge({ ...event(9), data: { ...event(9).data, warehouse_code: 'ELSEWHERE' } })
    await waitUntilEqual(mirror)
    expect((await mirror.get(warehouse, sku))?.quantity_available).not.toBe(98_765)
    await mirror.stop()
  })

  it('reports a source that is away, goes on, and says how old its copy is', async () => {
    let isAway = true
    const { stock } = source.client
    const away = disguise({
      page: (...call) => (isAway ? Promise.reject(new Error('away')) : stock.page(...call)),
    })
    const mirror = new StockMirror(away, { ...options, intervalMs: 1, staleAfterMs: 0 })
    const seen = new Set<string>()
    mirror.on('error', ({ error }) => seen.add(String(error)))
    mirror.on('stale', () => seen.add('stale'))
    await mirror.start()
    await expect.poll(() => seen.size).toBe(2)
    expect(mirror.stalenessMs(warehouse)).toBe(Number.POSITIVE_INFINITY)
    isAway = false
    await mirror.ready()
    expect([...seen].toSorted()).toEqual(['Error: away', 'stale'])
    await mirror.stop()
  })

  it('knows that its copy is old after the machine has slept, in which only the wall clock goes on', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const mirror = new StockMirror(source.client, { ...options, intervalMs: 3_600_000 })
    await mirror.sync(warehouse)
    vi.setSystemTime(Date.now() + 3_600_000)
    expect(mirror.stalenessMs(warehouse)).toBeGreaterThanOrEqual(3_600_000)
    vi.setSystemTime(Date.now() - 7_200_000)
    expect(mirror.stalenessMs(warehouse)).toBeGreaterThanOrEqual(0)
    vi.useRealTimers()
  })

  it('reports a copy as stale whose gateway has old stock, once until the ERP is back', async () => {
    let age = '1'
    const client = new TradeGateway({
      ...{ baseUrl: source.house.url, auth: source.auth },
      async fetch(input, init) {
        const response = await fetch(input, init)
        const headers = new Headers(response.headers)
        if (headers.has('x-stock-age')) headers.set('x-stock-age', age)
        return new Response(await response.text(), { status: response.status, headers })
      },
    })
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const mirror = new StockMirror(client, { ...options, intervalMs: 3_600_000 })
    const stale: number[] = []
    mirror.on('stale', ({ stalenessMs }) => stale.push(stalenessMs))
    await mirror.start()
    const syncAndLook = async (next: string) => {
      age = next
      await mirror.sync(warehouse)
      await vi.advanceTimersByTimeAsync(2_000)
    }
    await syncAndLook('90')
    expect(stale).toEqual([])
    await syncAndLook('300')
    await syncAndLook('301')
    expect(stale).toHaveLength(1)
    expect(mirror.stalenessMs(warehouse)).toBeGreaterThanOrEqual(301_000)
    await syncAndLook('1')
    await syncAndLook('300')
    expect(stale).toHaveLength(2)
    await mirror.stop()
    vi.useRealTimers()
  })

  it('reports a copy as stale while a turn hangs', async () => {
    const mirror = new StockMirror(disguise({ page: hang }), { ...options, staleAfterMs: 0 })
    const stale: string[] = []
    mirror.on('stale', ({ warehouse }) => stale.push(warehouse))
    await mirror.start()
    await expect.poll(() => stale).toEqual([warehouse])
    await mirror.stop()
  })

  it('is not up to date when a full sync has only begun', async () => {
    const changes = () => Promise.reject(new Error('away'))
    const mirror = new StockMirror(disguise({ changes }), options)
    await expect(mirror.resync(warehouse)).rejects.toThrow('away')
    expect(mirror.stalenessMs(warehouse)).toBe(Number.POSITIVE_INFINITY)
  })

  it('is never ready with a warehouse that fails for good, and says why', async () => {
    const mirror = new StockMirror(source.client, { ...options, warehouses: [warehouse, 'ELSEWHERE'] })
    await mirror.start()
    await expect(mirror.ready()).rejects.toMatchObject({ code: 'WAREHOUSE_UNKNOWN' })
    await mirror.stop()
  })

  it('forgets what failed before it was stopped', async () => {
    const refusal = new GatewayError({ code: 'WAREHOUSE_UNKNOWN', message: 'no', retryable: false })
    let isRefused = true
    const { stock } = source.client
    const page: Substitute<'page'> = (...call) => (isRefused ? Promise.reject(refusal) : stock.page(...call))
    const mirror = new StockMirror(disguise({ page }), options)
    await mirror.start()
    await expect(mirror.ready()).rejects.toBe(refusal)
    await mirror.stop()
    isRefused = false
    await mirror.start()
    await mirror.ready()
    await mirror.stop()
  })

  it('pulls again although another process moves the copy on meanwhile', async () => {
    const store = new MemoryStore()
    const other = new StockMirror(source.client, { ...options, store })
    await other.sync(warehouse)
    const { stock } = source.client
    const moveOn = vi.fn(async () => {
      await source.change(source.skus.slice(0, 1))
      await other.sync(warehouse)
    })
    const page: Substitute<'page'> = async (...call) => {
      const found = await stock.page(...call)
      if (moveOn.mock.calls.length === 0) await moveOn()
      return found
    }
    await new StockMirror(disguise({ page }), { ...options, store }).resync(warehouse)
    expect(await store.list(warehouse)).toEqual(await source.readAll())
  })

  it('begins a pull again that another process began with pages of another size', async () => {
    const store = new MemoryStore()
    const { data: rows, version } = await source.client.stock.page(warehouse, { page: 1, page_size: 20 })
    await store.beginShadow(warehouse, version)
    const from = { version, nextPage: 1 }
    const to = { version, nextPage: 2 }
    await store.writePage(warehouse, { copy: 'shadow', from, to, rows, removed: [] })
    const mirror = new StockMirror(source.client, { ...options, store, pageSize: 50 })
    const begun = noteFullSyncs(mirror)
    await mirror.sync(warehouse)
    expect(begun).toEqual(['the checksum of the copy was wrong'])
    expect(await store.list(warehouse)).toEqual(await source.readAll())
  })

  it('is waited for until a signal ends the wait', async () => {
    const mirror = new StockMirror(disguise({ page: hang }), options)
    await mirror.start()
    const ended = mirror.ready({ signal: AbortSignal.timeout(50) })
    await expect(ended).rejects.toMatchObject({ name: 'TimeoutError' })
    await mirror.stop()
  })

  it('gives up after three full syncs whose checksum is wrong, and readers keep what they had', async () => {
    const lying = disguise({
      changes: async (...call) => ({
        ...(await source.client.stock.changes(...call)),
        checksum: 'f'.repeat(32),
      }),
    })
    const store = new MemoryStore()
    await new StockMirror(source.client, { ...options, store }).sync(warehouse)
    const before = await store.list(warehouse)
    const mirror = new StockMirror(lying, { ...options, store })
    await expect(mirror.resync(warehouse)).rejects.toThrow('checksum')
    expect(await store.list(warehouse)).toEqual(before)
  })

  it('writes nothing of a source that went back, and goes on when the source is there again', async () => {
    const { stock } = source.client
    const store = new MemoryStore()
    const mirror = new StockMirror(source.client, { ...options, store })
    const page = await stock.page(warehouse, { page: 1, page_size: 1_000 })
    const { version } = page
    const feed = await stock.changes(warehouse, { since: version })
    await source.change(source.skus.slice(0, 3))
    await mirror.sync(warehouse)
    const before = [await store.list(warehouse), await store.readPlaces(warehouse)]
    const follow = (others: Parameters<typeof disguise>[0]) =>
      new StockMirror(disguise(others), { ...options, store })
    const lagging = { page: async () => page, changes: async () => feed }
    await expect(follow({ changes: lagging.changes }).sync(warehouse)).rejects.toThrow(MirrorError)
    await expect(follow({ page: lagging.page }).resync(warehouse)).rejects.toThrow(MirrorError)
    expect([await store.list(warehouse), await store.readPlaces(warehouse)]).toEqual(before)
    // Another process began a shadow with an old page, and the feed that it reads ends there too.
    await store.beginShadow(warehouse, version)
    await expect(follow(lagging).sync(warehouse)).rejects.toThrow(`sent version ${version}`)
    expect(await store.list(warehouse)).toEqual(before[0])
    await mirror.sync(warehouse)
    expect(await mirror.list(warehouse)).toEqual(await source.readAll())
    expect(await mirror.verify(warehouse)).toMatchObject({ ok: true })
  })

  it('is stopped and started again, and refuses misuse', async () => {
    const mirror = new StockMirror(source.client, options)
    await expect(mirror.ready()).rejects.toBeInstanceOf(UsageError)
    await mirror.start()
    await mirror.ready()
    await mirror.stop()
    await mirror.start()
    await source.change(source.skus.slice(0, 2))
    await waitUntilEqual(mirror)
    await mirror.stop()
    expect(() => new StockMirror(source.client, { warehouses: [] })).toThrow(UsageError)
    await expect(mirror.verify('ELSEWHERE')).rejects.toBeInstanceOf(UsageError)
  })

  it.each(['intervalMs', 'pageSize', 'staleAfterMs'] as const)('refuses a bad %s', (name) => {
    for (const value of [Number.NaN, -1, 1.5, ...(name === 'staleAfterMs' ? [] : [0])])
      expect(() => new StockMirror(source.client, { ...options, [name]: value })).toThrow(
        new RegExp(`${name} must be a whole number`),
      )
  })

  it('waits for the usual interval if it is given as undefined', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const given: object = { intervalMs: undefined, pageSize: undefined, staleAfterMs: undefined }
    const mirror = new StockMirror(source.client, { ...options, ...given })
    await mirror.start()
    await expect.poll(() => timers.mock.calls.map(([, ms]) => ms)).toContain(5_000)
    await mirror.stop()
    timers.mockRestore()
  })

  it('is started once by calls at the same time, and not after a stop meanwhile', async () => {
    const store = new MemoryStore()
    const open = vi.spyOn(store, 'open')
    const mirror = new StockMirror(source.client, { ...options, store })
    await Promise.all([mirror.start(), mirror.start()])
    await mirror.ready()
    expect(open).toHaveBeenCalledTimes(1)
    await mirror.stop()
    const other = new StockMirror(source.client, options)
    const starting = other.start()
    await other.stop()
    await starting
    await expect(other.ready()).rejects.toBeInstanceOf(UsageError)
  })

  it('opens its store once, again after a failure, and again after it was closed', async () => {
    const store = new MemoryStore()
    const open = vi.spyOn(store, 'open').mockRejectedValueOnce(new Error('the disk is away'))
    const mirror = new StockMirror(source.client, { ...options, store })
    await expect(mirror.list(warehouse)).rejects.toThrow('the disk is away')
    expect(await mirror.list(warehouse)).toEqual([])
    await mirror.sync(warehouse)
    expect(open).toHaveBeenCalledTimes(2)
    await mirror.close()
    expect(await mirror.list(warehouse)).toEqual(await source.readAll())
    expect(open).toHaveBeenCalledTimes(3)
  })

  it('starts again after a stop that is under way, and is stopped by one that is called later', async () => {
    const mirror = new StockMirror(source.client, options)
    await mirror.start()
    const stopping = mirror.stop()
    await mirror.start()
    await stopping
    await mirror.ready()
    await source.change(source.skus.slice(0, 2))
    await waitUntilEqual(mirror)
    await Promise.all([mirror.stop(), mirror.start(), mirror.stop()])
    await expect(mirror.ready()).rejects.toBeInstanceOf(UsageError)
  })

  it('knows the currencies without minor units as the gateway does', () => {
    const row = { sku: 'A', product_code: 'A', quantity_on_hand: 1, quantity_available: 1, price_retail: 1 }
    const rest = { warehouse_code: 'W', version: 1, updated_at: '', incoming: [] }
    const codes = Intl.supportedValuesOf('currency').filter((code) => minorUnits(code) <= 100)
    for (const currency of codes) {
      const [one, other] = [1, 1.004].map((price_wholesale) =>
        computeChecksum([{ ...row, ...rest, currency, price_wholesale }]),
      )
      const half = computeChecksum([{ ...row, ...rest, currency, price_wholesale: 1.01 }])
      expect([currency, one === other, one === half]).toEqual([currency, true, minorUnits(currency) === 1])
    }
  })
})
