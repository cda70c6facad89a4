import { expect, it } from 'vitest'
import { hashOrder } from './documents.ts'

const draft = {
  lines: [
    { sku: 'B', quantity: 2 },
    { sku: 'A', quantity: 1 },
  ],
  payment_method: 'invoice',
  shipping: { shipping_method_id: 'au-standard', address_id: 'ADDR-1' },
  warehouse_code: 'AUSYD1',
} as unknown as Parameters<typeof hashOrder>[0]

it.each([
  ['a whole draft', {}, 'kQwhoPpTvG2Y1bgc'],
  ['a draft without a warehouse', { warehouse_code: null }, 'Y27qAyXIvjk7N6ac'],
  ['a draft without shipping and warehouse', { shipping: null, warehouse_code: null }, 'GYxQkFZWE4T-ipmt'],
])('the hash of %s is that of the quotes that agents hold already', (_which, changed, content) => {
  expect(hashOrder({ ...draft, ...changed })).toEqual({ content, goods: 'YpA8qeDu' })
})
