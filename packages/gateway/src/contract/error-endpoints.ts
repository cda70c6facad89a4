import { z } from 'zod'
import { dataOf, endpoint, Reply } from './endpoint.ts'
import { errorCodes, errorTable, GatewayError, isErrorCode } from './errors.ts'
import type { Language } from './language.ts'
import { texts } from './texts/texts.ts'

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
  method: 'GET',
  path: '/api/v1/errors',
  since: '1.4.0',
  access: 'public',
  errors: [],
  params: {},
  query: {},
  result: dataOf(z.array(entry)),

  handle({ call }) {
    const data = errorCodes.map((code) => described(code, call.language))
    return new Reply({ data }, ['Content-Language', call.language])
  },
})

export const errorsRead = endpoint({
  id: 'errors.read',
  method: 'GET',
  path: '/api/v1/errors/{code}',
  since: '1.4.0',
  access: 'public',
  errors: ['NOT_FOUND'],
  params: { code: z.string() },
  query: {},
  result: dataOf(entry),

  handle({ call, input }) {
    const { code } = input
    if (!isErrorCode(code))
      throw new GatewayError('NOT_FOUND', {
        param: 'code',
        say: ['error_unknown', { code }],
        hint: ['hint_error_unknown'],
      })
    return new Reply({ data: described(code, call.language) }, ['Content-Language', call.language])
  },
})

function described(code: (typeof errorCodes)[number], language: Language) {
  const { status, retryable } = errorTable[code]
  return { code, http_status: status, retryable, ...texts[language].errors[code], doc_url: `/errors/${code}` }
}
