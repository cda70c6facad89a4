import { z } from 'zod'
import { issueVisitorToken } from '../../access/visitors.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

export const visitorToken = endpoint({
  id: 'visitors.token',
  group: 'support',
  summary: 'Get a visitor’s token for the sandbox',
  description:
    'Issues a token that reads stock and products of the sandbox. The pages call it, so that a reader can try a call without an account. In front of another ERP it returns `NOT_FOUND`.',
  fields: { access_token: 'The token for the `Authorization` header', expires_at: 'When the token ends' },
  translations: { zh, ko },
  method: 'POST',
  path: '/visitor-token',
  access: 'public',
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'AUTH_INVALID_TOKEN'],
  params: {},
  query: {},
  result: toDataSchema(z.object({ access_token: z.string(), expires_at: z.string() })),

  async handle({ gateway, call }) {
    const { access_token, expires_at } = await issueVisitorToken(gateway, call)
    return { data: { access_token, expires_at } }
  },
})
