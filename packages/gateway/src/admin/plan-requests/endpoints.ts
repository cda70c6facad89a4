import { z } from 'zod'
import { planRequest } from '../../access/endpoints.ts'
import {
  decidePlanRequest,
  listPlanRequestsForOperator,
  planRequestStates,
} from '../../access/plan-requests.ts'
import { planNames } from '../../contract/call.ts'
import { paging, toListSchema, window } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const operatorsPlanRequest = planRequest
  .extend({ channel_plan: z.enum(planNames).nullable(), customer_code: z.string().nullable() })
  .meta({ id: 'OperatorsPlanRequest' })

export const planRequestsList = endpoint({
  id: 'admin.plan_requests.list',
  group: 'admin',
  summary: 'List plan requests',
  description:
    'The plan requests of all channels, newest first, each with the present plan and the ERP customer of its channel.',
  fields: {
    channel_plan: 'The plan that the channel has now',
    customer_code: 'The ERP customer of the channel; without one, no plan lets it order',
  },
  translations,
  method: 'GET',
  path: '/admin/api/plan-requests',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...paging, ...window, status: z.enum(planRequestStates).optional() },
  result: toListSchema(operatorsPlanRequest),

  async handle({ gateway, input }) {
    return listPlanRequestsForOperator(gateway, input)
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

/** The endpoints, in the order of the documentation. */
export const endpoints = [planRequestsList, planRequestsApprove, planRequestsDecline] as const
