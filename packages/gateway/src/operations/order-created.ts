import type { ErpDocument } from '@trade-gateway/connector'
import { eventInsert } from '../events/outbox.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { costsShown } from './amounts.ts'

/** An order that was just submitted, as our document has it. */
export interface CreatedOrder {
  readonly order_type: 'wholesale' | 'dropship'
  readonly id: string
  readonly channel_code: string
  readonly client_order_number: string | null
  readonly serial_number: string | null
  readonly status: string
  readonly created_at: number
}

/**
 * The statement that tells that an order was submitted, in the commit that says so: of a fresh answer, of one that was
 * in doubt and is settled, or of a document that the ERP told of. The recipient is left out: webhooks pass through many
 * hands.
 */
export function orderCreatedInsert(
  gateway: Gateway,
  order: CreatedOrder,
  document: ErpDocument,
  request_id: string,
) {
  const { order_type, id, channel_code, created_at } = order
  const isWholesale = order_type === 'wholesale'
  const { currency, costs } = document
  return eventInsert(gateway, {
    type: 'order.created',
    subject: id,
    channel_code,
    warehouse_code: null,
    request_id,
    data: {
      order_type,
      order_id: isWholesale ? id : null,
      dropship_order_id: isWholesale ? null : id,
      client_order_number: order.client_order_number,
      serial_number: order.serial_number,
      status: order.status,
      status_raw: document.status_raw,
      lines: document.lines.map(({ allocations: _allocations, ...line }) => ({
        ...line,
        unit_price: amountOf(line.unit_price, currency),
        line_total: amountOf(line.line_total, currency),
      })),
      costs: costs === null ? null : costsShown(costs, currency),
      currency,
      created_at: instant(created_at),
      resource_url: `${gateway.config.baseUrl ?? ''}/api/v1/${isWholesale ? 'orders' : 'dropship-orders'}/${id}`,
    },
  })
}
