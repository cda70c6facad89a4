import { ResourceNotFoundError, type Server } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import { me } from '../access/endpoints.ts'
import { isErrorCode } from '../contract/error-table.ts'
import { errorsRead } from '../errors/endpoints.ts'
import { warehousesList } from '../stock/endpoints.ts'
import type { ActionContext } from './action-context.ts'
import { toProtocolFailure } from './failures.ts'
import { parseStatementUri, readStatementCsv, statementTemplate } from './statement/statement-csv.ts'

/** The resources that an agent typically reads once: its account, its warehouses and the error codes. */
const fixedResources = [
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

/** Runs the work of a method and measures it. */
type Measure = <T>(method: string, work: () => T | Promise<T>) => Promise<T>

/** Registers the handlers of MCP resources. Like actions, they read the API through the pipeline. */
export function registerResources(server: Server, createContext: () => ActionContext, measure: Measure) {
  server.setRequestHandler('resources/list', () =>
    measure('resources/list', () => ({
      resources: fixedResources.map(({ uri, name, description }) => ({ uri, name, description, mimeType })),
    })),
  )
  server.setRequestHandler('resources/templates/list', () =>
    measure('resources/templates/list', () => ({ resourceTemplates: [template, statementTemplate] })),
  )
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    measure('resources/read', async () => {
      const context = createContext()
      const content = await readResource(context, uri).catch(async (error: unknown) => {
        throw await toProtocolFailure(context, error)
      })
      return { contents: [{ uri, ...content }] }
    }),
  )
}

interface ResourceContent {
  readonly mimeType: string
  readonly text: string
}

/** Reads the resource of a URI from the API. Throws `ResourceNotFoundError`. */
async function readResource(context: ActionContext, uri: string): Promise<ResourceContent> {
  const known = fixedResources.find((each) => each.uri === uri)
  if (known) return toContent(await context.callEndpoint<z.ZodType>(known.endpoint))
  const list = parseStatementUri(uri)
  if (list) return readStatementCsv(context, list)
  const code = errorPattern.exec(uri)?.[1] ?? ''
  if (!isErrorCode(code)) throw new ResourceNotFoundError(uri)
  return toContent(await context.callEndpoint(errorsRead, { params: { code } }))
}

function toContent({ json }: { readonly json: unknown }): ResourceContent {
  return { mimeType, text: JSON.stringify(json) }
}
