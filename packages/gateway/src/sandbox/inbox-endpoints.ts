/**
 * Endpoints that read the sandbox's webhook inboxes, make them fail and empty them. Each channel has its own inboxes.
 */

import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField } from '../contract/fields.ts'
import { toNotFoundError } from '../contract/not-found.ts'
import { endpoint, toDataSchema } from '../endpoint.ts'
import type { Gateway } from '../gateway.ts'
import { deleteInbox, failInbox, isInboxName, toInboxMessages } from '../webhooks/inbox.ts'
import { ko } from './endpoints.ko.ts'
import { zh } from './endpoints.zh.ts'

/** The largest number of deliveries to which an inbox can be set to respond with a failure. */
const maxFailures = 1_000
const inbox = z
  .object({
    name: z.string(),
    fail_times: z.int(),
    fail_status: z.int(),
    messages: z.array(
      z.object({
        event_id: z.string(),
        received_at: instantField,
        verified: z.boolean(),
        status: z.int().meta({ description: 'The status that the inbox returned' }),
        headers: z.record(z.string(), z.string()),
        body: z.string().meta({ description: 'The body as it was sent, byte for byte' }),
        event: z.unknown(),
      }),
    ),
  })
  .meta({ id: 'Inbox' })

const common = {
  group: 'sandbox',
  translations: { zh, ko },
  path: '/sandbox/inbox/{name}',
  access: 'bearer',
  capability: 'webhooks.manage',
  errors: ['NOT_FOUND'],
  params: { name: z.string() },
  query: {},
  result: toDataSchema(inbox),
} as const

export const inboxRead = endpoint({
  ...common,
  id: 'sandbox.inbox.read',
  summary: 'Read a sandbox inbox',
  description:
    'The webhooks that the channel’s inbox received, newest first, and whether their signatures are valid.',
  method: 'GET',
  handle({ gateway, caller, input }) {
    return toInboxJson(gateway, caller, input.name)
  },
})

export const inboxFail = endpoint({
  ...common,
  id: 'sandbox.inbox.fail',
  summary: 'Make a sandbox inbox fail',
  description: 'The inbox responds to the next `fail_times` deliveries with `fail_status`.',
  method: 'PATCH',
  businessSwitch: 'webhooks',
  body: z.object({
    fail_times: z.int().min(0).max(maxFailures),
    fail_status: z.int().min(300).max(599).default(500),
  }),
  example: { fail_times: 1 },
  async handle({ gateway, caller, input }) {
    requireInbox(gateway, input.name)
    const { channel_code } = caller
    await failInbox(
      gateway,
      { channel_code, name: input.name },
      { times: input.fail_times, status: input.fail_status },
    )
    return toInboxJson(gateway, caller, input.name)
  },
})

export const inboxEmpty = endpoint({
  ...common,
  id: 'sandbox.inbox.empty',
  summary: 'Empty a sandbox inbox',
  description: 'Deletes the received webhooks and ends the failures.',
  method: 'DELETE',
  async handle({ gateway, caller, input }) {
    requireInbox(gateway, input.name)
    await deleteInbox(gateway, caller.channel_code, input.name)
    return toInboxJson(gateway, caller, input.name)
  },
})

/** The endpoints, in the order of the documentation. */
export const endpoints = [inboxRead, inboxFail, inboxEmpty] as const

async function toInboxJson(gateway: Gateway, { channel_code }: Caller, name: string) {
  requireInbox(gateway, name)
  return { data: await toInboxMessages(gateway, channel_code, name) }
}

/** Throws `NOT_FOUND` if the ERP is not the sandbox, or if the name is not valid. */
function requireInbox({ upstream }: Gateway, name: string): void {
  if (!upstream.isSandbox) {
    throw new GatewayError('NOT_FOUND', { say: ['sandbox_only'], hint: ['hint_sandbox_only'] })
  }
  if (isInboxName(name)) return
  throw toNotFoundError('inbox', name, { hint: ['inbox_name'] })
}
