import type { Language } from './language.ts'

/** What an access token may do: the union of all capabilities. */
export const capabilityNames = [
  'stock.read',
  'products.read',
  'orders.read',
  'orders.write',
  'dropship.read',
  'dropship.write',
  'shipments.read',
  'reservations.read',
  'reservations.write',
  'carts.write',
  'statements.read',
  'webhooks.manage',
] as const
export type Capability = (typeof capabilityNames)[number]

export const planNames = ['reader', 'trader', 'full'] as const
export type Plan = (typeof planNames)[number]

export type GrantType = 'client_credentials' | 'password'

export interface ShippingPreferences {
  readonly shipping_method_id: string
  readonly address_id: string | null
}

/** Who calls: the decision of `access/` about a token, as every stage and verb reads it. */
export interface Caller {
  readonly channel_code: string
  readonly channel_name: string
  readonly plan: Plan
  readonly grant_type: GrantType
  readonly capabilities: ReadonlySet<Capability>
  /** Warehouses that the channel may use; undefined allows all. */
  readonly allowlist: ReadonlySet<string> | undefined
  readonly customer_code: string | null
  readonly points_per_minute: number
  readonly switches: { readonly wholesale: boolean; readonly dropship: boolean; readonly webhooks: boolean }
  /** The OMS account of a password grant. */
  readonly account:
    | {
        readonly account_id: string
        readonly name: string
        readonly username: string
        /** How it ships unless an order says otherwise. */
        readonly preferences: ShippingPreferences | undefined
      }
    | undefined
  readonly token: { readonly jti: string; readonly expires_at: number; readonly legacy: boolean }
}

/**
 * One request, whichever door it came through. HTTP and MCP make one each; stages add what they decided. `header`
 * answers every value that was sent under a (lower-case) name, so that doubled headers are seen.
 */
export interface Call {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  readonly rawQuery: string
  readonly requestId: string
  readonly language: Language
  /** The client's address, for counting failed sign-ins; undefined where it must not count. */
  readonly address: string | undefined
  /** A fault that the sandbox ERP is asked to show on this call (`X-Sandbox-Fault`). */
  readonly fault?: string | undefined
  /** Whether whoever asked has left; undefined where nobody can tell. */
  readonly isGone?: boolean | undefined
  header(name: string): readonly string[]
  /** The body, read at most once. Throws `GatewayError` where it is larger than `mostBytes` or does not arrive. */
  body(mostBytes: number): Promise<Uint8Array>
  /** The route's pattern, once it is known: for logs and counters. */
  route?: string | undefined
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  caller?: Caller | undefined
  /** Points that this call was charged. */
  cost?: number | undefined
  /** What `parse` made of path, query and body. */
  input?: unknown
  /** Its `Idempotency-Key`, where it has one. */
  key?: Keyed | undefined
  /** Headers that a stage wants on every answer, success or failure. */
  extraHeaders?: string[] | undefined
}

/** An `Idempotency-Key` in its scope, and the hash of what was asked under it. */
export interface Keyed {
  readonly scope: string
  readonly fingerprint: string
  readonly channel_code: string
  readonly method: string
  readonly path: string
  readonly idempotency_key: string
  /** Whether the answer went into the commit of what it tells. */
  isKept: boolean
}

/** Bytes that were made ahead: written one after another, compressed once per `key`. */
export interface Prebuilt {
  readonly chunks: readonly Uint8Array[]
  readonly size: number
  /** Names these very bytes for the cache of compressed bodies; undefined: not worth keeping. */
  readonly key: string | undefined
}

/** One response: status, a flat list of header names and values, and the body. */
export interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | Prebuilt | undefined
  /** Sent instead of the body, while it is made, and never compressed. */
  readonly stream?: ReadableStream<Uint8Array>
  /** The code, where it is a failure: for logs and counters. */
  readonly code?: string
}
