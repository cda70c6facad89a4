import { z } from 'zod'
import { capabilityNames, planNames } from '../contract/call.ts'
import { dataOf, endpoint, Reply } from '../contract/endpoint.ts'
import { instantField, listOf, paging, warehouseCode, window, words } from '../contract/fields.ts'
import { issueToken } from './grants.ts'
import { identity } from './me.ts'
import { listPlanRequests, planRequestStates, requestPlan } from './plan-requests.ts'

const grantType = z.enum(['client_credentials', 'password'])

const oauth = {
  access_token: z.string(),
  token_type: z.literal('Bearer'),
  expires_in: z.int().meta({ description: 'Seconds' }),
  scope: z.string().meta({ description: 'Capabilities, separated by spaces' }),
}

export const token = endpoint({
  id: 'auth.token',
  method: 'POST',
  path: '/api/v1/auth/token',
  since: '1.0.0',
  access: 'public',
  errors: ['AUTH_BAD_CREDENTIALS', 'AUTH_LOCKED', 'AUTHZ_UNAVAILABLE', 'RATE_LIMITED'],
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

export const me = endpoint({
  id: 'me',
  method: 'GET',
  path: '/api/v1/me',
  since: '1.1.0',
  access: 'bearer',
  errors: [],
  params: {},
  query: {},
  result: dataOf(
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
    return { data: await identity(gateway, caller) }
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
  method: 'POST',
  path: '/api/v1/plan-requests',
  since: '1.4.0',
  access: 'bearer',
  cost: 2,
  errors: [],
  params: {},
  query: {},
  body: z.object({ plan: z.enum(planNames), reason: words(500).optional() }),
  result: dataOf(planRequest),
  status: 201,

  async handle({ gateway, caller, input }) {
    return { data: await requestPlan(gateway, caller, input.plan, input.reason ?? null) }
  },
})

export const planRequestsList = endpoint({
  id: 'plan_requests.list',
  method: 'GET',
  path: '/api/v1/plan-requests',
  since: '1.4.0',
  access: 'bearer',
  cost: 1,
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(planRequestStates).optional() },
  result: listOf(planRequest),

  async handle({ gateway, caller, input }) {
    return listPlanRequests(gateway, caller.channel_code, input)
  },
})

export { planRequest }
