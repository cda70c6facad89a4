import { setTimeout as wait } from 'node:timers/promises'
import { TradeGateway } from '@trade-gateway/sdk'

const requestTimeoutMs = 30_000
/** How often the SDK repeats a request. A client that requires more has too few points for its work. */
const maxRetries = 5
/** The maximum number of repetitions of an operator's request after 503 responses. */
const maxWaits = 30
const longestRetryAfterSeconds = 120
const maxShownCharacters = 500

/** The error for a request without a response, or with a response that a client cannot use. */
export class NoUsableResponse extends Error {
  override readonly name = 'NoUsableResponse'
}

/** The requests, points and waiting time that a client has used so far. */
export interface Spent {
  requests: number
  points: number
  /** The number of waits for points, and their total duration. */
  waits: number
  waited_seconds: number
}

/** A signed-in client of the public API. */
export interface Client {
  /** Returns the JSON of a successful response. What may pass is repeated as the SDK does. Throws `GatewayError`. */
  get(path: string): Promise<unknown>
  /** The SDK's client, for what the SDK does by itself. Its requests count as spent, too. */
  readonly gateway: TradeGateway
  readonly spent: Readonly<Spent>
}

/** The credentials of a channel or of an OMS account. */
export type Credentials =
  | { readonly client_id: string; readonly client_secret: string }
  | { readonly username: string; readonly password: string }

/** Creates a client that signs in as a channel or an account at the gateway at `baseUrl`, before its first request. */
export function signIn(baseUrl: string, credentials: Credentials, signal: AbortSignal): Client {
  const spent: Spent = { requests: 0, points: 0, waits: 0, waited_seconds: 0 }
  const gateway = new TradeGateway({
    baseUrl,
    auth: toSdkCredentials(credentials),
    maxRetries,
    attemptTimeoutMs: requestTimeoutMs,
    deadlineMs: maxRetries * longestRetryAfterSeconds * 1000,
  })
  gateway.on('response', ({ operation, points }) => {
    if (operation === 'auth.token') return
    spent.requests += 1
    spent.points += points?.cost ?? 0
  })
  gateway.on('retry', ({ code, delayMs }) => {
    if (code !== 'RATE_LIMITED') return
    spent.waits += 1
    spent.waited_seconds += delayMs / 1000
  })
  return { spent, gateway, get: (path) => gateway.request('GET', path, { signal }) }
}

/** Copies only the credentials, because the caller may pass a larger object. */
function toSdkCredentials(credentials: Credentials) {
  if ('username' in credentials) {
    const { username, password } = credentials
    return { username, password }
  }
  const { client_id, client_secret } = credentials
  return { clientId: client_id, clientSecret: client_secret }
}

/** Sets the points per minute of a channel, through the admin API. Throws `NoUsableResponse`. */
export async function setPointsPerMinute(
  { base_url, admin_token }: { readonly base_url: string; readonly admin_token: string },
  { channel_code, points_per_minute }: { readonly channel_code: string; readonly points_per_minute: number },
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-admin-token': admin_token }
  const body = JSON.stringify({ points_per_minute })
  const url = `${base_url}/admin/api/channels/${channel_code}`
  await readJson(await fetchPatiently(url, { method: 'PATCH', headers, body }, signal))
}

/**
 * Sends a request, and sends it again after `Retry-After` while the gateway returns 503, up to a maximum number of
 * waits: a gateway that has just started on a busy machine may not reach its database yet. Throws `NoUsableResponse`.
 */
export async function fetchPatiently(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  for (let waits = 0; ; waits++) {
    const response = await fetchResponse(url, init, signal)
    if (response.status !== 503 || waits === maxWaits) return response
    const seconds = readRetryAfter(response)
    await response.body?.cancel()
    await wait(seconds * 1000, undefined, { signal })
  }
}

/**
 * Sends a request and returns the response, whatever its status. Throws `NoUsableResponse` after a timeout, and the
 * reason of `signal` if it was aborted.
 */
export async function fetchResponse(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
    return await fetch(url, { ...init, signal: inTime })
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new NoUsableResponse(`${url} did not respond: ${why}`, { cause: error })
  }
}

/** Returns the JSON of a successful response. Throws `NoUsableResponse`. */
export async function readJson(response: Response): Promise<unknown> {
  if (response.ok) return response.json()
  const text = (await response.text()).slice(0, maxShownCharacters)
  throw new NoUsableResponse(`${response.url} returned ${response.status}: ${text}`)
}

function readRetryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (seconds >= 0 && seconds <= longestRetryAfterSeconds) return seconds
  throw new NoUsableResponse(`A ${response.status} response has no usable Retry-After.`)
}
