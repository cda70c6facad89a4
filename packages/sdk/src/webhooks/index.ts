export { WebhookError, type WebhookErrorCode } from './errors.ts'
export {
  isOrderCreated,
  isStockChanged,
  type OrderCreatedEvent,
  type OtherEvent,
  type StockChangedEvent,
  type WebhookEvent,
} from './event.ts'
export { webhookHandler } from './fetch.ts'
export { type Receipt, type ReceiverOptions, receive } from './receive.ts'
export { type SignedWebhook, sign } from './sign.ts'
export { type HeadersLike, type VerifyOptions, verify } from './verify.ts'
