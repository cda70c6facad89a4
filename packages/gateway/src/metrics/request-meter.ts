/**
 * Measures requests. Each request finds its route's counts by three look-ups in maps and builds no labels.
 *
 * A failure has its status and code but no route in the histogram, because the number of series would be the product
 * of routes, codes and buckets. `tgw_errors_total` has code and route.
 */

import { Counter, Gauge, type Registry } from 'prom-client'
import type { ApiResponse, Call } from '../contract/call.ts'
import { DurationHistogram, type Durations } from './duration-histogram.ts'

/** A part of the buckets of OpenTelemetry's `http.server.request.duration`, in seconds. */
const buckets = [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10]
/** The route of a path that no endpoint has. */
const unknownRoute = 'unknown'
/** The route in the histogram of every failure. */
const anyRoute = 'any'
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
/** OpenTelemetry's word for a method that is not known. */
const otherMethod = '_OTHER'

/** The counts of one route. */
interface RouteCounts {
  points: number
  /** The responses with an error code, by their code. */
  readonly errors: Map<string, number>
  readonly durations: Map<string, Map<number, Durations>>
}

export class RequestMeter {
  /** The number of requests that have no complete response yet. */
  active = 0
  readonly #histogram: DurationHistogram
  readonly #routes = new Map<string, RouteCounts>()
  /** The durations of responses with an error code, by their labels. */
  readonly #failed = new Map<string, Durations>()
  readonly #legacyTokens: Counter

  constructor(registry: Registry) {
    const registers = [registry]
    this.#histogram = new DurationHistogram({
      name: 'http_server_request_duration_seconds',
      help: 'Duration of requests over HTTP. Failures have the route "any"; tgw_errors_total has theirs.',
      labelNames: ['method', 'route', 'status', 'error_type'],
      buckets,
      registry,
    })
    const readActive = () => this.active
    new Gauge({
      name: 'http_server_active_requests',
      help: 'Requests over HTTP without a complete response.',
      registers,
      collect() {
        this.set(readActive())
      },
    })
    this.#registerPoints(registry)
    this.#registerErrors(registry)
    this.#legacyTokens = new Counter({
      name: 'tgw_legacy_token_requests_total',
      help: 'Requests with a token of the legacy gateway.',
      registers,
    })
  }

  #registerPoints(registry: Registry) {
    const routes = this.#routes
    new Counter({
      name: 'tgw_points_spent_total',
      help: 'Points charged, by the path template. The points of an agent have the route /mcp.',
      labelNames: ['route'],
      registers: [registry],
      collect() {
        this.reset()
        for (const [route, { points }] of routes) if (points > 0) this.inc({ route }, points)
      },
    })
  }

  #registerErrors(registry: Registry) {
    const registers = [registry]
    const routes = this.#routes
    new Counter({
      name: 'tgw_errors_total',
      help: 'Responses with an error code, by the code and the path template.',
      labelNames: ['code', 'route'],
      registers,
      collect() {
        this.reset()
        for (const [route, { errors }] of routes)
          for (const [code, count] of errors) this.inc({ code, route }, count)
      },
    })
    new Counter({
      name: 'tgw_rate_limited_total',
      help: 'Requests refused with RATE_LIMITED.',
      registers,
      collect() {
        this.reset()
        for (const { errors } of routes.values()) this.inc(errors.get('RATE_LIMITED') ?? 0)
      },
    })
    new Counter({
      name: 'tgw_auth_failures_total',
      help: 'Requests refused because of their token or their credentials, by the error code.',
      labelNames: ['code'],
      registers,
      collect() {
        this.reset()
        for (const { errors } of routes.values())
          for (const [code, count] of errors) if (isRefusedSignIn(code)) this.inc({ code }, count)
      },
    })
  }

  /** Measures a call over HTTP whose response was sent. */
  endCall({ method, route, cost, caller }: Call, { status, code }: ApiResponse, ms: number) {
    const name = route ?? unknownRoute
    if (code === undefined) this.#observe(method, name, status, ms)
    else this.#observeFailure({ method, route: name, status, code }, ms)
    if (cost !== undefined && cost > 0) this.#findRoute(name).points += cost
    if (caller?.token.legacy) this.#legacyTokens.inc()
  }

  /** Measures a request for a page or a health check. */
  endPage(method: string, route: string, status: number, ms: number) {
    if (status < 400) this.#observe(method, route, status, ms)
    else this.#findFailure({ method, status, code: '' }).observe(ms / 1000)
  }

  #observe(method: string, route: string, status: number, ms: number) {
    const { durations } = this.#findRoute(route)
    let byStatus = durations.get(method)
    if (!byStatus) {
      byStatus = durations.get(toKnownMethod(method)) ?? new Map()
      durations.set(toKnownMethod(method), byStatus)
    }
    let found = byStatus.get(status)
    if (!found) {
      const labels = { method: toKnownMethod(method), route, status: String(status), error_type: '' }
      found = this.#histogram.addSeries(labels)
      byStatus.set(status, found)
    }
    found.observe(ms / 1000)
  }

  #observeFailure(failure: Failure, ms: number) {
    const { code, route } = failure
    this.#findFailure(failure).observe(ms / 1000)
    const { errors } = this.#findRoute(route)
    errors.set(code, (errors.get(code) ?? 0) + 1)
  }

  #findRoute(route: string): RouteCounts {
    let found = this.#routes.get(route)
    if (!found) {
      found = { points: 0, errors: new Map(), durations: new Map() }
      this.#routes.set(route, found)
    }
    return found
  }

  #findFailure({ method, status, code }: Omit<Failure, 'route'>): Durations {
    const known = toKnownMethod(method)
    const key = `${known} ${status} ${code}`
    let found = this.#failed.get(key)
    if (!found) {
      const labels = {
        method: known,
        route: anyRoute,
        status: String(status),
        error_type: code || String(status),
      }
      found = this.#histogram.addSeries(labels)
      this.#failed.set(key, found)
    }
    return found
  }
}

interface Failure {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code: string
}

function isRefusedSignIn(code: string): boolean {
  return code.startsWith('AUTH_') || code === 'ADMIN_UNAUTHORIZED'
}

function toKnownMethod(method: string): string {
  return methods.has(method) ? method : otherMethod
}
