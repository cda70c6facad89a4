import { type Erp, ok } from '@trade-gateway/connector'
import { products } from './example.ts'
import { withoutHints } from './hints.ts'
import { takePage } from './pages.ts'

/** The catalogue: styles with their SKUs. Every SKU that has stock must be in the style of its `product_code`. */
export const readProducts: Pick<Erp, 'products.snapshot' | 'products.read' | 'products.changed'> = {
  'products.snapshot': async (request) => {
    const { part, next } = takePage(products, ({ product_code }) => product_code, request)
    return ok({ products: part, next })
  },

  'products.read': async ({ product_codes }) => {
    const wanted = new Set(product_codes)
    return ok({ products: products.filter(({ product_code }) => wanted.has(product_code)) })
  },

  'products.changed': async ({ cursor }) => ok({ ...withoutHints(cursor), product_codes: [] }),
}
