import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { catalogue, endpointIdOf } from '../catalogue.ts'
import { columnsOf } from './csv.ts'
import { describeFields } from './describe-fields.ts'
import type { Endpoint } from './endpoint.ts'
import { type ErrorCode, errorTable } from './errors.ts'
import { errorBody } from './fields.ts'
import { groupIds, groupOf } from './groups.ts'
import type { Language } from './language.ts'
import { mcpOperation } from './openapi-mcp.ts'
import { webhooksOf } from './openapi-webhooks.ts'
import { failureHeaders, notModifiedHeaders, successHeaders } from './response-headers.ts'
import { texts } from './texts/texts.ts'

/** The contract as OpenAPI 3.1, read from the catalogue. `contract/openapi.json` is the English text of it. */
export function openApiDocument(language: Language = 'en') {
  const { site } = texts[language]
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Trade Gateway API',
        version: '1.4.0',
        description: site.api_description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      tags: groupIds
        .filter((id) => id === 'mcp' || catalogue.some((endpoint) => groupOf(endpoint.id) === id))
        .map((id) => ({ name: id, description: site[`group_of_${id}`] })),
      security: [{ bearer: [] }],
      paths: { ...pathsOf(catalogue, language), '/mcp': { post: mcpOperation(language) } },
      webhooks: webhooksOf(language),
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    },
    { override: dropNoise },
  )
  describeFields(document, language)
  return document
}

/** Endpoints with their schemas in OpenAPI's words, for pages; also those that are not part of the contract. */
export function describedPaths(endpoints: readonly Endpoint[], language: Language) {
  const document = createDocument(
    { openapi: '3.1.1', info: { title: '', version: '' }, paths: pathsOf(endpoints, language) },
    { override: dropNoise },
  )
  describeFields(document, language)
  return document
}

function pathsOf(endpoints: readonly Endpoint[], language: Language): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) {
    const operation = operationOf(endpoint, language)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  return paths
}

const made = new Map<Language, string>()

/** The document as text, made once for each language. */
export function openApiText(language: Language = 'en'): string {
  const text = made.get(language) ?? `${JSON.stringify(openApiDocument(language), null, 2)}\n`
  made.set(language, text)
  return text
}

/** Whether a request may carry an `Idempotency-Key`. */
export function takesKey({ method, bodyKind }: Endpoint): boolean {
  return method !== 'GET' && bodyKind !== 'oauth'
}

/** Whether an answer may be "not modified". */
function hasETag({ headers = [] }: Endpoint): boolean {
  return headers.includes('ETag')
}

function operationOf(endpoint: Endpoint, language: Language): ZodOpenApiOperationObject {
  const { summary, description } = texts[language].endpoints[endpointIdOf(endpoint)]
  const header = {
    ...(takesKey(endpoint) ? { 'Idempotency-Key': z.string().min(1).max(255).optional() } : {}),
    ...(hasETag(endpoint) ? { 'If-None-Match': z.string().optional() } : {}),
  }
  return {
    operationId: endpoint.id,
    summary,
    description,
    tags: [groupOf(endpoint.id)],
    ...(endpoint.access === 'public' ? { security: [] } : {}),
    requestParams: {
      path: z.object(endpoint.params),
      query: z.object(endpoint.query),
      ...(Object.keys(header).length > 0 ? { header: z.object(header) } : {}),
    },
    ...(endpoint.body
      ? { requestBody: { required: !endpoint.optionalBody, content: contentOf(endpoint.body, endpoint) } }
      : {}),
    responses: { ...successOf(endpoint), ...failuresOf(endpoint) },
    'x-since': endpoint.since,
    ...(endpoint.capability ? { 'x-capability': endpoint.capability } : {}),
    ...(typeof endpoint.cost === 'number' ? { 'x-points': endpoint.cost } : {}),
  }
}

function contentOf(body: z.ZodObject, { bodyKind, example }: Endpoint) {
  const json = { 'application/json': { schema: body, ...(example ? { example } : {}) } }
  return bodyKind === 'oauth' ? { ...json, 'application/x-www-form-urlencoded': { schema: body } } : json
}

function successOf(endpoint: Endpoint) {
  return {
    [endpoint.status ?? 200]: {
      description: 'Success',
      headers: successHeaders(endpoint, takesKey(endpoint)),
      content: {
        'application/json': { schema: endpoint.result },
        ...(endpoint.csv ? { 'text/csv': { schema: csvOfColumns(columnsOf(endpoint)) } } : {}),
      },
    },
    ...(hasETag(endpoint)
      ? { 304: { description: 'Not modified', headers: notModifiedHeaders(endpoint) } }
      : {}),
  }
}

/** RFC 4180: the fields of `data`, in this order; whether there is more is told by the header `Link`. */
function csvOfColumns(columns: readonly string[]) {
  return z.string().meta({ description: `A header row, then one row each: ${columns.join(',')}` })
}

/** What the pipeline itself may answer, beside the codes that the endpoint declares. */
export function codesOf(endpoint: Endpoint): ErrorCode[] {
  const codes: ErrorCode[] = ['BAD_REQUEST', 'VALIDATION_FAILED', 'INTERNAL']
  if (endpoint.access === 'bearer') {
    codes.push(
      'AUTH_MISSING_TOKEN',
      'AUTH_INVALID_TOKEN',
      'AUTH_EXPIRED',
      'AUTHZ_UNAVAILABLE',
      'RATE_LIMITED',
    )
  }
  if (endpoint.access === 'admin') codes.push('ADMIN_UNAUTHORIZED', 'ADMIN_DISABLED')
  if (endpoint.capability) codes.push('SCOPE_DENIED')
  if (endpoint.oms) codes.push('OMS_LOGIN_REQUIRED')
  if (endpoint.writesUpstream) codes.push('READ_ONLY_MODE')
  if (takesKey(endpoint)) {
    codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_INVALID_KEY')
  }
  return [...new Set([...codes, ...endpoint.errors])]
}

/** Where a code has other statuses than its usual one: an overloaded gateway, and bodies that are not read. */
function statusesOf(code: ErrorCode, endpoint: Endpoint): number[] {
  const usual = errorTable[code].status
  if (code === 'INTERNAL') return [usual, 503]
  if (code === 'BAD_REQUEST' && endpoint.body) return [usual, 413, 415]
  return [usual]
}

function failuresOf(endpoint: Endpoint) {
  const all = codesOf(endpoint).flatMap((code) =>
    statusesOf(code, endpoint).map((status) => ({ code, status })),
  )
  return Object.fromEntries(
    [...Map.groupBy(all, ({ status }) => status)].map(([status, entries]) => {
      const codes = entries.map(({ code }) => code).toSorted()
      return [String(status), failureOf(endpoint, status, codes)]
    }),
  )
}

const failures = new Map<string, ReturnType<typeof failure>>()

/** The same failure of many endpoints is one value, and so one component of the document. */
function failureOf(endpoint: Endpoint, status: number, codes: readonly ErrorCode[]) {
  const id = [`Failure${status}`, ...(endpoint.access === 'bearer' ? [] : [endpoint.access]), ...codes].join(
    '-',
  )
  const made = failures.get(id) ?? failure(id, endpoint, status, codes)
  failures.set(id, made)
  return made
}

function failure(id: string, endpoint: Endpoint, status: number, codes: readonly ErrorCode[]) {
  return {
    id,
    description: codes.join(', '),
    headers: failureHeaders(endpoint, status),
    content: { 'application/json': { schema: errorBody } },
  }
}

/** What a schema of Zod's says too much, too little, or in the wrong words. */
function dropNoise({ jsonSchema, zodSchema, io }: Overridden) {
  if (io === 'output') delete jsonSchema.additionalProperties
  else asSent(jsonSchema, zodSchema)
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === undefined) delete jsonSchema.exclusiveMaximum
}

interface Overridden {
  readonly jsonSchema: Record<string, unknown>
  readonly zodSchema: unknown
  readonly io: 'input' | 'output'
}

/** A number or a switch in a query is text on the wire and a number or a switch to whoever generates a client. */
function asSent(jsonSchema: Record<string, unknown>, zodSchema: unknown) {
  // Zod leaves a default out where the text on the wire is not yet the value.
  if (zodSchema instanceof z.ZodDefault) jsonSchema.default = zodSchema.def.defaultValue
  if (!(zodSchema instanceof z.ZodPipe)) return
  const meant = zodSchema.out instanceof z.ZodTransform ? undefined : zodSchema.out
  const words = jsonSchema.enum
  if (meant instanceof z.ZodNumber) {
    delete jsonSchema.pattern
    const { type, minimum, maximum } = z.toJSONSchema(meant)
    Object.assign(jsonSchema, { type, minimum, maximum })
  } else if (Array.isArray(words) && words.join() === 'true,false') {
    delete jsonSchema.enum
    jsonSchema.type = 'boolean'
  }
}
