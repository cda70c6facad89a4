import { z } from 'zod'
import { paging, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { hold, holdPage, holdStates, listHolds, readHold, releaseHold } from './holds.ts'

const translations = { zh, ko }

const holdId = { hold_id: z.string() }

export const holdsList = endpoint({
  id: 'holds.list',
  group: 'reservations',
  summary: 'List holds',
  description: 'All stock held for the channel: by previews, reservations and the drafts made from them.',
  translations,
  method: 'GET',
  path: '/api/v1/holds',
  access: 'bearer',
  capability: 'reservations.read',
  cost: 1,
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(holdStates).optional() },
  result: holdPage,
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return listHolds(gateway, caller, input)
  },
})

export const holdsRead = endpoint({
  id: 'holds.read',
  group: 'reservations',
  summary: 'Read a hold',
  description: 'One hold: the stock, its warehouses, the document that it is held for, and the expiry.',
  translations,
  method: 'GET',
  path: '/api/v1/holds/{hold_id}',
  access: 'bearer',
  capability: 'reservations.read',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: holdId,
  query: {},
  result: toDataSchema(hold),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readHold(gateway, caller, input.hold_id)
  },
})

/** The required capability depends on the source of the hold, so the handler checks it once the hold is known. */
export const holdsDelete = endpoint({
  id: 'holds.delete',
  group: 'reservations',
  summary: 'Release a hold',
  description:
    'Releases the hold’s preview or cancels its reservation, and requires the capability for that. A hold of an order ends with the order.',
  translations,
  method: 'DELETE',
  path: '/api/v1/holds/{hold_id}',
  access: 'bearer',
  writesUpstream: true,
  cost: 2,
  errors: [
    'NOT_FOUND',
    'OWNERSHIP_DENIED',
    'SCOPE_DENIED',
    'UPSTREAM_ERROR',
    'UPSTREAM_TIMEOUT',
    'UPSTREAM_REJECTED',
  ],
  params: holdId,
  query: {},
  result: toDataSchema(hold),

  handle({ input, ...context }) {
    return releaseHold(context, input.hold_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [holdsList, holdsRead, holdsDelete] as const
