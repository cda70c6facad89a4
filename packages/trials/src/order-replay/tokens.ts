import { z } from 'zod'

/** A token is renewed when this share of its life is over. */
const shareOfLife = 0.8

const tokenAnswer = z.object({ access_token: z.string(), expires_in: z.number() })

/** One token for everyone, renewed before it expires and when the gateway says that it is over. */
export class Tokens {
  readonly #signIn: () => Promise<unknown>
  #token: { readonly text: string; readonly renewAt: number } | undefined
  #renewing: Promise<string> | undefined
  /** How many tokens there were. */
  issued = 0

  /** `signIn` answers what the token endpoint said. */
  constructor(signIn: () => Promise<unknown>) {
    this.#signIn = signIn
  }

  /** The token to send now. */
  async current(): Promise<string> {
    if (this.#token && performance.now() < this.#token.renewAt) return this.#token.text
    this.#renewing ??= this.#renewed().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  /** Forgets a token that was refused; a newer one stays. */
  refused(text: string): void {
    if (this.#token?.text === text) this.#token = undefined
  }

  async #renewed(): Promise<string> {
    const { access_token: text, expires_in } = tokenAnswer.parse(await this.#signIn())
    this.#token = { text, renewAt: performance.now() + expires_in * 1000 * shareOfLife }
    this.issued += 1
    return text
  }
}
