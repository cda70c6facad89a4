/**
 * The tables as both databases hold them: text, bigint and integer columns; times as epoch milliseconds of the
 * gateway's clock, JSON as text, amounts as minor units. Numbers are safe integers on both.
 */
export interface Tables {
  installation: { key: string; value: string }
  counters: { name: string; value: number }
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
  sign_in_guard: { subject: string; failed_at: string; locked_until: number | null; updated_at: number }
  admin_audit: {
    audit_id: string
    at: number
    request_id: string
    action: string
    subject: string
    detail: string
  }
  warehouses: WarehouseRow
  stock: StockRow
  stock_history: { warehouse_code: string; reached_at: number; version: number }
  reference_records: ReferenceRow
  reference_sources: { source: string; cursor: string | null; filled_at: number | null }
  idempotency_keys: IdempotencyRow
  orders: OrderRow
  dropship_orders: DropshipRow
  reservations: ReservationRow
  holds: HoldRow
  carts: CartRow
  shipments: ShipmentRow
  intents: IntentRow
  /** Documents of which the ERP told while a write on them was under way: they are read again. */
  document_hints: { reference: string; heard_at: number }
  document_sync: { name: string; cursor: string | null; synced_at: number | null }
  outbox: OutboxRow
  events: EventRow
  /** Up to which version the stock of each warehouse was told in an event, and when. */
  stock_marks: { warehouse_code: string; version: number; marked_at: number }
  webhook_endpoints: WebhookEndpointRow
  webhook_queues: WebhookQueueRow
  webhook_deliveries: WebhookDeliveryRow
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
  /** JSON list, where the account narrows the plan. */
  capabilities: string | null
  upstream_session: string | null
  /** JSON `{shipping_method_id, address_id}`: what the account ships by unless it says otherwise. */
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
  /** The version of the newest row: a counter, and the lock of everything that writes this warehouse's stock. */
  version: number
  /** When its stock was first complete; null until then. */
  filled_at: number | null
  /** The ERP's change cursor. */
  cursor: string | null
  /** When its stock was last known to equal the ERP's. */
  synced_at: number | null
  /** When its stock was last compared whole with the ERP's. */
  compared_at: number | null
  /** The oldest version from which the change feed is followed; older cursors need a full sync. */
  horizon: number
}

/**
 * The columns of rows that are read all the time: a statement that names them is prepared once, and goes on while a newer
 * gateway adds one.
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
  /** The document that the key made or changed. */
  resource_type: string | null
  resource_id: string | null
}

/** A wholesale order: a draft of ours until it is submitted, then what the ERP says of it. */
export interface OrderRow {
  order_id: string
  channel_code: string
  account_id: string | null
  client_order_number: string | null
  status: string
  status_raw: string | null
  in_doubt: number
  /** A warehouse or a view that narrows where stock may come from. */
  warehouse_code: string | null
  /** JSON list of lines, in the shape of the wire but for amounts. */
  lines: string
  /** JSON `{shipping_method_id, address_id?}`. */
  shipping: string | null
  payment_method: string
  allow_partial: number
  max_total: number | null
  remark: string | null
  paid: number
  payment_url: string | null
  /** JSON of the costs, in minor units. */
  costs: string | null
  currency: string | null
  reference: string
  hold_id: string | null
  /** JSON list of `{content, total, until}`: what the newest previews promised. */
  quoted: string | null
  /** The hash of what was submitted, as it was asked for. */
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

/** A drop-ship order; until it is submitted, a preview. */
export interface DropshipRow {
  dropship_order_id: string
  channel_code: string
  account_id: string | null
  client_order_number: string
  serial_number: string | null
  sku: string
  product_code: string
  quantity: number
  /** JSON, as sent. */
  recipient: string
  /** The hash of the normalised recipient. */
  recipient_key: string
  shipping_method: string
  warehouse_code: string | null
  status: string
  status_raw: string | null
  in_doubt: number
  remark: string | null
  paid: number
  payment_url: string | null
  unit_price: number | null
  /** JSON of the costs, in minor units. */
  costs: string | null
  currency: string | null
  /** JSON of the expected dates. */
  arrival: string | null
  carrier: string | null
  tracking_number: string | null
  tracking_url: string | null
  shipment_id: string | null
  reference: string
  hold_id: string | null
  /** How many previews were made under this id: each hold has a reference of its own. */
  previews: number
  quoted_total: number | null
  price_expires_at: number | null
  /** When a preview is over. */
  expires_at: number | null
  /** When its newest submit began, by the gateway's own clock. */
  placed_at: number | null
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
  /** JSON list of `{sku, quantity}`. */
  lines: string
  /** The hash of the lines: the same number and lines are the same reservation. */
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

/** Stock that the ERP holds for a document of ours. */
export interface HoldRow {
  hold_id: string
  channel_code: string
  source: string
  source_id: string
  reference: string
  /** JSON list of `{warehouse_code, sku, quantity}`. */
  lines: string
  status: string
  status_raw: string | null
  released_reason: string | null
  expires_at: number
  /** When its end was last tried and refused. */
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
  /** JSON list of `{sku, quantity}`. */
  items: string
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
  /** The wholesale or drop-ship order. */
  order_id: string
  /** The ERP's own number. */
  number: string
  warehouse_code: string
  carrier: string
  service: string
  tracking_number: string | null
  tracking_url: string | null
  /** JSON list of `{sku, quantity}`. */
  lines: string
  packages: number
  shipped_at: number
  estimated_arrival_date: string | null
  status: string
  status_raw: string
  created_at: number
}

/**
 * A write to the ERP whose outcome is not known (yet): it was committed before the ERP was called, and goes with the
 * commit of the ERP's answer. A document has at most one.
 */
export interface IntentRow {
  document_id: string
  /** The lock under which the document is worked on. */
  lock_name: string
  kind: string
  /** The document's name at the ERP, by which it is looked up. */
  reference: string
  channel_code: string
  /** The idempotency key's scope, where the request had a key. */
  scope: string | null
  /** The status of the answer once it succeeds. */
  http_status: number
  /** JSON: what the kind of write needs to finish. */
  detail: string
  request_id: string
  sent_at: number
  /** When the ERP first did not know the reference, after the time in which a late request could still take effect. */
  missed_at: number | null
  looked_at: number | null
}

/** An event as its business transaction wrote it; it goes with the commit that numbers it. */
export interface OutboxRow {
  event_id: string
  type: string
  /** Empty where it concerns every channel that may see the warehouse. */
  channel_code: string
  warehouse_code: string | null
  request_id: string
  occurred_at: number
  /** JSON. */
  data: string
}

/** An event under its number; a test of one endpoint has none and is on no list. */
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
  /** JSON list; empty: every one that the channel may use. */
  warehouse_codes: string
  secret_sealed: string
  /** JSON list of `{sealed, until}`: secrets before it that still sign, the newest first. */
  formers: string
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** The deliveries of one endpoint as a whole: when one is next due, and which process works on them. */
export interface WebhookQueueRow {
  endpoint_id: string
  /** Never later than the earliest due time of its pending deliveries; null where there is none. */
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
  /** Attempts that are over. */
  attempts: number
  /** When the next attempt is due; null where none is. */
  due_at: number | null
  /** Time that the sandbox's clock was set forward and that the next waits are shortened by. */
  ahead_ms: number
  last_status: number | null
  last_error: string | null
  last_response: string | null
  created_at: number
  attempted_at: number | null
  finished_at: number | null
}
