/** An operator looks at the copies of the stock and has one compared with the ERP. */

import { UnknownOutcome } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { compareSku } from '../src/stock/compare-sku.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  type TestGateway,
  type World,
} from './harness.ts'
import { expectData, expectError } from './trade.ts'

const code = 'AUSYD1'
let house: TestGateway
let reader: World
/** Called before each page of a snapshot is read from the ERP. */
let onSnapshot: (() => void) | undefined
/** Called before figures are read from the ERP. */
let onRead: ((signal: AbortSignal | undefined) => Promise<void>) | undefined

beforeAll(async () => {
  house = await openTestGateway({
    settings: { WAREHOUSE_VIEWS: 'AU=AUSYD1+AUSYD2' },
    wrapErp: (erp) => ({
      ...erp,
      'stock.snapshot': async (input, options) => {
        onSnapshot?.()
        return erp['stock.snapshot'](input, options)
      },
      'stock.read': async (input, options) => {
        await onRead?.(options?.signal)
        return erp['stock.read'](input, options)
      },
    }),
  })
  reader = await createWorld(house)
})
beforeEach(() => {
  onSnapshot = undefined
  onRead = undefined
  house.clock.advance(1_000)
})
afterAll(() => house.close())

const listCopies = async (): Promise<LooseJson[]> =>
  expectData(await call(house, 'GET', '/admin/api/stock-copies', { admin: adminToken })) as LooseJson[]
const compare = (warehouse: string, headers = {}) =>
  call(house, 'POST', `/admin/api/stock-copies/${warehouse}/compare`, { admin: adminToken, headers })
const findCopy = async (warehouse = code) =>
  (await listCopies()).find(({ warehouse_code }) => warehouse_code === warehouse)

/** Requests a comparison, runs the sync, and returns the copy. */
async function compareNow(): Promise<LooseJson | undefined> {
  expectData(await compare(code))
  house.clock.advance(1)
  await house.settle()
  return findCopy()
}

/** Changes a row in the ERP. Without `isHinted`, the ERP gives no hint of it. */
function changeInErp(place: number, isHinted: boolean): string {
  const [row] = house.sandbox.store.all(
    "select sku from stock where warehouse_code = ? and withdrawn = 0 and sku not like 'SBX-%' order by sku limit 1 offset ?",
    code,
    place,
  )
  const sku = String(row?.sku)
  const seq = isHinted
    ? ', stock_seq = (select stock_seq + 1 from warehouses where warehouse_code = stock.warehouse_code)'
    : ''
  const change = `update stock set on_hand = on_hand + 7${seq} where warehouse_code = ? and sku = ?`
  house.sandbox.store.run(change, code, sku)
  if (isHinted)
    house.sandbox.store.run('update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ?', code)
  return sku
}

async function readRow(sku: string): Promise<LooseJson> {
  const { json } = await call(house, 'GET', `/api/v1/warehouses/${code}/stock?sku=${sku}`, {
    token: reader.token,
  })
  return json.data[0]
}

describe('the list of copies', () => {
  it('has each warehouse and view, with the version, rows and checksum that clients see', async () => {
    house.clock.advance(5_000)
    const copies = await listCopies()
    expect(copies.map(({ warehouse_code, kind }) => [warehouse_code, kind])).toEqual([
      ['AU', 'company'],
      ['AUSYD1', 'warehouse'],
      ['AUSYD2', 'warehouse'],
      ['CHNZJ1', 'warehouse'],
    ])
    for (const copy of copies) {
      const path = `/api/v1/warehouses/${copy.warehouse_code}/stock/changes?since=${copy.version}`
      const { json } = await call(house, 'GET', path, { token: reader.token })
      expect(copy).toMatchObject({ version: json.version, rows: json.row_count, checksum: json.checksum })
      expect(copy.age_seconds).toBeGreaterThanOrEqual(5)
      expect(Date.parse(copy.latest_at)).toBe(house.clock.now() - copy.age_seconds * 1000)
    }
  })
})

describe('a full comparison', () => {
  it('corrects the rows that no hint named, counts them, and leaves none for the next one', async () => {
    const lost = [changeInErp(0, false), changeInErp(1, false)]
    const before = await readRow(lost[0] ?? '')
    await house.settle()
    expect(await readRow(lost[0] ?? '')).toEqual(before)
    const requested = expectData(await compare(code))
    expect(requested).toMatchObject({ warehouse_code: code, last_differences: null })
    expect(Date.parse(requested.compare_requested_at)).toBe(house.clock.now())
    house.clock.advance(1)
    await house.settle()
    expect(await findCopy()).toMatchObject({
      last_differences: 2,
      compare_requested_at: null,
      last_compare_at: new Date(house.clock.now()).toISOString(),
    })
    expect((await readRow(lost[0] ?? '')).quantity_on_hand).toBe(before.quantity_on_hand + 7)
    expect(await compareNow()).toMatchObject({ last_differences: 0 })
  })

  it('does not count what hints named before it or during it', async () => {
    changeInErp(2, true)
    onSnapshot = () => {
      onSnapshot = undefined
      changeInErp(3, true)
    }
    expect(await compareNow()).toMatchObject({ last_differences: 0 })
  })

  it('is not made without a request before its time', async () => {
    const before = (await findCopy())?.last_compare_at
    house.clock.advance(60_000)
    await house.settle()
    expect((await findCopy())?.last_compare_at).toBe(before)
  })

  it.each([
    ['on request', async () => void (await compare(code))],
    ['by itself, soon', async () => {}],
  ])('is made %s although the last one was noted by a clock that was ahead', async (_name, ask) => {
    house.clock.advance(5 * 60_000)
    await compareNow()
    const ahead = (await findCopy())?.last_compare_at
    house.clock.advance(-5 * 60_000)
    await ask()
    await house.settle()
    const { last_compare_at, compare_requested_at } = (await findCopy()) ?? {}
    expect([last_compare_at === ahead, compare_requested_at]).toEqual([false, null])
    await house.settle()
    expect((await findCopy())?.last_compare_at).toBe(last_compare_at)
  })

  it('that is requested while one runs is made too', async () => {
    await compare(code)
    onSnapshot = () => {
      onSnapshot = undefined
      house.clock.advance(1)
      void compare(code)
    }
    await house.settle()
    expect((await findCopy())?.compare_requested_at).not.toBe(null)
    house.clock.advance(1)
    await house.settle()
    expect((await findCopy())?.compare_requested_at).toBe(null)
  })

  it('of a view compares its members and no other warehouse', async () => {
    expect(expectData(await compare('AU')).compare_requested_at).toBe(null)
    const open = (await listCopies()).filter(({ compare_requested_at }) => compare_requested_at !== null)
    expect(open.map(({ warehouse_code }) => warehouse_code)).toEqual(['AUSYD1', 'AUSYD2'])
    house.clock.advance(1)
    await house.settle()
  })

  it('of an unknown warehouse is refused, and each request is in the audit', async () => {
    expectError(await compare('NOWHERE'), 'WAREHOUSE_UNKNOWN')
    await compare(code, { 'x-request-id': 'compare-audit', 'x-admin-actor': 'Robin' })
    const [row] = await house.gateway.store.db
      .selectFrom('admin_audit')
      .select(['actor', 'detail'])
      .where('request_id', '=', 'compare-audit')
      .execute()
    const detail = JSON.parse(row?.detail ?? '{}')
    expect(row?.actor).toBe('Robin')
    expect(detail).toMatchObject({ before: { compare_requested_at: null } })
    expect(Date.parse(detail.after.compare_requested_at)).toBe(house.clock.now())
  })
})

describe('one SKU', () => {
  const compareSkuInErp = (sku: string) =>
    call(house, 'GET', `/admin/api/stock-figures?sku=${encodeURIComponent(sku)}`, { admin: adminToken })
  const findWarehouse = async (sku: string, warehouse = code) =>
    expectData(await compareSkuInErp(sku)).warehouses.find(
      ({ warehouse_code }: LooseJson) => warehouse_code === warehouse,
    )

  it('is shown as clients see it, beside what the ERP states, by warehouse', async () => {
    const sku = changeInErp(20, true)
    await house.settle()
    const { warehouses, left_out } = expectData(await compareSkuInErp(sku))
    expect(left_out).toBe(0)
    expect(warehouses.map((each: LooseJson) => each.warehouse_code)).toEqual(['AUSYD1', 'AUSYD2', 'CHNZJ1'])
    const [first] = warehouses
    const { warehouse_code: _code, sku: _sku, ...row } = await readRow(sku)
    expect(first).toMatchObject({ gateway: row, erp_result: 'ok', differs: false })
    const { version: _version, updated_at: _at, ...figure } = row
    expect(first.erp).toEqual(figure)
    expect(first).toMatchObject({ version: expect.any(Number), age_seconds: 0 })
  })

  it('differs where the ERP changed it without a hint, until a full comparison', async () => {
    const sku = changeInErp(21, false)
    const before = await findWarehouse(sku)
    expect(before.erp.quantity_on_hand).toBe(before.gateway.quantity_on_hand + 7)
    expect(before).toMatchObject({ differs: true, erp_result: 'ok' })
    expect(await findWarehouse(sku, 'AUSYD2')).toMatchObject({ differs: false })
    await compareNow()
    await house.gateway.mirror.stock.follow()
    expect(await findWarehouse(sku)).toMatchObject({ differs: false })
  })

  it('has no figure that neither the gateway nor the ERP has', async () => {
    expect(await findWarehouse('NO-SUCH-SKU')).toMatchObject({
      gateway: null,
      erp: null,
      erp_result: 'ok',
      differs: false,
    })
    expectError(await compareSkuInErp(''), 'VALIDATION_FAILED', { param: 'sku' })
  })

  it('says that the ERP does not respond, and keeps showing what clients see', async () => {
    const sku = changeInErp(22, true)
    await house.settle()
    onRead = () => Promise.reject(new UnknownOutcome('unreachable', 'away', { sent: false }))
    const away = await findWarehouse(sku)
    expect(away).toMatchObject({ erp: null, erp_result: 'no_response', differs: null })
    expect(away.gateway).toMatchObject({ quantity_on_hand: expect.any(Number) })
    onRead = (signal) =>
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new UnknownOutcome('timeout', 'too late'))),
      )
    const { warehouses } = await compareSku(house.gateway, sku, 20)
    expect(warehouses.map(({ erp_result }) => erp_result)).toEqual(Array(3).fill('no_response'))
  })
})
