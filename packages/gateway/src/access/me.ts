import type { Caller } from '../contract/call.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { readOrRecallWebhookHealth } from './webhook-health.ts'

/** Describes the caller's own token, channel and permissions (`GET /me`). */
export async function describeToken(gateway: Gateway, caller: Caller) {
  const { config, mirror, quota, clock } = gateway
  const { account, token } = caller
  const { remaining, resetSeconds } = quota.points.readState(
    caller.channel_code,
    caller.points_per_minute,
    clock.monotonic(),
  )
  return {
    account: account
      ? {
          account_id: account.account_id,
          name: account.name,
          kind: 'oms_user' as const,
          username: account.username,
        }
      : {
          account_id: caller.channel_code,
          name: caller.channel_name,
          kind: 'channel' as const,
          username: null,
        },
    channel: { channel_code: caller.channel_code, name: caller.channel_name, plan: caller.plan },
    grant_type: caller.grant_type,
    sandbox: gateway.upstream.isSandbox,
    warehouses: mirror.stock
      .warehouses()
      .filter(({ warehouse_code }) => caller.allowlist?.has(warehouse_code) ?? true)
      .map(({ warehouse_code, name, kind }) => ({ warehouse_code, name, kind })),
    permissions: [...caller.capabilities],
    switches: {
      writes_enabled: gateway.upstream.writes.isOpen,
      wholesale_enabled: caller.switches.wholesale,
      dropship_enabled: caller.switches.dropship,
      webhooks_enabled: caller.switches.webhooks,
    },
    rate_limit: { limit: caller.points_per_minute, remaining, reset_seconds: resetSeconds },
    token: { expires_at: formatInstant(token.expires_at), legacy: token.legacy },
    deprecations: token.legacy
      ? [{ what: 'legacy_token', sunset: formatInstant(config.legacyTokens.until) }]
      : [],
    webhook_health: await readOrRecallWebhookHealth(gateway, caller.channel_code),
  }
}
