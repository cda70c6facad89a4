import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, paging, window, words } from '../contract/fields.ts'
import { orderLines } from '../operations/lines.ts'
import { cancelReservation, confirmReservation } from './end.ts'
import { listReservations, readReservation } from './read.ts'
import { reserve } from './reserve.ts'
import { reservation, reservationPage, reservationStates } from './shown.ts'

const reservationId = { reservation_id: z.string() }
const writeCost = 2
const documentErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED'] as const
const writeErrors = ['UPSTREAM_ERROR', 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'] as const

const newReservation = z.object({
  warehouse_code: code(),
  lines: orderLines,
  expires_in_seconds: z.int().min(1).max(86_400).default(3_600),
  client_order_number: code().optional(),
  remark: words(500).optional(),
})

export const reservationsCreate = endpoint({
  id: 'reservations.create',
  method: 'POST',
  path: '/api/v1/reservations',
  since: '1.4.0',
  access: 'bearer',
  capability: 'reservations.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: ['NOT_FOUND', 'WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED', ...writeErrors],
  params: {},
  query: {},
  body: newReservation,
  example: { warehouse_code: 'AUSYD1', lines: [{ sku: 'SBX-LAST-1', quantity: 1 }] },
  result: dataOf(reservation),
  status: 201,

  handle({ gateway, call, caller, input }) {
    return reserve(gateway, call, caller, input)
  },
})

export const reservationsList = endpoint({
  id: 'reservations.list',
  method: 'GET',
  path: '/api/v1/reservations',
  since: '1.4.0',
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
  method: 'GET',
  path: '/api/v1/reservations/{reservation_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'reservations.read',
  cost: 1,
  errors: documentErrors,
  params: reservationId,
  query: {},
  result: dataOf(reservation),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readReservation(gateway, caller, input.reservation_id)
  },
})

export const reservationsCancel = endpoint({
  id: 'reservations.cancel',
  method: 'DELETE',
  path: '/api/v1/reservations/{reservation_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'reservations.write',
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, ...writeErrors],
  params: reservationId,
  query: {},
  result: dataOf(reservation),

  handle({ gateway, call, caller, input }) {
    return cancelReservation(gateway, call, caller, input.reservation_id)
  },
})

export const reservationsConfirm = endpoint({
  id: 'reservations.confirm',
  method: 'POST',
  path: '/api/v1/reservations/{reservation_id}/confirm',
  since: '1.4.0',
  access: 'bearer',
  capability: 'reservations.write',
  oms: true,
  writesUpstream: true,
  cost: writeCost,
  errors: [...documentErrors, 'UPSTREAM_TIMEOUT', 'UPSTREAM_REJECTED'],
  params: reservationId,
  query: {},
  result: dataOf(reservation),

  handle({ gateway, call, caller, input }) {
    return confirmReservation(gateway, call, caller, input.reservation_id)
  },
})
