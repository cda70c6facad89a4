/**
 * The only HTTP client that calls receivers, guarded against server-side request forgery (SSRF).
 *
 * For each connection it resolves the name once and checks that every address is public unicast. Then it opens the
 * socket to the checked address, with the name kept for TLS and Host. So a resolver that returns another address later
 * (DNS rebinding) has no effect. It ignores the proxies of the environment, does not follow redirects, and neither
 * decodes a body nor reads more than `maxResponseBytes` of it.
 */

import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import { LRUCache } from 'lru-cache'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import type { Config } from '../config.ts'
import { growingTo } from '../kernel/growing-cache.ts'
import { isAddress } from '../kernel/networks.ts'
import { isPublicUnicast } from './address.ts'
import { findUrlFlaw, listOwnHosts } from './url.ts'

/** The result of a request to a receiver. */
export interface PostResult {
  /** The HTTP status; undefined if no response arrived. */
  readonly status: number | undefined
  readonly error: PostError | undefined
  /** The first printable characters of the response. */
  readonly excerpt: string | null
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
  /** Resolves a name to all of its addresses. */
  readonly resolve?: Resolve
  /** Opens the connection to `hostname`, which is a checked address. */
  readonly dial?: Connector
}

const connectTimeoutMs = 10_000
const resolveTimeoutMs = 5_000
const maxResponseBytes = 64 * 1024
const maxExcerptCharacters = 200
/** A status below it announces another one (RFC 9110 §15.2). */
const minFinalStatus = 200
const maxAddresses = 3
const keepAliveMs = 10_000
const maxDestinations = 5_000

interface PostRequest {
  readonly url: string
  /** The headers, as a flat list of names and values. */
  readonly headers: string[]
  readonly body: Uint8Array
  readonly timeoutMs: number
}

interface Destination {
  readonly origin: string
  readonly path: string
}

/** What sends the bodies of webhooks. */
export interface Sender {
  /** Sends a body once. Never throws. */
  post(request: PostRequest): Promise<PostResult>
  /** Closes every connection. */
  close(): Promise<void>
}

export class Egress implements Sender {
  readonly #config: Config
  readonly #agent: Agent
  readonly #destinations = new LRUCache<string, Destination>(growingTo(maxDestinations))

  constructor(config: Config, parts: EgressParts = {}) {
    this.#config = config
    const dial = parts.dial ?? buildConnector({ timeout: connectTimeoutMs, allowH2: false })
    this.#agent = new Agent({
      connect: createCheckedConnector(config, parts.resolve ?? createResolver(config), dial),
      // The dispatcher bounds the requests in flight. A limit per origin would let one channel's receiver delay another's.
      connections: null,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
    })
  }

  /** Sends a body once. Never throws. */
  post({ url, headers, body, timeoutMs }: PostRequest): Promise<PostResult> {
    const destination = this.#parseDestination(url)
    if (!destination) return Promise.resolve(toFailure('not_public'))
    const timeouts = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }
    return new Promise((resolve) => {
      this.#agent.dispatch(
        { ...destination, method: 'POST', headers, body, ...timeouts },
        collectResult(timeoutMs, resolve),
      )
    })
  }

  /**
   * Parses the origin and path of a URL; undefined if its text shows that it must not be called. The result is cached,
   * because receivers are few and called often.
   */
  #parseDestination(url: string): Destination | undefined {
    const known = this.#destinations.get(url)
    if (known) return known
    if (findUrlFlaw(url, this.#config)) return undefined
    const { origin, pathname, search } = new URL(url)
    const destination = { origin, path: `${pathname}${search}` }
    this.#destinations.set(url, destination)
    return destination
  }

  /** Closes every connection. */
  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

/** Collects a response and passes the result to `resolve`, no later than the timeout. */
function collectResult(timeoutMs: number, resolve: (result: PostResult) => void): Dispatcher.DispatchHandler {
  let abort: ((reason: Error) => void) | undefined
  let isLate = false
  let status = 0
  let size = 0
  let start = ''
  const timer = setTimeout(() => {
    isLate = true
    resolve(toFailure('timeout'))
    abort?.(new Error('The receiver took too long.'))
  }, timeoutMs)
  const end = (result: PostResult) => {
    clearTimeout(timer)
    resolve(result)
  }
  return {
    onRequestStart(controller) {
      abort = (reason) => controller.abort(reason)
      if (isLate) controller.abort(new Error('The receiver took too long.'))
    },
    onResponseStart(_controller, statusCode) {
      status = statusCode
    },
    onResponseData(controller, chunk: Buffer) {
      size += chunk.length
      if (start.length < maxExcerptCharacters) start += chunk.toString('latin1', 0, maxExcerptCharacters * 4)
      if (size > maxResponseBytes) controller.abort(new Error('The response is too large.'))
    },
    onResponseEnd() {
      end(toResult(status, start))
    },
    onResponseError(_controller, error) {
      const flaw = toPostError(error)
      // The final status counts even if its body is too large to read or breaks off.
      const hasResult = status >= minFinalStatus && flaw !== 'timeout'
      end(hasResult ? toResult(status, start) : toFailure(flaw, status || undefined))
    },
  }
}

function toResult(status: number, start: string): PostResult {
  const isFine = status >= 200 && status < 300
  const error = isFine ? undefined : status >= 300 && status < 400 ? 'redirect' : 'status'
  const excerpt = start.replace(/[^\x20-\x7e]/g, '').slice(0, maxExcerptCharacters)
  return { status, error, excerpt: isFine || excerpt === '' ? null : excerpt }
}

function toFailure(error: PostError, status?: number): PostResult {
  return { status, error, excerpt: null }
}

/** The error if the host is, or resolves to, an address that may not be called. */
export class NotPublic extends Error {}
class NoAddress extends Error {}

function toPostError(error: Error): PostError {
  if (error instanceof NotPublic) return 'not_public'
  if (error instanceof NoAddress) return 'dns'
  const code = 'code' in error ? String(error.code) : ''
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout'
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO|ALTNAME/.test(code)) return 'tls'
  return 'connection'
}

/** Creates a connector that resolves a name, checks its addresses and connects to a checked address. */
function createCheckedConnector(config: Config, resolve: Resolve, dial: Connector): Connector {
  const check = createAddressCheck(config)
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '')
    resolveAddresses(host, resolve)
      .then((addresses) => {
        if (!addresses.every(check)) throw new NotPublic(`${host} has an address that is not public.`)
        const servername = isIP(host) === 0 ? { servername: options.servername ?? host } : {}
        const next = (at: number) => {
          const last = at + 1 >= Math.min(addresses.length, maxAddresses)
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

async function resolveAddresses(host: string, resolve: Resolve): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  const addresses = await resolve(host).catch((cause: unknown) => {
    throw new NoAddress(`${host} was not resolved.`, { cause })
  })
  if (addresses.length === 0) throw new NoAddress(`${host} has no address.`)
  return addresses
}

/**
 * Creates the check for webhook addresses: public ones except the gateway's own. With `webhookPrivateNets`, every
 * address is allowed.
 */
function createAddressCheck(config: Config): (address: string) => boolean {
  if (config.webhookPrivateNets) return isAddress
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const own = new Set([...interfaces.map(({ address }) => address), ...listOwnHosts(config)])
  return (address) => isPublicUnicast(address) && !own.has(address)
}

/**
 * Creates the resolver. It queries DNS directly, because the system's resolver has four threads, which a few slow names
 * would block. In development it uses the system's resolver, so that names from the hosts file also work.
 */
function createResolver(config: Config): Resolve {
  if (config.webhookPrivateNets) {
    return async (host) => (await dns.lookup(host, { all: true })).map(({ address }) => address)
  }
  const resolver = new dns.Resolver({ timeout: resolveTimeoutMs, tries: 2 })
  return async (host) => {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return found.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  }
}
