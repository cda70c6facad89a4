import { z } from 'zod'
import { codeField, cursorPaging, flag, period, toCursorPageSchema } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { loggedRequest, requestTrace, upstreamCall } from '../../requests/read.ts'
import { readRequestTraceForOperator, searchRequests } from '../../requests/search.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

export const operatorsRequest = loggedRequest
  .extend({
    upstream_calls: z.array(upstreamCall.extend({ rejection_reason: z.string().nullable() })),
    channel_code: z.string().nullable(),
  })
  .meta({ id: 'OperatorsRequest' })

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
    channel_code: 'The channel; null if the request had no valid token',
  },
  translations,
  method: 'GET',
  path: '/admin/api/requests',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: {
    request_id: z.string().max(128).optional(),
    channel_code: codeField().optional(),
    code: codeField().optional(),
    route: z.string().max(200).optional(),
    failed: flag.optional(),
    ...period,
    ...cursorPaging,
  },
  result: toCursorPageSchema(operatorsRequest),

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
export const endpoints = [requestsList, requestsStory] as const
