import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { me } from '../access/endpoints.ts'
import { errorsRead } from '../contract/error-endpoints.ts'
import { isErrorCode } from '../contract/errors.ts'
import { warehousesList } from '../stock/endpoints.ts'
import type { Visit } from './visit.ts'

/** What an agent may want to read once: who it is, where stock lies, and what a code means. */
const fixed = [
  { uri: 'tgw://me', name: 'me', description: 'The token’s account, rights and points', endpoint: me },
  { uri: 'tgw://warehouses', name: 'warehouses', description: 'Usable warehouses', endpoint: warehousesList },
] as const

const mimeType = 'application/json'
const errorPattern = /^tgw:\/\/errors\/(\w+)$/
const template = {
  uriTemplate: 'tgw://errors/{code}',
  name: 'error',
  description: 'What an error code means and what to do',
  mimeType,
}

/** Answers the resource requests of one visit, through the door like everything else. */
export function offerResources(server: Server, visit: Visit) {
  server.setRequestHandler('resources/list', () => ({
    resources: fixed.map(({ uri, name, description }) => ({ uri, name, description, mimeType })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [template] }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const { json } = await readOf(visit, uri)
    return { contents: [{ uri, mimeType, text: JSON.stringify(json) }] }
  })
}

/** The answer of the door that a resource is. Throws `ResourceNotFoundError`. */
function readOf(visit: Visit, uri: string): Promise<{ json: unknown }> {
  const known = fixed.find((each) => each.uri === uri)
  if (known) return visit.of<z.ZodType>(known.endpoint)
  const code = errorPattern.exec(uri)?.[1] ?? ''
  if (!isErrorCode(code)) throw new ResourceNotFoundError(uri)
  return visit.of(errorsRead, { params: { code } })
}
