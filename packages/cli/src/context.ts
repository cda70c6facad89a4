import type { TradeGateway } from '@trade-gateway/sdk'
import type { Declaration } from './declaration.ts'
import type { Environment } from './environment.ts'
import type { Input } from './input.ts'
import type { Output } from './output/output.ts'
import type { Paint } from './output/text.ts'
import type { Paths } from './profiles/paths.ts'

/** The options that every command has. */
export interface GlobalOptions {
  readonly profile: string | undefined
  /** Whether the profile is named by --profile, and not by TGW_PROFILE. */
  readonly isProfileOption: boolean
  readonly 'base-url': string | undefined
  readonly lang: string | undefined
  readonly timeout: string | undefined
  readonly json: boolean
  readonly quiet: boolean
  readonly debug: boolean
  readonly yes: boolean
  readonly 'no-input': boolean
  readonly 'no-color': boolean
}

/** What a command may use of the process. */
export interface Context {
  readonly globals: GlobalOptions
  readonly env: Environment
  readonly paths: Paths
  /** Standard output: data. */
  readonly out: Output
  /** Standard error: what is said about the data. */
  readonly talk: Output
  readonly input: Input
  /** Colours for each of the two outputs. Only one of them may be a terminal. */
  readonly paint: { readonly out: Paint; readonly talk: Paint }
  /** Aborted by Ctrl-C and by SIGTERM. */
  readonly signal: AbortSignal
  readonly commands: readonly Declaration[]
  /** The arguments as they are, for the completion. */
  readonly words: readonly string[]
  /** What is under way, for the message about a failure. */
  readonly pending: Pending
  /** Opens the client of the chosen profile. */
  connect(options?: ConnectOptions): Promise<TradeGateway>
}

/** What a command has begun. Its functions note it here. */
export interface Pending {
  /** The write whose response is not printed yet. */
  write?: PendingWrite | undefined
  isConfirmed?: boolean
}

/** A write of a command that takes `--idempotency-key`. */
export interface PendingWrite {
  readonly idempotencyKey: string
  /** Whether the gateway has performed the write. Its response can still fail to be printed. */
  readonly isPerformed: boolean
}

export interface ConnectOptions {
  /** Whether an address is enough, for calls that take no token. */
  readonly isPublic?: boolean
  /** A stored profile instead of the chosen one, also where the environment has credentials. */
  readonly profile?: string
}

/** Says something to the user, unless `--quiet` is given. */
export async function say(context: Context, text: string): Promise<void> {
  // Data goes on although nobody listens to what is said about it.
  if (!context.globals.quiet) await context.talk.line(text).catch(() => {})
}
