import { UsageError } from '../errors/errors.ts'

/** A token of your own, with the time for which it is still valid. */
export interface ProvidedToken {
  readonly accessToken: string
  /** Default: until the gateway refuses it. */
  readonly expiresInMs?: number | undefined
}

/** Gets a token from somewhere else, such as a process that signs in for several others. */
export type TokenProvider = () => Promise<ProvidedToken>

/** How the client signs in: a channel, an OMS account, a token that exists already, or a function that gets one. */
export type Credentials =
  | { readonly clientId: string; readonly clientSecret: string }
  | { readonly username: string; readonly password: string }
  | { readonly accessToken: string }
  | TokenProvider

/** The body of the token request; undefined for credentials that need none. */
export function buildGrant(credentials: Credentials): Readonly<Record<string, string>> | undefined {
  if (typeof credentials === 'function' || 'accessToken' in credentials) return undefined
  if ('username' in credentials) {
    const { username, password } = credentials
    return { grant_type: 'password', username, password }
  }
  const { clientId, clientSecret } = credentials
  return { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
}

/** Throws `UsageError` if credentials or a part of them are missing, as when an environment variable is not set. */
export function checkCredentials(credentials: Credentials | undefined): void {
  if (typeof credentials === 'function') return
  const parts = Object.entries(credentials ?? {})
  const missing = parts.find(([, value]) => typeof value !== 'string' || value === '')
  if (missing) throw new UsageError(`auth.${missing[0]} is missing. Is its environment variable set?`)
  const names = parts.map(([name]) => name).sort((one, other) => (one < other ? -1 : 1))
  const known = ['accessToken', 'clientId,clientSecret', 'password,username']
  if (!known.includes(names.join(',')))
    throw new UsageError(
      'auth must have clientId and clientSecret, or username and password, or accessToken, or be a function.',
    )
}
