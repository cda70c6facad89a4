import { z } from 'zod'
import { instantField, listOf, productCode, sku } from '../contract/fields.ts'
import { instant } from '../kernel/clock.ts'
import type { ReservationRow } from '../store/tables.ts'

/** A reservation on the wire. */
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

export const reservationPage = listOf(reservation)

export function reservationShown(row: ReservationRow): z.input<typeof reservation> {
  return {
    reservation_id: row.reservation_id,
    client_order_number: row.client_order_number,
    account_id: row.account_id,
    status: reservationStates.find((state) => state === row.status) ?? 'reserved',
    status_raw: row.status_raw,
    in_doubt: row.in_doubt !== 0,
    warehouse_code: row.warehouse_code,
    lines: JSON.parse(row.lines),
    order_id: row.order_id,
    hold_id: row.hold_id,
    remark: row.remark,
    expires_at: instant(row.expires_at),
    created_at: instant(row.created_at),
    cancelled_at: row.cancelled_at === null ? null : instant(row.cancelled_at),
    updated_at: instant(row.updated_at),
  }
}
