export { type GatewayOptions, TradeGateway } from './client.ts'
export * from './errors/errors.ts'
export { OutcomeUnknownError, type RecoverOptions } from './errors/outcome-unknown.ts'
export { type ErrorCode, type ErrorReason, errorCatalogue } from './generated/errors.ts'
export { type OperationId, operations } from './generated/operations.ts'
export type { ListId, ListPage, RawOptions } from './resources/calls.ts'
export { Declined } from './resources/declined.ts'
export type { Pages } from './resources/pages.ts'
export type { Data, Filters, Query, Result, Row, Schemas, Sent } from './resources/shapes.ts'
export type { FollowOptions } from './resources/stock.ts'
export type { Credentials, ProvidedToken, TokenProvider } from './tokens/credentials.ts'
export type { StoredToken, TokenStore } from './tokens/tokens.ts'
export type { Call } from './transport/call.ts'
export {
  type ClientEvent,
  type ClientEvents,
  formatEvent,
  type NoticeEvent,
  type RequestEvent,
  type ResponseEvent,
  type RetryEvent,
} from './transport/events.ts'
export type { Meta, Points } from './transport/meta.ts'
export type { CallOptions, WriteOptions } from './transport/options.ts'
