import { z } from 'zod'
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiPathsObject } from 'zod-openapi'
import { catalogue, endpointIdOf, webhookBodies } from '../catalogue.ts'
import { columnsOf } from './csv.ts'
import type { Endpoint } from './endpoint.ts'
import { type ErrorCode, errorTable } from './errors.ts'
import { errorBody } from './fields.ts'
import { texts } from './texts/texts.ts'

/** The contract as OpenAPI 3.1, read from the catalogue. `contract/openapi.json` is this text. */
export function openApiDocument() {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of catalogue) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operationOf(endpoint) }
  }
  return createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Trade Gateway API',
        version: '1.4.0',
        description: texts.en.pages.home_lead,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/' }],
      security: [{ bearer: [] }],
      paths: { ...paths, '/mcp': { post: agentOperation() } },
      webhooks: webhooksOf(),
      components: {
        schemas: { ErrorCode: errorCode },
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    },
    { override: dropNoise },
  )
}

/** What is sent to a channel's endpoints. */
function webhooksOf() {
  return Object.fromEntries(
    Object.entries(webhookBodies).map(([type, body]) => {
      const { summary, description } = texts.en.webhooks[type === 'stock.changed' ? type : 'order.created']
      const post: ZodOpenApiOperationObject = {
        operationId: type,
        summary,
        description,
        security: [],
        requestParams: { header: signatureHeaders },
        requestBody: { required: true, content: { 'application/json': { schema: body } } },
        responses: {
          '2XX': { description: texts.en.webhooks.answer.summary },
          default: { description: texts.en.webhooks.answer.description },
        },
      }
      return [type, { post }]
    }),
  )
}

const signatureHeaders = z.object({
  'X-Service-Signature': z.string().meta({
    description:
      't=<unix seconds>,v1=<hex HMAC-SHA256 of "{event_id}.{t}.{raw body}">; two v1 during a rotation',
  }),
  'webhook-id': z.string().meta({ description: 'The event_id (Standard Webhooks)' }),
  'webhook-timestamp': z.string().meta({ description: 'Unix seconds of this attempt' }),
  'webhook-signature': z
    .string()
    .meta({ description: 'v1,<base64 of the same HMAC>; two during a rotation' }),
  'X-Request-Id': z.string().meta({ description: 'The request that caused the event' }),
})

const errorCode = z.enum(Object.keys(errorTable)).meta({ id: 'ErrorCode' })

let text: string | undefined

/** The document as text, made once. */
export function openApiText(): string {
  text ??= `${JSON.stringify(openApiDocument(), null, 2)}\n`
  return text
}

function operationOf(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { summary, description } = texts.en.endpoints[endpointIdOf(endpoint)]
  const idempotencyKey = z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'One per business operation; the same for its retries' })
  const writes = endpoint.method !== 'GET' && endpoint.bodyKind !== 'oauth'
  return {
    operationId: endpoint.id,
    summary,
    description,
    ...(endpoint.access === 'public' ? { security: [] } : {}),
    requestParams: {
      path: z.object(endpoint.params),
      query: z.object(endpoint.query),
      ...(writes ? { header: z.object({ 'Idempotency-Key': idempotencyKey }) } : {}),
    },
    ...(endpoint.body
      ? { requestBody: { required: !endpoint.optionalBody, content: contentOf(endpoint.body, endpoint) } }
      : {}),
    responses: { ...successOf(endpoint), ...failuresOf(codesOf(endpoint)) },
    'x-since': endpoint.since,
    ...(endpoint.capability ? { 'x-capability': endpoint.capability } : {}),
    ...(typeof endpoint.cost === 'number' ? { 'x-points': endpoint.cost } : {}),
  }
}

/** Where agents call: the protocol's own messages, which its own specification describes. */
function agentOperation(): ZodOpenApiOperationObject {
  const message = { 'application/json': { schema: z.looseObject({}) } }
  const refusals = ['AUTH_MISSING_TOKEN', 'AUTH_INVALID_TOKEN', 'AUTH_EXPIRED', 'AUTHZ_UNAVAILABLE'] as const
  return {
    operationId: 'mcp',
    summary: texts.en.mcp.summary,
    description: texts.en.mcp.description,
    requestBody: { required: true, content: message },
    responses: {
      200: {
        description: 'The answer to a request, whole or as a stream',
        headers: headersNamed([]),
        content: { ...message, 'text/event-stream': { schema: z.string() } },
      },
      202: { description: 'A notification was taken', headers: headersNamed([]) },
      ...failuresOf(['BAD_REQUEST', 'INTERNAL', ...refusals]),
    },
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
      headers: headersNamed(endpoint.headers ?? []),
      content: {
        'application/json': { schema: endpoint.result },
        ...(endpoint.csv ? { 'text/csv': { schema: csvOfColumns(columnsOf(endpoint)) } } : {}),
      },
    },
  }
}

/** RFC 4180: the fields of `data`, in this order; whether there is more is told by the header `Link`. */
function csvOfColumns(columns: readonly string[]) {
  return z.string().meta({ description: `A header row, then one row each: ${columns.join(',')}` })
}

function headersNamed(own: readonly string[]) {
  return z.object(
    Object.fromEntries(['X-API-Version', 'X-Request-Id', ...own].map((name) => [name, z.string()])),
  )
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
  if (endpoint.method !== 'GET' && endpoint.bodyKind !== 'oauth') {
    codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_INVALID_KEY')
  }
  return [...new Set([...codes, ...endpoint.errors])]
}

function failuresOf(all: readonly ErrorCode[]) {
  const byStatus = Map.groupBy(all, (code) => errorTable[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.toSorted().join(', '),
        headers: headersNamed([]),
        content: { 'application/json': { schema: errorBody } },
      },
    ]),
  )
}

/** `additionalProperties: false` and integer bounds would forbid growth or say nothing. */
function dropNoise({ jsonSchema, io }: { jsonSchema: Record<string, unknown>; io: 'input' | 'output' }) {
  if (io === 'output') delete jsonSchema.additionalProperties
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
}
