import type { Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import { adminCatalogue, catalogue, sandboxCatalogue, writes } from '../catalogue.ts'
import { GatewayError } from '../contract/errors.ts'
import type { Gateway } from '../gateway.ts'
import { createMcpDoor } from '../mcp/door.ts'
import { pages } from '../pages/app.ts'
import { doorListener } from './adapter.ts'
import { createDoor } from './answer.ts'
import { failureAnswer } from './failure.ts'
import { baseHeaders, mcpPath } from './headers.ts'
import { isLegacyPath } from './legacy.ts'
import { flawOf } from './router.ts'
import { createGatewayServer } from './server.ts'

/** The whole server: the contract and the operator's endpoints through the door, everything else is a page. */
export function createApp(gateway: Gateway): Server {
  const contractDoor = createDoor(gateway, catalogue, writes)
  const contract = doorListener(gateway, contractDoor)
  const mcp = doorListener(gateway, createMcpDoor(gateway, contractDoor))
  const admin = doorListener(gateway, createDoor(gateway, adminCatalogue))
  const sandbox = doorListener(gateway, createDoor(gateway, sandboxCatalogue))
  const page = getRequestListener(pages(gateway).fetch, {
    overrideGlobalObjects: false,
    // Of a request of HTTP/1.0 without Host, as some probes send it.
    hostname: 'localhost',
    errorHandler: (error) => withoutPage(gateway, error),
  })
  return createGatewayServer(gateway, (request, response) => {
    // Nearly every request: nothing more is to be known of where it belongs.
    if (request.url?.startsWith('/api/v1/')) return contract(request, response)
    const [path = ''] = (request.url ?? '').split('?', 1)
    if (path.startsWith('/api/') || isLegacyPath(path) || isBroken(path)) contract(request, response)
    else if (path === '/admin/api' || path.startsWith('/admin/api/')) admin(request, response)
    else if (path.startsWith('/sandbox/')) sandbox(request, response)
    else if (path === mcpPath) mcp(request, response)
    else void page(request, response)
  })
}

/** The door refuses what could be two pages to two readers. A page may end with a slash. */
function isBroken(path: string): boolean {
  return flawOf(path.replace(/\/$/, '')) !== undefined
}

/** What Hono's adapter itself refuses, such as a Host that no URL can have, or what failed in it. */
function withoutPage(gateway: Gateway, error: unknown): Response {
  const requestId = gateway.ids.next('req')
  const known = error instanceof RequestError ? new GatewayError('BAD_REQUEST') : error
  const { status, headers, body } = failureAnswer(known, { requestId, language: 'en' }, (fault) => {
    gateway.log.error({ request_id: requestId, error: fault }, 'a page failed inside')
  })
  const response = new Response(String(body), { status })
  const all = [...baseHeaders(requestId), ...headers]
  for (let at = 0; at < all.length; at += 2) response.headers.set(all[at] ?? '', all[at + 1] ?? '')
  return response
}
