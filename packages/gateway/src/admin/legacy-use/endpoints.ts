import { z } from 'zod'
import { instantField } from '../../contract/fields.ts'
import { endpoint } from '../../endpoint.ts'
import { readLegacyUse } from '../../requests/legacy-use.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const legacyUse = z
  .object({
    channel_code: z.string().nullable(),
    token_calls: z.int(),
    path_calls: z.int(),
    paths: z.array(z.object({ path: z.string(), calls: z.int() })),
    last_used_at: instantField,
  })
  .meta({ id: 'LegacyUse' })

export const legacyUseRead = endpoint({
  id: 'admin.legacy_use.read',
  group: 'admin',
  summary: 'Show who uses the legacy gateway',
  description:
    'Calls of the last 31 days with tokens of the legacy gateway and of its paths `/Api/*`, the callers with the most calls first. These channels must move before `until`. Counts of other processes arrive within seconds.',
  fields: {
    until: 'When tokens of the legacy gateway end (`LEGACY_TOKENS_UNTIL`)',
    channel_code: 'The channel; null for calls without a valid token',
    token_calls: 'Calls with a legacy token',
    path_calls: 'Calls of legacy paths, which all failed with `ENDPOINT_GONE`',
    paths: 'The legacy paths with the most calls, at most 50. `/api/*`: further unknown paths',
    path: 'A legacy path in lower case',
    calls: 'Calls of this path',
    last_used_at: 'When the last of these calls was',
  },
  translations,
  method: 'GET',
  path: '/admin/api/legacy-use',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  result: z.object({ until: instantField, data: z.array(legacyUse) }),

  handle({ gateway }) {
    return readLegacyUse(gateway)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [legacyUseRead] as const
