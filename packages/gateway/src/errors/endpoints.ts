import { z } from 'zod'
import { errorCodes, errorTable, isErrorCode } from '../contract/error-table.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Language } from '../contract/language.ts'
import { Reply } from '../contract/reply.ts'
import { texts } from '../contract/texts/texts.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const fields = { retryable: 'Whether a retry helps as a rule; the `retryable` of the response decides' }

const entry = z
  .object({
    code: z.string(),
    http_status: z.int(),
    retryable: z.boolean(),
    title: z.string(),
    message: z.string(),
    hint: z.string(),
    when: z.string(),
    doc_url: z.string(),
  })
  .meta({ id: 'ErrorEntry' })

export const errorsList = endpoint({
  id: 'errors.list',
  group: 'support',
  summary: 'List error codes',
  description:
    'Every stable error code with its status, its texts in the caller’s language, and whether a retry may succeed.',
  fields,
  translations,
  method: 'GET',
  path: '/api/v1/errors',
  access: 'public',
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(z.array(entry)),

  handle({ call }) {
    const data = errorCodes.map((code) => describeError(code, call.language))
    return new Reply({ data }, ['Content-Language', call.language])
  },
})

export const errorsRead = endpoint({
  id: 'errors.read',
  group: 'support',
  summary: 'Read an error code',
  description: 'One entry of the error catalogue.',
  fields,
  translations,
  method: 'GET',
  path: '/api/v1/errors/{code}',
  access: 'public',
  errors: ['NOT_FOUND'],
  params: { code: z.string() },
  query: {},
  result: toDataSchema(entry),

  handle({ call, input }) {
    const { code } = input
    if (!isErrorCode(code))
      throw new GatewayError('NOT_FOUND', {
        param: 'code',
        say: ['error_unknown', { code }],
        hint: ['hint_error_unknown'],
      })
    return new Reply({ data: describeError(code, call.language) }, ['Content-Language', call.language])
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [errorsList, errorsRead] as const

function describeError(code: (typeof errorCodes)[number], language: Language) {
  const { status, retryable } = errorTable[code]
  return { code, http_status: status, retryable, ...texts[language].errors[code], doc_url: `/errors/${code}` }
}
