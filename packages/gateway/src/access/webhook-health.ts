import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import type { WebhookHealth } from '../memory.ts'

const maxCounted = 1_000
const unknown: WebhookHealth = { dead_letters: 0, last_failure_at: null, last_failure_status: null }
/** Returns the health of a channel's webhooks, or the last known health while the database does not respond. */
export async function readOrRecallWebhookHealth(
  gateway: Gateway,
  channelCode: string,
): Promise<WebhookHealth> {
  const { webhookHealth: known } = gateway.memory
  try {
    const health = await readHealth(gateway, channelCode)
    known.set(channelCode, health)
    return health
  } catch (error) {
    gateway.log.warn({ error, channel_code: channelCode }, 'the health of webhooks could not be read')
    return known.get(channelCode) ?? unknown
  }
}

async function readHealth({ store }: Gateway, channel_code: string): Promise<WebhookHealth> {
  const { db } = store
  const [dead, last] = await Promise.all([
    db
      .selectFrom('webhook_deliveries')
      .innerJoin('webhook_endpoints', 'webhook_endpoints.endpoint_id', 'webhook_deliveries.endpoint_id')
      .select('delivery_id')
      .where('webhook_deliveries.channel_code', '=', channel_code)
      .where('webhook_deliveries.status', '=', 'dead_letter')
      .where('webhook_endpoints.deleted_at', 'is', null)
      .limit(maxCounted)
      .execute(),
    db
      .selectFrom('webhook_queues')
      .innerJoin('webhook_endpoints', 'webhook_endpoints.endpoint_id', 'webhook_queues.endpoint_id')
      .select(['last_failure_at', 'last_failure_status'])
      .where('channel_code', '=', channel_code)
      .where('deleted_at', 'is', null)
      .where('last_failure_at', 'is not', null)
      .orderBy('last_failure_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ])
  return {
    dead_letters: dead.length,
    last_failure_at: last?.last_failure_at ? formatInstant(last.last_failure_at) : null,
    last_failure_status: last?.last_failure_status ?? null,
  }
}
