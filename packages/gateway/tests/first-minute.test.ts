import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, createWorld, openTestGateway, signInBuyer, type TestGateway } from './harness.ts'

let house: TestGateway

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

describe('a newcomer’s first minute', () => {
  it('gets a token with either grant and pulls a whole warehouse', async () => {
    const { token } = await createWorld(house)
    const pulled = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', { token })
    expect(pulled.status).toBe(200)
    const { rows } = house.sandbox.store.one(
      "select count(*) as rows from stock where warehouse_code = 'AUSYD1'",
    ) ?? { rows: 0 }
    expect(pulled.json.data).toHaveLength(Number(rows))
    const again = await call(house, 'GET', '/api/v1/warehouses/AUSYD1/stock', {
      token: await signInBuyer(house),
    })
    expect(again.text).toBe(pulled.text)
  })
})
