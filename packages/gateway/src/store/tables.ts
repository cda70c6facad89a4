import type { Costs, Quote } from '@trade-gateway/connector'
import type { HourlyFigureRow } from '../kernel/hourly-figures.ts'
import type { UpstreamCall } from '../kernel/tracing.ts'
import type { Json } from './json.ts'

/**
 * The tables, as far as both databases share them: text, bigint and integer columns. Times are epoch milliseconds of
 * the gateway's clock, JSON is text, amounts are minor units. Every number is a safe integer.
 */
export interface Tables {
  installation: { key: string; value: string }
  counters: { name: string; value: number }
  /** Which process does a job for all (`leases.ts`). */
  leases: { name: string; holder: string | null; term: number; beats: number }
  process_reports: ProcessReportRow
  restores: RestoreRow
  lost_documents: LostDocumentRow
  signing_keys: {
    kid: string
    public_jwk: string
    private_sealed: string
    created_at: number
    retired_at: number | null
  }
  channels: ChannelRow
  channel_secrets: {
    secret_id: string
    channel_code: string
    secret_hash: string
    created_at: number
    revoked_at: number | null
  }
  sessions: SessionRow
  plan_requests: PlanRequestRow
  sign_in_guard: {
    subject: string
    failed_at: string
    locked_until: number | null
    updated_at: number
    /** When the name last signed in, updated at most once a day; missing in rows from before the column existed. */
    succeeded_at: number | null
    /** Set while the name is locked; missing in locks from before the column existed, which end within 15 minutes. */
    lockout_id: string | null
  }
  admin_audit: AuditRow
  audit_chain: AuditChainRow
  warehouses: WarehouseRow
  stock: StockRow
  /** SKUs whose stock the ERP could not report, and when they are read again. */
  unreadable_stock: { warehouse_code: string; sku: string; due_at: number }
  stock_history: { warehouse_code: string; reached_at: number; version: number }
  reference_records: ReferenceRow
  reference_sources: { source: ReferenceSource; cursor: string | null; filled_at: number | null }
  idempotency_keys: IdempotencyRow
  write_pauses: WritePauseRow
  orders: OrderRow
  dropship_orders: DropshipRow
  reservations: ReservationRow
  holds: HoldRow
  carts: CartRow
  shipments: ShipmentRow
  intents: IntentRow
  /** Documents that the ERP reported as changed while a write on them was open; the sync reads them again. */
  document_hints: { reference: string; heard_at: number }
  document_sync: { name: string; cursor: string | null; synced_at: number | null }
  outbox: OutboxRow
  events: EventRow
  /** The version of each warehouse's stock that the last event announced, and the time of that event. */
  stock_marks: { warehouse_code: string; version: number; marked_at: number }
  webhook_endpoints: WebhookEndpointRow
  webhook_queues: WebhookQueueRow
  webhook_deliveries: WebhookDeliveryRow
  webhook_redeliveries: WebhookRedeliveryRow
  requests: RequestRow
  request_counts: RequestCountRow
  hourly_figures: HourlyFigureRow
  legacy_use: LegacyUseRow
  page_votes: PageVoteRow
}

/** How often readers of a page in a language gave a verdict on a day. */
export interface PageVoteRow {
  page: string
  language: string
  /** The start of the day in UTC. */
  day: number
  verdict: string
  votes: number
}

/** A row of the audit log. */
export interface AuditRow {
  audit_id: string
  /** The place in the chain, from 1; null until a gateway has linked a row from before the chain. */
  number: number | null
  /** The HMAC over this row and the `mac` of its predecessor. */
  mac: string | null
  at: number
  request_id: string
  /** The name that the operator claims, `channel <code>` or `gateway`; null if there is none. */
  actor: string | null
  /** The address that the call came from: IPv4, or the /64 of IPv6; null if it is not known. */
  address: string | null
  action: string
  subject: string
  detail: Json<AuditDetail>
}

export interface AuditDetail {
  /** The operator's name, in rows from before it had a column. */
  readonly actor?: string
  readonly status?: number
  readonly code?: string
  /** The query of a read: whose data were looked at. */
  readonly query?: string
  readonly before?: object | null
  readonly after?: object | null
}

/** The only row of its table: the end of the chain of the audit log. Whoever appends to the chain locks it. */
export interface AuditChainRow {
  name: string
  /** The sealed key of the chain, and since when there is one. */
  key_sealed: string
  /** The number and `mac` of the last row; 0 and empty if there is none. */
  number: number
  mac: string
  /** The number and `mac` of the newest row that was removed because of its age, with the HMAC of both. */
  anchor_number: number
  anchor_mac: string
  anchor_seal: string
}

export interface ChannelRow {
  channel_code: string
  client_id: string
  name: string
  plan: string
  /** JSON list of warehouse codes; empty allows all. */
  warehouse_allowlist: string
  customer_code: string | null
  points_per_minute: number | null
  wholesale_enabled: number
  dropship_enabled: number
  webhooks_enabled: number
  /** Whether the operator has paused the channel: its tokens are refused, and it gets no new ones. */
  paused: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export interface SessionRow {
  jti: string
  channel_code: string
  grant_type: string
  secret_id: string | null
  account_id: string | null
  account_name: string | null
  username: string | null
  /** JSON list; null if the account has all capabilities of the plan. */
  capabilities: string | null
  upstream_session: string | null
  /** JSON `{shipping_method_id, address_id}`: the account's default shipping. */
  preferences: string | null
  issued_at: number
  expires_at: number
  revoked_at: number | null
  revoked_reason: string | null
}

export interface PlanRequestRow {
  plan_request_id: string
  channel_code: string
  plan: string
  reason: string | null
  status: string
  created_at: number
  decided_at: number | null
}

/** The pause of writes to the ERP. Its columns are null unless an operator has paused writes. */
export interface WritePauseRow {
  name: string
  paused_at: number | null
  paused_until: number | null
  paused_by: string | null
  reason: string | null
}

export interface WarehouseRow {
  warehouse_code: string
  name: string
  kind: string
  country_code: string
  timezone: string
  currency: string
  /** JSON list of the real warehouses of a company view. */
  members: string
  status: string
  /** The version of the newest row. Every writer of this warehouse's stock locks this row. */
  version: number
  /** When the warehouse's stock was first read completely; null until then. */
  filled_at: number | null
  /** The ERP's change cursor. */
  cursor: string | null
  /** The last time at which the gateway knew that its stock equals the ERP's. */
  synced_at: number | null
  /** When the whole stock was last compared with the ERP's. */
  compared_at: number | null
  /** The number of rows that the last full comparison had to correct; null before the first one. */
  last_differences: number | null
  /** When an operator last requested a full comparison. */
  compare_requested_at: number | null
  /** The oldest version from which the change feed can be followed; an older cursor needs a full sync. */
  horizon: number
}

/**
 * Columns of frequently read rows. A statement that lists its columns is prepared once, and still works after a newer
 * gateway has added a column.
 */
export const warehouseColumns = [
  'warehouse_code',
  'name',
  'kind',
  'country_code',
  'timezone',
  'currency',
  'members',
  'status',
  'version',
  'filled_at',
  'cursor',
  'synced_at',
  'compared_at',
  'last_differences',
  'compare_requested_at',
  'horizon',
] as const satisfies readonly (keyof WarehouseRow)[]

export interface StockRow {
  warehouse_code: string
  sku: string
  product_code: string
  quantity_on_hand: number
  quantity_available: number
  price_wholesale: number
  price_retail: number
  currency: string
  /** JSON list of `{quantity, earliest_date, latest_date}`. */
  incoming: string
  removed: number
  version: number
  updated_at: number
  stock_seq: number | null
}

export const stockColumns = [
  'warehouse_code',
  'sku',
  'product_code',
  'quantity_on_hand',
  'quantity_available',
  'price_wholesale',
  'price_retail',
  'currency',
  'incoming',
  'removed',
  'version',
  'updated_at',
  'stock_seq',
] as const satisfies readonly (keyof StockRow)[]

/** What is read from the ERP as a whole, and has a mark once it has been read. */
export type ReferenceSource = 'products' | 'shipping_methods'

export interface ReferenceRow {
  kind: string
  owner: string
  id: string
  body: string
  removed: number
  version: number
  updated_at: number
}

export interface IdempotencyRow {
  scope: string
  channel_code: string
  method: string
  path: string
  idempotency_key: string
  fingerprint: string
  state: string
  http_status: number | null
  answer_sealed: string | null
  created_at: number
  expires_at: number
  /** The document that the request created or changed. */
  resource_type: string | null
  resource_id: string | null
}

/** A SKU and its quantity. */
export interface Line {
  readonly sku: string
  readonly quantity: number
}

/** A line of a wholesale order. Prices are in minor units, and null until the ERP has priced the line. */
export interface OrderLine extends Line {
  readonly product_code: string
  readonly quantity_allocated: number
  readonly quantity_shipped: number
  readonly unit_price: number | null
  readonly line_total: number | null
}

export interface ReservedLine extends Line {
  readonly product_code: string
}

export interface HeldLine extends Line {
  readonly warehouse_code: string
}

export interface OrderShipping {
  readonly shipping_method_id: string
  readonly address_id?: string | undefined
}

/** A preview's promise: the content with this hash costs this total (minor units) until `until`. */
export interface QuotedTotal {
  /** The hash of the content as it was asked for. */
  readonly content: string
  /** The hash of the content with the shipping that was quoted; absent in promises of earlier gateways. */
  readonly completed?: string
  /** The shipping that was quoted, completed from the preferences of the account that previewed. */
  readonly shipping?: OrderShipping
  readonly total: number
  readonly until: number
}

/** The end customer of a drop-ship order, as the client sent it. */
export interface Recipient {
  readonly name: string
  readonly phone: string
  readonly address: string
  readonly country_code: string
  readonly state?: string | undefined
  readonly city: string
  readonly postal_code?: string | undefined
}

/** What is left of an erased recipient. */
export interface ErasedRecipient {
  readonly erased: true
  readonly country_code: string
}

type Arrival = Quote['arrival']

/**
 * A wholesale order. Until its submit it is a draft of the gateway; after that the row contains what the ERP reports.
 */
export interface OrderRow {
  order_id: string
  channel_code: string
  account_id: string | null
  client_order_number: string | null
  status: string
  status_raw: string | null
  in_doubt: number
  /** A warehouse, or a view that restricts where stock may come from. */
  warehouse_code: string | null
  lines: Json<readonly OrderLine[]>
  shipping: Json<OrderShipping> | null
  payment_method: string
  allow_partial: number
  max_total: number | null
  remark: string | null
  paid: number
  payment_url: string | null
  /** The costs in minor units. */
  costs: Json<Costs> | null
  currency: string | null
  reference: string
  hold_id: string | null
  /** The promises of the newest previews, newest first. */
  quoted: Json<readonly QuotedTotal[]> | null
  /** The hash of the submitted content, before the ERP completed it. */
  submitted_as: string | null
  created_at: number
  submitted_at: number | null
  cancelled_at: number | null
  updated_at: number
}

export const orderColumns = [
  'order_id',
  'channel_code',
  'account_id',
  'client_order_number',
  'status',
  'status_raw',
  'in_doubt',
  'warehouse_code',
  'lines',
  'shipping',
  'payment_method',
  'allow_partial',
  'max_total',
  'remark',
  'paid',
  'payment_url',
  'costs',
  'currency',
  'reference',
  'hold_id',
  'quoted',
  'submitted_as',
  'created_at',
  'submitted_at',
  'cancelled_at',
  'updated_at',
] as const satisfies readonly (keyof OrderRow)[]

/** A drop-ship order, or a preview until its submit. */
export interface DropshipRow {
  dropship_order_id: string
  channel_code: string
  account_id: string | null
  client_order_number: string
  serial_number: string | null
  sku: string
  product_code: string
  quantity: number
  /**
   * The recipient and the remark, sealed. JSON of the recipient alone in a row from before they were sealed, and JSON of
   * an `ErasedRecipient` once the recipient is erased (`dropship/sealed-recipient.ts`).
   */
  recipient: string
  /** The hash of the normalised recipient in a row that is not sealed, for processes of earlier versions; else empty. */
  recipient_key: string
  /** The HMAC by which a person is found; null unless the recipient is sealed. */
  recipient_index: string | null
  recipient_erased_at: number | null
  /** When the responses that are kept for the erased order are searched once more. */
  recipient_recheck_at: number | null
  shipping_method: string
  warehouse_code: string | null
  status: string
  status_raw: string | null
  in_doubt: number
  /** Null in a sealed row, whose `recipient` contains it. */
  remark: string | null
  paid: number
  payment_url: string | null
  unit_price: number | null
  /** The costs in minor units. */
  costs: Json<Costs> | null
  currency: string | null
  arrival: Json<Arrival> | null
  carrier: string | null
  tracking_number: string | null
  tracking_url: string | null
  shipment_id: string | null
  reference: string
  hold_id: string | null
  /** The number of previews with this id, because each hold has its own reference. */
  previews: number
  quoted_total: number | null
  price_expires_at: number | null
  /** When a preview expires. */
  expires_at: number | null
  /** When the newest submit began, by the gateway's clock. */
  placed_at: number | null
  /** When its outcome became known, by the same clock; null if the response of the ERP told it. */
  settled_at: number | null
  created_at: number
  submitted_at: number | null
  shipped_at: number | null
  cancelled_at: number | null
  updated_at: number
}

export interface ReservationRow {
  reservation_id: string
  channel_code: string
  account_id: string | null
  client_order_number: string | null
  warehouse_code: string
  lines: Json<readonly ReservedLine[]>
  /** The hash of the lines. Two requests with the same number and lines are the same reservation. */
  lines_key: string
  status: string
  status_raw: string | null
  in_doubt: number
  order_id: string | null
  hold_id: string | null
  remark: string | null
  reference: string
  expires_at: number
  created_at: number
  cancelled_at: number | null
  updated_at: number
}

/** Stock that the ERP holds for a document. */
export interface HoldRow {
  hold_id: string
  channel_code: string
  source: string
  source_id: string
  reference: string
  lines: Json<readonly HeldLine[]>
  status: string
  status_raw: string | null
  released_reason: string | null
  expires_at: number
  /** When the release last failed. */
  tried_at: number | null
  created_at: number
  updated_at: number
}

export interface CartRow {
  cart_id: string
  channel_code: string
  account_id: string | null
  client_order_number: string | null
  warehouse_code: string | null
  items: Json<readonly Line[]>
  status: string
  order_id: string | null
  remark: string | null
  created_at: number
  cancelled_at: number | null
  updated_at: number
}

export interface ShipmentRow {
  shipment_id: string
  channel_code: string
  order_type: string
  /** The id of the wholesale or drop-ship order. */
  order_id: string
  /** The ERP's own number. */
  number: string
  warehouse_code: string
  carrier: string
  service: string
  tracking_number: string | null
  tracking_url: string | null
  lines: Json<readonly Line[]>
  packages: number
  shipped_at: number
  estimated_arrival_date: string | null
  status: string
  status_raw: string
  created_at: number
}

/**
 * An open write to the ERP. The row is committed before the call and deleted in the commit of the outcome. A document
 * has at most one open write.
 */
export interface IntentRow {
  document_id: string
  /** The lock that protects the document. */
  lock_name: string
  kind: string
  /** The reference by which the ERP knows the document, for the look-up. */
  reference: string
  channel_code: string
  /** The scope of the idempotency key, if the request had one. */
  scope: string | null
  /** The status of the response if the write succeeds. */
  http_status: number
  /** The JSON that this kind of write needs to apply or undo its outcome. */
  detail: Json<unknown>
  request_id: string
  sent_at: number
  /**
   * When a look-up first found nothing after the waiting period. Only operators use it: `sightings` decides by the
   * monotonic clock.
   */
  missed_at: number | null
  looked_at: number | null
}

/** An event as its transaction wrote it. The commit that numbers the event deletes the row. */
export interface OutboxRow {
  event_id: string
  type: string
  /** Empty if the event is for every channel that may see the warehouse. */
  channel_code: string
  warehouse_code: string | null
  request_id: string
  occurred_at: number
  /** The data as JSON. */
  data: string
  /** The W3C `traceparent` of the request that caused the event; null if there was none. */
  trace_parent: string | null
}

/** A numbered event. The event of an endpoint test has no number and appears on no list. */
export interface EventRow extends OutboxRow {
  number: number | null
}

export interface WebhookEndpointRow {
  endpoint_id: string
  channel_code: string
  url: string
  /** JSON list. */
  event_types: string
  description: string | null
  /** JSON list; empty means every warehouse that the channel may use. */
  warehouse_codes: string
  secret_sealed: string
  /** JSON list of `{sealed, until}`: earlier secrets that still sign, newest first. */
  formers: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** The delivery queue of one endpoint: when the next delivery is due, and which process has the lease. */
export interface WebhookQueueRow {
  endpoint_id: string
  /**
   * The time at which the queue is due: never later than the earliest due time of its pending deliveries; null if there
   * are none.
   */
  due_at: number | null
  leased_until: number
  leased_by: string | null
  last_success_at: number | null
  last_failure_at: number | null
  last_failure_status: number | null
}

export interface WebhookDeliveryRow {
  delivery_id: string
  channel_code: string
  endpoint_id: string
  event_id: string
  event_number: number
  event_type: string
  status: string
  /** The number of completed attempts. */
  attempts: number
  /** When the next attempt is due; null if no attempt is planned. */
  due_at: number | null
  /** Milliseconds by which the sandbox's clock was advanced; the next waits are shortened by this time. */
  ahead_ms: number
  last_status: number | null
  last_error: string | null
  last_response: string | null
  created_at: number
  attempted_at: number | null
  finished_at: number | null
}

/** A request in the request log. */
export interface RequestRow {
  row_id: string
  /** When the request arrived. */
  at: number
  /** The id that the client chose or the gateway generated; not unique. */
  request_id: string
  /** Empty if the request had no valid token. */
  channel_code: string
  account_id: string | null
  method: string
  /** The pattern of the path; empty if no endpoint has the path. */
  route: string
  status: number
  code: string | null
  points: number
  /** The time from arrival to response, in microseconds. */
  duration_us: number
  /** The total time of all calls to the ERP, in microseconds. */
  upstream_us: number
  upstream_calls: Json<readonly UpstreamCall[]>
  idempotency: 'first' | 'replayed' | 'mismatch' | 'in_progress' | null
  /** The document that the request concerned, as far as the gateway knows it. */
  document_id: string | null
  /** The client's number in the body of a write, also if the write was refused. */
  client_order_number: string | null
}

/** The successful reads of one channel on one route in one minute. */
export interface RequestCountRow {
  /** Channel and route; together with `at` the primary key. */
  slot: string
  /** The start of the minute. */
  at: number
  channel_code: string
  route: string
  calls: number
  points: number
  duration_us: number
}

/** A redelivery of many events that is not finished: how far it is. */
export interface WebhookRedeliveryRow {
  /** What is redelivered, as canonical JSON. */
  selection: string
  /** Events and dead letters from this time on are not part of it. */
  started_at: number
  touched_at: number
  /** How many deliveries were left after the last batch. */
  remaining: number
  /** The last delivery of the last batch; empty and 0 before the first. */
  endpoint_id: string
  type: string
  channel_code: string
  at: number
  event_id: string
}

/** What a channel still used of the legacy gateway on one day. */
export interface LegacyUseRow {
  /** The start of the UTC day. */
  day: number
  /** Empty if the caller is not known. */
  channel_code: string
  /** A path of the legacy gateway; empty for calls with a legacy token. */
  path: string
  calls: number
  last_used_at: number
}

/** What a running process reports of itself. */
export interface ProcessReportRow {
  process_id: string
  /** Its number among the processes of one supervisor; null without one. */
  number: number | null
  started_at: number
  seen_at: number
  /** The newest versions of its copies of the database's data, by the name of the copy. */
  copies: Json<Readonly<Record<string, number>>>
}

/** A restore of this database from a backup. */
export interface RestoreRow {
  /** What distinguishes the references of this time from those of the time that was lost. */
  origin: string
  /** When the backup was taken, as well as it is known. */
  taken_at: number
  /** When the restored database was first opened. */
  restored_at: number
}

/** A document that the ERP created in the time between a backup and its restore, and that the gateway does not know. */
export interface LostDocumentRow {
  reference: string
  /** The ERP's own number. */
  number: string
  kind: string
  order_type: string
  status: string
  lines: Json<readonly Line[]>
  currency: string
  /** The total in minor units; null for a hold without a price. */
  total: number | null
  submitted_at: number | null
  found_at: number
}
