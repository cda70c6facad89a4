import { expect, it } from 'vitest'
import { systemEnvironment } from './environment.ts'
import { Products } from './products.ts'
import type { Stock } from './stock.ts'

/** A Tryton with styles of one product each. Nothing else of it is used. */
function createProducts(codes: readonly (string | null)[]): Products {
  const templates = codes.map((code, index) => ({ id: index + 1, code }))
  const searchRead = async (model: string, domain: readonly (readonly unknown[])[]) => {
    if (model !== 'product.template') return []
    const wanted = domain.find(([name]) => name === 'code')?.[2] as readonly string[] | undefined
    return templates.filter(({ code }) => !wanted || (code !== null && wanted.includes(code)))
  }
  const catalogue = {
    readByTemplates: async (ids: readonly number[]) =>
      ids.map((id) => ({ id, code: `S${id}`, template: id })),
  }
  const connector = {
    rpc: { searchRead },
    environment: systemEnvironment,
    places: { currency: 'AUD', minorUnits: 100 },
  }
  const stock = { connector, catalogue, prices: { read: async () => new Map() } }
  return new Products(stock as unknown as Stock)
}

it('A page of styles ends with no code that the protocol does not take', async () => {
  const products = createProducts(['a', 'b'.repeat(65), '', null, 'c', 'd'])
  expect((await products.readPage(null, 1)).next).toBe('a')
  const { products: second, next } = await products.readPage('a', 1)
  expect([second.map(({ product_code }) => product_code), next]).toEqual([['c'], 'c'])
})
