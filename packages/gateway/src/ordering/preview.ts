import { type Quote, shortReasons, unfulfillableReasons } from '@trade-gateway/connector'
import { z } from 'zod'
import { currency, instantField, price, productCode, sku } from '../contract/fields.ts'
import { formatInstant } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { arrivalField, costsField, toCostsJson } from './amounts.ts'

/** The fields of a preview that both kinds of orders share: allocation, arrival and cost. */
export const previewFields = {
  client_order_number: z.string().nullable(),
  status_raw: z.string().nullable(),
  fulfillable: z.boolean(),
  lines: z.array(
    z.object({
      sku,
      product_code: productCode,
      quantity: z.int(),
      quantity_allocated: z.int(),
      quantity_short: z.int(),
      short_reasons: z.array(z.enum(shortReasons)),
      allocations: z.array(z.object({ warehouse_code: z.string(), quantity: z.int() })),
      incoming: z.array(
        z.object({ quantity: z.int(), earliest_date: z.iso.date(), latest_date: z.iso.date() }),
      ),
      unit_price: price,
      line_total: price,
    }),
  ),
  arrival: arrivalField,
  costs: costsField,
  currency,
  shipping_method: z.string().nullable(),
  unfulfillable_reasons: z.array(z.enum(unfulfillableReasons)),
  hold: z.object({ hold_id: z.string(), quantity: z.int(), expires_at: instantField }).nullable(),
  price_expires_at: instantField.nullable(),
}

/** Converts the ERP's quote to the fields of a response. */
export function toQuoteJson(quote: Quote) {
  const toCurrencyUnits = (minor: number) => amountOf(minor, quote.currency)
  return {
    fulfillable: quote.fulfillable,
    lines: quote.lines.map((line) => ({
      ...line,
      quantity_short: line.quantity - line.quantity_allocated,
      unit_price: toCurrencyUnits(line.unit_price),
      line_total: toCurrencyUnits(line.line_total),
    })),
    arrival: quote.arrival,
    costs: toCostsJson(quote.costs, quote.currency),
    currency: quote.currency,
    unfulfillable_reasons: quote.unfulfillable_reasons,
    price_expires_at:
      quote.price_expires_at === null ? null : formatInstant(Date.parse(quote.price_expires_at)),
  }
}
