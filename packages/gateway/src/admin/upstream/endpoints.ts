import { capabilities } from '@trade-gateway/connector'
import { z } from 'zod'
import { instantField, textField } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'
import { pauseWrites, resumeWrites } from './pause.ts'
import { describeUpstream } from './read.ts'

const translations = { zh, ko }

const minPauseSeconds = 60
const maxPauseSeconds = 24 * 60 * 60
const maxReasonCharacters = 200

const writes = z.object({
  enabled: z.boolean(),
  paused_at: instantField.nullable(),
  paused_until: instantField.nullable(),
  paused_by: z.string().nullable(),
  reason: z.string().nullable(),
})

const writeFields = {
  enabled: 'Whether the configuration allows writes (`WRITES_ENABLED`)',
  paused_at: 'When the pause began; null without a pause',
  paused_until: 'When the pause ends by itself; null without a pause',
  paused_by: 'Who paused writes, as named in `X-Admin-Actor`',
  reason: 'Why writes are paused, for other operators; channels do not see it',
}

const operation = z.object({
  operation: z.string(),
  calls: z.int(),
  failures: z.int(),
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  last_error: z.object({ at: instantField, result: z.string() }).nullable(),
})

export const upstreamRead = endpoint({
  id: 'admin.upstream.read',
  group: 'admin',
  summary: 'Show the connection to the ERP',
  description:
    'The ERP as this process sees it: the circuit breaker, what the ERP says it can do, the guarantee of a write, and whether writes are paused. The figures of `operations` are what this process measured since `measured_since`; another process has its own.',
  fields: {
    ...writeFields,
    name: 'The name that the ERP gives itself; null until it has been reached',
    sandbox: 'Whether the ERP is the built-in sandbox',
    verdict: '`answers`, `does_not_answer`, or `not_asked_yet` after a start',
    last_answer_seconds: 'Seconds since the ERP’s last response; null before the first one',
    circuit:
      '`closed`: calls are sent; `open`: none is sent; `half_open`: one call tries whether the ERP is back',
    since: 'Since when the circuit breaker is in this state',
    capabilities: 'What the ERP says it can do; null until it has been reached',
    dedupes_by_reference: 'A write with a known reference returns the existing document',
    lookup:
      'Whether a look-up by reference sees every commit (`strong`), sees it later (`eventual`), or is missing',
    lookup_lag_ms: 'Milliseconds after which a look-up sees a commit',
    max_request_ms: 'Milliseconds after which a sent request no longer takes effect',
    changes: 'How the ERP reports changes of stock: `push`, `poll` or `none`',
    stock_seq: 'Whether stock figures show which of two is newer',
    holds: 'Whether the ERP can hold stock, and whether such a hold expires there',
    serialise: 'Which writes must not run at the same time',
    ledger: 'Whether the ERP has statements',
    sign_in: 'Whether OMS accounts can sign in',
    settles: 'Whether the ERP can finish or fence a write of unknown outcome',
    hint_lag_ms: 'Milliseconds after which the ERP has reported a change at the latest',
    allocates_from: 'Whether one order is allocated from `one` warehouse or from `many`',
    max_lines: 'The largest number of lines of an order',
    guarantee: 'The guarantee of a write; null until the ERP has been reached',
    class: '`exactly_once`, `exactly_once_bounded` or `at_most_once`',
    says: 'The guarantee in words',
    measured_since: 'The start of the measurement in this process',
    operations: 'The operations that were called, by name',
    operation: 'The connector’s operation',
    calls: 'Calls; the retries of a read count as one',
    failures: 'Calls without a response; a refusal is a response',
    p50_ms: 'Milliseconds within which half of the calls ended, to 5 %',
    p95_ms: 'Milliseconds within which 95 % of the calls ended, to 5 %',
    last_error: 'The newest failure; null without one',
    at: 'When the call failed',
    result: '`timeout`, `unreachable`, `failed`, `malformed`, or `not_sent` if the call was not let through',
    writes: 'Whether writes may reach the ERP',
    left_out: 'Rows of the ERP that this process left out, because no database can store their text',
  },
  translations,
  method: 'GET',
  path: '/admin/api/upstream',
  access: 'admin',
  polled: true,
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(
    z.object({
      name: z.string().nullable(),
      sandbox: z.boolean(),
      verdict: z.enum(['answers', 'does_not_answer', 'not_asked_yet']),
      last_answer_seconds: z.int().nullable(),
      circuit: z.enum(['closed', 'open', 'half_open']),
      since: instantField,
      capabilities: capabilities.nullable(),
      guarantee: z
        .object({
          class: z.enum(['exactly_once', 'exactly_once_bounded', 'at_most_once']),
          says: z.string(),
        })
        .nullable(),
      measured_since: instantField,
      operations: z.array(operation),
      writes,
      left_out: z.int(),
    }),
  ),

  handle({ gateway }) {
    return { data: describeUpstream(gateway) }
  },
})

export const upstreamPause = endpoint({
  id: 'admin.upstream.pause',
  group: 'admin',
  summary: 'Pause writes to the ERP',
  description:
    'Refuses every write to the ERP with `READ_ONLY_MODE` until the stated end, within a second in every process. `Retry-After` names the seconds that are left. Writes of unknown outcome are still looked up, and holds stay. The pause ends by itself; a second pause replaces the first.',
  fields: {
    ...writeFields,
    seconds: 'Length of the pause from now on, in seconds',
  },
  translations,
  method: 'POST',
  path: '/admin/api/upstream/pause',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({
    seconds: z.int().min(minPauseSeconds).max(maxPauseSeconds),
    reason: textField(maxReasonCharacters).trim().optional(),
  }),
  example: { seconds: 900, reason: 'The ERP is being updated' },
  result: toDataSchema(writes),

  async handle({ gateway, call, input }) {
    return { data: await pauseWrites({ gateway, call }, input) }
  },
})

export const upstreamResume = endpoint({
  id: 'admin.upstream.resume',
  group: 'admin',
  summary: 'Resume writes to the ERP',
  description: 'Ends the pause of writes within a second in every process. Without a pause, nothing happens.',
  fields: {
    ...writeFields,
    expected_paused_at:
      '`paused_at` of the pause that you saw; if another one lasts by now, nothing is changed',
  },
  translations,
  method: 'DELETE',
  path: '/admin/api/upstream/pause',
  access: 'admin',
  errors: [],
  params: {},
  query: { expected_paused_at: instantField.optional() },
  result: toDataSchema(writes),

  async handle({ gateway, call, input }) {
    return { data: await resumeWrites({ gateway, call }, input.expected_paused_at) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [upstreamRead, upstreamPause, upstreamResume] as const
