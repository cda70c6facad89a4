import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { beginEpoch, readEpoch } from '../src/snapshot/epoch.ts'
import { computeChangesPrice } from '../src/stock/feed.ts'
import { recordVersionsAndAdvanceHorizons } from '../src/stock/history.ts'
import { Follower } from './follower.ts'
import {
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
  type World,
} from './harness.ts'

let house: TestGateway
let reader: World

beforeAll(async () => {
  house = await openTestGateway()
  reader = await createWorld(house)
})
afterAll(() => house.close())

const readWarehouse = (path: string, init: LooseJson = {}) =>
  call(house, 'GET', `/api/v1/warehouses/${path}`, { token: reader.token, ...init })
const readChanges = (since: number, more = '') => readWarehouse(`AUSYD1/stock/changes?since=${since}${more}`)
const readVersion = async (code = 'AUSYD1') =>
  (await readWarehouse(`${code}/stock?page=1&page_size=1`)).json.version

/** Changes rows in the ERP and syncs them. */
async function moveStock(warehouse: string, skus: readonly string[], fields = 'on_hand = on_hand + 1') {
  for (const sku of skus) {
    const { store } = house.sandbox
    store.run('update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ?', warehouse)
    store.run(
      `update stock set ${fields}, stock_seq = (select stock_seq from warehouses where warehouse_code = ?1)
       where warehouse_code = ?1 and sku = ?2`,
      warehouse,
      sku,
    )
  }
  await house.settle()
}

function listSkus(warehouse: string, count: number): string[] {
  const sql = 'select sku from stock where warehouse_code = ? order by sku limit ?'
  return house.sandbox.store.all(sql, warehouse, count).map((row) => String(row.sku))
}

describe('the change feed', () => {
  it('costs one point for a warehouse whose stock was not read yet', () => {
    const context = { gateway: house.gateway, call: {}, input: { warehouse_code: 'NOWHERE', since: 1 } }
    expect(computeChangesPrice(context as never)).toBe(1)
  })

  it('tells each changed row once, newest state, ascending by version, and what to send next', async () => {
    const since = await readVersion()
    const [a = '', b = '', c = ''] = listSkus('AUSYD1', 3)
    await moveStock('AUSYD1', [a])
    await moveStock('AUSYD1', [b])
    await moveStock('AUSYD1', [a, c])
    const { json, headers } = await readChanges(since)
    expect(json.data.map((row: LooseJson) => row.sku)).toEqual([b, a, c])
    expect(json.data.map((row: LooseJson) => row.version)).toEqual([since + 2, since + 3, since + 4])
    expect(json).toMatchObject({
      version: since + 4,
      since,
      latest: since + 4,
      has_more: false,
      pending: 0,
      needs_full_sync: false,
    })
    expect(headers.get('x-stock-version')).toBe(String(since + 4))
    expect(headers.get('ratelimit-cost')).toBe('3')
    const quiet = await readChanges(json.version)
    expect(quiet.json).toMatchObject({ data: [], version: json.version, has_more: false })
    expect(quiet.headers.get('ratelimit-cost')).toBe('1')
  })

  it('may end a page inside a batch, says what is pending, and proves itself on the last page', async () => {
    const since = await readVersion()
    await moveStock('AUSYD1', listSkus('AUSYD1', 25))
    const first = await readChanges(since, '&page_size=10')
    expect(first.json).toMatchObject({ version: since + 10, has_more: true, pending: 15 })
    expect(first.json.checksum).toBeUndefined()
    const last = await readChanges(first.json.version)
    expect(last.json.data).toHaveLength(15)
    const proof = await readWarehouse('AUSYD1/stock/checksum')
    expect(proof.headers.get('ratelimit-cost')).toBe('5')
    expect(last.json).toMatchObject({
      row_count: proof.json.data.row_count,
      checksum: proof.json.data.checksum,
      version: proof.json.data.version,
    })
  })

  it('tells a withdrawn SKU as zeros with removed: true, and its return', async () => {
    const [sku = ''] = listSkus('AUSYD1', 1)
    const since = await readVersion()
    await moveStock('AUSYD1', [sku], 'withdrawn = 1')
    const gone = await readChanges(since)
    expect(gone.json.data).toMatchObject([{ sku, quantity_on_hand: 0, quantity_available: 0, removed: true }])
    await moveStock('AUSYD1', [sku], 'withdrawn = 0, on_hand = 8')
    const back = await readChanges(gone.json.version)
    expect(back.json.data).toMatchObject([{ sku, quantity_on_hand: 8 }])
    expect(back.json.data[0].removed).toBeUndefined()
  })

  it('gives views a counter of their own, which stands still while no published field changes', async () => {
    const [sku = ''] = listSkus('AUSYD2', 1)
    const [before, ofView] = [await readVersion('AUSYD2'), await readVersion('AU')]
    await moveStock('AUSYD2', [sku], 'on_hand = on_hand + 1')
    const { json } = await readWarehouse(`AU/stock/changes?since=${ofView}`)
    expect(json.data).toMatchObject([{ sku, warehouse_code: 'AU' }])
    expect(json.version).toBe(ofView + 1)
    expect(await readVersion('AUSYD2')).toBe(before + 1)
  })

  it('never answers 429 while a point is left: the page is cut to the points, and capped at the price of a pull', async () => {
    const since = await readVersion()
    await moveStock('AUSYD1', listSkus('AUSYD1', 80))
    const poor = await createWorld(house, { points_per_minute: 100 })
    const readPage = (from: number) =>
      call(house, 'GET', `/api/v1/warehouses/AUSYD1/stock/changes?since=${from}&page_size=70`, {
        token: poor.token,
      })
    const first = await readPage(since)
    expect(first.json.data).toHaveLength(70)
    expect(first.headers.get('ratelimit-cost')).toBe('60')
    await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page=1', { token: poor.token })
    await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock?page=1', { token: poor.token })
    const spendPoint = async () =>
      (await call(house, 'GET', '/api/v1/warehouses', { token: poor.token })).headers.get(
        'ratelimit-remaining',
      )
    for (let calls = 1; (await spendPoint()) !== '4'; calls++) expect(calls).toBeLessThan(60)
    const cut = await readPage(first.json.version)
    expect(cut.json.data).toHaveLength(4)
    expect(cut.json).toMatchObject({ has_more: true, pending: 6 })
    expect(cut.headers.get('ratelimit-remaining')).toBe('0')
    expect((await readPage(cut.json.version)).json.error.code).toBe('RATE_LIMITED')
  })

  it('is a page of the stock that it was priced for, even if processes that share the points are slow', async () => {
    const [a = '', b = ''] = listSkus('AUSYD1', 2)
    const since = await readVersion()
    await moveStock('AUSYD1', [a])
    const { points } = house.gateway.quota
    const take = points.takeUpTo.bind(points)
    vi.spyOn(points, 'takeUpTo').mockImplementationOnce(async (...purchase) => {
      const paid = await take(...purchase)
      await moveStock('AUSYD1', [b])
      await moveStock('AUSYD1', [a])
      return paid
    })
    const { json } = await readChanges(since)
    expect(json).toMatchObject({
      data: [{ sku: a, version: since + 1 }],
      version: since + 1,
      has_more: false,
    })
    expect(json.checksum).toBeDefined()
    const rest = await readChanges(json.version)
    expect(rest.json.data.map((row: LooseJson) => row.sku)).toEqual([b, a])
  })

  it('cuts a page to the points of each caller, whatever page was kept for another one', async () => {
    const since = await readVersion()
    await moveStock('AUSYD1', listSkus('AUSYD1', 6))
    const { token } = await createWorld(house, { points_per_minute: 4 })
    expect((await readChanges(since)).json.data).toHaveLength(6)
    const path = `/api/v1/warehouses/AUSYD1/stock/changes?since=${since}`
    const { json } = await call(house, 'GET', path, { token })
    expect(json).toMatchObject({ pending: 2, has_more: true, version: since + 4 })
    expect(json.data).toHaveLength(4)
    expect((await readChanges(since)).json.data).toHaveLength(6)
  })

  it('asks for a full sync exactly when a cursor cannot be followed, and tells the same to who ignores it', async () => {
    const version = await readVersion()
    const none = await readWarehouse('AUSYD1/stock/changes')
    expect(none.json).toMatchObject({
      data: [],
      version: 0,
      needs_full_sync: true,
      full_sync_reason: 'no_cursor',
      latest: version,
    })
    const ahead = await readChanges(version + 1)
    expect(ahead.json).toMatchObject({
      data: [],
      version: version + 1,
      needs_full_sync: true,
      full_sync_reason: 'ahead',
    })
    const foreign = await readChanges(5)
    expect(foreign.json).toMatchObject({ version: 5, needs_full_sync: true, full_sync_reason: 'other_epoch' })
    expect((await readChanges(version)).json.needs_full_sync).toBe(false)
    for (const since of ['-1', '1.5', '', 'x', '99999999999999999']) {
      const { json } = await readWarehouse(`AUSYD1/stock/changes?since=${since}`)
      expect(json.error).toMatchObject({ code: 'VALIDATION_FAILED', param: 'since' })
    }
  })

  it('judges "ahead" by the database, not by a mirror that lags', async () => {
    const version = await readVersion()
    const [sku = ''] = listSkus('AUSYD1', 1)
    const written = await house.gateway.store.db
      .updateTable('warehouses')
      .set((eb) => ({ version: eb('version', '+', 1) }))
      .where('warehouse_code', '=', 'AUSYD1')
      .returning('version')
      .executeTakeFirstOrThrow()
    await house.gateway.store.db
      .updateTable('stock')
      .set({ version: written.version, quantity_on_hand: 4242 })
      .where('warehouse_code', '=', 'AUSYD1')
      .where('sku', '=', sku)
      .execute()
    expect((await readChanges(version + 1)).json).toMatchObject({
      needs_full_sync: false,
      version: version + 1,
    })
  })

  it('follows a cursor for seven days', async () => {
    const old = await readVersion()
    await recordVersionsAndAdvanceHorizons(house.gateway)
    house.clock.advance(60_000)
    await moveStock('AUSYD1', listSkus('AUSYD1', 2))
    const young = await readVersion()
    house.clock.advance(7 * 24 * 3_600_000 - 61_000)
    await recordVersionsAndAdvanceHorizons(house.gateway)
    await house.settle()
    reader = await createWorld(house)
    expect((await readChanges(old)).json.needs_full_sync).toBe(false)
    house.clock.advance(2_000)
    await recordVersionsAndAdvanceHorizons(house.gateway)
    await house.settle()
    expect((await readChanges(old)).json.needs_full_sync).toBe(false)
    expect((await readChanges(old - 1)).json).toMatchObject({
      needs_full_sync: true,
      full_sync_reason: 'expired',
    })
    expect((await readChanges(young)).json.needs_full_sync).toBe(false)
  })

  it('answers 304 while nothing changed since the ETag', async () => {
    const since = await readVersion()
    const { headers } = await readChanges(since)
    const same = await readChanges(since, '')
    expect(same.headers.get('etag')).toBe(headers.get('etag'))
    const not = await readWarehouse(`AUSYD1/stock/changes?since=${since}`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    expect(not.status).toBe(304)
  })

  it('costs a point where it has nothing to send: for a cursor that it cannot follow, and with 304', async () => {
    const since = await readVersion()
    await moveStock('AUSYD1', listSkus('AUSYD1', 5))
    const page = await readChanges(since)
    const tag = page.headers.get('etag') ?? ''
    const path = `AUSYD1/stock/changes?since=${since}`
    const known = await readWarehouse(path, { headers: { 'if-none-match': tag } })
    const refused = [await readChanges(5), await readWarehouse('AUSYD1/stock/changes')]
    const costs = [page, known, ...refused].map(({ headers }) => headers.get('ratelimit-cost'))
    expect([known.status, costs]).toEqual([304, ['5', '1', '1', '1']])
  })

  it('does not take the tag of an older page, or of a page that begins elsewhere, for its own', async () => {
    const since = await readVersion()
    const skus = listSkus('AUSYD1', 3)
    await moveStock('AUSYD1', skus.slice(0, 1))
    const older = await readChanges(since)
    await moveStock('AUSYD1', skus)
    const newest = await readVersion()
    const elsewhere = await readChanges(newest - 1)
    for (const { headers } of [older, elsewhere]) {
      const page = await readWarehouse(`AUSYD1/stock/changes?since=${since}`, {
        headers: { 'if-none-match': headers.get('etag') ?? '' },
      })
      expect([page.status, page.json?.version]).toEqual([200, newest])
    }
  })

  it('answers 304 to the tag of a page that another process sent, of stock that this one has not read yet', async () => {
    const since = await readVersion()
    const end = since + 1
    const { db } = house.gateway.store
    const [sku = ''] = listSkus('AUSYD1', 1)
    await db.updateTable('warehouses').set({ version: end }).where('warehouse_code', '=', 'AUSYD1').execute()
    await db
      .updateTable('stock')
      .set({ version: end })
      .where('warehouse_code', '=', 'AUSYD1')
      .where('sku', '=', sku)
      .execute()
    const known = await readWarehouse(`AUSYD1/stock/changes?since=${since}`, {
      headers: { 'if-none-match': `W/"${end}.${since}.${end}"` },
    })
    expect([known.status, known.headers.get('x-stock-version')]).toEqual([304, String(end)])
  })

  it('counts the cursors that it could not follow, by reason', async () => {
    const { fullSyncs } = house.gateway.memory.metrics
    fullSyncs.reset()
    await readWarehouse('AUSYD1/stock/changes')
    const version = await readVersion()
    await readChanges(version)
    await readChanges(version + 1)
    await readChanges(5)
    const { values } = await fullSyncs.get()
    expect(
      values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]),
    ).toEqual([
      ['ahead', 1],
      ['other_epoch', 1],
    ])
  })

  it('is UPSTREAM_ERROR while the warehouse has not been read completely once', async () => {
    const empty = await openTestGateway({ unfilled: true })
    const { token } = await createWorld(empty)
    for (const query of ['', '?since=5']) {
      const path = `/api/v1/warehouses/AUSYD1/stock/changes${query}`
      expect((await call(empty, 'GET', path, { token })).json.error.code).toBe('UPSTREAM_ERROR')
    }
    await empty.close()
  })

  it('answers 304 with the cursor of the page that the caller has, not with the newest one', async () => {
    const since = await readVersion()
    const skus = listSkus('AUSYD1', 5)
    await moveStock('AUSYD1', skus)
    const path = `AUSYD1/stock/changes?since=${since}&page_size=2`
    const page = await readWarehouse(path)
    expect(page.json).toMatchObject({ has_more: true, pending: skus.length - 2 })
    const ask = async (tag: string) => readWarehouse(path, { headers: { 'if-none-match': tag } })
    const tag = page.headers.get('etag') ?? ''
    const same = await ask(tag)
    expect([same.status, same.headers.get('etag')]).toEqual([304, tag])
    expect(same.headers.get('x-stock-version')).toBe(String(page.json.version))
    const any = await ask('*')
    expect([any.status, any.headers.get('x-stock-version')]).toEqual([304, String(since)])
    const longer = await readWarehouse(`AUSYD1/stock/changes?since=${since}&page_size=3`)
    expect(longer.headers.get('etag')).not.toBe(tag)
    for (const forged of [tag.replace(/\.(\d+)"$/, '.9999999999999999"'), tag.replace(/\.(\d+)"$/, '.1"')])
      expect((await ask(forged)).status, forged).toBe(200)
  })

  it('proves a copy by a sum that any client can compute', async () => {
    const { json } = await readWarehouse('CHNZJ1/stock')
    const proof = await readWarehouse('CHNZJ1/stock/checksum')
    let sum = 0n
    for (const row of json.data) {
      const toMinorUnits = (price: number) => Math.round(price * 100)
      const fields = [
        row.sku,
        row.product_code,
        row.quantity_on_hand,
        row.quantity_available,
        toMinorUnits(row.price_wholesale),
        toMinorUnits(row.price_retail),
        row.currency,
      ]
      sum += BigInt(`0x${createHash('sha256').update(fields.join('\u001f')).digest('hex').slice(0, 32)}`)
    }
    expect(proof.json.data.checksum).toBe((sum % 2n ** 128n).toString(16).padStart(32, '0'))
    expect(proof.json.data.row_count).toBe(json.data.length)
  })
})

describe('a follower', () => {
  it('converges to a fresh pull from any start, under writes, withdrawals and returns', async () => {
    const skus = listSkus('AUSYD1', 40)
    const step = fc.oneof(
      fc.record({ kind: fc.constant('move' as const), skus: fc.subarray(skus, { minLength: 1 }) }),
      fc.record({
        kind: fc.constant('withdraw' as const),
        skus: fc.subarray(skus, { minLength: 1, maxLength: 5 }),
      }),
      fc.record({
        kind: fc.constant('return' as const),
        skus: fc.subarray(skus, { minLength: 1, maxLength: 5 }),
      }),
      fc.record({ kind: fc.constant('page' as const), size: fc.integer({ min: 1, max: 30 }) }),
      fc.record({
        kind: fc.constant('restart' as const),
        paged: fc.boolean(),
        size: fc.integer({ min: 7, max: 200 }),
      }),
    )
    const fields = {
      move: 'on_hand = on_hand + 1',
      withdraw: 'withdrawn = 1',
      return: 'withdrawn = 0, on_hand = on_hand + 2',
    }
    const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const follower = new Follower(
        (path) => readWarehouse(path.replace('/api/v1/warehouses/', '')),
        'AUSYD1',
      )
      await follower.start()
      for (const each of steps) {
        if (each.kind === 'page') await follower.readPage(each.size)
        else if (each.kind === 'restart')
          await follower.start(each.paged ? each.size : undefined, () =>
            moveStock('AUSYD1', skus.slice(0, 3)),
          )
        else await moveStock('AUSYD1', each.skus, fields[each.kind])
      }
      await follower.catchUp()
      const fresh = await readWarehouse('AUSYD1/stock')
      expect(follower.listRows()).toEqual(fresh.json.data)
      expect(follower.proof).toEqual({
        row_count: fresh.json.data.length,
        checksum: follower.computeChecksum(),
      })
    })
    // This test uses HTTP and a real store, so it runs few interleavings; those in tests/faults run many.
    await fc.assert(property, { numRuns: 20 })
  }, 120_000)
})

describe('a database that was restored', () => {
  it('begins a new history above all that was answered, and tells every cursor to sync', async () => {
    const since = await readVersion()
    await house.gateway.store.db
      .updateTable('warehouses')
      .set((eb) => ({ version: eb('version', '-', 5) }))
      .where('warehouse_code', '=', 'AUSYD1')
      .execute()
    await house.settle()
    const { json } = await readChanges(since)
    expect(json).toMatchObject({
      data: [],
      version: since,
      needs_full_sync: true,
      full_sync_reason: 'other_epoch',
    })
    const version = await readVersion()
    expect(version).toBeGreaterThan(since)
    expect(readEpoch(version)).toBeGreaterThan(readEpoch(since))
    await house.settle()
    const [sku = ''] = listSkus('AUSYD1', 1)
    const before = await readVersion()
    await moveStock('AUSYD1', [sku], 'withdrawn = 0, on_hand = on_hand + 5')
    expect((await readChanges(before)).json.data).toMatchObject([{ sku }])
  })

  it('begins a new history when an operator says so', async () => {
    const since = await readVersion()
    await beginEpoch(house.gateway)
    await house.settle()
    expect((await readChanges(since)).json.full_sync_reason).toBe('other_epoch')
  })
})
