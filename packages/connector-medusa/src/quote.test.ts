import { expect, it } from 'vitest'
import { computeCosts } from './quote.ts'

const freight = 1_200
const maxPrice = 3_000

it('rounds the tax of all lines once, half up, as Medusa does with exact decimals', () => {
  const quantities = [1, 3, 69, 144]
  for (let unit = 1; unit <= maxPrice; unit++)
    for (const quantity of quantities) {
      // As Medusa returns both: decimals with as many digits as they have.
      const [amount, withTax] = [unit / 100, Number((unit * 1.1).toFixed(1)) / 100]
      const line = { quantity, allocated: quantity, price: { unit, tax: withTax - amount } }
      const settings = { isPartial: false, freight, freightTax: 0.1, currency: 'AUD' }
      const net = unit * quantity + freight
      const tax = Math.floor((net + 5) / 10)
      expect({ unit, quantity, ...computeCosts([line], settings) }).toMatchObject({ tax, total: net + tax })
    }
})
