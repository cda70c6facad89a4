import { z } from 'zod'
import type { Caller } from '../contract/call.ts'
import { dataOf, endpoint } from '../contract/endpoint.ts'
import { GatewayError } from '../contract/errors.ts'
import { instantField } from '../contract/fields.ts'
import { notFound } from '../contract/not-found.ts'
import type { Gateway } from '../gateway.ts'
import { emptyInbox, failInbox, inboxShown, isInboxName } from '../webhooks/inbox.ts'

/** The sandbox's own webhook receivers, each channel's its own: looked into, told to fail, emptied. */
const mostFailures = 1_000
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
        status: z.int().meta({ description: 'What the inbox answered' }),
        headers: z.record(z.string(), z.string()),
        body: z.string().meta({ description: 'As it was sent, byte for byte' }),
        event: z.unknown(),
      }),
    ),
  })
  .meta({ id: 'Inbox' })

const common = {
  since: '1.4.0',
  path: '/sandbox/inbox/{name}',
  access: 'bearer',
  capability: 'webhooks.manage',
  errors: ['NOT_FOUND'],
  params: { name: z.string() },
  query: {},
  result: dataOf(inbox),
} as const

export const inboxRead = endpoint({
  ...common,
  id: 'sandbox.inbox.read',
  method: 'GET',
  handle({ gateway, caller, input }) {
    return shown(gateway, caller, input.name)
  },
})

export const inboxFail = endpoint({
  ...common,
  id: 'sandbox.inbox.fail',
  method: 'PATCH',
  body: z.object({
    fail_times: z.int().min(0).max(mostFailures),
    fail_status: z.int().min(300).max(599).default(500),
  }),
  example: { fail_times: 1 },
  handle({ gateway, caller, input }) {
    requireInbox(gateway, input.name)
    failInbox(gateway, caller.channel_code, input.name, input.fail_times, input.fail_status)
    return shown(gateway, caller, input.name)
  },
})

export const inboxEmpty = endpoint({
  ...common,
  id: 'sandbox.inbox.empty',
  method: 'DELETE',
  handle({ gateway, caller, input }) {
    requireInbox(gateway, input.name)
    emptyInbox(gateway, caller.channel_code, input.name)
    return shown(gateway, caller, input.name)
  },
})

function shown(gateway: Gateway, { channel_code }: Caller, name: string) {
  requireInbox(gateway, name)
  return { data: inboxShown(gateway, channel_code, name) }
}

/** Throws `NOT_FOUND` in front of any other ERP. */
function requireInbox({ upstream }: Gateway, name: string): void {
  if (!upstream.isSandbox) {
    throw new GatewayError('NOT_FOUND', { say: ['sandbox_only'], hint: ['hint_sandbox_only'] })
  }
  if (isInboxName(name)) return
  throw notFound('inbox', name, { hint: ['inbox_name'] })
}
