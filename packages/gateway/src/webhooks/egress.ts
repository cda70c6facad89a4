import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { LRUCache } from 'lru-cache'
import { Agent, buildConnector } from 'undici'
import type { Config } from '../config.ts'
import { bytesOf, isPublicUnicast } from './address.ts'
import { flawOfUrl, ownHosts } from './url.ts'

/**
 * The only way out to receivers. A name is resolved once for each connection, every address of the answer must be
 * public unicast, and the socket is opened to the very address that was checked, with the name kept for TLS and Host:
 * a resolver that answers differently a moment later changes nothing. Proxies of the environment are not used,
 * redirects are not followed, bodies are neither decoded nor read beyond their bound.
 */
export interface Posted {
  /** Undefined where no answer came. */
  readonly status: number | undefined
  readonly error: PostError | undefined
  /** The first printable characters of the answer. */
  readonly said: string | null
}

export const postErrors = [
  'timeout',
  'dns',
  'not_public',
  'tls',
  'connection',
  'redirect',
  'status',
  'not_subscribed',
  'not_allowed',
  'endpoint_deleted',
  'internal',
] as const
export type PostError = (typeof postErrors)[number]

export type Resolve = (host: string) => Promise<readonly string[]>
type Connector = ReturnType<typeof buildConnector>

export interface EgressParts {
  /** Every address of a name. */
  readonly resolve?: Resolve
  /** Opens the connection to `hostname`, which is a checked address. */
  readonly dial?: Connector
}

const connectTimeoutMs = 10_000
const resolveTimeoutMs = 5_000
const mostAnswerBytes = 64 * 1024
const mostSaid = 200
const mostAddresses = 3
const keepAliveMs = 10_000
const mostPlaces = 5_000

interface Where {
  readonly origin: string
  readonly path: string
}

export class Egress {
  readonly #config: Config
  readonly #agent: Agent
  readonly #places = new LRUCache<string, Where>({ max: mostPlaces })

  constructor(config: Config, parts: EgressParts = {}) {
    this.#config = config
    const dial = parts.dial ?? buildConnector({ timeout: connectTimeoutMs, allowH2: false })
    this.#agent = new Agent({
      connect: checkedConnector(config, parts.resolve ?? resolverOf(config), dial),
      // Requests in flight are bounded by those who ask; a shared origin must not make one wait for another.
      connections: null,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
    })
  }

  /** Sends a body once and says what came of it; never throws. */
  post(url: string, headers: string[], body: Uint8Array, timeoutMs: number): Promise<Posted> {
    const where = this.#whereOf(url)
    if (!where) return Promise.resolve(failed('not_public'))
    const { promise, resolve } = Promise.withResolvers<Posted>()
    let abort: ((reason: Error) => void) | undefined
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      resolve(failed('timeout'))
      abort?.(new Error('The receiver took too long.'))
    }, timeoutMs)
    const end = (posted: Posted) => {
      clearTimeout(timer)
      resolve(posted)
    }
    let status = 0
    let size = 0
    let start = ''
    this.#agent.dispatch(
      {
        ...where,
        method: 'POST',
        headers,
        body,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      },
      {
        onRequestStart(controller) {
          abort = (reason) => controller.abort(reason)
          if (isLate) controller.abort(new Error('The receiver took too long.'))
        },
        onResponseStart(_controller, statusCode) {
          status = statusCode
        },
        onResponseData(controller, chunk: Buffer) {
          size += chunk.length
          if (start.length < mostSaid) start += chunk.toString('latin1', 0, mostSaid * 4)
          // What it answered counts; the rest of a large body does not.
          if (size > mostAnswerBytes) controller.abort(new Error('The answer is too large.'))
        },
        onResponseEnd() {
          end(answered(status, start))
        },
        onResponseError(_controller, error) {
          end(size > mostAnswerBytes ? answered(status, start) : failed(errorOf(error), status || undefined))
        },
      },
    )
    return promise
  }

  /** Where a URL leads; undefined where its text speaks against calling it. Receivers are few and called often. */
  #whereOf(url: string): Where | undefined {
    const known = this.#places.get(url)
    if (known) return known
    if (flawOfUrl(url, this.#config)) return undefined
    const { origin, pathname, search } = new URL(url)
    const where = { origin, path: `${pathname}${search}` }
    this.#places.set(url, where)
    return where
  }

  /** Closes every connection. */
  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

function answered(status: number, start: string): Posted {
  const isFine = status >= 200 && status < 300
  const error = isFine ? undefined : status >= 300 && status < 400 ? 'redirect' : 'status'
  const said = start.replace(/[^\x20-\x7e]/g, '').slice(0, mostSaid)
  return { status, error, said: isFine || said === '' ? null : said }
}

function failed(error: PostError, status?: number): Posted {
  return { status, error, said: null }
}

/** An address, or every address of a name, is not one that may be called. */
export class NotPublic extends Error {}
class NoAddress extends Error {}

function errorOf(error: Error): PostError {
  if (error instanceof NotPublic) return 'not_public'
  if (error instanceof NoAddress) return 'dns'
  const code = 'code' in error ? String(error.code) : ''
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout'
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return 'tls'
  return 'connection'
}

/** Resolves, checks and pins. */
function checkedConnector(config: Config, resolve: Resolve, dial: Connector): Connector {
  const check = checkOf(config)
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    addressesOf(host, resolve)
      .then((addresses) => {
        if (!addresses.every(check)) throw new NotPublic(`${host} has an address that is not public.`)
        const servername = isIP(host) === 0 ? { servername: options.servername ?? host } : {}
        const next = (at: number) => {
          const last = at + 1 >= Math.min(addresses.length, mostAddresses)
          const hostname = addresses[at] ?? ''
          dial({ ...options, ...servername, hostname }, (...result: Parameters<typeof callback>) => {
            if (result[0] === null || last) callback(...result)
            else next(at + 1)
          })
        }
        next(0)
      })
      .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null))
  }
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new NoAddress(`${host} was not resolved.`, { cause })
  })
  if (addresses.length === 0) throw new NoAddress(`${host} has no address.`)
  return addresses
}

/** Which addresses may be connected to: public ones, except those on which the gateway itself stands. */
function checkOf(config: Config): (address: string) => boolean {
  if (config.webhookPrivateNets) return (address) => bytesOf(address) !== undefined
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = new Set([...interfaces.map(({ address }) => address), ...ownHosts(config)])
  return (address) => isPublicUnicast(address) && !own.has(address)
}

/**
 * The system's resolver has four threads, which a few slow names would fill, so names are asked over the network
 * directly. In development names of the machine itself count too.
 */
function resolverOf(config: Config): Resolve {
  if (config.webhookPrivateNets) {
    return async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address)
  }
  const resolver = new dns.Resolver({ timeout: resolveTimeoutMs, tries: 2 })
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  }
}
