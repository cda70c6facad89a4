/** Builds the draft of an order, from its plan. */
import type { Input } from '@trade-gateway/connector'
import { toUnits } from './amounts.ts'
import { type NewDraft, toSearchWord } from './medusa-orders.ts'
import type { Destination, Plan } from './quote.ts'

/** Builds the draft. Its prices are those of the quote, so that Medusa's total can differ by tax and promotions only. */
export function toDraft(
  { customer, warehouse, lines, option, address, quote }: Plan,
  input: Input<'submit'>,
  { regionId, currency }: { readonly regionId: string; readonly currency: string },
): NewDraft {
  const destination = toMedusaAddress(address)
  return {
    body: {
      region_id: regionId,
      sales_channel_id: warehouse.channelId,
      customer_id: customer.id,
      email: customer.email,
      no_notification_order: true,
      items: lines.flatMap(({ good, allocated, price }) =>
        allocated > 0
          ? [{ variant_id: good.variantId, quantity: allocated, unit_price: toUnits(price.unit, currency) }]
          : [],
      ),
      shipping_methods: option
        ? [{ name: option.name, shipping_option_id: option.id, amount: toUnits(option.price, currency) }]
        : [],
      shipping_address: destination,
      // Medusa's search looks at addresses. The word makes the order known by the gateway's reference.
      billing_address: { ...destination, address_2: `Reference ${toSearchWord(input.reference)}` },
    },
    particulars: {
      reference: input.reference,
      order_type: input.order_type,
      warehouse_code: warehouse.code,
      hold_reference: input.hold_reference,
      client_order_number: input.client_order_number,
      remark: input.remark,
      payment_method: input.payment_method,
      arrival: quote.arrival,
      lines: lines.map(({ good, quantity, price }) => ({
        sku: good.sku,
        product_code: good.product_code,
        quantity,
        unit_price: price.unit,
      })),
    },
  }
}

function toMedusaAddress(address: Destination) {
  return {
    first_name: address.name,
    company: address.company ?? '',
    phone: address.phone ?? '',
    address_1: address.address,
    city: address.city,
    province: address.state ?? '',
    postal_code: address.postal_code ?? '',
    country_code: address.country_code.toLowerCase(),
  }
}
