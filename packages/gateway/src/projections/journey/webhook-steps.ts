import type { Step } from './step.ts'

/** Webhooks, which the sandbox's inbox receives, and the events behind them. */
export const webhookSteps: { readonly register: readonly Step[]; readonly look: readonly Step[] } = {
  register: [
    {
      endpoint: 'webhook_endpoints.create',
      body: { url: '{{base_url}}/sandbox/inbox/orders', event_types: ['order.created'] },
      keep: { endpoint_id: 'data.endpoint_id' },
    },
    { endpoint: 'webhook_endpoints.list', query: { page_size: '2' } },
    { endpoint: 'webhook_endpoints.read' },
    {
      endpoint: 'webhook_endpoints.change',
      body: { event_types: ['order.created', 'stock.changed'], warehouse_codes: ['AUSYD1'] },
    },
    { endpoint: 'webhook_endpoints.rotate' },
    { endpoint: 'webhook_endpoints.test', keep: { delivery_id: 'data.delivery_id' } },
  ],
  look: [
    { endpoint: 'events.types' },
    {
      endpoint: 'events.list',
      query: { type: 'order.created', page_size: '2' },
      keep: { event_id: 'data.0.event_id' },
      waits: true,
    },
    { endpoint: 'events.read' },
    { endpoint: 'webhook_deliveries.list', query: { endpoint_id: '{{endpoint_id}}', page_size: '1' } },
    { endpoint: 'webhook_deliveries.read' },
    { endpoint: 'webhook_deliveries.redeliver' },
    {
      endpoint: 'sandbox.inbox.read',
      params: { name: 'orders' },
      keep: { received: 'data.messages.0.event_id' },
      waits: true,
    },
    { endpoint: 'sandbox.inbox.fail', params: { name: 'orders' }, body: { fail_times: 1 } },
    { endpoint: 'sandbox.inbox.empty', params: { name: 'orders' } },
    { endpoint: 'webhook_endpoints.delete' },
  ],
}
