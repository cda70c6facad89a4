/** The stock figures of a write: they are stored together with those of other writes, and never change its outcome. */

import type { StockFigure } from '@trade-gateway/connector'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../src/gateway.ts'
import { publishFigures } from '../src/writes/publish.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { openShop } from './trade.ts'

const warehouse_code = 'AUSYD1'
/** A counter above those of the ERP. */
let seq = 1_000_000_000

let house: TestGateway
let gateway: Gateway
let figure: StockFigure
let nudged: string[]
let logged: unknown[]
/** What the next transactions throw instead of running. */
let failures: unknown[]
let transactions: number

beforeAll(async () => {
  house = await openTestGateway({ styles: 1 })
  const [sku = ''] = house.gateway.mirror.stock.snapshot(warehouse_code)?.blocks[0]?.skus ?? []
  const answer = await house.gateway.erp['stock.read']({ warehouse_code, skus: [sku] })
  const [row] = 'ok' in answer ? answer.ok.rows : []
  if (!row) throw new Error('The ERP has no stock.')
  figure = row
})
afterAll(() => house.close())
beforeEach(() => {
  nudged = []
  logged = []
  failures = []
  transactions = 0
  const { db } = house.gateway.store
  const counted = new Proxy(db, {
    get: (inner, name) => {
      if (name === 'transaction') {
        transactions += 1
        if (failures.length > 0) throw failures.shift()
      }
      const value: unknown = Reflect.get(inner, name, inner)
      return typeof value === 'function' ? value.bind(inner) : value
    },
  })
  gateway = {
    ...house.gateway,
    store: { ...house.gateway.store, db: counted },
    nudge: (topic) => void nudged.push(topic),
    log: { ...house.gateway.log, error: ({ error }, message) => void logged.push([error, message]) },
  }
})

const cancelled = () => Object.assign(new Error('canceling statement'), { code: '57014' })
const toRow = (quantity_available: number, stock_seq: number | null = ++seq): StockFigure => ({
  ...figure,
  quantity_available,
  stock_seq,
})
const publish = (...rows: StockFigure[]) => publishFigures(gateway, [{ warehouse_code, rows }])
const countWaiting = () => gateway.memory.figures.waiting.size
async function readAvailable(warehouse = warehouse_code): Promise<number | undefined> {
  const row = await house.gateway.store.db
    .selectFrom('stock')
    .select('quantity_available')
    .where('warehouse_code', '=', warehouse)
    .where('sku', '=', figure.sku)
    .executeTakeFirst()
  return row?.quantity_available
}

describe('the figures of a write', () => {
  it('are in the snapshot once they are published', async () => {
    await publish(toRow(4_001))
    expect(await openShop(house).readAvailable(figure.sku)).toBe(4_001)
    expect([nudged, logged]).toEqual([['stock'], []])
  })

  it('disturb nobody if there are none', async () => {
    await publishFigures(gateway, [])
    expect([nudged, transactions]).toEqual([[], 0])
  })

  it('are stored in one turn with those of the writes that end at the same time', async () => {
    await publish(toRow(1))
    const each = transactions
    await Promise.all([publish(toRow(2)), publish(toRow(3)), publish(toRow(4))])
    expect([transactions - each, await readAvailable()]).toEqual([each, 4])
    await publish(toRow(5))
    expect(await readAvailable()).toBe(5)
  })

  it('are the newest of each SKU by the counter, and the last ones without it', async () => {
    const [older, newer] = [toRow(11), toRow(12)]
    await Promise.all([publish(newer), publish(older)])
    expect(await readAvailable()).toBe(12)
    await Promise.all([publish(toRow(13, seq)), publish(toRow(14, seq))])
    expect(await readAvailable()).toBe(14)
    await Promise.all([publish(toRow(15, null)), publish(toRow(16, null))])
    expect(await readAvailable()).toBe(16)
    await Promise.all([publish(toRow(17)), publish(toRow(18, null))])
    expect(await readAvailable()).toBe(17)
  })
})

describe('figures that cannot be stored', () => {
  it('keep none of another warehouse back, and the log has the first reason', async () => {
    const [first, second] = [new Error('first'), new Error('second')]
    failures = [first, second]
    await publishFigures(gateway, [
      { warehouse_code: 'AUSYD2', rows: [toRow(20)] },
      { warehouse_code: 'CHNZJ1', rows: [toRow(20)] },
      { warehouse_code, rows: [toRow(21)] },
    ])
    expect(await readAvailable()).toBe(21)
    expect(logged).toEqual([[first, 'the stock figures of a write were not stored; the next sync has them']])
    expect([nudged, countWaiting()]).toEqual([['stock'], 0])
    await publish(toRow(22))
    expect([await readAvailable(), logged.length]).toEqual([22, 1])
  })

  it('wait for the next turn while the database has a passing trouble, which the log does not have', async () => {
    failures = [cancelled()]
    await publish(toRow(31))
    expect([logged, nudged, countWaiting()]).toEqual([[], ['stock'], 1])
    await publishFigures(gateway, [{ warehouse_code: 'AUSYD2', rows: [] }])
    expect([await readAvailable(), countWaiting()]).toEqual([31, 0])
  })

  it('do not take the place of newer ones that came meanwhile', async () => {
    const [older, newer] = [toRow(41), toRow(42)]
    failures = [cancelled()]
    const storing = publish(older)
    // The turn has begun, and has taken what waited.
    await Promise.resolve()
    while (countWaiting() > 0) await Promise.resolve()
    await Promise.all([storing, publish(newer)])
    await publish()
    expect(await readAvailable()).toBe(42)
  })

  it.each([
    ['a passing trouble', cancelled, 0],
    ['another error', () => new Error('no stock'), 1],
  ])('leave the write done after %s of following', async (_what, fail, lines) => {
    const stock = new Proxy(gateway.mirror.stock, {
      get: (inner, name) =>
        name === 'follow' ? () => Promise.reject(fail()) : Reflect.get(inner, name, inner),
    })
    gateway = { ...gateway, mirror: { ...gateway.mirror, stock } }
    await publish(toRow(51))
    expect([logged.length, nudged, await readAvailable()]).toEqual([lines, ['stock', 'stock'], 51])
  })
})
