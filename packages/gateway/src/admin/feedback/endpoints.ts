import { z } from 'zod'
import { instantField, wholeNumberField } from '../../contract/fields.ts'
import { endpoint } from '../../endpoint.ts'
import { listVotes } from '../../feedback/votes.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const count = z.int()
const pageVotes = z
  .object({
    page: z.string(),
    helpful: count,
    unclear: count,
    incomplete: count,
    wrong: count,
    other: count,
    last_at: instantField,
  })
  .meta({ id: 'PageVotes' })

export const feedbackList = endpoint({
  id: 'admin.feedback.list',
  group: 'admin',
  summary: 'List how helpful pages are',
  description:
    'Pages of the documentation that readers rated, those with the most complaints first. Only counts are kept, for 400 days.',
  fields: {
    days: 'How many days back the votes are counted',
    page: 'The path of the page',
    helpful: 'Votes that the page was helpful',
    unclear: 'Votes that the page is hard to understand',
    incomplete: 'Votes that something is missing',
    wrong: 'Votes that something is wrong',
    other: 'Votes that the page was not helpful, without a reason',
    last_at: 'The day of the last vote',
  },
  translations: { zh, ko },
  method: 'GET',
  path: '/admin/api/feedback',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: { days: wholeNumberField(1, 400).default(90) },
  result: z.object({ data: z.array(pageVotes) }),

  async handle({ gateway, input }) {
    return { data: await listVotes(gateway, input.days) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [feedbackList] as const
