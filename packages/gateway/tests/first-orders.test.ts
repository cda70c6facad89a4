/** What a channel gets before the gateway has read its customer's addresses and catalogue from the ERP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  buyers,
  type CallResult,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'
import { expectData, expectError } from './trade.ts'

let house: TestGateway
beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

const send = (token: string, method: string, path: string, body?: unknown) => {
  const headers = method === 'POST' ? { 'idempotency-key': 'first' } : {}
  return call(house, method, `/api/v1${path}`, { token, headers, ...(body === undefined ? {} : { body }) })
}

/** Finds a SKU that the customer may order, in the ERP's own catalogue. */
async function findSellableSku(customer_code: string): Promise<string> {
  const result = await house.sandbox.erp.sellable({ customer_code })
  if (!('ok' in result)) throw new Error(`The sandbox does not know ${customer_code}.`)
  const { rule, skus } = result.ok
  const all = [...house.gateway.mirror.reference.products()].flatMap(({ product }) => product.skus)
  const found = all.find(({ sku }) => skus.includes(sku) === (rule === 'only'))
  if (!found) throw new Error(`${customer_code} may order nothing.`)
  return found.sku
}

function expectNotYetRead(answer: CallResult) {
  expectError(answer, 'UPSTREAM_ERROR')
  expect(answer.json.error.retryable).toBe(true)
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
}

describe('a channel whose customer was never read', () => {
  it('is asked to retry an order, and the retry with the same key succeeds once the customer is known', async () => {
    const customer_code = buyers[0].customer_code
    await createWorld(house, { customer_code })
    const token = await signInBuyer(house)
    const sku = await findSellableSku(customer_code)
    const lines = [{ sku, quantity: 1 }]
    const calls: readonly (readonly [string, string, unknown?])[] = [
      ['POST', '/orders', { lines }],
      ['POST', '/carts', { warehouse_code: 'AUSYD1', items: lines }],
      ['GET', '/products'],
      ['GET', `/products?sku=${sku}`],
      ['GET', '/addresses'],
    ]
    for (const [method, path, body] of calls) expectNotYetRead(await send(token, method, path, body))
    await house.settle()
    for (const [method, path, body] of calls)
      expectData(await send(token, method, path, body), method === 'POST' ? 201 : 200)
  })

  it('may order nothing once the ERP has said that it does not know the customer', async () => {
    const { token } = await createWorld(house, { customer_code: 'CUST-NOBODY' })
    expectNotYetRead(await send(token, 'GET', '/products'))
    await house.settle()
    const products = expectData(await send(token, 'GET', '/products'))
    const skus: LooseJson[] = products.flatMap((product: LooseJson) => product.skus)
    expect(skus.length).toBeGreaterThan(0)
    expect(skus.filter(({ sellable }) => sellable)).toEqual([])
    expect(expectData(await send(token, 'GET', '/addresses'))).toEqual([])
  })
})

describe('a channel without a customer', () => {
  it('sees the products at once', async () => {
    const { token } = await createWorld(house)
    expectData(await send(token, 'GET', '/products'))
  })
})
