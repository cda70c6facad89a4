import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, defaultPageSize, mostPageSize, wholeNumber } from '../contract/fields.ts'
import { eventTypes } from './outbox.ts'
import { listEvents, readEvent } from './read.ts'
import { event } from './shown.ts'

export const eventsList = endpoint({
  id: 'events.list',
  method: 'GET',
  path: '/api/v1/events',
  since: '1.4.0',
  access: 'bearer',
  capability: 'webhooks.manage',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: {},
  query: {
    since: code().optional(),
    type: z.enum(eventTypes).optional(),
    page_size: wholeNumber(1, mostPageSize).default(defaultPageSize),
  },
  result: z.object({ data: z.array(event), has_more: z.boolean() }),

  handle({ gateway, caller, input }) {
    return listEvents(gateway, caller, input)
  },
})

export const eventsRead = endpoint({
  id: 'events.read',
  method: 'GET',
  path: '/api/v1/events/{event_id}',
  since: '1.4.0',
  access: 'bearer',
  capability: 'webhooks.manage',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED', 'WAREHOUSE_DENIED'],
  params: { event_id: z.string() },
  query: {},
  result: dataOf(event),

  handle({ gateway, caller, input }) {
    return readEvent(gateway, caller, input.event_id)
  },
})
