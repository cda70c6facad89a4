import { z } from 'zod'
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiSecuritySchemeObject,
} from 'zod-openapi'
import { adminCatalogue, catalogue, sandboxCatalogue } from '../catalogue.ts'
import { listColumns } from '../contract/csv.ts'
import { type ErrorCode, errorTable } from '../contract/error-table.ts'
import { errorBody } from '../contract/fields.ts'
import { groupIds } from '../contract/groups.ts'
import type { Language } from '../contract/language.ts'
import { texts } from '../contract/texts/texts.ts'
import { apiVersion } from '../contract/version.ts'
import { acceptsIdempotencyKey, chooseTexts, type DocumentedEndpoint, type Endpoint } from '../endpoint.ts'
import { createFieldTexts, describeFields } from './describe-fields.ts'
import { errorExampleOf } from './error-examples.ts'
import { exampleOf } from './examples.ts'
import { buildMcpPaths, mcpEndpoint } from './openapi-mcp.ts'
import { buildWebhooks } from './openapi-webhooks.ts'
import { buildFailureHeaders, buildNotModifiedHeaders, buildSuccessHeaders } from './response-headers.ts'
import { nameBodies } from './schema-names.ts'

/** What sets one OpenAPI document apart from another, beside its endpoints. */
interface DocumentParts {
  readonly title: string
  readonly description: string
  readonly securitySchemes: Readonly<Record<string, ZodOpenApiSecuritySchemeObject>>
  /** The operations that are no endpoints, and the webhooks. */
  readonly added?: { readonly paths: ZodOpenApiPathsObject; readonly webhooks: ZodOpenApiPathsObject }
}

/**
 * Builds the contract as OpenAPI 3.1 from the catalogue. The English version is checked in as `contract/openapi.json`.
 */
export function buildOpenApi(language: Language = 'en') {
  return buildDocument(catalogue, language, {
    title: 'Trade Gateway API',
    description: texts[language].site.api_description,
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    added: { paths: buildMcpPaths(language), webhooks: buildWebhooks(language) },
  })
}

/**
 * Builds the operator's endpoints as OpenAPI 3.1. The English version is checked in as `contract/admin-openapi.json`.
 */
export function buildAdminOpenApi(language: Language = 'en') {
  return buildDocument(adminCatalogue, language, {
    title: 'Trade Gateway operator API',
    description: texts[language].site.admin_api_description,
    securitySchemes: { 'x-admin-token': { type: 'apiKey', in: 'header', name: 'x-admin-token' } },
  })
}

/**
 * The address of a gateway that was started with its defaults. A document that a gateway serves has the gateway's own
 * address instead.
 */
export const defaultServer = 'http://localhost:8080'

function buildDocument(endpoints: readonly Endpoint[], language: Language, parts: DocumentParts) {
  const { site } = texts[language]
  const { added, securitySchemes } = parts
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: parts.title,
        version: apiVersion,
        description: parts.description,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: defaultServer }],
      tags: groupIds
        .filter((id) => (id === 'mcp' && added) || endpoints.some(({ group }) => group === id))
        .map((id) => ({ name: id, description: site[`group_of_${id}`] })),
      security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
      paths: {
        ...buildPaths(endpoints.map(nameBodies), language),
        ...added?.paths,
      },
      ...(added ? { webhooks: added.webhooks } : {}),
      components: { securitySchemes },
    },
    { override: adjustJsonSchema },
  )
  describeFields(document, createFieldTexts(endpoints, language))
  return document
}

/** The endpoints that have a page: those of the contract, the operator and the sandbox, and `POST /mcp`. */
export const documentedEndpoints: readonly DocumentedEndpoint[] = [
  ...catalogue,
  mcpEndpoint,
  ...adminCatalogue,
  ...sandboxCatalogue,
]

/** Builds an OpenAPI document of all endpoints that have a page. Some are outside the contract. */
export function describePaths(language: Language) {
  const endpoints = [...catalogue, ...adminCatalogue, ...sandboxCatalogue]
  const paths = { ...buildPaths(endpoints, language), ...buildMcpPaths(language) }
  const document = createDocument(
    { openapi: '3.1.1', info: { title: '', version: '' }, paths },
    { override: adjustJsonSchema },
  )
  describeFields(document, createFieldTexts(endpoints, language))
  return document
}

function buildPaths(endpoints: readonly Endpoint[], language: Language): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {}
  for (const endpoint of endpoints) {
    const operation = buildOperation(endpoint, language)
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method.toLowerCase()]: operation }
  }
  return paths
}

const serializeContract = createSerializer(buildOpenApi)

/** Serializes the contract, once per language, with the address of the gateway that serves it. */
export function serializeOpenApi(language: Language = 'en', server: string = defaultServer): string {
  return serializeContract(language).replace(`"url": "${defaultServer}"`, () => `"url": "${server}"`)
}

/** Serializes the document of the operator's endpoints, once per language. */
export const serializeAdminOpenApi = createSerializer(buildAdminOpenApi)

/** Creates the function that serializes a document, once per language. */
export function createSerializer(build: (language: Language) => object): (language?: Language) => string {
  const made = new Map<Language, string>()
  return (language = 'en') => {
    const text = made.get(language) ?? `${JSON.stringify(build(language), null, 2)}\n`
    made.set(language, text)
    return text
  }
}

/** Whether a response can be 304. */
function hasETag({ headers = [] }: Endpoint): boolean {
  return headers.includes('ETag')
}

const securityNames = { bearer: 'bearer', admin: 'x-admin-token' } as const

function buildOperation(endpoint: Endpoint, language: Language): ZodOpenApiOperationObject {
  const { summary, description } = chooseTexts(endpoint, language)
  const header = {
    ...(acceptsIdempotencyKey(endpoint) ? { 'Idempotency-Key': z.string().min(1).max(255).optional() } : {}),
    ...(hasETag(endpoint) ? { 'If-None-Match': z.string().optional() } : {}),
    ...(endpoint.access === 'admin' ? { 'X-Admin-Actor': z.string().optional() } : {}),
  }
  return {
    operationId: endpoint.id,
    summary,
    description,
    tags: [endpoint.group],
    security: endpoint.access === 'public' ? [] : [{ [securityNames[endpoint.access]]: [] }],
    requestParams: {
      path: z.object(endpoint.params),
      query: z.object(endpoint.query),
      ...(Object.keys(header).length > 0 ? { header: z.object(header) } : {}),
    },
    ...(endpoint.body
      ? {
          requestBody: {
            required: !endpoint.optionalBody,
            content: buildRequestContent(endpoint.body, endpoint),
          },
        }
      : {}),
    responses: { ...buildSuccess(endpoint, language), ...buildFailures(endpoint, language) },
    ...(endpoint.since ? { 'x-since': endpoint.since } : {}),
    ...(endpoint.capability ? { 'x-capability': endpoint.capability } : {}),
    ...(typeof endpoint.cost === 'number' ? { 'x-points': endpoint.cost } : {}),
  }
}

function buildRequestContent(body: z.ZodObject, { id, bodyKind, example: declared }: Endpoint) {
  const example = exampleOf(id)?.request.body ?? declared
  const json = { 'application/json': { schema: body, ...(example ? { example } : {}) } }
  return bodyKind === 'oauth' ? { ...json, 'application/x-www-form-urlencoded': { schema: body } } : json
}

function buildSuccess(endpoint: Endpoint, language: Language) {
  const { site } = texts[language]
  const example = exampleOf(endpoint.id)?.response.body
  return {
    [endpoint.status ?? 200]: {
      description: site.api_success,
      headers: buildSuccessHeaders(endpoint, acceptsIdempotencyKey(endpoint)),
      content: endpoint.streamed
        ? Object.fromEntries(endpoint.streamed.map((type) => [type, { schema: endpoint.result }]))
        : {
            'application/json': { schema: endpoint.result, ...(example === undefined ? {} : { example }) },
            ...(endpoint.csv
              ? { 'text/csv': { schema: buildCsvSchema(listColumns(endpoint), language) } }
              : {}),
          },
    },
    ...(hasETag(endpoint)
      ? { 304: { description: site.api_not_modified, headers: buildNotModifiedHeaders(endpoint) } }
      : {}),
  }
}

/**
 * Builds the schema of a CSV response: the fields of `data` in this order. The `Link` header refers to the next page.
 */
function buildCsvSchema(columns: readonly string[], language: Language) {
  const description = texts[language].site.api_csv.replace('{columns}', columns.join(','))
  return z.string().meta({ description })
}

/** Lists the codes that an endpoint can return: those of the pipeline and those of its declaration. */
export function listErrorCodes(endpoint: DocumentedEndpoint): ErrorCode[] {
  if (endpoint.isProtocol) return [...endpoint.errors]
  // Without a token, refusals are limited by address.
  const codes: ErrorCode[] = ['BAD_REQUEST', 'VALIDATION_FAILED', 'RATE_LIMITED', 'INTERNAL']
  if (endpoint.access === 'bearer')
    codes.push('AUTH_MISSING_TOKEN', 'AUTH_INVALID_TOKEN', 'AUTH_EXPIRED', 'AUTHZ_UNAVAILABLE')
  if (endpoint.access === 'admin') codes.push('ADMIN_UNAUTHORIZED', 'ADMIN_DISABLED')
  if (endpoint.capability) codes.push('SCOPE_DENIED')
  if (endpoint.oms) codes.push('OMS_LOGIN_REQUIRED')
  if (endpoint.writesUpstream) codes.push('READ_ONLY_MODE')
  if (acceptsIdempotencyKey(endpoint)) {
    codes.push('IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_MISMATCH', 'IDEMPOTENCY_INVALID_KEY')
  }
  return [...new Set([...codes, ...endpoint.errors])]
}

/**
 * Lists the statuses of a code at an endpoint. `INTERNAL` may be 503. A large request body is refused with 413, even if
 * it would be ignored; one of another type with 415.
 */
function listStatuses(code: ErrorCode, endpoint: Endpoint): number[] {
  const usual = errorTable[code].status
  if (code === 'INTERNAL') return [usual, 503]
  if (code === 'BAD_REQUEST') return endpoint.body ? [usual, 413, 415] : [usual, 413]
  return [usual]
}

function buildFailures(endpoint: Endpoint, language: Language) {
  const all = listErrorCodes(endpoint).flatMap((code) =>
    listStatuses(code, endpoint).map((status) => ({ code, status })),
  )
  return Object.fromEntries(
    [...Map.groupBy(all, ({ status }) => status)].map(([status, entries]) => {
      const codes = entries.map(({ code }) => code).toSorted()
      return [String(status), shareFailure(endpoint, { status, codes, language })]
    }),
  )
}

interface Failure {
  readonly status: number
  readonly codes: readonly ErrorCode[]
  readonly language: Language
}

const failures = new Map<string, ReturnType<typeof buildFailure>>()

/** Returns one value for equal failures of many endpoints, so that they become one component of the document. */
function shareFailure(endpoint: Endpoint, failure: Failure) {
  const { status, codes, language } = failure
  const id = [`Failure${status}`, ...(endpoint.access === 'bearer' ? [] : [endpoint.access]), ...codes].join(
    '-',
  )
  const key = `${id} ${language}`
  const made = failures.get(key) ?? buildFailure(id, endpoint, failure)
  failures.set(key, made)
  return made
}

/** The examples are the recorded responses with the codes. Another status of a code has none. */
function buildFailure(id: string, endpoint: Endpoint, { status, codes, language }: Failure) {
  const recorded = codes.map((code) => [code, errorExampleOf(code)] as const)
  const shown = recorded.filter(([, example]) => example.status === status)
  const examples = shown.map(([code, { bodies }]) => [code, { value: bodies[language] }])
  return {
    id,
    description: codes.join(', '),
    headers: buildFailureHeaders(endpoint, status),
    content: {
      'application/json': {
        schema: errorBody,
        ...(examples.length > 0 ? { examples: Object.fromEntries(examples) } : {}),
      },
    },
  }
}

/** Adjusts Zod's JSON Schema: responses may gain fields, and limits of safe integers carry no information. */
function adjustJsonSchema({ jsonSchema, zodSchema, io }: SchemaOverride) {
  if (io === 'output') delete jsonSchema.additionalProperties
  else adjustRequestSchema(jsonSchema, zodSchema)
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === undefined) delete jsonSchema.exclusiveMaximum
}

interface SchemaOverride {
  readonly jsonSchema: Record<string, unknown>
  readonly zodSchema: unknown
  readonly io: 'input' | 'output'
}

/** Describes numbers and booleans of a query by their own types, so that generated clients do not use strings. */
function adjustRequestSchema(jsonSchema: Record<string, unknown>, zodSchema: unknown) {
  // Zod omits the default of a value that is parsed from text.
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
