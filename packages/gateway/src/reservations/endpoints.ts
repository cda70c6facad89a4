import { z } from 'zod'
import { absentOrNull, codeField, paging, textField, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { orderLines } from '../ordering/lines.ts'
import { cancelReservation, confirmReservation } from './end.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { listReservations, readReservation } from './read.ts'
import { reservation, reservationPage, reservationStates } from './reservation-json.ts'
import { createReservation } from './reserve.ts'

const translations = { zh, ko }

const reservationId = { reservation_id: z.string() }
const writeCost = 2
const documentErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED'] as const
const writeErrors = ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'] as const

const newReservation = z.object({
  warehouse_code: codeField(),
  lines: orderLines,
  expires_in_seconds: z.int().min(1).max(86_400).default(3_600),
  client_order_number: absentOrNull(codeField()),
  remark: absentOrNull(textField(500)),
})

export const reservationsCreate = endpoint({
  id: 'reservations.create',
  group: 'reservations',
  summary: 'Reserve stock',
  description:
    'Holds all lines or none until `expires_at`. The same `client_order_number` and lines as a live reservation return that reservation. A channel may have at most 50 live reservations. A confirmed one counts as long as its draft holds the stock.',
  translations,
  method: 'POST',
  path: '/api/v1/reservations',
  access: 'bearer',
  capability: 'reservations.write',
  oms: true,
  businessSwitch: 'wholesale',
  writesUpstream: true,
  cost: writeCost,
  errors: ['NOT_FOUND', 'WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', ...writeErrors],
  params: {},
  query: {},
  body: newReservation,
  example: { warehouse_code: 'AUSYD1', lines: [{ sku: 'SBX-LAST-1', quantity: 1 }] },
  result: toDataSchema(reservation),
  status: 201,

  handle({ input, ...context }) {
    return createReservation(context, input)
  },
})

export const reservationsList = endpoint({
  id: 'reservations.list',
  group: 'reservations',
  summary: 'List reservations',
  description: 'Newest first. Without dates: the last 30 days and everything still reserved.',
  translations,
  method: 'GET',
  path: '/api/v1/reservations',
  access: 'bearer',
  capability: 'reservations.read',
  cost: 1,
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(reservationStates).optional() },
  result: reservationPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listReservations(gateway, caller, input)
  },
})

export const reservationsRead = endpoint({
  id: 'reservations.read',
  group: 'reservations',
  summary: 'Read a reservation',
  description: 'One reservation with its hold and order.',
  translations,
  method: 'GET',
  path: '/api/v1/reservations/{reservation_id}',
  access: 'bearer',
  capability: 'reservations.read',
  cost: 1,
  errors: documentErrors,
  params: reservationId,
  query: {},
  result: toDataSchema(reservation),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readReservation(gateway, caller, input.reservation_id)
  },
})

export const reservationsCancel = endpoint({
  id: 'reservations.cancel',
  group: 'reservations',
  summary: 'Cancel a reservation',
  description:
    'Releases the stock. Repeating the call returns the same reservation. A confirmed reservation cannot be cancelled: its stock belongs to the order.',
  translations,
  method: 'DELETE',
  path: '/api/v1/reservations/{reservation_id}',
  access: 'bearer',
  capability: 'reservations.write',
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, ...writeErrors],
  params: reservationId,
  query: {},
  result: toDataSchema(reservation),

  handle({ input, ...context }) {
    return cancelReservation(context, input.reservation_id)
  },
})

export const reservationsConfirm = endpoint({
  id: 'reservations.confirm',
  group: 'reservations',
  summary: 'Turn a reservation into an order',
  description:
    'Creates a wholesale draft, to which the hold passes with its expiry. Submitting the draft consumes the hold; voiding it releases the hold. Repeating the call returns the same reservation.',
  translations,
  method: 'POST',
  path: '/api/v1/reservations/{reservation_id}/confirm',
  access: 'bearer',
  capability: 'reservations.write',
  oms: true,
  businessSwitch: 'wholesale',
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: reservationId,
  query: {},
  result: toDataSchema(reservation),

  handle({ input, ...context }) {
    return confirmReservation(context, input.reservation_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  reservationsCreate,
  reservationsList,
  reservationsRead,
  reservationsCancel,
  reservationsConfirm,
] as const
