import { z } from 'zod'
import {
  codeField,
  cursorPaging,
  flag,
  instantField,
  period,
  sorting,
  toCursorPageSchema,
  wholeNumberField,
} from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { readChannelReads } from '../../requests/channel-reads.ts'
import { loggedRequest, requestTrace, upstreamCall } from '../../requests/read.ts'
import { readRequestTraceForOperator, searchRequests } from '../../requests/search.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const maxHours = 168
const defaultHours = 24

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
    'Requests of every channel, newest first: writes, failures and slow reads, or all with `LOG_REQUESTS=all`. Of refusals that cost no points, only some are kept: 300 a minute of all calls without a token together, and 200 a second of each channel. Every filter narrows the search.',
  fields: {
    code: 'Only requests that failed with this error code',
    route: 'Only requests of this route, with its parameters in braces',
    failed: 'true: only requests with a status of 400 or above',
    since: 'Only requests from this time on',
    until: 'Only requests before this time',
    channel_code: 'The channel; null if the request had no valid token',
    client_order_number:
      'The client’s order number in the body of the request, also if the request was refused; null without one',
  },
  translations,
  method: 'GET',
  path: '/admin/api/requests',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: {
    request_id: codeField(128).optional(),
    channel_code: codeField().optional(),
    code: codeField().optional(),
    route: codeField(200).optional(),
    client_order_number: codeField().optional(),
    failed: flag.optional(),
    ...period,
    ...sorting,
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

export const channelReads = endpoint({
  id: 'admin.channel_reads.read',
  group: 'admin',
  summary: 'Show what a channel reads',
  description:
    'Successful reads of a channel in the newest hours, by route. They have no row in the request log, unless `LOG_REQUESTS=all`; they are counted per minute. The running minute is not included.',
  fields: {
    hours: 'How many hours',
    since: 'The start of the period',
    until: 'Now, by the gateway’s clock',
    busiest_minute: 'The minute with the most reads; null without reads',
    at: 'The start of the minute',
    calls: 'Reads',
    points: 'Points that the reads cost',
    routes: 'One entry for each route, the one with the most reads first',
    mean_ms: 'Mean milliseconds of a read',
  },
  translations,
  method: 'GET',
  path: '/admin/api/channels/{channel_code}/reads',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { channel_code: z.string() },
  query: { hours: wholeNumberField(1, maxHours).default(defaultHours) },
  result: toDataSchema(
    z.object({
      since: instantField,
      until: instantField,
      busiest_minute: z.object({ at: instantField, calls: z.int(), points: z.int() }).nullable(),
      routes: z.array(z.object({ route: z.string(), calls: z.int(), points: z.int(), mean_ms: z.number() })),
    }),
  ),

  async handle({ gateway, input }) {
    return { data: await readChannelReads(gateway, input.channel_code, input.hours) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [requestsList, requestsStory, channelReads] as const
