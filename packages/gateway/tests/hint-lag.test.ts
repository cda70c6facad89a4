/** An ERP that hints a change some time after its commit: a full comparison must not take such a change for a lost one. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminToken, call, type LooseJson, openTestGateway, type TestGateway } from './harness.ts'
import { expectData } from './trade.ts'

const code = 'AUSYD1'
const hint_lag_ms = 30_000
let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ capabilities: { hint_lag_ms } })
})
afterAll(() => house.close())

async function compareNow(): Promise<void> {
  house.clock.advance(1_000)
  expectData(await call(house, 'POST', `/admin/api/stock-copies/${code}/compare`, { admin: adminToken }))
  await advance(1)
}

async function advance(ms: number): Promise<void> {
  house.clock.advance(ms)
  await house.settle()
}

async function readDifferences(): Promise<number | null> {
  const { json } = await call(house, 'GET', '/admin/api/stock-copies', { admin: adminToken })
  const copies: LooseJson[] = json.data
  return copies.find(({ warehouse_code }) => warehouse_code === code)?.last_differences ?? null
}

/** Commits a change that the ERP does not hint yet. */
function changeWithoutHint(place: number): string {
  const { store } = house.sandbox
  const query =
    'select sku from stock where warehouse_code = ? and withdrawn = 0 order by sku limit 1 offset ?'
  const sku = String(store.one(query, code, place)?.sku)
  store.run('update stock set on_hand = on_hand + 7 where warehouse_code = ? and sku = ?', code, sku)
  return sku
}

function hint(sku: string): void {
  const { store } = house.sandbox
  store.run('update warehouses set stock_seq = stock_seq + 1 where warehouse_code = ?', code)
  const seq = '(select stock_seq from warehouses where warehouse_code = stock.warehouse_code)'
  store.run(`update stock set stock_seq = ${seq} where warehouse_code = ? and sku = ?`, code, sku)
}

describe('a difference that a full comparison finds', () => {
  it('is no missed hint if its hint comes within hint_lag_ms', async () => {
    await compareNow()
    const before = await readDifferences()
    const sku = changeWithoutHint(40)
    await compareNow()
    expect(await readDifferences()).toBe(before)
    hint(sku)
    await advance(hint_lag_ms)
    expect(await readDifferences()).toBe(0)
  })

  it('is a missed hint once it is older than hint_lag_ms', async () => {
    changeWithoutHint(41)
    await compareNow()
    await advance(hint_lag_ms - 1)
    expect(await readDifferences()).toBe(0)
    await advance(1)
    expect(await readDifferences()).toBe(1)
  })
})
