import { adminToken, call, createWorld, type TestGateway } from './harness.ts'
import { deliverDue, openReceiver, registerEndpoint } from './receiver.ts'
import { type Buyer, buildDropship, createDraft, expectData, findReference, openShop } from './trade.ts'

/** Creates `count` rows with different times in each list of the contract and of the operator. */
export async function fillLists(house: TestGateway, count = 2) {
  const shop = openShop(house)
  const receiver = await openReceiver(() => house.clock.now())
  for (let round = 0; round < count; round++) {
    house.clock.advance(1_000)
    await registerEndpoint(house, await shop.token(), `${receiver.url}/${house.clock.now()}`)
    await order(shop)
    await requestAndDeclinePlan(house, await shop.token())
    await createWorld(house)
    await lockName(house, `nobody-${house.clock.now()}`)
  }
  await deliverDue(house)
  await house.settle()
  await receiver.close()
}

/** Creates one of each document that is ordered. */
async function order(shop: Buyer) {
  const { house } = shop
  const sku = await shop.createSku({ AUSYD1: 9 })
  const { order_id } = await createDraft(shop, sku)
  expectData(await shop.post(`/orders/${order_id}/submit`))
  expectData(await shop.post('/dropship-orders/submit', buildDropship(sku)))
  const reservation = { warehouse_code: 'AUSYD1', lines: [{ sku, quantity: 1 }] }
  expectData(await shop.post('/reservations', reservation), 201)
  expectData(await shop.post('/carts', {}), 201)
  house.sandbox.steering.ship(await findReference(house, order_id))
}

/** Requests a plan and declines it as the operator, so that another one can be requested. */
async function requestAndDeclinePlan(house: TestGateway, token: string) {
  const body = { plan: 'trader' }
  const { plan_request_id } = expectData(
    await call(house, 'POST', '/api/v1/plan-requests', { token, body }),
    201,
  )
  const path = `/admin/api/plan-requests/${plan_request_id}/decline`
  expectData(await call(house, 'POST', path, { admin: adminToken }))
}

/** Locks a name with five wrong passwords. */
async function lockName(house: TestGateway, username: string) {
  const body = { grant_type: 'password', username, password: 'wrong' }
  for (let time = 0; time < 5; time++) await call(house, 'POST', '/api/v1/auth/token', { body })
}
