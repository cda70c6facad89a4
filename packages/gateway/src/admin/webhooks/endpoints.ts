import { z } from 'zod'
import { codeField, cursorPaging, period, sorting, toCursorPageSchema } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { eventTypes, testType } from '../../events/outbox.ts'
import { redeliverForOperator } from '../../webhooks/deliveries.ts'
import { countRedelivery, redeliverBatch } from '../../webhooks/redelivery.ts'
import {
  deliveryDetails,
  foundDelivery,
  operatorsEndpoint,
  readDeliveryForOperator,
  searchDeliveries,
  searchEndpoints,
} from '../../webhooks/search.ts'
import { selectionKinds } from '../../webhooks/selection.ts'
import { deliveryStates, operatorsDelivery } from '../../webhooks/webhook-json.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

export const webhookEndpointsList = endpoint({
  id: 'admin.webhook_endpoints.list',
  group: 'admin',
  summary: 'List all webhook endpoints',
  description:
    'The webhook endpoints of every channel that are not deleted, newest first, with what waits for each.',
  fields: {
    channel_code: 'Only endpoints of this channel; in a row, the channel of the endpoint',
    since: 'Only endpoints registered from this time on',
    until: 'Only endpoints registered before this time',
  },
  translations,
  method: 'GET',
  path: '/admin/api/webhook-endpoints',
  access: 'admin',
  errors: [],
  params: {},
  query: { channel_code: codeField().optional(), ...period, ...cursorPaging },
  result: toCursorPageSchema(operatorsEndpoint),

  handle({ gateway, input }) {
    return searchEndpoints(gateway, input)
  },
})

export const webhookDeliveriesList = endpoint({
  id: 'admin.webhook_deliveries.list',
  group: 'admin',
  summary: 'Search webhook deliveries',
  description: 'The webhook deliveries of every channel, newest first. Every filter narrows the search.',
  fields: {
    channel_code: 'Only deliveries of this channel',
    endpoint_id: 'Only deliveries to this endpoint',
    event_id: 'Only deliveries of this event',
    type: 'Only events of this type',
    status: 'Only deliveries in this state',
    since: 'Only deliveries created from this time on',
    until: 'Only deliveries created before this time',
  },
  translations,
  method: 'GET',
  path: '/admin/api/webhook-deliveries',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: {
    channel_code: codeField().optional(),
    endpoint_id: codeField().optional(),
    event_id: codeField().optional(),
    type: z.enum([...eventTypes, testType]).optional(),
    status: z.enum(deliveryStates).optional(),
    ...period,
    ...sorting,
    ...cursorPaging,
  },
  result: toCursorPageSchema(foundDelivery),

  handle({ gateway, input }) {
    return searchDeliveries(gateway, input)
  },
})

const deliveryId = { delivery_id: z.string() }

export const webhookDeliveriesRead = endpoint({
  id: 'admin.webhook_deliveries.read',
  group: 'admin',
  summary: 'Read any webhook delivery',
  description:
    'One delivery with its URL, the request that caused the event, and the data of the event. The data never contains a recipient.',
  translations,
  method: 'GET',
  path: '/admin/api/webhook-deliveries/{delivery_id}',
  access: 'admin',
  polled: true,
  errors: ['NOT_FOUND'],
  params: deliveryId,
  query: {},
  result: toDataSchema(deliveryDetails),

  async handle({ gateway, input }) {
    return { data: await readDeliveryForOperator(gateway, input.delivery_id) }
  },
})

export const webhookDeliveriesRedeliver = endpoint({
  id: 'admin.webhook_deliveries.redeliver',
  group: 'admin',
  summary: 'Redeliver any webhook delivery',
  description:
    'Sends the event again now, under the same `event_id` and with the full retry schedule. A waiting delivery is attempted now.',
  translations,
  method: 'POST',
  path: '/admin/api/webhook-deliveries/{delivery_id}/redeliver',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: deliveryId,
  query: {},
  result: toDataSchema(operatorsDelivery),

  async handle({ gateway, call, input }) {
    return { data: await redeliverForOperator({ gateway, call }, input.delivery_id) }
  },
})

const selection = {
  which: z.enum(selectionKinds),
  channel_code: codeField().optional(),
  endpoint_id: codeField().optional(),
  type: z.enum(eventTypes).optional(),
  ...period,
}

const selectionFields = {
  which:
    '`dead`: dead letters. `missing`: events that an endpoint should have and of which no delivery succeeded or waits. `all`: every event that an endpoint should have',
  channel_code: 'Only endpoints of this channel',
  endpoint_id: 'Only this endpoint',
  type: 'Only events of this type',
  since: 'Only events from this time on; with `dead`, deliveries created from this time on',
  until: 'Only events before this time; with `dead`, deliveries created before this time',
  count: 'Number of deliveries that a redelivery would send',
  has_more: 'Whether the count ended at its bound: a redelivery sends these and all that follow',
}

export const webhookRedeliveriesCount = endpoint({
  id: 'admin.webhook_redeliveries.count',
  group: 'admin',
  summary: 'Count what a redelivery would send',
  description:
    'Counts before anything is sent. An endpoint should have the events since its registration that its present settings select. During a redelivery of the same selection, what is left is counted. The count ends after two seconds, or after 100,000 events for `missing`, 300,000 for `all`, or a million deliveries for `dead`.',
  fields: selectionFields,
  translations,
  method: 'POST',
  path: '/admin/api/webhook-redeliveries/count',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object(selection),
  example: { which: 'dead', channel_code: 'corner-shop' },
  result: toDataSchema(z.object({ count: z.int(), has_more: z.boolean() })),

  async handle({ gateway, input }) {
    return { data: await countRedelivery(gateway, input) }
  },
})

export const webhookRedeliveriesCreate = endpoint({
  id: 'admin.webhook_redeliveries.create',
  group: 'admin',
  summary: 'Redeliver many events',
  description:
    'Sends at most 500 deliveries again. Repeat the call until `remaining` is 0: no delivery is sent twice on the way, and any process continues. After an hour without a call, the selection begins again. The call is refused if more is left than `expected_count`.',
  fields: {
    ...selectionFields,
    expected_count: 'The count that you confirmed; after a count with `has_more`, any larger number',
    redelivered: 'Number of deliveries that this call sent again',
    remaining:
      'Number of deliveries that are left, or at least that many after a count with `has_more`; repeat the call until it is 0',
  },
  translations,
  method: 'POST',
  path: '/admin/api/webhook-redeliveries',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({ ...selection, expected_count: z.int().min(0) }),
  example: { which: 'dead', channel_code: 'corner-shop', expected_count: 0 },
  result: toDataSchema(z.object({ redelivered: z.int(), remaining: z.int() })),

  async handle({ gateway, call, input }) {
    const { expected_count, ...selected } = input
    return { data: await redeliverBatch({ gateway, call }, selected, expected_count) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  webhookEndpointsList,
  webhookDeliveriesList,
  webhookDeliveriesRead,
  webhookDeliveriesRedeliver,
  webhookRedeliveriesCount,
  webhookRedeliveriesCreate,
] as const
