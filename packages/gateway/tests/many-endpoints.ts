import type { WebhookEndpointRow } from '../src/store/tables.ts'
import { createSecret, sealSecret } from '../src/webhooks/sign.ts'
import type { TestGateway } from './harness.ts'

const columns = [
  'endpoint_id',
  'channel_code',
  'url',
  'event_types',
  'warehouse_codes',
  'secret_sealed',
  'formers',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof WebhookEndpointRow)[]

/** Adds webhook endpoints with their queues, more than a channel may register. Returns them in the order of their ids. */
export async function addEndpoints(
  { gateway }: TestGateway,
  channel_code: string,
  { name, count }: { readonly name: string; readonly count: number },
): Promise<Pick<WebhookEndpointRow, (typeof columns)[number]>[]> {
  const { store, clock } = gateway
  const now = clock.now()
  const rows = Array.from({ length: count }, (_, at) => {
    const owner = { endpoint_id: `whe_${name}_${String(at).padStart(5, '0')}`, channel_code }
    return {
      ...owner,
      url: `https://receiver.example/${name}/${at}`,
      event_types: '["order.created","stock.changed"]',
      warehouse_codes: '[]',
      secret_sealed: sealSecret(gateway, owner, createSecret(gateway)),
      formers: '[]',
      created_at: now,
      updated_at: now,
    }
  })
  const queues = rows.map(({ endpoint_id }) => ({ endpoint_id, leased_until: 0 }))
  await store.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('webhook_endpoints')
      .columns(columns)
      .expression(store.bulk.rows('webhook_endpoints', columns, rows))
      .execute()
    await tx
      .insertInto('webhook_queues')
      .columns(['endpoint_id', 'leased_until'])
      .expression(store.bulk.rows('webhook_queues', ['endpoint_id', 'leased_until'], queues))
      .execute()
  })
  return rows
}

let numbered = 0

/** Adds numbered `order.created` events of a channel. */
export async function addOrderEvents(
  { gateway: { store, clock } }: TestGateway,
  channel_code: string,
  { name, count }: { readonly name: string; readonly count: number },
) {
  const events = Array.from({ length: count }, (_, at) => ({
    event_id: `evt_${name}_${String(at).padStart(5, '0')}`,
    number: ++numbered,
    type: 'order.created',
    channel_code,
    warehouse_code: null,
    request_id: name,
    occurred_at: clock.now(),
    data: '{}',
  }))
  await store.db.insertInto('events').values(events).execute()
  return events
}
