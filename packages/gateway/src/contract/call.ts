import type { TraceContext } from '../kernel/trace-context.ts'
import type { UpstreamCall } from '../kernel/tracing.ts'
import type { Language } from './language.ts'

/** All capabilities. A token allows its caller some of them. */
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

/** The authenticated caller, as `access/` derives it from a token. Every stage and handler reads it. */
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
        /** The account's default shipping, for orders that do not specify any. */
        readonly preferences: ShippingPreferences | undefined
      }
    | undefined
  readonly token: {
    readonly jti: string
    /** When the token is no longer accepted. */
    readonly expires_at: number
    /** The expiry that is signed into the token. Legacy tokens may end before theirs, at an end that can be moved. */
    readonly signed_until: number
    readonly legacy: boolean
  }
}

/**
 * One request, from HTTP or MCP. The stages of the pipeline add their results to it. `header` returns every value
 * that was sent under a lower-case name, so that repeated headers are detected.
 */
export interface Call {
  readonly method: string
  /** As sent: percent-encoded, without the query. */
  readonly path: string
  readonly rawQuery: string
  readonly requestId: string
  readonly language: Language
  /**
   * The client's address, for limits per address: the IPv4 address or the /64 of an IPv6 address. Undefined if such
   * limits do not apply to the call.
   */
  readonly address: string | undefined
  /** The failure that the call requests from the sandbox (`X-Sandbox-Fault`). */
  readonly fault?: string | undefined
  /** Whether the client has disconnected; undefined if that cannot be known. */
  readonly isGone?: boolean | undefined
  header(name: string): readonly string[]
  /** Reads the body, at most once. Throws `GatewayError` if the body exceeds `maxBytes` or does not arrive. */
  body(maxBytes: number): Promise<Uint8Array>
  /** The path of the legacy gateway that the call named, in lower case, and whether it is known to have existed. */
  legacyPath?: { readonly path: string; readonly isKnown: boolean } | undefined
  /** The pattern of the route, for logs and metrics. */
  route?: string | undefined
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  caller?: Caller | undefined
  /** The points charged for this call. */
  cost?: number | undefined
  /** When they were charged, on the monotonic clock. */
  chargedAt?: number | undefined
  /** The query of a list, as its schema parsed it. The cursors of the list are bound to it. */
  filters?: object | undefined
  /** Path parameters, query and body, as the stage `parse` validated them. */
  input?: unknown
  /** The call's `Idempotency-Key`, if it has one. */
  key?: Keyed | undefined
  /** The audit record in progress, if this is an operator's call. */
  audit?: Audited | undefined
  /** The place in a trace: the client's, or the span of this call if spans are recorded. */
  trace?: TraceContext | undefined
  /** The document that the call created or changed, for the request log. */
  documentId?: string | undefined
  /** The client's order number in the body of a write, for the request log; also if the body is not valid otherwise. */
  clientOrderNumber?: string | undefined
  /** The calls to the ERP that this call made, in the order in which they ended. */
  upstreamCalls?: UpstreamCall[] | undefined
  /** Headers that a stage of the pipeline adds to the call's response, success or failure. */
  extraHeaders?: string[] | undefined
}

/** A call's `Idempotency-Key`. It is unique within `scope`; `fingerprint` is the hash of the parsed input. */
export interface Keyed {
  readonly scope: string
  readonly fingerprint: string
  readonly channel_code: string
  readonly method: string
  readonly path: string
  readonly idempotency_key: string
  /** Aborted if the key's lock is lost during the call: another process may then run the request. */
  readonly lost: AbortSignal
  /** Whether the response was already stored, in the transaction of the change that it reports. */
  isKept: boolean
}

/** What is known for the audit record of an operator's call while the call runs. */
export interface Audited {
  /** The endpoint's id. */
  readonly action: string
  /** The status of a successful response. */
  readonly status: number
  /** Whether the audit row was already written, in the transaction of the change. */
  isRecorded: boolean
}

/** Several pieces that are compressed together. They are listed when they are written, and not before. */
export interface Pieces {
  /** The number of their bytes. */
  readonly size: number
  readonly pieces: readonly Uint8Array[]
}

/** A part of a body. */
export type Chunk = Uint8Array | Pieces

/** Lists the pieces of chunks one after another. */
export function* listPieces(chunks: readonly Chunk[]): Generator<Uint8Array, void> {
  for (const chunk of chunks) {
    if (chunk instanceof Uint8Array) yield chunk
    else yield* chunk.pieces
  }
}

/** Returns the number of bytes of chunks, whose pieces it does not list. */
export function measureChunks(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, chunk) => sum + (chunk instanceof Uint8Array ? chunk.length : chunk.size), 0)
}

/** A body that is already serialized, in chunks. Its compressed form is cached under `key`. */
export interface Prebuilt {
  readonly chunks: readonly Chunk[]
  readonly size: number
  /** The cache key of the compressed body; undefined if the body is not worth caching. */
  readonly key: string | undefined
}

/** One response: status, a flat list of header names and values, and the body. */
export interface ApiResponse {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | Prebuilt | undefined
  /** A stream that replaces the body and is never compressed. */
  readonly stream?: ReadableStream<Uint8Array>
  /** The error code of a failure, for logs and metrics. */
  readonly code?: string
}
