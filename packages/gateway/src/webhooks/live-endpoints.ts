import type { Db, Tx } from '../store/store.ts'

/** Builds the query for the endpoints that receive events: neither they nor their channels are deleted. */
export function buildLiveEndpointsQuery(db: Db | Tx) {
  return db
    .selectFrom('webhook_endpoints')
    .innerJoin('channels', 'channels.channel_code', 'webhook_endpoints.channel_code')
    .select([
      'webhook_endpoints.endpoint_id',
      'webhook_endpoints.channel_code',
      'webhook_endpoints.event_types',
      'webhook_endpoints.warehouse_codes',
      'webhook_endpoints.created_at',
      'channels.warehouse_allowlist',
    ])
    .where('webhook_endpoints.deleted_at', 'is', null)
    .where('channels.deleted_at', 'is', null)
}
