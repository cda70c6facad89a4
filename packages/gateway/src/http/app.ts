import type { Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { adminCatalogue, catalogue } from '../catalogue.ts'
import type { Gateway } from '../gateway.ts'
import { pages } from '../pages/app.ts'
import { doorListener } from './adapter.ts'
import { createDoor } from './answer.ts'
import { isLegacyPath } from './legacy.ts'
import { createGatewayServer } from './server.ts'

/** The whole server: the contract and the operator's endpoints through the door, everything else is a page. */
export function createApp(gateway: Gateway): Server {
  const contract = doorListener(gateway, createDoor(gateway, catalogue))
  const admin = doorListener(gateway, createDoor(gateway, adminCatalogue))
  const page = getRequestListener(pages(gateway).fetch, { overrideGlobalObjects: false })
  return createGatewayServer(gateway, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const broken =
      !path.startsWith('/') || request.method === 'TRACE' || (request.headersDistinct.host ?? []).length !== 1
    if (path.startsWith('/api/') || isLegacyPath(path) || broken) contract(request, response)
    else if (path === '/admin/api' || path.startsWith('/admin/api/')) admin(request, response)
    else void page(request, response)
  })
}
