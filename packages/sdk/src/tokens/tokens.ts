/**
 * The token of a client. It is requested once for all calls that need it at the same time, and again a minute before it
 * expires. Its lifetime is measured from its arrival on a clock that never jumps, so a wrong wall clock does no harm.
 *
 * Credentials that were refused are never sent again by this client: five wrong passwords lock an account. Other
 * refusals pass, such as that of a paused channel, so they are kept for a while only.
 */

import { AuthError, type GatewayError } from '../errors/errors.ts'
import { waitAtMost, waitFor } from '../wait.ts'
import type { Credentials, ProvidedToken } from './credentials.ts'
import type { TokenSource } from './token-source.ts'

const defaultRefreshMs = 60_000
/** How long a refusal is kept that is not of the credentials and does not say how long it lasts. */
const passingRefusalMs = 30_000
/** How long a call waits for the store to return or keep a token. */
const maxStoreMs = 3_000

/** A token as a store keeps it. */
export interface StoredToken {
  readonly accessToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * Keeps the token between processes, such as the runs of a command. Keep it as secret as a password. Each call of `set`
 * comes after the end of the one before.
 */
export interface TokenStore {
  get(): Promise<StoredToken | undefined>
  set(token: StoredToken | undefined): Promise<void>
}

export interface TokensSetting {
  readonly credentials: Credentials
  /** Requests a token from the gateway. */
  readonly request: () => Promise<ProvidedToken>
  readonly store: TokenStore | undefined
  /** Is told that the store could not return or keep a token. The client goes on without it. */
  readonly onStoreFailure: (reason: unknown) => void
  /** How long before its end a token is replaced. */
  readonly refreshMs: number | undefined
  readonly now: () => number
}

interface HeldToken {
  readonly accessToken: string
  readonly refreshAt: number
}

interface Refusal {
  readonly error: GatewayError
  /** When the credentials may be tried again. */
  readonly until: number
}

export class Tokens implements TokenSource {
  readonly #setting: TokensSetting
  #held: HeldToken | undefined
  #pending: Promise<HeldToken> | undefined
  #refusal: Refusal | undefined
  #isStoreRead = false
  /** The newest token that the store has not begun to keep. */
  #unkept: { readonly token: StoredToken | undefined } | undefined
  #keeping: Promise<void> = Promise.resolve()

  constructor(setting: TokensSetting) {
    this.#setting = setting
  }

  async provide(signal?: AbortSignal): Promise<string> {
    const { now } = this.#setting
    if (this.#held && now() < this.#held.refreshAt) return this.#held.accessToken
    if (this.#refusal && now() < this.#refusal.until) throw this.#refusal.error
    this.#pending ??= this.#obtain().finally(() => {
      this.#pending = undefined
    })
    return (await waitFor(this.#pending, signal)).accessToken
  }

  renew(refused: string): boolean {
    if ('accessToken' in this.#setting.credentials) return false
    // Another call may have replaced the token already.
    if (this.#held?.accessToken === refused) this.forget()
    return true
  }

  /** Forgets the token, as after a revocation. */
  forget(): void {
    this.#held = undefined
    this.#isStoreRead = true
    void this.#keep(undefined)
  }

  async #obtain(): Promise<HeldToken> {
    const { now, refreshMs = defaultRefreshMs } = this.#setting
    const stored = this.#isStoreRead ? undefined : await this.#readStore()
    this.#isStoreRead = true
    const storedMs = (stored?.expiresAt ?? 0) - Date.now()
    if (stored && storedMs > refreshMs) return this.#hold(stored.accessToken, storedMs)
    try {
      const { accessToken, expiresInMs } = await this.#setting.request()
      this.#refusal = undefined
      if (expiresInMs !== undefined) await this.#keep({ accessToken, expiresAt: Date.now() + expiresInMs })
      return this.#hold(accessToken, expiresInMs)
    } catch (error) {
      if (error instanceof AuthError) this.#refusal = { error, until: now() + findRefusalMs(error) }
      throw error
    }
  }

  async #readStore(): Promise<StoredToken | undefined> {
    const { store } = this.#setting
    return store && this.#waitForStore(Promise.resolve().then(() => store.get()))
  }

  /** Keeps a token. The call waits for that, because a short process, such as a command, ends right after its call. */
  async #keep(token: StoredToken | undefined): Promise<void> {
    const { store } = this.#setting
    if (!store) return
    this.#unkept = { token }
    // One at a time, so that an older token never replaces a newer one.
    this.#keeping = this.#keeping.then(() => this.#writeNewest(store))
    await this.#waitForStore(this.#keeping)
  }

  async #writeNewest(store: TokenStore): Promise<void> {
    const newest = this.#unkept
    if (!newest) return
    this.#unkept = undefined
    try {
      await store.set(newest.token)
    } catch (reason) {
      this.#setting.onStoreFailure(reason)
    }
  }

  /** Returns what the store has done; undefined, and the failure is reported, if it fails or does not respond. */
  async #waitForStore<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      const done = await waitAtMost(
        work.then((found) => ({ found })),
        maxStoreMs,
      )
      if (done) return done.found
      throw Object.assign(new Error(`The store did not respond within ${maxStoreMs} ms.`), {
        code: 'TIMED_OUT',
      })
    } catch (reason) {
      this.#setting.onStoreFailure(reason)
      return undefined
    }
  }

  #hold(accessToken: string, lifetimeMs = Number.POSITIVE_INFINITY): HeldToken {
    const { now, refreshMs = defaultRefreshMs } = this.#setting
    // A token that lives hardly longer than the margin is used for half of its life.
    const usableMs = Math.max(lifetimeMs - refreshMs, lifetimeMs / 2)
    this.#held = { accessToken, refreshAt: now() + usableMs }
    return this.#held
  }
}

/** Finds how long a refusal is kept. Only wrong credentials stay wrong. */
function findRefusalMs({ code, retryAfterMs }: AuthError): number {
  return retryAfterMs ?? (code === 'AUTH_BAD_CREDENTIALS' ? Number.POSITIVE_INFINITY : passingRefusalMs)
}
