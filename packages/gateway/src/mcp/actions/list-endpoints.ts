import { z } from 'zod'
import { catalogue, endpointIdOf } from '../../catalogue.ts'
import type { Caller } from '../../contract/call.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { texts } from '../../contract/texts/texts.ts'
import { action, readHints } from '../action.ts'
import { plainSchema } from '../schema.ts'
import { counted } from '../wording.ts'

/** Schemas are long: so many at once. */
const mostSchemas = 5

export const listEndpoints = action({
  name: 'list_endpoints',
  description:
    'Lists the endpoints of the API for call_endpoint, with points and whether this token may call them. For what no other action does: reservations, carts, holds, shipments, the change feed, plan requests. Free.',
  hints: readHints,
  input: z.strictObject({
    search: z.string().min(1).max(100).optional().meta({ description: 'Words of id, path or summary' }),
    group: z.string().min(1).max(40).optional().meta({ description: 'First part of operation_id: orders' }),
    detail: z
      .enum(['concise', 'schema'])
      .default('concise')
      .meta({ description: `schema: parameters and body of the first ${mostSchemas}` }),
  }),
  output: z.object({
    endpoints: z.array(
      z.object({
        operation_id: z.string(),
        method: z.string(),
        path: z.string(),
        summary: z.string(),
        points: z.int().nullable(),
        writes: z.boolean(),
        allowed: z.boolean(),
        schema: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
    truncated: z.boolean(),
  }),

  async run({ call, caller }, { search, group, detail }) {
    const words = (search ?? '').toLowerCase().split(/\s+/)
    const found = catalogue.filter((endpoint) => {
      const { summary } = texts[call.language].endpoints[endpointIdOf(endpoint)]
      const english = texts.en.endpoints[endpointIdOf(endpoint)].summary
      const text = `${endpoint.id} ${endpoint.method} ${endpoint.path} ${summary} ${english}`.toLowerCase()
      return (
        (group === undefined || groupOf(endpoint) === group) && words.every((word) => text.includes(word))
      )
    })
    const endpoints = found.map((endpoint, index) => ({
      operation_id: endpoint.id,
      method: endpoint.method,
      path: endpoint.path,
      summary: texts[call.language].endpoints[endpointIdOf(endpoint)].summary,
      points: pointsOf(endpoint),
      writes: endpoint.method !== 'GET',
      allowed: mayCall(caller, endpoint),
      ...(detail === 'schema' && index < mostSchemas ? { schema: schemaOf(endpoint) } : {}),
    }))
    const lines = endpoints.map(
      ({ method, path, allowed }) => `${method} ${path}${allowed ? '' : ' (not allowed)'}`,
    )
    const text = [`${counted(endpoints.length, 'endpoint')}.`, ...lines].join('\n')
    return { data: { endpoints, truncated: detail === 'schema' && found.length > mostSchemas }, text }
  },
})

function groupOf({ id }: Endpoint): string {
  return id.split('.', 1)[0] ?? id
}

/** Null: it depends on what is asked. */
function pointsOf({ cost = 0 }: Endpoint): number | null {
  return typeof cost === 'number' ? cost : null
}

/** As the door would decide it before it looks at what is asked; the token endpoint is out of an agent's reach. */
function mayCall(
  { capabilities, grant_type }: Caller,
  { access, capability, oms, bodyKind }: Endpoint,
): boolean {
  if (access === 'public') return bodyKind !== 'oauth'
  const isSignedIn = !oms || grant_type === 'password'
  return isSignedIn && (capability === undefined || capabilities.has(capability))
}

function schemaOf({ params, query, body }: Endpoint): Record<string, unknown> {
  const parts = {
    ...(Object.keys(params).length > 0 ? { params: z.object(params) } : {}),
    ...(Object.keys(query).length > 0 ? { query: z.object(query) } : {}),
    ...(body ? { body } : {}),
  }
  return Object.fromEntries(
    Object.entries(parts).map(([part, schema]) => [part, plainSchema(schema, 'input')]),
  )
}
