import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alex, type Buyer, openShop } from '../../gateway/tests/trade.ts'
import { TradeGateway, UsageError } from '../src/index.ts'
import { openTarget } from './open-target.ts'
import { buildOrder } from './portable/target.ts'

let opened: Awaited<ReturnType<typeof openTarget>>
let client: TradeGateway
let shop: Buyer
beforeAll(async () => {
  opened = await openTarget()
  client = new TradeGateway({ baseUrl: opened.target.gatewayUrl, auth: opened.target.buyer })
  shop = openShop(opened.house)
})
afterAll(() => opened.close())

const submitOrders = async (count: number) => {
  const ids: string[] = []
  for (let order = 0; order < count; order++) {
    const wish = { ...buildOrder(opened.target.sku), recipient: alex }
    ids.push((await client.dropship.submit(wish)).dropship_order_id)
  }
  return ids
}

describe('a list', () => {
  it('has each row once while others are added, and none of the later ones', async () => {
    const before = await submitOrders(7)
    const seen: string[] = []
    for await (const { dropship_order_id } of client.dropship.list({ page_size: 2 })) {
      seen.push(dropship_order_id)
      if (seen.length % 2 === 0) {
        opened.house.clock.advance(1_000)
        await submitOrders(1)
      }
    }
    expect(seen.toSorted()).toEqual(before.toSorted())
  })

  it('is read no further than asked, and never without a limit into an array', async () => {
    expect(await client.dropship.list({ page_size: 2 }).toArray({ limit: 3 })).toHaveLength(3)
    await expect(client.dropship.list().toArray({ limit: 0 })).rejects.toBeInstanceOf(UsageError)
  })

  it('continues by the cursor, where there is one, and its pages have what stands beside the rows', async () => {
    let rows = 0
    for await (const page of client.transactions.list({ page_size: 10 }).pages()) {
      rows += page.data.length
      expect(page.balances.length).toBeGreaterThan(0)
    }
    const all = await shop.get('/transactions?page_size=200')
    expect(rows).toBe(all.json.data.length)
  })

  it('of events goes on after the last one', async () => {
    const events = await client.events.list({ type: 'order.created', page_size: 2 }).toArray({ limit: 100 })
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)
  })
})
