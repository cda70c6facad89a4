import { z } from 'zod'
import { GatewayError } from '../../contract/errors.ts'
import { languages } from '../../contract/language.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { countVote, verdicts } from '../../feedback/votes.ts'
import { listPagePaths } from '../site.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const maxPathLength = 120

export const feedbackCreate = endpoint({
  id: 'feedback.create',
  group: 'support',
  summary: 'Rate a page of the documentation',
  description:
    'Counts whether a page was helpful, and if not, why. The pages call it. Only the count is kept: no address, no text and no account.',
  fields: {
    page: 'The path of the page',
    language: 'The language in which it was read',
    verdict: '`helpful`, or why the page was not helpful',
  },
  translations: { zh, ko },
  method: 'POST',
  path: '/feedback',
  access: 'public',
  errors: ['RATE_LIMITED'],
  params: {},
  query: {},
  body: z.object({
    page: z.string().max(maxPathLength),
    language: z.enum(languages),
    verdict: z.enum(verdicts),
  }),
  example: { page: '/docs/quickstart', language: 'en', verdict: 'helpful' },
  result: toDataSchema(z.object({ page: z.string() })),

  async handle({ gateway, call, input }) {
    if (!listPagePaths().includes(input.page)) throw new GatewayError('VALIDATION_FAILED', { param: 'page' })
    await countVote(gateway, call, input)
    return { data: { page: input.page } }
  },
})
