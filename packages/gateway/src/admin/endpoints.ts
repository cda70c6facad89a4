import { z } from 'zod'
import {
  changeChannel,
  createChannel,
  createSecret,
  deleteChannel,
  deleteSecret,
  findNewestChannelTime,
  listChannels,
  readChannel,
} from '../access/channels.ts'
import { grantType, planRequest } from '../access/endpoints.ts'
import { decidePlanRequest, listPlanRequests, planRequestStates } from '../access/plan-requests.ts'
import { listTokens, revokeAccount, revokeToken } from '../access/revoke.ts'
import { rotateSigningKey } from '../access/signing-keys.ts'
import { planNames } from '../contract/call.ts'
import {
  codeField,
  defaultPageSize,
  flag,
  instantField,
  maxPageSize,
  paging,
  textField,
  toListSchema,
  wholeNumberField,
  window,
} from '../contract/fields.ts'
import { parseWindowOfDatedRows, toListPage } from '../contract/lists.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { loggedRequest, requestTrace } from '../requests/read.ts'
import { readRequestTraceForOperator, searchRequests } from '../requests/search.ts'
import { requireKnownWarehouses } from './allowlist.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const channelCode = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
const minPointsPerMinute = 60
const maxPointsPerMinute = 1_000_000_000

const fields = {
  name: textField(200),
  plan: z.enum(planNames),
  warehouse_allowlist: z.array(codeField()).max(100),
  customer_code: codeField().nullable(),
  points_per_minute: z.int().min(minPointsPerMinute).max(maxPointsPerMinute).nullable(),
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

const operatorsRequest = loggedRequest
  .extend({ channel_code: z.string().nullable() })
  .meta({ id: 'OperatorsRequest' })

const one = { channel_code: z.string() }

export const channelsCreate = endpoint({
  id: 'admin.channels.create',
  group: 'admin',
  summary: 'Create a channel',
  description: 'Returns the channel with its client secret. No later response contains the secret.',
  translations,
  method: 'POST',
  path: '/admin/api/channels',
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
  result: toDataSchema(channel.extend({ client_secret: z.string() })),
  status: 201,

  async handle({ gateway, call, input }) {
    requireKnownWarehouses(gateway, input.warehouse_allowlist)
    const { channel_code, ...given } = input
    return { data: await createChannel({ gateway, call }, channel_code, given) }
  },
})

export const channelsList = endpoint({
  id: 'admin.channels.list',
  group: 'admin',
  summary: 'List channels',
  description: 'Every channel with its plan, allowlist, quota and secrets (never their values).',
  translations,
  method: 'GET',
  path: '/admin/api/channels',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...paging, ...window },
  result: toListSchema(channel),

  async handle({ gateway, input }) {
    const asked = parseWindowOfDatedRows(input, gateway.clock.now(), true)
    const channels = await listChannels(gateway, asked)
    const newest = await findNewestChannelTime(gateway, asked)
    return toListPage(asked, channels, newest)
  },
})

export const channelsRead = endpoint({
  id: 'admin.channels.read',
  group: 'admin',
  summary: 'Read a channel',
  description: 'One channel with its plan, allowlist, quota and switches.',
  translations,
  method: 'GET',
  path: '/admin/api/channels/{channel_code}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: toDataSchema(channel),

  async handle({ gateway, input }) {
    return { data: await readChannel(gateway.store.db, input.channel_code) }
  },
})

export const channelsChange = endpoint({
  id: 'admin.channels.change',
  group: 'admin',
  summary: 'Change a channel',
  description:
    'Changes name, plan, allowlist, customer, quota and switches. Live tokens use the change within a second.',
  translations,
  method: 'PATCH',
  path: '/admin/api/channels/{channel_code}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  body: z.object(fields).partial(),
  result: toDataSchema(channel),

  async handle({ gateway, call, input }) {
    const { channel_code, ...given } = input
    requireKnownWarehouses(gateway, given.warehouse_allowlist ?? [])
    return { data: await changeChannel({ gateway, call }, channel_code, given) }
  },
})

export const channelsDelete = endpoint({
  id: 'admin.channels.delete',
  group: 'admin',
  summary: 'Delete a channel',
  description: 'Revokes the channel’s secrets and tokens. The code cannot be used again.',
  translations,
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: toDataSchema(channel),

  async handle({ gateway, call, input }) {
    return { data: await deleteChannel({ gateway, call }, input.channel_code) }
  },
})

export const secretsCreate = endpoint({
  id: 'admin.secrets.create',
  group: 'admin',
  summary: 'Issue a client secret',
  description:
    'Returns the secret. No later response contains it. Older secrets stay valid until they are deleted.',
  translations,
  method: 'POST',
  path: '/admin/api/channels/{channel_code}/secrets',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: toDataSchema(
    z.object({
      secret_id: z.string(),
      client_id: z.string(),
      client_secret: z.string(),
      created_at: instantField,
    }),
  ),
  status: 201,

  async handle({ gateway, call, input }) {
    return { data: await createSecret({ gateway, call }, input.channel_code) }
  },
})

export const secretsDelete = endpoint({
  id: 'admin.secrets.delete',
  group: 'admin',
  summary: 'Delete a client secret',
  description: 'Revokes the secret and the tokens that were issued for it.',
  translations,
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}/secrets/{secret_id}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { ...one, secret_id: z.string() },
  query: {},
  result: toDataSchema(channel),

  async handle({ gateway, call, input }) {
    return { data: await deleteSecret({ gateway, call }, input.channel_code, input.secret_id) }
  },
})

export const planRequestsList = endpoint({
  id: 'admin.plan_requests.list',
  group: 'admin',
  summary: 'List plan requests',
  description: 'The plan requests of all channels, newest first.',
  translations,
  method: 'GET',
  path: '/admin/api/plan-requests',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(planRequestStates).optional() },
  result: toListSchema(planRequest),

  async handle({ gateway, input }) {
    return listPlanRequests(gateway, undefined, input)
  },
})

const issuedToken = z
  .object({
    jti: z.string(),
    channel_code: z.string(),
    grant_type: grantType,
    secret_id: z.string().nullable(),
    account_id: z.string().nullable(),
    username: z.string().nullable(),
    issued_at: instantField,
    expires_at: instantField,
  })
  .meta({ id: 'IssuedToken' })

const revoked = toDataSchema(z.object({ revoked: z.int() }))

export const tokensList = endpoint({
  id: 'admin.tokens.list',
  group: 'admin',
  summary: 'List live tokens',
  description: 'The live tokens of a channel, newest first (never their values).',
  translations,
  method: 'GET',
  path: '/admin/api/channels/{channel_code}/tokens',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: { ...paging, ...window },
  result: toListSchema(issuedToken),

  async handle({ gateway, input }) {
    return listTokens(gateway, input.channel_code, parseWindowOfDatedRows(input, gateway.clock.now(), true))
  },
})

export const tokensRevoke = endpoint({
  id: 'admin.tokens.revoke',
  group: 'admin',
  summary: 'Revoke a token',
  description: 'Ends one token within a second in every process.',
  translations,
  method: 'DELETE',
  path: '/admin/api/tokens/{jti}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { jti: z.string() },
  query: {},
  result: revoked,

  async handle({ gateway, call, input }) {
    return { data: await revokeToken({ gateway, call }, input.jti) }
  },
})

export const accountTokensRevoke = endpoint({
  id: 'admin.account_tokens.revoke',
  group: 'admin',
  summary: 'Revoke the tokens of an account',
  description:
    'Ends all tokens of an OMS account on a channel within a second. The account can sign in again.',
  translations,
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}/accounts/{account_id}/tokens',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { ...one, account_id: z.string() },
  query: {},
  result: revoked,

  async handle({ gateway, call, input }) {
    return { data: await revokeAccount({ gateway, call }, input.channel_code, input.account_id) }
  },
})

export const signingKeysRotate = endpoint({
  id: 'admin.signing_keys.rotate',
  group: 'admin',
  summary: 'Rotate the signing key',
  description:
    'Signs new tokens with a new key. Tokens of the earlier keys stay valid until they expire. With `compromised: true`, they are refused within a second.',
  translations,
  method: 'POST',
  path: '/admin/api/signing-keys',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({ compromised: z.boolean().default(false) }),
  result: toDataSchema(
    z.object({ kid: z.string(), created_at: instantField, earlier_kids: z.array(z.string()) }),
  ),
  status: 201,

  async handle({ gateway, call, input }) {
    return { data: await rotateSigningKey({ gateway, call }, input.compromised) }
  },
})

const decision = { plan_request_id: z.string() }

export const planRequestsApprove = endpoint({
  id: 'admin.plan_requests.approve',
  group: 'admin',
  summary: 'Approve a plan request',
  description: 'Sets the plan. Live tokens use it within a second.',
  translations,
  method: 'POST',
  path: '/admin/api/plan-requests/{plan_request_id}/approve',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: decision,
  query: {},
  result: toDataSchema(planRequest),

  async handle({ gateway, call, input }) {
    return { data: await decidePlanRequest({ gateway, call }, input.plan_request_id, 'approved') }
  },
})

export const planRequestsDecline = endpoint({
  id: 'admin.plan_requests.decline',
  group: 'admin',
  summary: 'Decline a plan request',
  description: 'Leaves the plan as it is.',
  translations,
  method: 'POST',
  path: '/admin/api/plan-requests/{plan_request_id}/decline',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: decision,
  query: {},
  result: toDataSchema(planRequest),

  async handle({ gateway, call, input }) {
    return { data: await decidePlanRequest({ gateway, call }, input.plan_request_id, 'declined') }
  },
})

export const requestsList = endpoint({
  id: 'admin.requests.list',
  group: 'admin',
  summary: 'Search the request log',
  description:
    'Requests of every channel, newest first: writes, failures and slow reads, or all with LOG_REQUESTS=all. Every filter narrows the search.',
  fields: {
    code: 'Only requests that failed with this error code',
    route: 'Only requests of this route, with its parameters in braces',
    failed: 'true: only requests with a status of 400 or above',
    since: 'Only requests from this time on',
    until: 'Only requests before this time',
    cursor: 'next_cursor of the previous page',
    next_cursor: 'The cursor of the next page; null on the last page',
    channel_code: 'The channel; null if the request had no valid token',
  },
  translations,
  method: 'GET',
  path: '/admin/api/requests',
  access: 'admin',
  errors: [],
  params: {},
  query: {
    request_id: z.string().max(128).optional(),
    channel_code: codeField().optional(),
    code: codeField().optional(),
    route: z.string().max(200).optional(),
    failed: flag.optional(),
    since: instantField.optional(),
    until: instantField.optional(),
    cursor: z.string().max(200).optional(),
    page_size: wholeNumberField(1, maxPageSize).default(defaultPageSize),
  },
  result: z.object({
    data: z.array(operatorsRequest),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),

  handle({ gateway, input }) {
    return searchRequests(gateway, input)
  },
})

export const requestsStory = endpoint({
  id: 'admin.requests.read',
  group: 'admin',
  summary: 'Follow one request',
  description:
    'Every request of every channel under one id, newest first, and the events and webhook deliveries that followed.',
  translations,
  method: 'GET',
  path: '/admin/api/requests/{request_id}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { request_id: z.string() },
  query: {},
  result: toDataSchema(requestTrace.extend({ requests: z.array(operatorsRequest) })),

  handle({ gateway, input }) {
    return readRequestTraceForOperator(gateway, input.request_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  channelsCreate,
  channelsList,
  channelsRead,
  channelsChange,
  channelsDelete,
  secretsCreate,
  secretsDelete,
  tokensList,
  tokensRevoke,
  accountTokensRevoke,
  signingKeysRotate,
  planRequestsList,
  planRequestsApprove,
  planRequestsDecline,
  requestsList,
  requestsStory,
] as const
