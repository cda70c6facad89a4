/**
 * Protects a token of the server, the admin token or the metrics token, against guessing: limits wrong tokens per minute
 * for each address and for all addresses together. Wrong tokens from an address that sent the right one within a day do not count towards the total, so that
 * guesses from elsewhere do not lock the operator out. Each process counts for itself, in bounded memory.
 */

import { LRUCache } from 'lru-cache'
import { GatewayError } from '../contract/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import { Quota } from '../kernel/quota.ts'

/** The largest number of wrong tokens from one address in a minute. */
const maxTriesPerAddress = 5
const maxTriesOverAll = 30
const trustedMs = 24 * 60 * 60_000
const warningMs = 60_000
const maxAddresses = 20_000
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

export class TokenGuard {
  readonly #guarded: GuardedToken
  readonly #clock: Clock
  readonly #log: Log
  readonly #tries = new Quota(maxAddresses)
  /** When an address last sent the right token. */
  readonly #shownAt = new LRUCache<string, number>({ max: maxTrusted })
  #refusals = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(guarded: GuardedToken, { clock, log }: { clock: Clock; log: Log }) {
    this.#guarded = guarded
    this.#clock = clock
    this.#log = log
  }

  /**
   * Runs one comparison of a token. Throws `RATE_LIMITED` without comparing if there were too many wrong tokens.
   * All callers without an address share one count.
   */
  compare(address: string | undefined, isRight: () => boolean): boolean {
    const now = this.#clock.now()
    const from = `address ${address ?? 'unknown'}`
    const subjects = this.#isTrusted(from, now) ? [from] : [from, overAll]
    const taken: string[] = []
    const giveBack = () => {
      for (const subject of taken) this.#tries.giveBack(subject, 1, now)
    }
    for (const subject of subjects) {
      const limit = subject === overAll ? maxTriesOverAll : maxTriesPerAddress
      const { paid, retryAfter } = this.#tries.take(subject, 1, limit, now)
      if (paid) taken.push(subject)
      else {
        giveBack()
        throw toTooManyTriesError(this.#guarded, retryAfter)
      }
    }
    if (!isRight()) return false
    giveBack()
    this.#shownAt.set(from, now)
    return true
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

  #isTrusted(from: string, now: number): boolean {
    const at = this.#shownAt.get(from)
    return at !== undefined && now < at + trustedMs
  }
}

function toTooManyTriesError({ say, hint }: GuardedToken, seconds: number): GatewayError {
  return new GatewayError('RATE_LIMITED', {
    say: [say, { seconds }],
    hint: [hint],
    retryAfter: seconds,
  })
}
