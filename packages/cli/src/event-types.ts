import type { Sent } from '@trade-gateway/sdk'

/** The types of events that the gateway sends to webhooks. */
export const eventTypes = ['order.created', 'stock.changed'] as const satisfies EventType[]

export type EventType = Sent<'webhook_endpoints.create'>['event_types'][number]
