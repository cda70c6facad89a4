import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'

const requestTimeoutMs = 30_000
/** A client that is told to wait this often for one answer has too few points for what it does. */
const mostWaits = 30
const longestRetryAfterSeconds = 120
const mostShownCharacters = 500

/** The gateway gave an answer that a client can do nothing with. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

/** What a client has used up so far. */
export interface Spent {
  requests: number
  points: number
  /** How often it was told to wait for points, and for how long it did. */
  waits: number
  waited_seconds: number
}

/** A signed-in client of the public API. */
export interface Client {
  /** The JSON of a 200 answer. Waits for points as long as `Retry-After` says; throws `Unanswered` otherwise. */
  get(path: string): Promise<unknown>
  readonly spent: Readonly<Spent>
}

/** Those of a channel, or of an OMS account. */
export type Credentials =
  | { readonly client_id: string; readonly client_secret: string }
  | { readonly username: string; readonly password: string }

const tokenAnswer = z.object({ access_token: z.string() })

/** Signs in as a channel or an account at the gateway behind `baseUrl`. Throws `Unanswered`. */
export async function signIn(
  baseUrl: string,
  credentials: Credentials,
  signal: AbortSignal,
): Promise<Client> {
  const signInAnswer = await answerTo(
    `${baseUrl}/api/v1/auth/token`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(grantOf(credentials)),
    },
    signal,
  )
  const { access_token } = tokenAnswer.parse(await jsonOf(signInAnswer))
  const spent: Spent = { requests: 0, points: 0, waits: 0, waited_seconds: 0 }
  const headers = { authorization: `Bearer ${access_token}` }
  return {
    spent,
    async get(path) {
      for (let waits = 0; waits <= mostWaits; waits++) {
        const answer = await answerTo(`${baseUrl}${path}`, { headers }, signal)
        spent.requests += 1
        if (answer.status !== 429) {
          spent.points += Number(answer.headers.get('ratelimit-cost') ?? 0)
          return jsonOf(answer)
        }
        const seconds = retryAfter(answer)
        await answer.body?.cancel()
        spent.waits += 1
        spent.waited_seconds += seconds
        await wait(seconds * 1000, undefined, { signal })
      }
      throw new Unanswered(`GET ${path} was put off ${mostWaits} times for want of points.`)
    },
  }
}

/** Nothing but the credentials: whoever they come from may know more. */
function grantOf(credentials: Credentials) {
  if ('username' in credentials) {
    const { username, password } = credentials
    return { grant_type: 'password', username, password }
  }
  const { client_id, client_secret } = credentials
  return { grant_type: 'client_credentials', client_id, client_secret }
}

/** Sets how many points a channel may spend in 60 seconds, as the operator. Throws `Unanswered`. */
export async function allowPoints(
  baseUrl: string,
  adminToken: string,
  channel_code: string,
  points_per_minute: number,
  signal: AbortSignal,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-admin-token': adminToken }
  const body = JSON.stringify({ points_per_minute })
  const url = `${baseUrl}/admin/api/channels/${channel_code}`
  await jsonOf(await answerTo(url, { method: 'PATCH', headers, body }, signal))
}

/**
 * The answer to one request, whatever its status. Throws `Unanswered` where none came in time, and the reason of
 * `signal` where that ended it.
 */
export async function answerTo(url: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
  try {
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)])
    return await fetch(url, { ...init, signal: inTime })
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
    throw new Unanswered(`${url} did not answer: ${why}`, { cause: error })
  }
}

/** The JSON of an answer that is a success. Throws `Unanswered`. */
export async function jsonOf(response: Response): Promise<unknown> {
  if (response.ok) return response.json()
  const said = (await response.text()).slice(0, mostShownCharacters)
  throw new Unanswered(`${response.url} was answered ${response.status}: ${said}`)
}

function retryAfter(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  if (seconds >= 0 && seconds <= longestRetryAfterSeconds) return seconds
  throw new Unanswered('A 429 came without a usable Retry-After.')
}
