import type { Schemas } from '../resources/shapes.ts'

/** The stock of a warehouse changed. Read the change feed from your own version, or nudge a `StockMirror`. */
export type StockChangedEvent = Schemas['StockChangedEvent']

/** An order was submitted. */
export type OrderCreatedEvent = Schemas['OrderCreatedEvent']

/** A type that this version of the SDK does not know, such as `webhook.test`. */
export interface OtherEvent {
  readonly event_id: string
  readonly type: string & {}
  readonly channel_code: string
  readonly occurred_at: string
  readonly data: unknown
}

/** The body of a webhook. `event_id` is the same on every attempt: use it to remove duplicates. */
export type WebhookEvent = StockChangedEvent | OrderCreatedEvent | OtherEvent

export function isStockChanged(event: WebhookEvent): event is StockChangedEvent {
  return event.type === 'stock.changed'
}

export function isOrderCreated(event: WebhookEvent): event is OrderCreatedEvent {
  return event.type === 'order.created'
}
