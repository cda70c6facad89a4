/** Why an order is not placed: what its plan says, another total, or what Medusa says. */
import { type ErpResult, type Input, type OrderLine, rejected } from '@trade-gateway/connector'
import { findWarehouse, type Places } from './places.ts'
import type { Plan } from './quote.ts'
import type { Stock } from './stock.ts'

/** Refuses a plan that cannot be an order as it was asked for. */
export function refusePlan({ quote, lines }: Plan, input: Input<'submit'>): ErpResult<never> | undefined {
  if (input.payment_method === 'wechat' || input.payment_method === 'alipay')
    return rejected(
      'invalid_field',
      `Medusa takes no payment by ${input.payment_method} through this connector.`,
    )
  if (quote.unfulfillable_reasons.includes('destination_not_served'))
    return rejected('invalid_field', 'No warehouse delivers to this destination by this shipping method.')
  const short = lines.filter(({ allocated, quantity }) => allocated < quantity)
  const isNothing = lines.every(({ allocated }) => allocated === 0)
  if (short.length > 0 && (!input.allow_partial || isNothing)) {
    const shortages = short.map(({ good, quantity, allocated }) => ({
      sku: good.sku,
      quantity,
      quantity_available: allocated,
    }))
    return rejected('insufficient_stock', 'There is too little stock.', shortages)
  }
  return refuseTotal(quote.costs.total, input)
}

/** Refuses a total that the caller does not expect. */
export function refuseTotal(
  total: number,
  { expected_total, max_total }: Pick<Input<'submit'>, 'expected_total' | 'max_total'>,
): ErpResult<never> | undefined {
  if (expected_total !== null && total !== expected_total)
    return rejected('price_changed', `The total is ${total}, not ${expected_total}.`)
  if (max_total !== null && total > max_total)
    return rejected('price_changed', `The total is ${total}, which is above ${max_total}.`)
  return undefined
}

/** Explains why Medusa refused to reserve: what is short, or else its own text. */
export async function explainRefusal(
  { places, stock }: { readonly places: Places; readonly stock: Stock },
  warehouse_code: string,
  { wanted, text }: { readonly wanted: readonly OrderLine[]; readonly text: string },
): Promise<ErpResult<never>> {
  const warehouse = findWarehouse(places, warehouse_code)
  const skus = wanted.map(({ sku }) => sku)
  const figures = warehouse ? await stock.readFigures(warehouse, skus) : []
  const shortages = wanted.flatMap(({ sku, quantity }) => {
    const available = figures.find((figure) => figure.sku === sku)?.quantity_available ?? 0
    return available < quantity ? [{ sku, quantity, quantity_available: Math.max(0, available) }] : []
  })
  if (shortages.length > 0) return rejected('insufficient_stock', text, shortages)
  // The stock came back in between, or Medusa refused for another reason: the caller may try again.
  return rejected('invalid_state', text)
}
