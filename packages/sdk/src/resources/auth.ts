import type { Tokens } from '../tokens/tokens.ts'
import type { CallOptions } from '../transport/options.ts'
import { waitFor } from '../wait.ts'
import type { Calls } from './calls.ts'
import type { Data, Sent } from './shapes.ts'

/** The token of the client. Other methods get it by themselves. */
export class Auth {
  readonly #calls: Calls
  readonly #tokens: Tokens

  constructor(calls: Calls, tokens: Tokens) {
    this.#calls = calls
    this.#tokens = tokens
  }

  /**
   * Returns a valid token, such as for a program that calls the API by itself. Requests one if there is none.
   * Throws
   * `AuthError` with `AUTH_BAD_CREDENTIALS` or `AUTH_LOCKED`.
   *
   * @see `/reference/auth.token`
   */
  token({ signal }: Pick<CallOptions, 'signal'> = {}): Promise<string> {
    return waitFor(this.#tokens.provide(), signal)
  }

  /**
   * Revokes the token of this client; with `all`, every token of the OMS account on this channel. The next call
   * requests a new one.
   *
   * @see `/reference/auth.revoke`
   */
  async revoke(body?: Sent<'auth.revoke'>, options?: CallOptions): Promise<Data<'auth.revoke'>> {
    const revoked = await this.#calls.write('auth.revoke', {}, body, options)
    this.#tokens.forget()
    return revoked
  }
}
