/** The JSON of a reservation in a response. */

import { z } from 'zod'
import { instantField, productCode, sku, toListSchema } from '../contract/fields.ts'
import { formatInstant } from '../kernel/clock.ts'
import { fromJson } from '../store/json.ts'
import type { ReservationRow } from '../store/tables.ts'

/** The states of a reservation. */
export const reservationStates = ['reserved', 'cancelled', 'confirmed'] as const

export const reservation = z
  .object({
    reservation_id: z.string(),
    client_order_number: z.string().nullable(),
    account_id: z.string().nullable(),
    status: z.enum(reservationStates),
    status_raw: z.string().nullable(),
    in_doubt: z.boolean(),
    warehouse_code: z.string(),
    lines: z.array(z.object({ sku, product_code: productCode, quantity: z.int() })),
    order_id: z.string().nullable(),
    hold_id: z.string().nullable(),
    remark: z.string().nullable(),
    expires_at: instantField,
    created_at: instantField,
    cancelled_at: instantField.nullable(),
    updated_at: instantField,
  })
  .meta({ id: 'Reservation' })

export const reservationPage = toListSchema(reservation)

export function toReservationJson(row: ReservationRow): z.input<typeof reservation> {
  return {
    reservation_id: row.reservation_id,
    client_order_number: row.client_order_number,
    account_id: row.account_id,
    status: reservationStates.find((state) => state === row.status) ?? 'reserved',
    status_raw: row.status_raw,
    in_doubt: row.in_doubt !== 0,
    warehouse_code: row.warehouse_code,
    lines: [...fromJson(row.lines)],
    order_id: row.order_id,
    hold_id: row.hold_id,
    remark: row.remark,
    expires_at: formatInstant(row.expires_at),
    created_at: formatInstant(row.created_at),
    cancelled_at: row.cancelled_at === null ? null : formatInstant(row.cancelled_at),
    updated_at: formatInstant(row.updated_at),
  }
}
