import { z } from 'zod'

/** The share of its lifetime after which a token is renewed. */
const shareOfLife = 0.8

const tokenResponse = z.object({ access_token: z.string(), expires_in: z.number() })

/** The current token, which all requests share. It is renewed before it expires and when the gateway refuses it. */
export class TokenCache {
  readonly #signIn: () => Promise<unknown>
  #token: { readonly text: string; readonly renewAt: number } | undefined
  #renewing: Promise<string> | undefined
  /** The number of issued tokens. */
  issued = 0

  /** `signIn` returns the body of the token endpoint's response. */
  constructor(signIn: () => Promise<unknown>) {
    this.#signIn = signIn
  }

  /** Returns the current token, after renewing it if there is none or it expires soon. */
  async getToken(): Promise<string> {
    if (this.#token && performance.now() < this.#token.renewAt) return this.#token.text
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Discards a refused token, unless it has been renewed already. */
  discard(text: string): void {
    if (this.#token?.text === text) this.#token = undefined
  }

  async #renew(): Promise<string> {
    const { access_token: text, expires_in } = tokenResponse.parse(await this.#signIn())
    this.#token = { text, renewAt: performance.now() + expires_in * 1000 * shareOfLife }
    this.issued += 1
    return text
  }
}
