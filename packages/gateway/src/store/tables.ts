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
}
