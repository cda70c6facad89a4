import type { Erp } from '@trade-gateway/connector'
import type { Config } from './config.ts'
import type { DocumentKinds } from './document.ts'
import type { Keys } from './identity/keys.ts'
import type { Sessions } from './identity/sessions.ts'
import type { TokenGuard } from './identity/token-guard.ts'
import type { Clock } from './kernel/clock.ts'
import type { Ids } from './kernel/ids.ts'
import type { Log } from './kernel/log.ts'
import type { Counter } from './kernel/quota.ts'
import type { Secrets } from './kernel/secrets.ts'
import type { Memory } from './memory.ts'
import type { ReferenceMirror } from './snapshot/reference-mirror.ts'
import type { StockMirror } from './snapshot/stock-mirror.ts'
import type { Store, Topic } from './store/store.ts'
import type { Description } from './upstream/description.ts'
import type { Valkey } from './valkey/valkey.ts'

/** The quotas, each counted in a sliding window of 60 seconds. */
export interface Quotas {
  /** Points per channel. */
  readonly points: Counter
  /** Tokens per client or account. */
  readonly tokens: Counter
  /** Calls per channel that were refused because of a mistake in them. */
  readonly refusals: Counter
  /** Refused calls without a valid token, per address. */
  readonly addresses: Counter
}

/**
 * The process's connections to the outside and its memory. Functions take this record, and it does not grow with
 * features.
 */
export interface Gateway {
  readonly config: Config
  readonly store: Store
  readonly erp: Erp
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly secrets: Secrets
  /** The id of this installation, generated at its first start. */
  readonly installation: string
  /** The capabilities that the ERP reports. */
  readonly upstream: Description
  readonly mirror: { readonly stock: StockMirror; readonly reference: ReferenceMirror }
  /** Every kind of document. */
  readonly kinds: DocumentKinds
  readonly memory: Memory
  readonly keys: Keys
  readonly sessions: Sessions
  readonly adminGuard: TokenGuard
  readonly metricsGuard: TokenGuard
  readonly quota: Quotas
  /** What the processes share in the server of `VALKEY_URL`; undefined without that setting. */
  readonly valkey: Valkey | undefined
  /** Announces to every process that data of a topic has changed. */
  nudge(topic: Topic): void
}
