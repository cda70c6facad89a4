/**
 * Tokens for readers of the documentation, who try reads in the sandbox without an account. They belong to a channel of
 * their own with the plan `reader` and without a customer. So a visitor orders nothing and sees no document of others.
 */

import type { Call } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { refusePausedChannel } from '../identity/sessions.ts'
import { ensureChannel, generateSecret } from './channels.ts'
import { createSession } from './grants.ts'

/** The plan of visitors, whose rights decide which calls a page offers to them. */
export const visitorPlan = 'reader'
const visitors = {
  channel_code: 'sandbox-visitors',
  name: 'Visitors of the documentation',
  plan: visitorPlan,
  warehouse_allowlist: [],
  customer_code: null,
  points_per_minute: null,
  wholesale_enabled: false,
  dropship_enabled: false,
  webhooks_enabled: false,
} as const
const maxTokensPerAddress = 10
const maxTokensOverAll = 120

/**
 * Issues a token to a visitor. Throws `NOT_FOUND` unless the ERP is the sandbox, and `RATE_LIMITED` if the address, or
 * all addresses together, asked too often in a minute. An operator ends it by pausing or deleting the channel.
 */
export async function issueVisitorToken(gateway: Gateway, { address }: Call) {
  if (!gateway.upstream.isSandbox) throw new GatewayError('NOT_FOUND')
  await limitTokens(gateway, `visitors ${address ?? 'unknown'}`, maxTokensPerAddress)
  await limitTokens(gateway, 'visitors', maxTokensOverAll)
  const channel = await findChannel(gateway)
  if (channel.deleted_at !== null) throw new GatewayError('NOT_FOUND')
  refusePausedChannel(channel)
  const { data } = await createSession(gateway, { ...channel, grant_type: 'client_credentials' })
  return data
}

/** The channel is created for the first visitor. Nobody gets its secret. */
async function findChannel(gateway: Gateway) {
  const { channel_code } = visitors
  const read = () =>
    gateway.store.db
      .selectFrom('channels')
      .select(['channel_code', 'plan', 'paused', 'deleted_at'])
      .where('channel_code', '=', channel_code)
      .executeTakeFirst()
  const found = await read()
  if (found) return found
  const { value: client_secret } = generateSecret(gateway)
  await ensureChannel(gateway, { ...visitors, client_id: gateway.ids.next('cli'), client_secret })
  return (await read()) ?? Promise.reject(new GatewayError('NOT_FOUND'))
}

async function limitTokens({ quota, clock }: Gateway, subject: string, limit: number): Promise<void> {
  const { paid, retryAfter } = await quota.addresses.take(subject, 1, limit, clock.monotonic())
  if (!paid) throw new GatewayError('RATE_LIMITED', { retryAfter })
}
