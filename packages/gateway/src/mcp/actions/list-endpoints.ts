import { z } from 'zod'
import { catalogue } from '../../catalogue.ts'
import type { Caller } from '../../contract/call.ts'
import { chooseTexts, type Endpoint } from '../../endpoint.ts'
import { includesWords, splitWords } from '../../kernel/words.ts'
import { action, readHints } from '../action.ts'
import { toInlineSchema } from '../schema.ts'
import { countNoun } from '../wording.ts'

/** The largest number of schemas in a result, because schemas are long. */
const maxSchemas = 5

export const listEndpoints = action({
  name: 'list_endpoints',
  title: 'List endpoints',
  description:
    'Lists the endpoints of the API for call_endpoint, with their points and whether this token may call them. For tasks that no other action covers: reservations, carts, holds, shipments, the change feed, plan requests. Free.',
  hints: readHints,
  input: z.strictObject({
    search: z.string().min(1).max(100).optional().meta({ description: 'Words of id, path or summary' }),
    group: z.string().min(1).max(40).optional().meta({ description: 'First part of operation_id: orders' }),
    detail: z
      .enum(['concise', 'schema'])
      .default('concise')
      .meta({ description: `schema: parameters and body of the first ${maxSchemas}` }),
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
    const words = splitWords(search ?? '')
    const found = catalogue.filter((endpoint) => {
      const { id, method, path, summary } = endpoint
      const text =
        `${id} ${method} ${path} ${chooseTexts(endpoint, call.language).summary} ${summary}`.toLowerCase()
      return (group === undefined || readGroup(id) === group) && includesWords(text, words)
    })
    const endpoints = found.map((endpoint, index) => ({
      operation_id: endpoint.id,
      method: endpoint.method,
      path: endpoint.path,
      summary: chooseTexts(endpoint, call.language).summary,
      points: readFixedPoints(endpoint),
      writes: endpoint.method !== 'GET',
      allowed: mayCall(caller, endpoint),
      ...(detail === 'schema' && index < maxSchemas ? { schema: findInputSchema(endpoint) } : {}),
    }))
    const lines = endpoints.map(
      ({ method, path, allowed }) => `${method} ${path}${allowed ? '' : ' (not allowed)'}`,
    )
    const text = [`${countNoun(endpoints.length, 'endpoint')}.`, ...lines].join('\n')
    return { data: { endpoints, truncated: detail === 'schema' && found.length > maxSchemas }, text }
  },
})

function readGroup(id: string): string {
  return id.split('.', 1)[0] ?? id
}

/** Returns the cost in points; null if it depends on the request. */
function readFixedPoints({ cost = 0 }: Endpoint): number | null {
  return typeof cost === 'number' ? cost : null
}

/**
 * Whether the pipeline would let the caller use the endpoint, apart from checks that depend on the request. Agents
 * cannot call the token endpoint.
 */
function mayCall(
  { capabilities, grant_type, switches }: Caller,
  { access, capability, oms, bodyKind, businessSwitch }: Endpoint,
): boolean {
  if (access === 'public') return bodyKind !== 'oauth'
  const isSignedIn = !oms || grant_type === 'password'
  const isOn = businessSwitch === undefined || switches[businessSwitch]
  return isSignedIn && isOn && (capability === undefined || capabilities.has(capability))
}

type InputSchema = Readonly<Record<string, unknown>>

/**
 * Built once for each endpoint, for callers of every language, because schemas are in English. Building one takes up to
 * a millisecond, the action is free, and a batch may have many calls of it.
 */
const inputSchemas = new WeakMap<Endpoint, InputSchema>()

function findInputSchema(endpoint: Endpoint): InputSchema {
  const known = inputSchemas.get(endpoint)
  if (known) return known
  const schema = buildInputSchema(endpoint)
  inputSchemas.set(endpoint, schema)
  return schema
}

function buildInputSchema({ params, query, body }: Endpoint): InputSchema {
  const parts = {
    ...(Object.keys(params).length > 0 ? { params: z.object(params) } : {}),
    ...(Object.keys(query).length > 0 ? { query: z.object(query) } : {}),
    ...(body ? { body } : {}),
  }
  return Object.fromEntries(
    Object.entries(parts).map(([part, schema]) => [part, toInlineSchema(schema, 'input')]),
  )
}
