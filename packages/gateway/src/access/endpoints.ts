import { z } from 'zod'
import { capabilityNames, planNames } from '../contract/call.ts'
import { instantField, paging, textField, toListSchema, warehouseCode, window } from '../contract/fields.ts'
import { Reply } from '../contract/reply.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { issueToken } from './grants.ts'
import { describeToken } from './me.ts'
import { listPlanRequests, planRequestStates, requestPlan } from './plan-requests.ts'
import { revokeOwn } from './revoke.ts'

const translations = { zh, ko }

export const grantType = z.enum(['client_credentials', 'password'])

const oauth = {
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'Seconds' }),
  scope: z.string().meta({ description: 'Capabilities, separated by spaces' }),
}

export const token = endpoint({
  id: 'auth.token',
  group: 'access',
  summary: 'Get an access token',
  description:
    'Channel grant: `{client_id, client_secret}`. Password grant: `{grant_type: "password", username, password}` of an OMS website account. Credentials are accepted in the body only, as JSON or a form.',
  translations,
  method: 'POST',
  path: '/api/v1/auth/token',
  since: '1.0.0',
  access: 'public',
  errors: ['AUTH_BAD_CREDENTIALS', 'AUTH_INVALID_TOKEN', 'AUTH_LOCKED', 'AUTHZ_UNAVAILABLE', 'RATE_LIMITED'],
  params: {},
  query: {},
  bodyKind: 'oauth',
  body: z.object({
    grant_type: grantType.optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    username: z.string().optional(),
    password: z.string().optional(),
  }),
  result: z.object({
    data: z.object({ ...oauth, expires_at: instantField, grant_type: grantType, channel_code: z.string() }),
    ...oauth,
  }),

  async handle({ gateway, call, input }) {
    return new Reply(await issueToken(gateway, call, input), [
      'Cache-Control',
      'no-store',
      'Pragma',
      'no-cache',
    ])
  },
})

export const revoke = endpoint({
  id: 'auth.revoke',
  group: 'access',
  summary: 'Revoke a token',
  description:
    'Ends the token of this call at once; after that, the token gets `AUTH_INVALID_TOKEN`. With `{"all": true}`, the token of an OMS account ends all tokens of its account on this channel. An order that still waits for its turn is not sent.',
  fields: { all: 'Whether to end all tokens of the OMS account on this channel' },
  translations,
  method: 'POST',
  path: '/api/v1/auth/revoke',
  access: 'bearer',
  errors: [],
  params: {},
  query: {},
  body: z.object({ all: z.boolean().default(false) }),
  optionalBody: true,
  ignoresKey: true,
  result: toDataSchema(z.object({ revoked: z.int() })),

  async handle({ gateway, call, caller, input }) {
    return { data: await revokeOwn({ gateway, call, caller }, input.all) }
  },
})

export const me = endpoint({
  id: 'me',
  group: 'access',
  summary: 'Read the token’s identity',
  description:
    'The account, the channel, the usable warehouses, the permissions and the business switches of the token.',
  fields: {
    plan: 'Plan of the channel: `reader`, `trader` or `full`',
    kind: 'Of an account: `channel` or `oms_user`; of a warehouse: `warehouse` or `company`',
  },
  translations,
  method: 'GET',
  path: '/api/v1/me',
  since: '1.1.0',
  access: 'bearer',
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(
    z.object({
      account: z.object({
        account_id: z.string(),
        name: z.string(),
        kind: z.enum(['channel', 'oms_user']),
        username: z.string().nullable(),
      }),
      channel: z.object({ channel_code: z.string(), name: z.string(), plan: z.enum(planNames) }),
      grant_type: grantType,
      sandbox: z.boolean(),
      warehouses: z.array(
        z.object({ warehouse_code: warehouseCode, name: z.string(), kind: z.enum(['warehouse', 'company']) }),
      ),
      permissions: z.array(z.enum(capabilityNames)),
      switches: z.object({
        writes_enabled: z.boolean(),
        wholesale_enabled: z.boolean(),
        dropship_enabled: z.boolean(),
        webhooks_enabled: z.boolean(),
      }),
      rate_limit: z.object({ limit: z.int(), remaining: z.int(), reset_seconds: z.int() }),
      token: z.object({ expires_at: instantField, legacy: z.boolean() }),
      deprecations: z.array(z.object({ what: z.string(), sunset: instantField })),
      webhook_health: z.object({
        dead_letters: z.int(),
        last_failure_at: instantField.nullable(),
        last_failure_status: z.int().nullable(),
      }),
    }),
  ),

  async handle({ gateway, caller }) {
    return { data: await describeToken(gateway, caller) }
  },
})

const planRequest = z
  .object({
    plan_request_id: z.string(),
    channel_code: z.string(),
    plan: z.enum(planNames),
    reason: z.string().nullable(),
    status: z.enum(planRequestStates),
    created_at: instantField,
    decided_at: instantField.nullable(),
  })
  .meta({ id: 'PlanRequest' })

export const planRequestsCreate = endpoint({
  id: 'plan_requests.create',
  group: 'access',
  summary: 'Request a plan',
  description:
    'Requests the plan reader, trader or full. Once the account manager approves it, live tokens use it at once.',
  translations,
  method: 'POST',
  path: '/api/v1/plan-requests',
  access: 'bearer',
  cost: 2,
  errors: [],
  params: {},
  query: {},
  body: z.object({ plan: z.enum(planNames), reason: textField(500).optional() }),
  result: toDataSchema(planRequest),
  status: 201,

  async handle({ input, ...context }) {
    return { data: await requestPlan(context, input.plan, input.reason ?? null) }
  },
})

export const planRequestsList = endpoint({
  id: 'plan_requests.list',
  group: 'access',
  summary: 'List plan requests',
  description: 'The requests of this channel, newest first.',
  translations,
  method: 'GET',
  path: '/api/v1/plan-requests',
  access: 'bearer',
  cost: 1,
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(planRequestStates).optional() },
  result: toListSchema(planRequest),

  async handle({ gateway, caller, input }) {
    return listPlanRequests(gateway, caller.channel_code, input)
  },
})

export { planRequest }

/** The endpoints, in the order of the documentation. */
export const endpoints = [token, revoke, me, planRequestsCreate, planRequestsList] as const
