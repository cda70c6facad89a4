import { z } from 'zod'
import { codeField, cursorPaging, toCursorPageSchema } from '../contract/fields.ts'
import { Reply } from '../contract/reply.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { event } from './event-json.ts'
import { eventTypes } from './outbox.ts'
import { listEvents, readEvent } from './read.ts'
import { listEventTypes } from './types.ts'

const translations = { zh, ko }

export const eventsList = endpoint({
  id: 'events.list',
  group: 'webhooks',
  summary: 'Read events',
  description:
    'The channel’s events after the event named by `since`, oldest first; without `since`, from the oldest one kept. A feed, so without `page`, `start_date` and `end_date`. After a receiver was down, send the last `event_id` as `since` and repeat until `has_more` is false. `order.created` is kept for 30 days, `stock.changed` for 7 days and without rows.',
  fields: {
    since: 'The `event_id` of the last event that you have; default: from the oldest one kept',
    type: 'Only events of this type; default: all types',
  },
  translations,
  method: 'GET',
  path: '/api/v1/events',
  access: 'bearer',
  capability: 'webhooks.manage',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED'],
  params: {},
  query: {
    since: codeField().optional(),
    type: z.enum(eventTypes).optional(),
    ...cursorPaging,
  },
  result: toCursorPageSchema(event),

  handle({ gateway, caller, input }) {
    return listEvents(gateway, caller, input)
  },
})

export const eventsRead = endpoint({
  id: 'events.read',
  group: 'webhooks',
  summary: 'Read an event',
  description: 'One event of the channel.',
  translations,
  method: 'GET',
  path: '/api/v1/events/{event_id}',
  access: 'bearer',
  capability: 'webhooks.manage',
  cost: 1,
  errors: ['NOT_FOUND', 'OWNERSHIP_DENIED', 'WAREHOUSE_DENIED'],
  params: { event_id: z.string() },
  query: {},
  result: toDataSchema(event),

  handle({ gateway, caller, input }) {
    return readEvent(gateway, caller, input.event_id)
  },
})

export const eventsTypes = endpoint({
  id: 'events.types',
  group: 'webhooks',
  summary: 'List event types',
  description:
    'Every type of event that a webhook endpoint can subscribe to, with the JSON Schema of its data. Texts follow Accept-Language.',
  fields: {
    type: 'Name of the type, as in `event_types`',
    summary: 'What happened',
    description: 'When the gateway sends it, and what to do with it',
    data_schema: 'JSON Schema (2020-12) of the event’s data',
  },
  translations,
  method: 'GET',
  path: '/api/v1/events/types',
  access: 'bearer',
  capability: 'webhooks.manage',
  cost: 1,
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(
    z.array(
      z.object({
        type: z.enum(eventTypes),
        summary: z.string(),
        description: z.string(),
        data_schema: z.record(z.string(), z.unknown()),
      }),
    ),
  ),

  handle({ call }) {
    return new Reply({ data: listEventTypes(call.language) }, ['Content-Language', call.language])
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [eventsList, eventsRead, eventsTypes] as const
