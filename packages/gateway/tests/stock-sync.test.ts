import { type Erp, UnknownOutcome, unwrap } from '@trade-gateway/connector'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { computeStartVersion, readEpoch } from '../src/snapshot/epoch.ts'
import { compareWarehouses, followWarehouses } from '../src/stock/sync.ts'
import { writeStock } from '../src/stock/write.ts'
import { requestComparisons, setInErp } from './erp-stock.ts'
import { shouldSkip } from './faults/sizes.ts'
import { call, createWorld, openTestGateway, type TestGateway, testStart, type World } from './harness.ts'
import { syncStock } from './sync-stock.ts'

/**
 * Lists the first SKUs that the ERP has in a warehouse, without withdrawn ones and those of the sandbox's scenarios.
 */
function listSkus(house: TestGateway, warehouse: string, count: number): string[] {
  const rows = house.sandbox.store.all(
    "select sku from stock where warehouse_code = ? and withdrawn = 0 and sku not like 'SBX-%' order by sku limit ?",
    warehouse,
    count,
  )
  return rows.map((row) => String(row.sku))
}

/** Finds a SKU that the ERP has in both Australian warehouses. */
function findSharedSku(house: TestGateway): string {
  const shared = house.sandbox.store.one(
    `select a.sku from stock a join stock b on a.sku = b.sku and b.warehouse_code = 'AUSYD2'
     where a.warehouse_code = 'AUSYD1' and a.sku not like 'SBX-%' limit 1`,
  )
  return String(shared?.sku)
}

async function readStock(house: TestGateway, token: string, warehouse: string, query = '') {
  return call(house, 'GET', `/api/v1/warehouses/${warehouse}/stock${query}`, { token })
}

/** Reads a row straight from the ERP. */
async function readRow(house: TestGateway, warehouse_code: string, sku: string) {
  return unwrap(await house.sandbox.erp['stock.read']({ warehouse_code, skus: [sku] })).rows
}

describe('stock sync', () => {
  let house: TestGateway
  let reader: World

  beforeAll(async () => {
    house = await openTestGateway()
    reader = await createWorld(house)
  })
  afterAll(() => house.close())

  it('publishes what the ERP has: figures, prices in major units, every row of the warehouse', async () => {
    const { json } = await readStock(house, reader.token, 'CHNZJ1')
    const rows = house.sandbox.store.all("select * from stock where warehouse_code = 'CHNZJ1' order by sku")
    expect(json.data).toHaveLength(rows.length)
    for (const [index, row] of rows.entries()) {
      expect(json.data[index]).toMatchObject({
        sku: row.sku,
        quantity_on_hand: Number(row.on_hand),
        quantity_available: Number(row.on_hand) - Number(row.held),
        price_wholesale: Number(row.price_wholesale) / 100,
        currency: 'CNY',
        warehouse_code: 'CHNZJ1',
        incoming: JSON.parse(String(row.incoming)),
      })
    }
  })

  it('takes one version per changed row and none for an unchanged one', async () => {
    const before = (await readStock(house, reader.token, 'AUSYD1', '?page=1&page_size=1')).json.version
    const [first = '', second = ''] = listSkus(house, 'AUSYD1', 2)
    setInErp(house, 'AUSYD1', first, 'on_hand = 41')
    setInErp(house, 'AUSYD1', second, 'on_hand = on_hand')
    await house.settle()
    const after = await readStock(house, reader.token, 'AUSYD1', `?sku=${first}`)
    expect(after.json.version).toBe(before + 1)
    expect(after.headers.get('x-stock-version')).toBe(String(before + 1))
    expect(after.json.data[0]).toMatchObject({ quantity_on_hand: 41, version: before + 1 })
  })

  it('floors the ERP’s figures at 0', async () => {
    const [sku = ''] = listSkus(house, 'AUSYD2', 1)
    setInErp(house, 'AUSYD2', sku, 'on_hand = -3, held = 4')
    await house.settle()
    const { json } = await readStock(house, reader.token, 'AUSYD2', `?sku=${sku}`)
    expect(json.data[0]).toMatchObject({ quantity_on_hand: 0, quantity_available: 0 })
  })

  it('answers a company view as the sum of its members, with a version of its own', async () => {
    const sku = findSharedSku(house)
    setInErp(house, 'AUSYD1', sku, 'on_hand = 5, held = 1')
    setInErp(house, 'AUSYD2', sku, 'on_hand = 7, held = 0')
    await house.settle()
    const view = await readStock(house, reader.token, 'AU', `?sku=${sku}`)
    expect(view.json.data[0]).toMatchObject({
      warehouse_code: 'AU',
      quantity_on_hand: 12,
      quantity_available: 11,
    })
    const before = view.json.version
    setInErp(house, 'AUSYD1', sku, 'on_hand = 6, held = 2')
    setInErp(house, 'AUSYD2', sku, 'on_hand = 6, held = 0')
    await house.settle()
    const after = await readStock(house, reader.token, 'AU', `?sku=${sku}`)
    expect(after.json.data[0]).toMatchObject({ quantity_on_hand: 12, quantity_available: 10 })
    expect(after.json.version).toBeGreaterThan(before)
  })

  it('keeps a withdrawn SKU’s place, leaves it out, and answers it by SKU as a row of zeros', async () => {
    const [sku = ''] = listSkus(house, 'CHNZJ1', 1)
    const before = await readStock(house, reader.token, 'CHNZJ1', '?page=1&page_size=10')
    setInErp(house, 'CHNZJ1', sku, 'withdrawn = 1')
    await house.settle()
    const after = await readStock(house, reader.token, 'CHNZJ1', '?page=1&page_size=10')
    expect(after.json.data.map((row: { sku: string }) => row.sku)).toEqual(
      before.json.data.map((row: { sku: string }) => row.sku).filter((each: string) => each !== sku),
    )
    const zero = await readStock(house, reader.token, 'CHNZJ1', `?sku=${sku}`)
    expect(zero.json.data).toMatchObject([
      { sku, quantity_on_hand: 0, quantity_available: 0, warehouse_code: 'CHNZJ1' },
    ])
    setInErp(house, 'CHNZJ1', sku, 'withdrawn = 0, on_hand = 3')
    await house.settle()
    const back = await readStock(house, reader.token, 'CHNZJ1', `?sku=${sku}`)
    expect(back.json.data[0].quantity_on_hand).toBe(3)
  })

  it('tells the age of what it answers', async () => {
    await house.settle()
    house.clock.advance(42_000)
    const { headers } = await readStock(house, reader.token, 'AU', '?page=1')
    expect(headers.get('x-stock-age')).toBe('42')
  })
})

describe('stock sync in front of a troublesome ERP', () => {
  it('answers UPSTREAM_ERROR with Retry-After, and is not ready, until a warehouse was filled once', async () => {
    const house = await openTestGateway({ unfilled: true })
    const { token } = await createWorld(house)
    for (const path of ['/api/v1/warehouses', '/api/v1/warehouses/AUSYD1/stock', '/api/v1/products']) {
      const answer = await call(house, 'GET', path, { token })
      expect(answer.json.error.code).toBe('UPSTREAM_ERROR')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await call(house, 'GET', '/readyz')).status).toBe(503)
    expect((await call(house, 'GET', '/livez')).status).toBe(200)
    await house.settle()
    expect((await call(house, 'GET', '/readyz')).status).toBe(200)
    expect((await readStock(house, token, 'AUSYD1', '?page=1')).status).toBe(200)
    await house.close()
  })

  it('serves what it knows while the ERP is away', async () => {
    let away = false
    const house = await openTestGateway({
      wrapErp: (erp) => ({
        ...erp,
        'stock.changed': (input, options) =>
          away
            ? Promise.reject(new UnknownOutcome('unreachable', 'away', { sent: false }))
            : erp['stock.changed'](input, options),
      }),
    })
    const { token } = await createWorld(house)
    away = true
    await expect(syncStock(house.gateway)).rejects.toThrow(UnknownOutcome)
    expect((await readStock(house, token, 'AUSYD1')).status).toBe(200)
    expect((await call(house, 'GET', '/readyz')).status).toBe(200)
    await house.close()
  })

  it('never lets an older figure overwrite a newer one', async () => {
    let stale: Awaited<ReturnType<Erp['stock.read']>> | undefined
    const house = await openTestGateway({
      wrapErp: (erp) => ({
        ...erp,
        'stock.read': async (input, options) => stale ?? erp['stock.read'](input, options),
      }),
    })
    const { token } = await createWorld(house)
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    const older = await house.sandbox.erp['stock.read']({ warehouse_code: 'AUSYD1', skus: [sku] })
    setInErp(house, 'AUSYD1', sku, 'on_hand = 777')
    await house.settle()
    stale = older
    setInErp(house, 'AUSYD1', sku, 'on_hand = 777')
    await house.settle()
    const { json } = await readStock(house, token, 'AUSYD1', `?sku=${sku}`)
    expect(json.data[0].quantity_on_hand).toBe(777)
    await house.close()
  })

  it('does not apply a snapshot that lost more than half of the rows unless the next one says the same', async () => {
    let keepEvery = 1
    let flaky = false
    const house = await openTestGateway({
      wrapErp: (erp) => ({
        ...erp,
        'stock.changed': async (input, options) => {
          const answer = await erp['stock.changed'](input, options)
          return 'ok' in answer && input.cursor !== null && keepEvery > 1
            ? { ok: { ...answer.ok, everything: true } }
            : answer
        },
        'stock.snapshot': async (input, options) => {
          const answer = await erp['stock.snapshot'](input, options)
          if (!('ok' in answer)) return answer
          const rows = answer.ok.rows.filter((_row, index) => index % keepEvery === 0)
          if (flaky) keepEvery += 1
          return { ok: { ...answer.ok, rows } }
        },
      }),
    })
    const { token } = await createWorld(house)
    const whole = (await readStock(house, token, 'AUSYD1')).json.data.length
    keepEvery = 3
    flaky = true
    await house.settle()
    expect((await readStock(house, token, 'AUSYD1')).json.data).toHaveLength(whole)
    flaky = false
    keepEvery = 3
    // A snapshot that is not believed is not read again at once.
    await house.settle()
    expect((await readStock(house, token, 'AUSYD1')).json.data).toHaveLength(whole)
    house.clock.advance(60_000)
    await house.settle()
    const kept = (await readStock(house, token, 'AUSYD1')).json.data.length
    expect(kept).toBe(Math.ceil(whole / 3))
    await house.close()
  })

  it('works with an ERP that has no counters', async () => {
    const house = await openTestGateway({ capabilities: { stock_seq: false } })
    const { token } = await createWorld(house)
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    setInErp(house, 'AUSYD1', sku, 'on_hand = 12')
    await house.settle()
    expect((await readStock(house, token, 'AUSYD1', `?sku=${sku}`)).json.data[0].quantity_on_hand).toBe(12)
    await house.close()
  })
})

const takenOver = 'a stock sync that another process takes over'
describe.skipIf(shouldSkip(takenOver, { postgres: true }))(takenOver, () => {
  it('stores nothing of what it has read', async () => {
    let afterRead: (() => Promise<unknown>) | undefined
    const house = await openTestGateway({
      styles: 1,
      wrapErp: (erp) => ({
        ...erp,
        async 'stock.read'(input, options) {
          const answer = await erp['stock.read'](input, options)
          await afterRead?.()
          return answer
        },
      }),
    })
    const { db } = house.gateway.store
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    const readStored = () => db.selectFrom('stock').selectAll().where('sku', '=', sku).execute()
    const before = await readStored()
    setInErp(house, 'AUSYD1', sku, 'on_hand = 777')
    // As if this process had been frozen while the ERP responded.
    afterRead = () =>
      db
        .updateTable('leases')
        .set({ holder: 'another process', term: sql`term + 1` })
        .where('name', '=', 'sync stock AUSYD1')
        .execute()
    await syncStock(house.gateway)
    expect(await readStored()).toEqual(before)
    await house.close()
  })
})

describe('a view that is configured anew', () => {
  it('is made of its members before it is served, and a view that is gone is not served', async () => {
    const house = await openTestGateway()
    const { token } = await createWorld(house)
    const views = { AU: ['AUSYD1'], ALL: ['AUSYD1', 'AUSYD2', 'CHNZJ1'] }
    const gateway = { ...house.gateway, config: { ...house.gateway.config, views } }
    await syncStock(gateway)
    await house.gateway.mirror.stock.follow()
    const mapBySku = async (code: string) => {
      const { json } = await readStock(house, token, code)
      return new Map(
        json.data.map((row: { sku: string; quantity_on_hand: number }) => [row.sku, row.quantity_on_hand]),
      )
    }
    expect(await mapBySku('AU')).toEqual(await mapBySku('AUSYD1'))
    const members = [await mapBySku('AUSYD1'), await mapBySku('AUSYD2'), await mapBySku('CHNZJ1')]
    const sums = new Map<unknown, number>()
    for (const member of members)
      for (const [sku, on_hand] of member) sums.set(sku, (sums.get(sku) ?? 0) + Number(on_hand))
    expect(await mapBySku('ALL')).toEqual(sums)
    expect((await readStock(house, token, 'CN')).json.error.code).toBe('WAREHOUSE_UNKNOWN')
    await house.close()
  })
})

describe('a view while processes with another configuration still run', () => {
  it('has the members of the database, whoever writes, and no order fails for a view without a row', async () => {
    const house = await openTestGateway()
    const { token } = await createWorld(house)
    const sku = findSharedSku(house)
    const readAvailable = async (code: string) => {
      await house.gateway.mirror.stock.follow()
      const { json } = await readStock(house, token, code, `?sku=${sku}`)
      return json.data[0]?.quantity_on_hand
    }
    const configure = (views: Readonly<Record<string, readonly string[]>>) => ({
      ...house.gateway,
      config: { ...house.gateway.config, views },
    })
    const newer = configure({ AU: ['AUSYD1'] })
    await syncStock(newer)
    // The older process serves still: its configuration has both warehouses in the view.
    for (const [code, on_hand] of [
      ['AUSYD1', 31],
      ['AUSYD2', 7],
    ] as const) {
      setInErp(house, code, sku, `on_hand = ${on_hand}, held = 0`)
      const data = await readRow(house, code, sku)
      await writeStock(house.gateway, { warehouse_code: code, rows: data, gone: [], gone_seq: null })
    }
    expect(await readAvailable('AUSYD2')).toBe(7)
    expect(await readAvailable('AU')).toBe(31)
    const newest = configure({ AU: ['AUSYD1'], NEW: ['AUSYD1'] })
    setInErp(house, 'AUSYD1', sku, 'on_hand = 32, held = 0')
    const data = await readRow(house, 'AUSYD1', sku)
    await writeStock(newest, { warehouse_code: 'AUSYD1', rows: data, gone: [], gone_seq: null })
    expect(await readAvailable('AUSYD1')).toBe(32)
    await house.close()
  })
})

describe('figures that an ERP should not have', () => {
  it('stay in range as a sum, and do not keep any warehouse from what comes later', async () => {
    const house = await openTestGateway()
    const { token } = await createWorld(house)
    const sku = findSharedSku(house)
    for (const code of ['AUSYD1', 'AUSYD2'])
      setInErp(house, code, sku, `on_hand = ${Number.MAX_SAFE_INTEGER}, held = 0`)
    await house.settle()
    const readOnHand = async () =>
      (await readStock(house, token, 'AU', `?sku=${sku}`)).json.data[0].quantity_on_hand
    expect(await readOnHand()).toBe(Number.MAX_SAFE_INTEGER)
    for (const code of ['AUSYD1', 'AUSYD2']) setInErp(house, code, sku, 'on_hand = 5')
    await house.settle()
    expect(await readOnHand()).toBe(10)
    await house.close()
  })

  it('are written once if a response names a SKU twice, the last one', async () => {
    const house = await openTestGateway({
      wrapErp: (erp) => ({
        ...erp,
        'stock.read': async (input, options) => {
          const answer = await erp['stock.read'](input, options)
          if (!('ok' in answer)) return answer
          const rows = answer.ok.rows.flatMap((row) => [{ ...row, quantity_on_hand: 1 }, row])
          return { ok: { ...answer.ok, rows } }
        },
      }),
    })
    const { token } = await createWorld(house)
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    setInErp(house, 'AUSYD1', sku, 'on_hand = 23')
    await house.settle()
    const { json } = await readStock(house, token, 'AUSYD1', `?sku=${sku}`)
    expect(json.data[0].quantity_on_hand).toBe(23)
    await house.close()
  })
})

describe('a comparison that takes long', () => {
  /** Makes a gate at which snapshots of AUSYD1 wait, with what the ERP read before. */
  const createGate = () => {
    const gate = { isArmed: false, ...Promise.withResolvers<void>(), arrived: Promise.withResolvers<void>() }
    const wrapErp = (erp: Erp): Erp => ({
      ...erp,
      'stock.snapshot': async (input, options) => {
        const answer = await erp['stock.snapshot'](input, options)
        if (!gate.isArmed || input.warehouse_code !== 'AUSYD1') return answer
        gate.arrived.resolve()
        await gate.promise
        return answer
      },
    })
    return { gate, wrapErp }
  }

  it.each([
    ['of every warehouse, where the ERP has counters', true],
    ['of other warehouses, where it has none', false],
  ])('does not hold up hints %s', async (_name, stock_seq) => {
    const { gate, wrapErp } = createGate()
    const house = await openTestGateway({ styles: 20, capabilities: { stock_seq }, wrapErp })
    const { token } = await createWorld(house)
    const sku = findSharedSku(house)
    const readOnHand = async (code: string) => {
      await house.gateway.mirror.stock.follow()
      return (await readStock(house, token, code, `?sku=${sku}`)).json.data[0].quantity_on_hand
    }
    await requestComparisons(house, 'AUSYD1')
    gate.isArmed = true
    const comparing = compareWarehouses(house.gateway)
    await gate.arrived.promise
    for (const code of ['AUSYD1', 'AUSYD2']) setInErp(house, code, sku, 'on_hand = 4711')
    await followWarehouses(house.gateway)
    expect(await readOnHand('AUSYD2')).toBe(4711)
    expect((await readOnHand('AUSYD1')) === 4711).toBe(stock_seq)
    gate.resolve()
    await comparing
    if (stock_seq) expect(await readOnHand('AUSYD1'), 'not the older figure of the snapshot').toBe(4711)
    await house.settle()
    expect(await readOnHand('AUSYD1')).toBe(4711)
    await house.close()
  })

  it('counts no row whose hint is followed later', async () => {
    const house = await openTestGateway({ styles: 20 })
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    await requestComparisons(house, 'AUSYD1')
    setInErp(house, 'AUSYD1', sku, 'on_hand = 4711')
    await compareWarehouses(house.gateway)
    const { last_differences } = await house.gateway.store.db
      .selectFrom('warehouses')
      .select('last_differences')
      .where('warehouse_code', '=', 'AUSYD1')
      .executeTakeFirstOrThrow()
    expect(last_differences).toBe(0)
    await house.close()
  })

  it('does not make the stock older, and counts no row whose hint is followed meanwhile', async () => {
    const { gate, wrapErp } = createGate()
    const house = await openTestGateway({ styles: 20, wrapErp })
    const { token } = await createWorld(house)
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    await requestComparisons(house, 'AUSYD1')
    gate.isArmed = true
    // Changed before the snapshot, and hinted with it.
    setInErp(house, 'AUSYD1', sku, 'on_hand = 4711')
    const comparing = compareWarehouses(house.gateway)
    await gate.arrived.promise
    house.clock.advance(300_000)
    await followWarehouses(house.gateway)
    gate.resolve()
    await comparing
    await house.gateway.mirror.stock.follow()
    const { headers } = await readStock(house, token, 'AUSYD1', '?page=1')
    expect(headers.get('x-stock-age')).toBe('0')
    const row = await house.gateway.store.db
      .selectFrom('warehouses')
      .select(['last_differences', 'compare_requested_at'])
      .where('warehouse_code', '=', 'AUSYD1')
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ last_differences: 0, compare_requested_at: null })
    await house.close()
  })

  it('stores a page before it requests the one after the next', async () => {
    let onPage = async (_page: number) => {}
    let pages = 0
    const house = await openTestGateway({
      styles: 20,
      wrapErp: (erp) => ({
        ...erp,
        'stock.snapshot': async (input, options) => {
          if (input.warehouse_code !== 'AUSYD1') return erp['stock.snapshot'](input, options)
          pages += 1
          await onPage(pages)
          return erp['stock.snapshot']({ ...input, limit: 10 }, options)
        },
      }),
    })
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    const { db } = house.gateway.store
    const ofSku = db.selectFrom('stock').where('warehouse_code', '=', 'AUSYD1').where('sku', '=', sku)
    const stored = () => ofSku.select('quantity_on_hand').executeTakeFirstOrThrow()
    const before = await stored()
    await db.updateTable('stock').set({ quantity_on_hand: 4711 }).where('sku', '=', sku).execute()
    await requestComparisons(house, 'AUSYD1')
    pages = 0
    const seen: unknown[] = []
    onPage = async (page) => void (page === 3 && seen.push(await stored()))
    await house.settle()
    expect(pages).toBeGreaterThan(3)
    expect(seen).toEqual([before])
    await house.close()
  })
})

describe('a comparison of an ERP with counters and without hints', () => {
  it('does not undo what was written while its pages were read', async () => {
    const gate = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    let isArmed = false
    const house = await openTestGateway({
      capabilities: { changes: 'none' },
      wrapErp: (erp) => ({
        ...erp,
        'stock.snapshot': async (input, options) => {
          const answer = await erp['stock.snapshot'](input, options)
          if (isArmed && input.warehouse_code === 'AUSYD1') {
            arrived.resolve()
            await gate.promise
          }
          return answer
        },
      }),
    })
    const { token } = await createWorld(house)
    const [sku = ''] = listSkus(house, 'AUSYD1', 1)
    setInErp(house, 'AUSYD1', sku, 'on_hand = 5, held = 0')
    house.clock.advance(61_000)
    isArmed = true
    const comparing = syncStock(house.gateway)
    await arrived.promise
    setInErp(house, 'AUSYD1', sku, 'on_hand = 4')
    const data = await readRow(house, 'AUSYD1', sku)
    await writeStock(house.gateway, { warehouse_code: 'AUSYD1', rows: data, gone: [], gone_seq: null })
    gate.resolve()
    await comparing
    await house.gateway.mirror.stock.follow()
    const { json } = await readStock(house, token, 'AUSYD1', `?sku=${sku}`)
    expect(json.data[0].quantity_on_hand).toBe(4)
    await house.close()
  })

  it('lets the age of the stock grow until the next comparison, and on while the ERP does not respond', async () => {
    let isDown = false
    const house = await openTestGateway({
      styles: 5,
      capabilities: { changes: 'none' },
      wrapErp: (erp) => ({
        ...erp,
        'stock.changed': (input, options) => {
          if (isDown) throw new UnknownOutcome('unreachable', 'The ERP is down.')
          return erp['stock.changed'](input, options)
        },
      }),
    })
    const { token } = await createWorld(house)
    const readAgeAfter = async (ms: number) => {
      house.clock.advance(ms)
      await syncStock(house.gateway).catch(() => {})
      await house.gateway.mirror.stock.follow()
      const { headers } = await readStock(house, token, 'AU', '?page_size=1')
      return Number(headers.get('x-stock-age'))
    }
    expect(await readAgeAfter(30_000)).toBe(30)
    expect(await readAgeAfter(29_000)).toBe(59)
    expect(await readAgeAfter(1_000), 'after a comparison').toBe(0)
    isDown = true
    expect(await readAgeAfter(30_000)).toBe(30)
    expect(await readAgeAfter(40_000)).toBe(70)
    isDown = false
    expect(await readAgeAfter(0)).toBe(0)
    await house.close()
  })
})

describe('a version', () => {
  it('starts above an older history even when the new one begins a moment later', () => {
    const older = computeStartVersion(testStart + 1_000) + 10_000_000
    expect(computeStartVersion(testStart + 3_000)).toBeGreaterThan(older)
    expect(computeStartVersion(testStart, older)).toBeGreaterThan(older)
  })

  it('belongs to the history that began in its ten minutes, and stays a safe integer for decades', () => {
    const version = computeStartVersion(testStart)
    expect(readEpoch(version + 8_000_000_000)).toBe(readEpoch(version))
    expect(computeStartVersion(testStart + 600_000)).toBeGreaterThan(version + 8_000_000_000)
    expect(Number.isSafeInteger(computeStartVersion(Date.UTC(2045, 0, 1)) + 2 ** 33)).toBe(true)
  })
})
