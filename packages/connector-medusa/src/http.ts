/** Calls of Medusa's Admin and Store API over HTTP. */
import type { z } from 'zod'
import { classifyException, classifyStatus, isFailure, MedusaFailure } from './failures.ts'

/** The longest time of one call in milliseconds. */
export const maxCallMs = 15_000
const maxReadTries = 3

export type Query = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** One call: what is read, from where, and with whose rights. */
export interface Call<T> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly query?: Query
  readonly body?: unknown
  /** The part of the response that the caller reads. */
  readonly schema: z.ZodType<T>
  readonly headers?: Readonly<Record<string, string>>
}

interface HttpSettings {
  readonly url: string
  /** Headers that every call carries. */
  readonly headers: Readonly<Record<string, string>>
}

export class MedusaHttp {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>

  constructor({ url, headers }: HttpSettings) {
    this.#base = url.replace(/\/+$/, '')
    this.#headers = headers
  }

  /** Reads, and again if the connection broke: a read has no effect. */
  async get<T>(path: string, schema: z.ZodType<T>, query: Query = {}): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.send({ method: 'GET', path, schema, query })
      } catch (error) {
        if (!isFailure(error, 'unknown') || tries >= maxReadTries) throw error
      }
    }
  }

  post<T>(path: string, schema: z.ZodType<T>, body: unknown = {}): Promise<T> {
    return this.send({ method: 'POST', path, schema, body })
  }

  /** Sends one call. Throws `MedusaFailure`. */
  async send<T>({ method, path, query = {}, body, schema, headers = {} }: Call<T>): Promise<T> {
    const call = `${method} ${path}`
    let status: number
    let text: string
    try {
      const response = await fetch(`${this.#base}${path}${toQueryString(query)}`, {
        method,
        headers: {
          ...this.#headers,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(maxCallMs),
      })
      status = response.status
      text = await response.text()
    } catch (error) {
      throw classifyException(call, error)
    }
    if (status < 200 || status > 299) throw classifyStatus(call, status, text)
    return parseBody(call, schema, text)
  }
}

function parseBody<T>(call: string, schema: z.ZodType<T>, text: string): T {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new MedusaFailure('unexpected', call, 'the response is not JSON')
  }
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const place = issue?.path.join('.') ?? ''
  throw new MedusaFailure(
    'unexpected',
    call,
    `the response has an unexpected ${place}: ${issue?.message ?? ''}`,
  )
}

/** Writes a query as Medusa reads it: lists as `id[]=a&id[]=b`. */
export function toQueryString(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'object'
      ? value.map((one) => [`${name}[]`, one] as const)
      : [[name, String(value)] as const],
  )
  if (pairs.length === 0) return ''
  return `?${pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')}`
}

/** The headers of Medusa's secret API key. */
export function toKeyHeaders(secretKey: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${secretKey}:`).toString('base64')}` }
}
