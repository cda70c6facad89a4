import { z } from 'zod'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, paging, warehouseCode, window, words } from '../contract/fields.ts'
import { eventTypes } from '../events/outbox.ts'
import { listDeliveries, readDelivery, redeliver, testEndpoint } from './deliveries.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  listEndpoints,
  readEndpoint,
  rotateSecret,
} from './register.ts'
import {
  deliveryPage,
  deliveryStates,
  endpointPage,
  endpointWithSecret,
  webhookDelivery,
  webhookEndpoint,
} from './shown.ts'
import { mostUrlCharacters } from './url.ts'

const endpointId = { endpoint_id: z.string() }
const ownErrors = ['NOT_FOUND', 'OWNERSHIP_DENIED'] as const
const fieldErrors = ['WAREHOUSE_UNKNOWN', 'WAREHOUSE_DENIED'] as const
const mostWarehouses = 50
const writeCost = 2
const common = {
  since: '1.4.0',
  access: 'bearer',
  capability: 'webhooks.manage',
  query: {},
} as const

const fields = {
  url: z
    .string()
    .min(1)
    .max(mostUrlCharacters)
    .meta({ description: 'https, on port 443 or 8443, a public address' }),
  event_types: z
    .array(z.enum(eventTypes))
    .min(1)
    .transform((types) => [...new Set(types)]),
  description: words(200).nullable().optional(),
  warehouse_codes: z.array(warehouseCode.max(64)).max(mostWarehouses).nullable().optional(),
}

export const endpointsCreate = endpoint({
  ...common,
  id: 'webhook_endpoints.create',
  method: 'POST',
  path: '/api/v1/webhook-endpoints',
  cost: writeCost,
  errors: fieldErrors,
  params: {},
  body: z.object(fields),
  example: { url: 'https://hooks.example.com/trade', event_types: ['order.created'] },
  result: dataOf(endpointWithSecret),
  status: 201,

  async handle({ gateway, call, caller, input }) {
    return { data: await createEndpoint(gateway, caller, input, call.key) }
  },
})

export const endpointsList = endpoint({
  ...common,
  id: 'webhook_endpoints.list',
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
  method: 'GET',
  path: '/api/v1/webhook-endpoints/{endpoint_id}',
  cost: 1,
  errors: ownErrors,
  params: endpointId,
  result: dataOf(webhookEndpoint),

  async handle({ gateway, caller, input }) {
    return { data: await readEndpoint(gateway, caller, input.endpoint_id) }
  },
})

export const endpointsChange = endpoint({
  ...common,
  id: 'webhook_endpoints.change',
  method: 'PATCH',
  path: '/api/v1/webhook-endpoints/{endpoint_id}',
  cost: writeCost,
  errors: [...ownErrors, ...fieldErrors],
  params: endpointId,
  body: z.object({
    url: fields.url.optional(),
    event_types: fields.event_types.optional(),
    description: fields.description,
    warehouse_codes: fields.warehouse_codes,
  }),
  result: dataOf(webhookEndpoint),

  async handle({ gateway, caller, input }) {
    const { endpoint_id, ...changed } = input
    return { data: await changeEndpoint(gateway, caller, endpoint_id, changed) }
  },
})

export const endpointsDelete = endpoint({
  ...common,
  id: 'webhook_endpoints.delete',
  method: 'DELETE',
  path: '/api/v1/webhook-endpoints/{endpoint_id}',
  cost: writeCost,
  errors: ownErrors,
  params: endpointId,
  result: dataOf(webhookEndpoint),

  async handle({ gateway, caller, input }) {
    return { data: await deleteEndpoint(gateway, caller, input.endpoint_id) }
  },
})

export const endpointsRotate = endpoint({
  ...common,
  id: 'webhook_endpoints.rotate',
  method: 'POST',
  path: '/api/v1/webhook-endpoints/{endpoint_id}/secret-rotations',
  cost: writeCost,
  errors: ownErrors,
  params: endpointId,
  result: dataOf(endpointWithSecret),
  status: 201,

  async handle({ gateway, call, caller, input }) {
    return { data: await rotateSecret(gateway, caller, input.endpoint_id, call.key) }
  },
})

export const endpointsTest = endpoint({
  ...common,
  id: 'webhook_endpoints.test',
  method: 'POST',
  path: '/api/v1/webhook-endpoints/{endpoint_id}/test',
  cost: writeCost,
  errors: ownErrors,
  params: endpointId,
  result: dataOf(webhookDelivery),

  async handle({ gateway, call, caller, input }) {
    return { data: await testEndpoint(gateway, caller, input.endpoint_id, call.requestId, call.key) }
  },
})

export const deliveriesList = endpoint({
  ...common,
  id: 'webhook_deliveries.list',
  method: 'GET',
  path: '/api/v1/webhook-deliveries',
  cost: 1,
  errors: [],
  params: {},
  query: {
    ...paging,
    ...window,
    status: z.enum(deliveryStates).optional(),
    endpoint_id: code().optional(),
    event_id: code().optional(),
  },
  result: deliveryPage,

  handle({ gateway, caller, input }) {
    return listDeliveries(gateway, caller, input)
  },
})

export const deliveriesRead = endpoint({
  ...common,
  id: 'webhook_deliveries.read',
  method: 'GET',
  path: '/api/v1/webhook-deliveries/{delivery_id}',
  cost: 1,
  errors: ownErrors,
  params: { delivery_id: z.string() },
  result: dataOf(webhookDelivery),

  async handle({ gateway, caller, input }) {
    return { data: await readDelivery(gateway, caller, input.delivery_id) }
  },
})

export const deliveriesRedeliver = endpoint({
  ...common,
  id: 'webhook_deliveries.redeliver',
  method: 'POST',
  path: '/api/v1/webhook-deliveries/{delivery_id}/redeliver',
  cost: writeCost,
  errors: ownErrors,
  params: { delivery_id: z.string() },
  result: dataOf(webhookDelivery),

  async handle({ gateway, caller, input }) {
    return { data: await redeliver(gateway, caller, input.delivery_id) }
  },
})
