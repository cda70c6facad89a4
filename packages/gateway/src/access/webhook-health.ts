import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'

/** How the webhooks of a channel are doing, for `GET /me`: nobody should have to find out by silence. */
export interface WebhookHealth {
  /** Deliveries that were given up and not sent again since; counted up to a thousand. */
  readonly dead_letters: number
  readonly last_failure_at: string | null
  /** The HTTP status of that failure; null where no answer came. */
  readonly last_failure_status: number | null
}

const mostCounted = 1_000
const unknown: WebhookHealth = { dead_letters: 0, last_failure_at: null, last_failure_status: null }
/** What was last known of each channel: while the store is away, `/me` tells that. */
const lastKnown = new WeakMap<Gateway, Map<string, WebhookHealth>>()
const mostRemembered = 10_000

export async function webhookHealth(gateway: Gateway, channel_code: string): Promise<WebhookHealth> {
  const known = lastKnown.get(gateway) ?? new Map<string, WebhookHealth>()
  lastKnown.set(gateway, known)
  try {
    const health = await readHealth(gateway, channel_code)
    if (known.size >= mostRemembered) known.clear()
    known.set(channel_code, health)
    return health
  } catch (error) {
    gateway.log.warn({ error, channel_code }, 'the health of webhooks could not be read')
    return known.get(channel_code) ?? unknown
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
      .limit(mostCounted)
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
    last_failure_at: last?.last_failure_at ? instant(last.last_failure_at) : null,
    last_failure_status: last?.last_failure_status ?? null,
  }
}
