import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { paging, window } from '../contract/fields.ts'
import { deleteHold, hold, holdPage, holdStates, listHolds, readHold } from './holds.ts'

const holdId = { hold_id: z.string() }

export const holdsList = endpoint({
  id: 'holds.list',
  method: 'GET',
  path: '/api/v1/holds',
  since: '1.4.0',
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
  method: 'GET',
  path: '/api/v1/holds/{hold_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'reservations.read',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: holdId,
  query: {},
  result: dataOf(hold),
  headers: ['X-Data-Age'],

  handle({ gateway, caller, input }) {
    return readHold(gateway, caller, input.hold_id)
  },
})

/** Its capability is that of the write which made the hold, so it is checked once the hold is known. */
export const holdsDelete = endpoint({
  id: 'holds.delete',
  method: 'DELETE',
  path: '/api/v1/holds/{hold_id}',
  since: '1.4.0',
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
  result: dataOf(hold),

  handle({ gateway, call, caller, input }) {
    return deleteHold(gateway, call, caller, input.hold_id)
  },
})
