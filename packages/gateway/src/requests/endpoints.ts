import { z } from 'zod'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { readRequestTrace, requestTrace } from './read.ts'

const translations = { zh, ko }

export const requestsRead = endpoint({
  id: 'requests.read',
  group: 'support',
  summary: 'Find a request by its id',
  description:
    'What happened to a request of your channel: status, error code, points, duration, the calls to the ERP, and the events and webhook deliveries that followed. Writes, failures and slow reads are found for 14 days. Other reads are only counted. If you used the same `X-Request-Id` several times, you get every request, newest first.',
  fields: {
    account_id: 'The OMS account of the token; null for a token of the channel',
    client_order_number:
      'Your order number in the body of the request, also if the request was refused; null without one',
  },
  translations,
  method: 'GET',
  path: '/api/v1/requests/{request_id}',
  access: 'bearer',
  cost: 1,
  errors: ['NOT_FOUND'],
  params: { request_id: z.string() },
  query: {},
  result: toDataSchema(requestTrace),

  handle({ gateway, caller, input }) {
    return readRequestTrace(gateway, caller, input.request_id)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [requestsRead] as const
