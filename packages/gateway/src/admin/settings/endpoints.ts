import { z } from 'zod'
import { settingSources } from '../../config.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const setting = z
  .object({
    name: z.string(),
    value: z.string().nullable(),
    source: z.enum(settingSources),
    secret: z.boolean(),
    set: z.boolean(),
  })
  .meta({ id: 'Setting' })

export const settingsList = endpoint({
  id: 'admin.settings.list',
  group: 'admin',
  summary: 'List the settings',
  description:
    'The settings of this process: the value of each and where it came from. Secrets are never shown. Of an address, user, password and query are left out.',
  fields: {
    name: 'The name of the setting',
    value: 'The value as it is written; null for a secret, and without a value',
    source:
      '`environment`: the environment or the command line; `file`: `.env` or `settings.env`; `default`: not set',
    secret: 'Whether the value is a secret',
    set: 'Whether a value was given',
  },
  translations,
  method: 'GET',
  path: '/admin/api/settings',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  result: toDataSchema(z.array(setting)),

  handle({ gateway }) {
    return { data: [...gateway.config.settings] }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [settingsList] as const
