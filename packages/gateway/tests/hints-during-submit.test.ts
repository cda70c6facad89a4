/** What the ERP does with an order while the answer to its submit is still under way is not forgotten. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { syncDocuments } from '../src/documents/sync.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, createDraft, expectData, openShop } from './trade.ts'

const never = { handoverMs: Number.POSITIVE_INFINITY, shippingMs: Number.POSITIVE_INFINITY }
/** The answer to the next submit: told when the ERP has made it, and held back until it may go on. */
let answer: { readonly made: (reference: string) => void; readonly mayGoOn: Promise<void> } | undefined
let house: TestGateway
let shop: Buyer

beforeAll(async () => {
  house = await openTestGateway({
    styles: 4,
    journey: never,
    wrapErp: (erp) => ({
      ...erp,
      async submit(input, options) {
        const result = await erp.submit(input, options)
        const current = answer
        answer = undefined
        current?.made(input.reference)
        await current?.mayGoOn
        return result
      },
    }),
  })
  shop = openShop(house)
})
afterAll(() => house.close())

const kinds: [string, () => Promise<[submit: string, body: unknown]>, (id: string) => string][] = [
  [
    'wholesale order',
    async () => [`/orders/${(await createDraft(shop, await shop.createSku())).order_id}/submit`, undefined],
    (id) => `/orders/${id}`,
  ],
  [
    'drop-ship order',
    async () => ['/dropship-orders/submit', buildDropship(await shop.createSku())],
    (id) => `/dropship-orders/${id}`,
  ],
]

describe('an order that the ERP ships before it has answered the submit', () => {
  it.each(kinds)('is shipped at the gateway too: a %s', async (_name, build, toPath) => {
    const [path, body] = await build()
    const made = Promise.withResolvers<string>()
    const mayGoOn = Promise.withResolvers<void>()
    answer = { made: made.resolve, mayGoOn: mayGoOn.promise }
    const submitting = shop.post(path, body)
    house.sandbox.steering.ship(await made.promise)
    await syncDocuments(house.gateway)
    mayGoOn.resolve()
    const order = expectData(await submitting)
    await syncDocuments(house.gateway)
    const read = expectData(await shop.get(toPath(order.order_id ?? order.dropship_order_id)))
    if (read.lines) expect(read.lines).toMatchObject([{ quantity: 2, quantity_shipped: 2 }])
    else expect(read).toMatchObject({ status: 'shipped', shipment_id: expect.any(String) })
  })
})
