import type { ErpReport } from '../document.ts'
import { buildEventInsert } from '../events/outbox.ts'
import { formatInstant } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import type { Db } from '../store/store.ts'
import { toCostsJson } from './amounts.ts'

/** An order that was just submitted. */
export interface CreatedOrder {
  readonly order_type: 'wholesale' | 'dropship'
  /** The path of this kind of order in the API, such as `/api/v1/orders`. */
  readonly path: string
  readonly id: string
  readonly channel_code: string
  readonly client_order_number: string | null
  readonly serial_number: string | null
  readonly status: string
  readonly created_at: number
  /** The request that submitted the order, or the order's id if no request did. */
  readonly request_id: string
}

/**
 * Builds the statement that writes `order.created`. It runs in the transaction that records the submit, whether a
 * response, a look-up or a sync reported the submit. The event omits the recipient, because a webhook may pass through
 * several systems.
 */
export function buildOrderCreatedInsert(
  db: Db,
  order: CreatedOrder,
  { document, now, origin, baseUrl, traceParent }: ErpReport,
) {
  const { order_type, path, id, channel_code, created_at, request_id } = order
  const isWholesale = order_type === 'wholesale'
  const { currency, costs } = document
  const event = {
    type: 'order.created',
    subject: id,
    channel_code,
    warehouse_code: null,
    request_id,
    trace_parent: traceParent,
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
      costs: costs === null ? null : toCostsJson(costs, currency),
      currency,
      created_at: formatInstant(created_at),
      resource_url: `${baseUrl ?? ''}${path}/${id}`,
    },
  } as const
  return buildEventInsert(db, event, { now, origin })
}
