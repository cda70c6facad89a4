import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { adminCatalogue, catalogue, sandboxCatalogue } from '../catalogue.ts'
import { GatewayError } from '../contract/errors.ts'
import { mcpPath } from '../contract/paths.ts'
import type { Gateway } from '../gateway.ts'
import { buildSharingHeaders } from '../mcp/origin.ts'
import { createMcpPipeline } from '../mcp/pipeline.ts'
import { createPages } from '../pages/app.ts'
import { pageEndpoints } from '../pages/endpoints.ts'
import { createMetricsPipeline, metricsPath } from '../pages/metrics.ts'
import { toFailureResponse } from '../pipeline/failure.ts'
import { buildBaseHeaders } from '../pipeline/headers.ts'
import { isLegacyPath } from '../pipeline/legacy.ts'
import { createPipeline } from '../pipeline/pipeline.ts'
import { findPathFlaw } from '../pipeline/router.ts'
import { withPatience } from '../store/patience.ts'
import { writes } from '../writes.ts'
import { createAwaitedBodies, createListener, createSheddingListener, type Listener } from './adapter.ts'
import { Drain } from './drain.ts'
import { refuseOverloaded } from './overload.ts'
import { createGatewayServer } from './server.ts'

const probePaths: ReadonlySet<string> = new Set(['/livez', '/readyz', '/statusz'])
const pagePaths: ReadonlySet<string> = new Set(pageEndpoints.map(({ path }) => path))
/** The route under which the metrics count all pages together. */
const pagesRoute = 'pages'

/** Creates the HTTP server. The API and the operator's endpoints run through pipelines; every other path is a page. */
export function createApp(gateway: Gateway, drain = new Drain(gateway.clock)): Server {
  const contractPipeline = createPipeline(gateway, catalogue, writes)
  const bodies = createAwaitedBodies(gateway)
  const contract = createSheddingListener(gateway, contractPipeline, { bodies })
  const mcp = createSheddingListener(gateway, createMcpPipeline(gateway, contractPipeline), {
    bodies,
    buildHeaders: ({ headersDistinct }) => buildSharingHeaders(gateway, headersDistinct.origin ?? []),
  })
  const admin = createListener(gateway, createPipeline(gateway, adminCatalogue, writes))
  const sandbox = createListener(gateway, createPipeline(gateway, sandboxCatalogue))
  const pageCalls = createListener(gateway, createPipeline(gateway, pageEndpoints))
  const metrics = createListener(gateway, createMetricsPipeline(gateway))
  const page = getRequestListener(createPages(gateway, () => drain.isDraining).fetch, {
    overrideGlobalObjects: false,
    // The host of HTTP/1.0 requests without a Host header, which some health checks send.
    hostname: 'localhost',
    errorHandler: (error) => toPageFailureResponse(gateway, error),
  })
  const servePage = async (request: IncomingMessage, response: ServerResponse, path: string) => {
    const began = gateway.clock.monotonic()
    await withPatience(() => page(request, response))
    const { metrics: measured } = gateway.memory
    if (!measured.isOn) return
    const route = probePaths.has(path) ? path : pagesRoute
    measured.requests.endPage(
      request.method ?? '',
      route,
      response.statusCode,
      gateway.clock.monotonic() - began,
    )
  }
  const servePageUnlessOverloaded = (request: IncomingMessage, response: ServerResponse, path: string) => {
    const { load } = gateway.memory
    if (!load.begin('read')) return void refuseOverloaded(gateway, request, response)
    void servePage(request, response, path).finally(() => load.end('read'))
  }
  const listener: Listener = (request, response) => {
    // A fast path for nearly all requests, which skips the checks below.
    if (request.url?.startsWith('/api/v1/')) return contract(request, response)
    const [path = ''] = (request.url ?? '').split('?', 1)
    if (path.startsWith('/api/') || isLegacyPath(path) || hasPathFlaw(path)) contract(request, response)
    else if (path === '/admin/api' || path.startsWith('/admin/api/')) admin(request, response)
    else if (path.startsWith('/sandbox/')) sandbox(request, response)
    else if (pagePaths.has(path)) pageCalls(request, response)
    else if (path === mcpPath) mcp(request, response)
    else if (path === metricsPath) metrics(request, response)
    else if (probePaths.has(path) || path.startsWith('/admin')) void servePage(request, response, path)
    else servePageUnlessOverloaded(request, response, path)
  }
  return createGatewayServer(gateway, listener, drain)
}

/**
 * Whether the path is ambiguous, such as one with an encoded slash. The pipeline refuses such paths. A page may end
 * with a slash.
 */
function hasPathFlaw(path: string): boolean {
  return findPathFlaw(path.replace(/\/$/, '')) !== undefined
}

/**
 * Creates the response to a request that Hono's adapter refused, for example because of an invalid Host, or whose page
 * failed.
 */
function toPageFailureResponse(gateway: Gateway, error: unknown): Response {
  const requestId = gateway.ids.next('req')
  const known = error instanceof RequestError ? new GatewayError('BAD_REQUEST') : error
  const { status, headers, body } = toFailureResponse(known, { requestId, language: 'en' }, (fault) => {
    gateway.log.error({ request_id: requestId, error: fault }, 'a page failed inside')
  })
  const response = new Response(String(body), { status })
  const all = [...buildBaseHeaders(requestId), ...headers]
  for (let at = 0; at < all.length; at += 2) response.headers.set(all[at] ?? '', all[at + 1] ?? '')
  return response
}
