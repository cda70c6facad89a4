/**
 * Tryton's JSON-RPC. A session is opened at the first call and renewed when Tryton no longer knows it: it answers 401
 * before it does anything, so that every call can be sent again. Calls whose outcome is unknown are never repeated here.
 */
import { z } from 'zod'
import type { Environment } from './environment.ts'
import { classifyError, classifyException, classifyStatus, isFailure, TrytonFailure } from './failures.ts'

/** The longest response: about 50,000 rows with both quantities. */
const maxResponseBytes = 64 * 1024 * 1024
const maxSessionTries = 2
/** The time that one request may take, in milliseconds, unless the caller's deadline is earlier. */
export const maxCallMs = 15_000
/**
 * For how long a refused login is not sent again. Tryton counts them: after some it makes every login wait, and then it
 * locks the user out, also with the right password.
 */
const refusedLoginMs = 10_000

export type Domain = readonly unknown[]
export type Context = Readonly<Record<string, unknown>>

export interface RpcOptions {
  readonly url: string
  readonly database: string
  readonly user: string
  readonly password: string
  readonly environment: Environment
}

export interface CallSettings {
  readonly context?: Context
  readonly signal?: AbortSignal | undefined
  readonly maxMs?: number | undefined
}

export interface SearchSettings extends CallSettings {
  readonly offset?: number
  readonly limit?: number | null
  readonly order?: readonly (readonly [string, 'ASC' | 'DESC'])[] | null
}

const loginResult = z.tuple([z.int(), z.string()])
const reply = z.object({ result: z.unknown().optional(), error: z.unknown().optional() })

/** A connection to one database of Tryton as one user. */
export class Rpc {
  readonly #options: RpcOptions
  #session: Promise<string> | undefined
  #context: Context = {}
  #requestId = 0
  #logins = 0
  #userId: number | undefined
  #refusal: { readonly at: number; readonly failure: TrytonFailure } | undefined
  #clockOffset = 0
  readonly #start: string

  constructor(options: RpcOptions) {
    this.#options = { ...options, url: options.url.replace(/\/+$/, '') }
    this.#start = Math.floor(options.environment.random() * 36 ** 8).toString(36)
  }

  /**
   * Names this start of the connector and its session. A database that was restored from a backup no longer knows the
   * session, so that a cursor from before it is not understood.
   */
  async readEpoch(): Promise<string> {
    if (this.#session === undefined) await this.call('model.res.user.get_preferences', [true], z.unknown())
    return `${this.#start}x${this.#logins}`
  }

  /** Tryton's id of the user, by which its rows name who wrote them last; undefined before the first call. */
  get userId(): number | undefined {
    return this.#userId
  }

  /** Tryton's current time in milliseconds since 1970, as its last response dated it. */
  readServerTime(): number {
    return this.#options.environment.now() + this.#clockOffset
  }

  /** Sets what every later call sends as its context, such as the company. */
  setContext(context: Context): void {
    this.#context = context
  }

  get context(): Context {
    return this.#context
  }

  /** Calls a method with parameters. The context is appended as the last one. */
  async call<T>(
    method: string,
    params: readonly unknown[],
    schema: z.ZodType<T>,
    settings: CallSettings = {},
  ): Promise<T> {
    const result = await this.#callInSession(method, params, settings)
    return parseResult(method, schema, result)
  }

  /** Calls a method of the server itself, which requires no session. */
  async callServer<T>(method: string, schema: z.ZodType<T>): Promise<T> {
    return parseResult(method, schema, await this.#send(method, [], { path: '' }))
  }

  searchRead<T>(
    model: string,
    domain: Domain,
    row: z.ZodType<T>,
    { fields, ...settings }: SearchSettings & { readonly fields: readonly string[] },
  ): Promise<T[]> {
    const { offset = 0, limit = null, order = null } = settings
    const params = [domain, offset, limit, order, fields]
    return this.call(`model.${model}.search_read`, params, z.array(row), settings)
  }

  search(model: string, domain: Domain, settings: SearchSettings = {}): Promise<number[]> {
    const { offset = 0, limit = null, order = null } = settings
    return this.call(`model.${model}.search`, [domain, offset, limit, order], z.array(z.int()), settings)
  }

  create(model: string, values: readonly object[], settings: CallSettings = {}): Promise<number[]> {
    return this.call(`model.${model}.create`, [values], z.array(z.int()), settings)
  }

  async write(
    model: string,
    ids: readonly number[],
    values: object,
    settings: CallSettings = {},
  ): Promise<void> {
    await this.call(`model.${model}.write`, [ids, values], z.unknown(), settings)
  }

  /** Presses a button. Its result proves nothing: a transition that is not allowed returns null, or even true. */
  async press(
    model: string,
    button: string,
    ids: readonly number[],
    settings: CallSettings = {},
  ): Promise<unknown> {
    return this.call(`model.${model}.${button}`, [ids], z.unknown(), settings)
  }

  async #callInSession(method: string, params: readonly unknown[], settings: CallSettings): Promise<unknown> {
    const { environment } = this.#options
    const context = { ...this.#context, ...settings.context }
    const ms = settings.maxMs ?? maxCallMs
    const until = environment.elapsed() + ms
    for (let tries = 1; ; tries++) {
      const session = this.#openSession(settings)
      this.#session = session
      try {
        const key = await session
        // A renewed session does not lengthen the call: a write takes effect within its time, or not at all.
        const maxMs = Math.ceil(until - environment.elapsed())
        if (maxMs <= 0)
          throw new TrytonFailure('unknown', method, `not begun, because signing in took all of its ${ms} ms`)
        return await this.#send(method, [...params, context], { ...settings, maxMs, session: key })
      } catch (error) {
        // A failed login must not be remembered. A session that was renewed meanwhile must not be dropped.
        const isLost = isFailure(error, 'session') || (await hasFailed(session))
        if (isLost && this.#session === session) this.#session = undefined
        if (!isFailure(error, 'session') || tries >= maxSessionTries) throw error
      }
    }
  }

  #openSession(settings: CallSettings): Promise<string> {
    return this.#session ?? this.#logIn(settings)
  }

  async #logIn({ signal }: CallSettings): Promise<string> {
    const { user, password, environment } = this.#options
    if (this.#refusal && environment.elapsed() - this.#refusal.at < refusedLoginMs)
      throw this.#refusal.failure
    const result = await this.#send('common.db.login', [user, { password }], { signal }).catch(
      (error: unknown) => {
        // Tryton answers 401 to a wrong password, as to a session that it no longer knows.
        if (!isFailure(error, 'session')) throw error
        return null
      },
    )
    if (result === null) {
      const failure = new TrytonFailure('login', 'common.db.login', `the password of ${user} is wrong`)
      this.#refusal = { at: environment.elapsed(), failure }
      throw failure
    }
    const [userId, key] = parseResult('common.db.login', loginResult, result)
    this.#logins += 1
    this.#userId = userId
    return `Session ${Buffer.from(`${user}:${userId}:${key}`).toString('base64')}`
  }

  async #send(
    method: string,
    params: readonly unknown[],
    { signal, session, path, maxMs = maxCallMs }: CallSettings & { session?: string; path?: string },
  ): Promise<unknown> {
    const { url, database } = this.#options
    this.#requestId += 1
    const timeout = AbortSignal.timeout(maxMs)
    const headers = { 'content-type': 'application/json', ...(session ? { authorization: session } : {}) }
    const { response, text } = await fetchText(`${url}/${path ?? `${encodeURIComponent(database)}/`}`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ id: this.#requestId, method, params }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch((error: unknown) => {
      throw classifyException(method, error)
    })
    this.#keepServerTime(response.headers.get('date'))
    if (response.status !== 200) throw classifyStatus(method, response.status, text)
    const body = reply.safeParse(parseJson(text))
    if (!body.success) throw new TrytonFailure('unexpected', method, 'the response is not complete')
    if (body.data.error) throw classifyError(method, body.data.error)
    return body.data.result ?? null
  }

  /**
   * The header has whole seconds. The known difference of the clocks is kept while it fits, so that the time that is
   * derived from it does not jump within a second.
   */
  #keepServerTime(date: string | null): void {
    const at = date === null ? Number.NaN : Date.parse(date)
    if (Number.isNaN(at)) return
    const least = at - this.#options.environment.now()
    this.#clockOffset = Math.min(Math.max(this.#clockOffset, least), least + 1_000)
  }
}

async function fetchText(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  const length = Number(response.headers.get('content-length') ?? 0)
  if (length > maxResponseBytes) throw new Error(`the response has ${length} bytes`)
  return { response, text: await response.text() }
}

async function hasFailed(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => false,
    () => true,
  )
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseResult<T>(method: string, schema: z.ZodType<T>, result: unknown): T {
  const parsed = schema.safeParse(result)
  if (parsed.success) return parsed.data
  throw new TrytonFailure(
    'unexpected',
    method,
    `the result is not as expected: ${z.prettifyError(parsed.error)}`,
  )
}
