import { z } from 'zod'
import { instantField, wholeNumberField } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { readOverview } from './read.ts'

const translations = { zh, ko }

const maxHours = 168
const defaultHours = 24

const milliseconds = z.number().nullable()

export const overviewRead = endpoint({
  id: 'admin.overview.read',
  group: 'admin',
  summary: 'Show the overview',
  description:
    'Figures of the newest hours over all processes: requests, errors, channels, webhooks, and what a person should look at. Other processes add theirs every ten seconds. The operator’s own calls do not count. An agent’s action counts as its request and as each call that it makes.',
  fields: {
    hours: 'How many hours, the running one included',
    period: 'The hours of the overview; `since` is the start of the first one',
    since: 'The start of the first hour',
    until: 'Now, by the gateway’s clock',
    requests: 'All requests of the period',
    total: 'Requests',
    failed: 'Of `requests`: those with a status of 400 or above. Of `webhooks`: attempts without success',
    points: 'Points that the requests cost',
    p50_ms: 'Milliseconds within which half of the requests ended, to 5 %; null without requests',
    p95_ms: 'Milliseconds within which 95 % of the requests ended, to 5 %; null without requests',
    series: 'One entry per hour, oldest first',
    at: 'The start of the hour',
    calls: 'Requests',
    failures: 'Requests with a status of 400 or above',
    gateway_ms: 'Mean milliseconds of a request within the gateway, without the ERP; null without requests',
    upstream_ms: 'Mean milliseconds of the calls to the ERP, per request that made any; null without one',
    webhooks_delivered: 'Successful attempts of webhooks',
    webhooks_failed: 'Attempts of webhooks without success',
    errors: 'Failed requests by error code, most frequent first',
    code: 'The error code',
    count: 'Requests that failed with this code',
    channels: 'The channels with the most points, at most 50',
    webhooks: 'Attempts of webhooks in the period',
    delivered: 'Successful attempts',
    dead_letters:
      'Of `webhooks`: deliveries given up in the period. Of `attention`: all that were not sent again',
    stock: 'The copies of the stock by warehouse code',
    age_seconds: 'Seconds since the copy was last known to equal the ERP’s stock; null before the first read',
    attention: 'What a person should look at; no number is counted beyond 10,000',
    plan_requests: 'Plan requests that are not decided',
    lockouts: 'OMS accounts and addresses that are locked after wrong passwords',
    writes_in_doubt: 'Writes to the ERP that have been open for more than a minute',
    by_person: 'Of `writes_in_doubt`: those that only a person can settle',
    legacy_channels: 'Channels that used a legacy token in the period, counted to 50',
  },
  translations,
  method: 'GET',
  path: '/admin/api/overview',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: { hours: wholeNumberField(1, maxHours).default(defaultHours) },
  result: toDataSchema(
    z.object({
      period: z.object({ since: instantField, until: instantField }),
      requests: z.object({
        total: z.int(),
        failed: z.int(),
        points: z.int(),
        p50_ms: milliseconds,
        p95_ms: milliseconds,
      }),
      series: z.array(
        z.object({
          at: instantField,
          calls: z.int(),
          failures: z.int(),
          points: z.int(),
          gateway_ms: milliseconds,
          upstream_ms: milliseconds,
          webhooks_delivered: z.int(),
          webhooks_failed: z.int(),
        }),
      ),
      errors: z.array(z.object({ code: z.string(), count: z.int() })),
      channels: z.array(
        z.object({ channel_code: z.string(), calls: z.int(), points: z.int(), failures: z.int() }),
      ),
      webhooks: z.object({ delivered: z.int(), failed: z.int(), dead_letters: z.int() }),
      stock: z.array(z.object({ warehouse_code: z.string(), age_seconds: z.int().nullable() })),
      attention: z.object({
        dead_letters: z.int(),
        plan_requests: z.int(),
        lockouts: z.int(),
        writes_in_doubt: z.int(),
        by_person: z.int(),
        legacy_channels: z.int(),
      }),
    }),
  ),

  async handle({ gateway, input }) {
    return { data: await readOverview(gateway, input.hours) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [overviewRead] as const
