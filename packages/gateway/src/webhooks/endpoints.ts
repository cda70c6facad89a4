import { z } from 'zod'
import { codeField, paging, textField, warehouseCode, window } from '../contract/fields.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { eventTypes } from '../events/outbox.ts'
import { listDeliveries, readDelivery, redeliver, testEndpoint } from './deliveries.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  readEndpoint,
  rotateSecret,
} from './register.ts'
import { maxUrlCharacters } from './url.ts'
import {
  deliveryPage,
  deliveryStates,
  endpointPage,
  endpointWithSecret,
  webhookDelivery,
  webhookEndpoint,
} from './webhook-json.ts'

const endpointId = { endpoint_id: z.string() }
const ownErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED'] as const
const fieldErrors = ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED'] as const
/**
 * The largest number of types in a request: more than there are, because a type may be repeated and types may be added.
 */
const maxEventTypes = 50
const maxWarehouses = 50
const writeCost = 2
const common = {
  group: 'webhooks',
  translations: { zh, ko },
  access: 'bearer',
  capability: 'webhooks.manage',
  query: {},
} as const

const fields = {
  url: z
    .string()
    .min(1)
    .max(maxUrlCharacters)
    .meta({ description: 'https, on port 443 or 8443, a public address' }),
  event_types: z
    .array(z.enum(eventTypes))
    .min(1)
    .max(maxEventTypes)
    .transform((types) => [...new Set(types)]),
  description: textField(200).nullable().optional(),
  warehouse_codes: z.array(warehouseCode.max(64)).max(maxWarehouses).nullable().optional(),
}

export const endpointsCreate = endpoint({
  ...common,
  id: 'webhook_endpoints.create',
  summary: 'Register a webhook endpoint',
  description:
    'Registers a URL to which events are sent; a channel may have at most 5. Returns the secret; no later response contains it. `warehouse_codes` limits `stock.changed` to the named warehouses. Events of a company view are sent only if this list or the allowlist names the view. In the sandbox, a URL with the path `/sandbox/inbox/<name>` is an inbox of the gateway itself.',
  method: 'POST',
  path: '/api/v1/webhook-endpoints',
  businessSwitch: 'webhooks',
  cost: writeCost,
  errors: fieldErrors,
  params: {},
  body: z.object(fields),
  example: { url: 'https://hooks.example.com/trade', event_types: ['order.created'] },
  result: toDataSchema(endpointWithSecret),
  status: 201,

  async handle({ gateway, call, caller, input }) {
    return { data: await createEndpoint({ gateway, caller, key: call.key }, input) }
  },
})

export const endpointsList = endpoint({
  ...common,
  id: 'webhook_endpoints.list',
  summary: 'List webhook endpoints',
  description: 'Every endpoint of the channel, with its last success and failure, never its secret.',
  method: 'GET',
  path: '/api/v1/webhook-endpoints',
  cost: 1,
  errors: [],
  params: {},
  query: { ...paging, ...window },
  result: endpointPage,

  handle({ gateway, caller, input }) {
    return listEndpoints(gateway, caller, input)
  },
})

export const endpointsRead = endpoint({
  ...common,
  id: 'webhook_endpoints.read',
  summary: 'Read a webhook endpoint',
  description: 'One endpoint with its last success and failure.',
  method: 'GET',
  path: '/api/v1/webhook-endpoints/{endpoint_id}',
  cost: 1,
  errors: ownErrors,
  params: endpointId,
  result: toDataSchema(webhookEndpoint),

  async handle({ gateway, caller, input }) {
    return { data: await readEndpoint(gateway, caller, input.endpoint_id) }
  },
})

export const endpointsChange = endpoint({
  ...common,
  id: 'webhook_endpoints.change',
  summary: 'Change a webhook endpoint',
  description: 'Replaces the fields that are sent. Attempts use them within a second.',
  method: 'PATCH',
  path: '/api/v1/webhook-endpoints/{endpoint_id}',
  businessSwitch: 'webhooks',
  cost: writeCost,
  errors: [...ownErrors, ...fieldErrors],
  params: endpointId,
  body: z.object({
    url: fields.url.optional(),
    event_types: fields.event_types.optional(),
    description: fields.description,
    warehouse_codes: fields.warehouse_codes,
  }),
  result: toDataSchema(webhookEndpoint),

  async handle({ gateway, caller, input }) {
    const { endpoint_id, ...changed } = input
    return { data: await changeEndpoint({ gateway, caller }, endpoint_id, changed) }
  },
})

export const endpointsDelete = endpoint({
  ...common,
  id: 'webhook_endpoints.delete',
  summary: 'Delete a webhook endpoint',
  description:
    'Ends deliveries to the endpoint and cancels its waiting ones. Repeating the call has no further effect.',
  method: 'DELETE',
  path: '/api/v1/webhook-endpoints/{endpoint_id}',
  cost: writeCost,
  errors: ownErrors,
  params: endpointId,
  result: toDataSchema(webhookEndpoint),

  async handle({ gateway, caller, input }) {
    return { data: await deleteEndpoint(gateway, caller, input.endpoint_id) }
  },
})

export const endpointsRotate = endpoint({
  ...common,
  id: 'webhook_endpoints.rotate',
  summary: 'Rotate a secret',
  description:
    'Returns a new secret; no later response contains it. For 24 hours both secrets sign, so that a receiver can switch without a gap.',
  method: 'POST',
  path: '/api/v1/webhook-endpoints/{endpoint_id}/secret-rotations',
  businessSwitch: 'webhooks',
  cost: writeCost,
  errors: ownErrors,
  params: endpointId,
  result: toDataSchema(endpointWithSecret),
  status: 201,

  async handle({ gateway, call, caller, input }) {
    return { data: await rotateSecret({ gateway, caller, key: call.key }, input.endpoint_id) }
  },
})

export const endpointsTest = endpoint({
  ...common,
  id: 'webhook_endpoints.test',
  summary: 'Send a test',
  description:
    'Sends an event of the type `webhook.test` to this endpoint, through the same queue and signatures as a real event. `GET /webhook-deliveries` shows its outcome.',
  method: 'POST',
  path: '/api/v1/webhook-endpoints/{endpoint_id}/test',
  businessSwitch: 'webhooks',
  cost: writeCost,
  errors: ownErrors,
  params: endpointId,
  result: toDataSchema(webhookDelivery),

  async handle({ gateway, call, caller, input }) {
    const delivery = { id: input.endpoint_id, request_id: call.requestId, key: call.key }
    return { data: await testEndpoint(gateway, caller, delivery) }
  },
})

export const deliveriesList = endpoint({
  ...common,
  id: 'webhook_deliveries.list',
  summary: 'List deliveries',
  description:
    'The outcome of each event at each endpoint. Without dates: the last 30 days and every dead letter.',
  method: 'GET',
  path: '/api/v1/webhook-deliveries',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(deliveryStates).optional(),
    endpoint_id: codeField().optional(),
    event_id: codeField().optional(),
  },
  result: deliveryPage,

  handle({ gateway, caller, input }) {
    return listDeliveries(gateway, caller, input)
  },
})

export const deliveriesRead = endpoint({
  ...common,
  id: 'webhook_deliveries.read',
  summary: 'Read a delivery',
  description: 'One delivery with its attempts and the outcome of the last one.',
  method: 'GET',
  path: '/api/v1/webhook-deliveries/{delivery_id}',
  cost: 1,
  errors: ownErrors,
  params: { delivery_id: z.string() },
  result: toDataSchema(webhookDelivery),

  async handle({ gateway, caller, input }) {
    return { data: await readDelivery(gateway, caller, input.delivery_id) }
  },
})

export const deliveriesRedeliver = endpoint({
  ...common,
  id: 'webhook_deliveries.redeliver',
  summary: 'Redeliver an event',
  description:
    'Sends the event again now, under the same `event_id` and with the full retry schedule. A waiting delivery is attempted now.',
  method: 'POST',
  path: '/api/v1/webhook-deliveries/{delivery_id}/redeliver',
  businessSwitch: 'webhooks',
  cost: writeCost,
  errors: ownErrors,
  params: { delivery_id: z.string() },
  result: toDataSchema(webhookDelivery),

  async handle({ gateway, caller, input }) {
    return { data: await redeliver(gateway, caller, input.delivery_id) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  endpointsCreate,
  endpointsList,
  endpointsRead,
  endpointsChange,
  endpointsDelete,
  endpointsRotate,
  endpointsTest,
  deliveriesList,
  deliveriesRead,
  deliveriesRedeliver,
] as const
