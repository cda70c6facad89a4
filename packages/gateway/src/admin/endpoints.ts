import { z } from 'zod'
import {
  changeChannel,
  createChannel,
  createSecret,
  deleteChannel,
  deleteSecret,
  listChannels,
  readChannel,
} from '../access/channels.ts'
import { planRequest } from '../access/endpoints.ts'
import { decidePlanRequest, listPlanRequests, planRequestStates } from '../access/plan-requests.ts'
import { planNames } from '../contract/call.ts'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { code, instantField, listOf, paging, window, words } from '../contract/fields.ts'
import { pageOf, windowOf } from '../contract/lists.ts'
import { knownWarehouses } from './allowlist.ts'

const channelCode = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
const leastPoints = 60
const mostPoints = 1_000_000_000

const fields = {
  name: words(200),
  plan: z.enum(planNames),
  warehouse_allowlist: z.array(code()).max(100),
  customer_code: code().nullable(),
  points_per_minute: z.int().min(leastPoints).max(mostPoints).nullable(),
  wholesale_enabled: z.boolean(),
  dropship_enabled: z.boolean(),
  webhooks_enabled: z.boolean(),
}

const channel = z.object({
  channel_code: z.string(),
  client_id: z.string(),
  ...fields,
  secrets: z.array(z.object({ secret_id: z.string(), created_at: instantField })),
  created_at: instantField,
  updated_at: instantField,
  deleted: z.boolean(),
})

const one = { channel_code: z.string() }

export const channelsCreate = endpoint({
  id: 'admin.channels.create',
  method: 'POST',
  path: '/admin/api/channels',
  since: '1.4.0',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({
    channel_code: channelCode,
    name: fields.name,
    plan: fields.plan,
    warehouse_allowlist: fields.warehouse_allowlist.default([]),
    customer_code: fields.customer_code.default(null),
    points_per_minute: fields.points_per_minute.default(null),
    wholesale_enabled: fields.wholesale_enabled.default(true),
    dropship_enabled: fields.dropship_enabled.default(true),
    webhooks_enabled: fields.webhooks_enabled.default(true),
  }),
  result: dataOf(channel.extend({ client_secret: z.string() })),
  status: 201,

  async handle({ gateway, input }) {
    knownWarehouses(gateway, input.warehouse_allowlist)
    const { channel_code, ...given } = input
    return { data: await createChannel(gateway, channel_code, given) }
  },
})

export const channelsList = endpoint({
  id: 'admin.channels.list',
  method: 'GET',
  path: '/admin/api/channels',
  since: '1.4.0',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...paging, ...window },
  result: listOf(channel),

  async handle({ gateway, input }) {
    const asked = windowOf(input, gateway.clock.now(), true)
    return pageOf(asked, await listChannels(gateway, asked))
  },
})

export const channelsRead = endpoint({
  id: 'admin.channels.read',
  method: 'GET',
  path: '/admin/api/channels/{channel_code}',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: dataOf(channel),

  async handle({ gateway, input }) {
    return { data: await readChannel(gateway.store.db, input.channel_code) }
  },
})

export const channelsChange = endpoint({
  id: 'admin.channels.change',
  method: 'PATCH',
  path: '/admin/api/channels/{channel_code}',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  body: z.object(fields).partial(),
  result: dataOf(channel),

  async handle({ gateway, input }) {
    const { channel_code, ...given } = input
    knownWarehouses(gateway, given.warehouse_allowlist ?? [])
    return { data: await changeChannel(gateway, channel_code, given) }
  },
})

export const channelsDelete = endpoint({
  id: 'admin.channels.delete',
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: dataOf(channel),

  async handle({ gateway, input }) {
    return { data: await deleteChannel(gateway, input.channel_code) }
  },
})

export const secretsCreate = endpoint({
  id: 'admin.secrets.create',
  method: 'POST',
  path: '/admin/api/channels/{channel_code}/secrets',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: dataOf(
    z.object({
      secret_id: z.string(),
      client_id: z.string(),
      client_secret: z.string(),
      created_at: instantField,
    }),
  ),
  status: 201,

  async handle({ gateway, input }) {
    return { data: await createSecret(gateway, input.channel_code) }
  },
})

export const secretsDelete = endpoint({
  id: 'admin.secrets.delete',
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}/secrets/{secret_id}',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { ...one, secret_id: z.string() },
  query: {},
  result: dataOf(channel),

  async handle({ gateway, input }) {
    return { data: await deleteSecret(gateway, input.channel_code, input.secret_id) }
  },
})

export const planRequestsList = endpoint({
  id: 'admin.plan_requests.list',
  method: 'GET',
  path: '/admin/api/plan-requests',
  since: '1.4.0',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(planRequestStates).optional() },
  result: listOf(planRequest),

  async handle({ gateway, input }) {
    return listPlanRequests(gateway, undefined, input)
  },
})

const decision = { plan_request_id: z.string() }

export const planRequestsApprove = endpoint({
  id: 'admin.plan_requests.approve',
  method: 'POST',
  path: '/admin/api/plan-requests/{plan_request_id}/approve',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: decision,
  query: {},
  result: dataOf(planRequest),

  async handle({ gateway, input }) {
    return { data: await decidePlanRequest(gateway, input.plan_request_id, 'approved') }
  },
})

export const planRequestsDecline = endpoint({
  id: 'admin.plan_requests.decline',
  method: 'POST',
  path: '/admin/api/plan-requests/{plan_request_id}/decline',
  since: '1.4.0',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: decision,
  query: {},
  result: dataOf(planRequest),

  async handle({ gateway, input }) {
    return { data: await decidePlanRequest(gateway, input.plan_request_id, 'declined') }
  },
})
