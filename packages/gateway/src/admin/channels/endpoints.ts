import { z } from 'zod'
import {
  changeChannel,
  createChannel,
  createSecret,
  deleteSecret,
  listChannels,
  readChannel,
} from '../../access/channels.ts'
import { deleteChannel } from '../../access/delete-channel.ts'
import { planNames } from '../../contract/call.ts'
import { codeField, instantField, paging, textField, toListSchema, window } from '../../contract/fields.ts'
import { endpoint, toDataSchema } from '../../endpoint.ts'
import { requireKnownWarehouses } from './allowlist.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

const translations = { zh, ko }

const channelCode = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)
const minPointsPerMinute = 60
const maxPointsPerMinute = 1_000_000_000

const fields = {
  name: textField(200),
  plan: z.enum(planNames),
  warehouse_allowlist: z.array(codeField()).max(100),
  customer_code: codeField().nullable(),
  points_per_minute: z.int().min(minPointsPerMinute).max(maxPointsPerMinute).nullable(),
  wholesale_enabled: z.boolean(),
  dropship_enabled: z.boolean(),
  webhooks_enabled: z.boolean(),
}

const channel = z.object({
  channel_code: z.string(),
  client_id: z.string(),
  ...fields,
  paused: z.boolean(),
  secrets: z.array(z.object({ secret_id: z.string(), created_at: instantField })),
  created_at: instantField,
  updated_at: instantField,
  deleted: z.boolean(),
})

const one = { channel_code: z.string() }

export const channelsCreate = endpoint({
  id: 'admin.channels.create',
  group: 'admin',
  summary: 'Create a channel',
  description: 'Returns the channel with its client secret. No later response contains the secret.',
  translations,
  method: 'POST',
  path: '/admin/api/channels',
  access: 'admin',
  errors: [],
  params: {},
  query: {},
  body: z.object({
    channel_code: channelCode,
    name: fields.name,
    plan: fields.plan,
    warehouse_allowlist: fields.warehouse_allowlist.default([]),
    customer_code: fields.customer_code.default(null),
    points_per_minute: fields.points_per_minute.default(null),
    wholesale_enabled: fields.wholesale_enabled.default(true),
    dropship_enabled: fields.dropship_enabled.default(true),
    webhooks_enabled: fields.webhooks_enabled.default(true),
  }),
  example: { channel_code: 'corner-shop', name: 'Corner Shop', plan: 'trader' },
  result: toDataSchema(channel.extend({ client_secret: z.string() })),
  status: 201,

  async handle({ gateway, call, input }) {
    requireKnownWarehouses(gateway, input.warehouse_allowlist)
    const { channel_code, ...given } = input
    return { data: await createChannel({ gateway, call }, channel_code, given) }
  },
})

export const channelsList = endpoint({
  id: 'admin.channels.list',
  group: 'admin',
  summary: 'List channels',
  description: 'Every channel with its plan, allowlist, quota and secrets (never their values).',
  translations,
  method: 'GET',
  path: '/admin/api/channels',
  access: 'admin',
  errors: [],
  params: {},
  query: { ...paging, ...window },
  result: toListSchema(channel),

  handle({ gateway, input }) {
    return listChannels(gateway, input)
  },
})

export const channelsRead = endpoint({
  id: 'admin.channels.read',
  group: 'admin',
  summary: 'Read a channel',
  description: 'One channel with its plan, allowlist, quota and switches.',
  translations,
  method: 'GET',
  path: '/admin/api/channels/{channel_code}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: toDataSchema(channel),

  async handle({ gateway, input }) {
    return { data: await readChannel(gateway.store.db, input.channel_code) }
  },
})

export const channelsChange = endpoint({
  id: 'admin.channels.change',
  group: 'admin',
  summary: 'Change a channel',
  description:
    'Changes name, plan, allowlist, customer, quota and switches, or pauses the channel. Live tokens use the change within a second. A paused channel gets `AUTH_INVALID_TOKEN` for its tokens and for new sign-ins, until it is resumed. With `expected_updated_at`, the change is refused if somebody else has changed the channel since.',
  fields: {
    expected_updated_at:
      '`updated_at` of the channel that you saw; if it is another by now, nothing is changed',
  },
  translations,
  method: 'PATCH',
  path: '/admin/api/channels/{channel_code}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  body: z.object({ ...fields, paused: z.boolean(), expected_updated_at: instantField }).partial(),
  example: { plan: 'trader', expected_updated_at: '2026-11-21T12:00:00.000Z' },
  result: toDataSchema(channel),

  async handle({ gateway, call, input }) {
    const { channel_code, expected_updated_at: expected, ...given } = input
    requireKnownWarehouses(gateway, given.warehouse_allowlist ?? [])
    return { data: await changeChannel({ gateway, call }, channel_code, { fields: given, expected }) }
  },
})

export const channelsDelete = endpoint({
  id: 'admin.channels.delete',
  group: 'admin',
  summary: 'Delete a channel',
  description:
    'Revokes the channel’s secrets and tokens, and declines its pending plan request. The code cannot be used again.',
  translations,
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: toDataSchema(channel),

  async handle({ gateway, call, input }) {
    return { data: await deleteChannel({ gateway, call }, input.channel_code) }
  },
})

export const secretsCreate = endpoint({
  id: 'admin.secrets.create',
  group: 'admin',
  summary: 'Issue a client secret',
  description:
    'Returns the secret. No later response contains it. Older secrets stay valid until they are deleted.',
  translations,
  method: 'POST',
  path: '/admin/api/channels/{channel_code}/secrets',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: one,
  query: {},
  result: toDataSchema(
    z.object({
      secret_id: z.string(),
      client_id: z.string(),
      client_secret: z.string(),
      created_at: instantField,
    }),
  ),
  status: 201,

  async handle({ gateway, call, input }) {
    return { data: await createSecret({ gateway, call }, input.channel_code) }
  },
})

export const secretsDelete = endpoint({
  id: 'admin.secrets.delete',
  group: 'admin',
  summary: 'Delete a client secret',
  description: 'Revokes the secret and the tokens that were issued for it.',
  translations,
  method: 'DELETE',
  path: '/admin/api/channels/{channel_code}/secrets/{secret_id}',
  access: 'admin',
  errors: ['NOT_FOUND'],
  params: { ...one, secret_id: z.string() },
  query: {},
  result: toDataSchema(channel),

  async handle({ gateway, call, input }) {
    return { data: await deleteSecret({ gateway, call }, input.channel_code, input.secret_id) }
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [
  channelsCreate,
  channelsList,
  channelsRead,
  channelsChange,
  channelsDelete,
  secretsCreate,
  secretsDelete,
] as const
