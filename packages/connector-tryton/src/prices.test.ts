import { Locks } from '@trade-gateway/connector-kit/locks'
import { expect, it } from 'vitest'
import type { Sku } from './catalogue.ts'
import type { Connector } from './connector.ts'
import { Prices } from './prices.ts'
import { createTestEnvironment } from './testing/local-tryton.ts'

const skus = Array.from(
  { length: 700 },
  (_, index): Sku => ({
    ...{ id: index + 1, code: `S${index}`, productCode: 'S', template: 1, unit: 1, listPrice: '1.00' },
    ...{ category: 1, version: 'v1' },
  }),
)
const expected = new Map(skus.map(({ id }) => [id, id * 100]))

/** A Tryton that prices a product at as many units as its id says, until a caller of it gives up. */
function createPrices(priceList: number | null = null) {
  const asked: number[][] = []
  const tryton = { answers: Number.POSITIVE_INFINITY, lists: 0, failingLists: 0 }
  const searchRead = async (model: string, [[, , ids]]: [[string, string, number[]]]) => {
    if (model !== 'product.product') {
      tryton.lists += 1
      await new Promise((resolve) => setImmediate(resolve))
      if (tryton.lists <= tryton.failingLists) throw new Error('The caller gave up.')
      return []
    }
    asked.push(ids)
    await new Promise((resolve) => setImmediate(resolve))
    if (asked.length > tryton.answers) throw new Error('The caller gave up.')
    return ids.map((id) => ({ id, sale_price_uom: String(id) }))
  }
  const places = { priceList, currencyId: 1, minorUnits: 100 }
  const clock = { at: 0 }
  const environment = createTestEnvironment(clock)
  const connector = { rpc: { searchRead }, environment, locks: new Locks(), places }
  // Prices use no other part of a connector.
  return { prices: new Prices(connector as unknown as Connector), asked, tryton, clock }
}

it('keeps the prices that were read before a caller gave up, so that the next one gets further', async () => {
  const { prices, asked, tryton } = createPrices()
  tryton.answers = 2
  await expect(prices.read(skus)).rejects.toThrow('gave up')
  const before = asked.splice(0).slice(0, 2).flat()
  tryton.answers = Number.POSITIVE_INFINITY
  expect(await prices.read(skus)).toEqual(expected)
  expect(asked.flat()).toEqual(skus.map(({ id }) => id).filter((id) => !before.includes(id)))
  expect(Math.max(...asked.map(({ length }) => length))).toBeLessThanOrEqual(200)
})

it('asks for each price once, however many ask for it at the same time', async () => {
  const { prices, asked } = createPrices()
  const read = await Promise.all([prices.read(skus), prices.read(skus), prices.read(skus.slice(300))])
  expect(read).toEqual([expected, expected, new Map([...expected].slice(300))])
  expect(asked.flat().toSorted((one, other) => one - other)).toEqual(skus.map(({ id }) => id))
})

it('reads once whether the price list has changed for all who ask at the same time, and a failure is nobody else’s', async () => {
  const { prices, tryton } = createPrices(5)
  const readThrice = () => Promise.allSettled([1, 2, 3].map(() => prices.read(skus.slice(0, 1))))
  const other = createPrices(5)
  // The first read of the list and of its lines fails.
  other.tryton.failingLists = 2
  const [first, ...others] = [1, 2, 3].map(() => other.prices.read(skus.slice(0, 1)))
  await expect(first).rejects.toThrow('gave up')
  for (const each of others) expect((await each).size).toBe(1)
  expect((await readThrice()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
  // One read of the list and one of its lines.
  expect(tryton.lists).toBe(2)
})

it('reads whether the price list has changed again once a write of it was seen', async () => {
  const { prices, tryton } = createPrices(5)
  const read = () => prices.read(skus.slice(0, 1))
  await read()
  await read()
  const before = tryton.lists
  prices.forgetList()
  await read()
  expect(tryton.lists).toBe(2 * before)
})

it('reads a price again after ten minutes: something else than its product and its list may have changed it', async () => {
  const { prices, asked, clock } = createPrices()
  const read = () => prices.read(skus.slice(0, 1))
  await read()
  clock.at += 10 * 60_000 - 1
  await read()
  expect(asked).toEqual([[1]])
  clock.at += 1
  await read()
  expect(asked).toEqual([[1], [1]])
})
