import { expect, it } from 'vitest'
import { maxLineQuantity, orderLines } from '../../ordering/lines.ts'
import { quoteOrder } from './quote-order.ts'

it.each([
  [0, false],
  [1, true],
  [maxLineQuantity, true],
  [maxLineQuantity + 1, false],
])('The action takes the quantities that the endpoint takes: %d', (quantity, isTaken) => {
  const lines = [{ sku: 'TEE-M', quantity }]
  expect(orderLines.safeParse(lines).success).toBe(isTaken)
  expect(quoteOrder.input.safeParse({ lines }).success).toBe(isTaken)
})
