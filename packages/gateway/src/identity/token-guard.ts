/**
 * Protects a token of the server, the admin token or the metrics token, against guessing: limits wrong tokens per minute
 * for each address and for all addresses together. Wrong tokens from an address that sent the right one within a day do not count towards the total, so that
 * guesses from elsewhere do not lock the operator out. Which addresses sent the right one is known to each process for
 * itself.
 */

import { LRUCache } from 'lru-cache'
import { GatewayError } from '../contract/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Counter } from '../kernel/quota.ts'

/** The largest number of wrong tokens from one address in a minute. */
const maxTriesPerAddress = 5
const maxTriesOverAll = 30
const trustedMs = 24 * 60 * 60_000
const warningMs = 60_000
const maxTrusted = 1_000
const overAll = 'all addresses'

export interface GuardedToken {
  /** The texts of the refusal after too many wrong tokens. */
  readonly say: 'admin_tries' | 'metrics_tries'
  readonly hint: 'admin_tries_hint' | 'metrics_tries_hint'
  /** The action and the message of the log line about refused requests. */
  readonly action: string
  readonly message: string
}

export const adminTokenGuarded: GuardedToken = {
  say: 'admin_tries',
  hint: 'admin_tries_hint',
  action: 'admin refused',
  message: 'requests without the right admin token were refused',
}
export const metricsTokenGuarded: GuardedToken = {
  say: 'metrics_tries',
  hint: 'metrics_tries_hint',
  action: 'metrics refused',
  message: 'requests without the right metrics token were refused',
}

interface GuardParts {
  readonly clock: Clock
  readonly log: Log
  /** Counts wrong tokens. */
  readonly tries: Counter
}

export class TokenGuard {
  readonly #guarded: GuardedToken
  readonly #clock: Clock
  readonly #log: Log
  readonly #tries: Counter
  /** When an address last sent the right token. */
  readonly #shownAt = new LRUCache<string, number>({ max: maxTrusted })
  #refusals = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(guarded: GuardedToken, { clock, log, tries }: GuardParts) {
    this.#tries = tries
    this.#guarded = guarded
    this.#clock = clock
    this.#log = log
  }

  /**
   * Runs one comparison of a token. Throws `RATE_LIMITED` if there were too many wrong tokens before, whatever the
   * result. All callers without an address share one count. A right token is not counted, so that many right ones at a
   * time refuse each other nothing; the count decides for guesses at the same time in the order of their arrival.
   */
  async compare(address: string | undefined, isRight: () => boolean): Promise<boolean> {
    const from = `address ${address ?? 'unknown'}`
    const right = isRight()
    const takenAt = this.#clock.monotonic()
    await this.#count(from, maxTriesPerAddress, right)
    if (!this.#isTrusted(from)) {
      await this.#count(overAll, maxTriesOverAll, right).catch((error: unknown) => {
        // The refused guess does not count towards its address.
        if (!right) this.#tries.giveBack(from, 1, takenAt, this.#clock.monotonic())
        throw error
      })
    }
    if (right) this.#shownAt.set(from, this.#clock.now())
    return right
  }

  async #count(subject: string, limit: number, isRight: boolean): Promise<void> {
    const way = isRight ? 'test' : 'take'
    const { paid, retryAfter } = await this.#tries[way](subject, 1, limit, this.#clock.monotonic())
    if (!paid) throw toTooManyTriesError(this.#guarded, retryAfter)
  }

  /**
   * Counts a refused request. Logs the count in at most one warning a minute, so that an attacker cannot flood the log.
   */
  noteRefusal(request_id: string) {
    const now = this.#clock.now()
    this.#refusals += 1
    if (now < this.#warnedAt + warningMs) return
    const { action, message } = this.#guarded
    this.#log.warn({ request_id, action, rows: this.#refusals }, message)
    this.#warnedAt = now
    this.#refusals = 0
  }

  #isTrusted(from: string): boolean {
    const at = this.#shownAt.get(from)
    return at !== undefined && this.#clock.now() < at + trustedMs
  }
}

function toTooManyTriesError({ say, hint }: GuardedToken, seconds: number): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    say: [say, { seconds }],
    hint: [hint],
    retryAfter: seconds,
  })
}
