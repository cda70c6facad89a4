/**
 * Finds the changes in an OpenAPI document that would break a client of an earlier one (spec section 9: within 1.x the
 * interface only grows). A request may accept more and a response may contain more, but never less.
 *
 * Each schema is first converted to a `Shape`: the allowed types, words and fields, with every `$ref`, `allOf`, `anyOf`
 * and `oneOf` resolved. Two notations of one thing are then equal: a nullable field is the same as a type array and as
 * an `anyOf`, and a body of several forms has the fields of all forms and requires what all of them require. If the
 * released schema has no type, nothing was promised of its type. Limits such as `maxLength` and the English descriptions
 * are compared by `meaning.ts`, which receives each pair of places that this file compares.
 */

import { type Limits, limitKeys, tightenLimits, widenLimits } from './limits.ts'

export type OpenApi = {
  openapi: string
  security?: Need[]
  paths?: Record<string, PathItem>
  components?: {
    schemas?: Record<string, Schema>
    parameters?: Record<string, Parameter>
    requestBodies?: Record<string, Body>
    responses?: Record<string, ApiAnswer>
    headers?: Record<string, Header>
    securitySchemes?: Record<string, object>
  }
}

export type Schema = boolean | SchemaObject

type SchemaObject = {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  /** Request fields for which the specification does not say whether they are required. */
  'x-required-unstated'?: string[]
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: SchemaObject
  description?: string
} & { [key in (typeof limitKeys)[number]]?: unknown }

type Need = Record<string, string[]>
type Content = Record<string, { schema?: Schema }>
type Parameter = {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  schema?: Schema
  description?: string
}
type Header = { $ref?: string; schema?: Schema; description?: string }
type Body = { $ref?: string; required?: boolean; content?: Content }
type ApiAnswer = { $ref?: string; headers?: Record<string, Header>; content?: Content }
type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options'
type PathItem = { [method in Method]?: Operation } & { parameters?: Parameter[] }

export type Operation = {
  summary?: string
  security?: Need[]
  parameters?: Parameter[]
  requestBody?: Body
  responses?: Record<string, ApiAnswer>
}

type Documents = { released: OpenApi; current: OpenApi; report: (pair: Pair) => void }
type Direction = 'request' | 'answer' | 'failure'

/** What a document says of a place: its English text, if it has one, and its limits. */
type Meaning = { text: string | undefined; limits: Limits }
/** A place that both documents have, such as `GET /api/v1/me answer 200 .data`. */
export type Pair = { where: string; way: Direction; was: Meaning; is: Meaning }

/** What a schema allows. `types` is undefined if any type is allowed, `words` if the allowed values are not listed. */
type Shape = {
  types: Set<string> | undefined
  words: Set<string> | undefined
  fields: Map<string, Schema>
  required: Set<string>
  unstated: Set<string>
  items: Schema
  limits: Limits
}

const METHODS: Method[] = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']
const SCALARS = ['string', 'number', 'integer', 'boolean']
const ERROR_CODES = 'ErrorCode'
/** The maximum depth of nested fields, references and compositions. */
const MAX_DEPTH = 16

/**
 * Finds the breaking changes, one sentence for each. Empty if the document only grew. Reports each pair of places that
 * it compares.
 */
export function findBreaks(
  released: OpenApi,
  current: OpenApi,
  report: (pair: Pair) => void = () => {},
): string[] {
  const documents = { released, current, report }
  const present = listOperations(current)
  const found = [...listOperations(released)].flatMap(([name, was]) => {
    const is = present.get(name)
    return is === undefined ? [`${name} is gone`] : findOperationBreaks(documents, name, was, is)
  })
  return [...found, ...findNamedWordBreaks(documents)]
}

/**
 * Parses an OpenAPI document without validation. The documents are in the repository, so other tests detect a file that
 * is not OpenAPI.
 */
export function parseOpenApi(text: string): OpenApi {
  return JSON.parse(text) as OpenApi
}

/** Lists every operation by its name, such as `GET /api/v1/me`. */
export function listOperations(document: OpenApi): Map<string, Operation> {
  const operations = new Map<string, Operation>()
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method]
      if (operation === undefined) continue
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])]
      operations.set(`${method.toUpperCase()} ${path}`, { ...operation, parameters })
    }
  }
  return operations
}

function findOperationBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  reportTexts(documents, name, was.summary, is.summary)
  const closed = isPublic(documents.released, was) && !isPublic(documents.current, is)
  return [
    ...(closed ? [`${name} was public and now needs a token`] : []),
    ...findParameterBreaks(documents, name, was, is),
    ...findBodyBreaks(documents, name, was, is),
    ...findResponseBreaks(documents, name, was, is),
  ]
}

function isPublic(document: OpenApi, operation: Operation): boolean {
  const needs = operation.security ?? document.security ?? []
  return needs.length === 0 || needs.some((need) => Object.keys(need).length === 0)
}

function findParameterBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const released = listParameters(documents.released, was)
  const current = listParameters(documents.current, is)
  const changed = [...released].flatMap(([key, parameter]) => {
    const where = `${name} parameter ${key}`
    const now = current.get(key)
    if (now === undefined) return [`${where} is gone`]
    reportTexts(documents, where, parameter.description, now.description)
    return findSchemaBreaks(documents, 'request', parameter.schema ?? true, now.schema ?? true, where)
  })
  const required = [...current]
    .filter(([key, parameter]) => parameter.required === true && released.get(key)?.required !== true)
    .map(([key]) => `${name} parameter ${key} is now required`)
  return [...changed, ...required]
}

/**
 * Lists parameters by their place and name. A later one replaces an earlier one: an operation's own parameter replaces
 * that of its path.
 */
function listParameters(document: OpenApi, operation: Operation): Map<string, Parameter> {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolveReference(document.components?.parameters, parameter),
  )
  return new Map(parameters.map((parameter) => [toParameterKey(parameter), parameter]))
}

function toParameterKey({ in: place = '', name = '' }: Parameter): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

function findBodyBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const released =
    was.requestBody && resolveReference(documents.released.components?.requestBodies, was.requestBody)
  const current =
    is.requestBody && resolveReference(documents.current.components?.requestBodies, is.requestBody)
  const where = `${name} request`
  if (released !== undefined && current === undefined) return [`${where} is gone`]
  const required = current?.required === true && released?.required !== true
  return [
    ...(required ? [`${where} is now required`] : []),
    ...findContentBreaks(documents, 'request', released?.content, current?.content, where),
  ]
}

function findResponseBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const statuses = Object.keys(is.responses ?? {})
  return Object.entries(was.responses ?? {}).flatMap(([status, answer]) => {
    const released = resolveReference(documents.released.components?.responses, answer)
    const matching = statuses.filter((candidate) => coversStatus(status, candidate))
    if (matching.length === 0) return [`${name} answer ${status} is gone`]
    return matching.flatMap((key) => {
      const current = resolveReference(documents.current.components?.responses, is.responses?.[key] ?? {})
      const where = `${name} answer ${key}`
      return [
        ...findHeaderBreaks(documents, toDirection(key), released, current, where),
        ...findContentBreaks(documents, toDirection(key), released.content, current.content, where),
      ]
    })
  })
}

/** Whether the status key `candidate` covers the responses of the released key. `default` covers any failure. */
function coversStatus(released: string, candidate: string): boolean {
  if (released === candidate) return true
  if (released === 'default') return toDirection(candidate) === 'failure'
  if (released.endsWith('XX')) return candidate[0] === released[0]
  return candidate === `${released[0]}XX` || (candidate === 'default' && toDirection(released) === 'failure')
}

function toDirection(status: string): Direction {
  return status === 'default' || status.startsWith('4') || status.startsWith('5') ? 'failure' : 'answer'
}

function findHeaderBreaks(
  documents: Documents,
  way: Direction,
  released: ApiAnswer,
  current: ApiAnswer,
  where: string,
): string[] {
  const present = listHeaders(documents.current, current)
  return [...listHeaders(documents.released, released)].flatMap(([name, was]) => {
    const is = present.get(name)
    if (is === undefined) return [`${where}: ${name} is gone`]
    const place = `${where} header ${name}`
    reportTexts(documents, place, was.description, is.description)
    return findSchemaBreaks(documents, way, was.schema ?? true, is.schema ?? true, place)
  })
}

/** Lists the headers of a response by their name in lower case. */
function listHeaders(document: OpenApi, answer: ApiAnswer): Map<string, Header> {
  return new Map(
    Object.entries(answer.headers ?? {}).map(([name, header]) => [
      name.toLowerCase(),
      resolveReference(document.components?.headers, header),
    ]),
  )
}

/** Reports the texts of a place that has no schema, such as an operation. */
function reportTexts({ report }: Documents, where: string, was: string | undefined, is: string | undefined) {
  report({ where, way: 'answer', was: { text: was, limits: new Map() }, is: { text: is, limits: new Map() } })
}

function findContentBreaks(
  documents: Documents,
  way: Direction,
  was: Content | undefined,
  is: Content | undefined,
  where: string,
): string[] {
  return Object.entries(was ?? {}).flatMap(([mediaType, released]) => {
    const current = is?.[mediaType]
    if (current === undefined) return [`${where}: ${mediaType} is gone`]
    return findSchemaBreaks(documents, way, released.schema ?? true, current.schema ?? true, where)
  })
}

/** Compares the error codes, and every other list of words that has the same name in both documents. */
function findNamedWordBreaks({ released, current }: Documents): string[] {
  return Object.entries(released.components?.schemas ?? {}).flatMap(([name, schema]) => {
    const was = toShape(released, schema).words
    if (was === undefined) return []
    const now = current.components?.schemas?.[name]
    const words = now === undefined ? undefined : toShape(current, now).words
    if (words === undefined) return name === ERROR_CODES ? [`the list ${name} is gone`] : []
    return findMissing(was, words).map((word) => `the list ${name} has lost ${word}`)
  })
}

function findSchemaBreaks(
  documents: Documents,
  way: Direction,
  was: Schema,
  is: Schema,
  where: string,
  depth = 0,
): string[] {
  if (depth > MAX_DEPTH) return [`${where} is nested too deep to be compared`]
  const released = toShape(documents.released, was)
  const current = toShape(documents.current, is)
  documents.report({
    where,
    way,
    was: { text: readDescription(documents.released, was), limits: released.limits },
    is: { text: readDescription(documents.current, is), limits: current.limits },
  })
  if (released.types === undefined) return []
  if (current.types === undefined) return way === 'request' ? [] : [`${where} may now be anything`]

  const found = [
    ...findTypeBreaks(way, released.types, current.types, where),
    ...findWordBreaks(way, released, current, where),
  ]
  if (current.types.has('object')) {
    found.push(...findRequiredBreaks(way, released, current, where))
    for (const [name, field] of released.fields) {
      const now = current.fields.get(name)
      const path = `${where} .${name}`
      if (now === undefined || allowsNothing(documents.current, now)) found.push(`${path} is gone`)
      else found.push(...findSchemaBreaks(documents, way, field, now, path, depth + 1))
    }
  }
  if (current.types.has('array')) {
    found.push(...findSchemaBreaks(documents, way, released.items, current.items, `${where} []`, depth + 1))
  }
  return found
}

function findTypeBreaks(
  way: Direction,
  released: Set<string>,
  current: Set<string>,
  where: string,
): string[] {
  if (way === 'request')
    return findUncoveredTypes(released, current).map((type) => `${where} no longer takes ${type}`)
  return findUncoveredTypes(current, released).map((type) => `${where} may now be ${type}`)
}

/**
 * Compares the listed words. In a failure they are error codes: the contract does not promise which operation returns
 * which code, so the codes are compared once, as a list of the whole document.
 */
function findWordBreaks(way: Direction, released: Shape, current: Shape, where: string): string[] {
  if (way === 'failure') return []
  if (released.words !== undefined && current.words !== undefined) {
    return findMissing(released.words, current.words).map((word) => `${where} has lost the word ${word}`)
  }
  const narrowed = way === 'request' && current.words !== undefined && hasScalar(released)
  const opened = way === 'answer' && released.words !== undefined && hasScalar(current)
  return narrowed || opened ? [`${where} ${narrowed ? 'now takes' : 'no longer keeps to'} listed words`] : []
}

function findRequiredBreaks(way: Direction, released: Shape, current: Shape, where: string): string[] {
  if (way === 'request') {
    const excused = new Set([...released.required, ...released.unstated])
    return findMissing(current.required, excused).map((name) => `${where} .${name} is now required`)
  }
  return findMissing(released.required, current.required)
    .filter((name) => current.fields.has(name))
    .map((name) => `${where} .${name} is no longer always there`)
}

/** Converts a schema to the shape of the values that it allows. Throws if a reference is broken or circular. */
function toShape(document: OpenApi, schema: Schema, depth = 0): Shape {
  if (depth > MAX_DEPTH) throw new Error('A schema is composed too deeply, or of itself')
  if (typeof schema === 'boolean') return { ...createOpenShape(), types: schema ? undefined : new Set() }
  const toPartShape = (part: Schema) => toShape(document, part, depth + 1)
  const parts = [readOwnShape(schema), ...(schema.allOf ?? []).map(toPartShape)]
  if (schema.$ref !== undefined)
    parts.push(toPartShape(findComponent(document.components?.schemas, schema.$ref)))
  if (schema.anyOf !== undefined) parts.push(uniteShapes(schema.anyOf.map(toPartShape)))
  if (schema.oneOf !== undefined) parts.push(uniteShapes(schema.oneOf.map(toPartShape)))
  return intersectShapes(parts)
}

function createOpenShape(): Shape {
  return {
    types: undefined,
    words: undefined,
    fields: new Map(),
    required: new Set(),
    unstated: new Set(),
    items: true,
    limits: new Map(),
  }
}

/**
 * Reads the shape of the schema itself, without its references. Listed values determine the types; `properties` and
 * `items` imply one type each.
 */
function readOwnShape(schema: SchemaObject): Shape {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  const implied = [
    ...(schema.properties !== undefined || schema.required !== undefined ? ['object'] : []),
    ...(schema.items !== undefined ? ['array'] : []),
  ]
  const types = values?.map(readType) ?? (schema.type === undefined ? implied : [schema.type].flat())
  const isOpen = values === undefined && schema.type === undefined && implied.length === 0
  // `z.never()` is written as `{"not": {}}`.
  const isNever = schema.not !== undefined && Object.keys(schema.not).length === 0
  return {
    types: isNever ? new Set() : isOpen ? undefined : new Set(types),
    words: values && new Set(values.filter((value) => value !== null).map(String)),
    fields: new Map(Object.entries(schema.properties ?? {})),
    required: new Set(schema.required),
    unstated: new Set(schema['x-required-unstated']),
    items: schema.items ?? true,
    limits: readLimits(schema),
  }
}

function readLimits(schema: SchemaObject): Limits {
  return new Map(limitKeys.flatMap((key) => (isLimit(schema[key]) ? [[key, schema[key]]] : [])))
}

function isLimit(value: unknown): value is number | string | false {
  return typeof value === 'number' || typeof value === 'string' || value === false
}

/** Returns the description of a schema, or of what it refers to; that of a nullable schema may be in a part of it. */
function readDescription(document: OpenApi, schema: Schema, depth = 0): string | undefined {
  if (typeof schema === 'boolean' || depth > MAX_DEPTH) return undefined
  if (schema.description !== undefined) return schema.description
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  if (schema.$ref !== undefined) parts.push(findComponent(document.components?.schemas, schema.$ref))
  const texts = new Set(parts.map((part) => readDescription(document, part, depth + 1)))
  texts.delete(undefined)
  return texts.size === 0 ? undefined : [...texts].join(' / ')
}

function readType(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Intersects shapes: the result allows what every shape allows. */
function intersectShapes(shapes: Shape[]): Shape {
  const types = shapes.flatMap((shape) => (shape.types === undefined ? [] : [shape.types]))
  const words = shapes.flatMap((shape) => (shape.words === undefined ? [] : [shape.words]))
  const items = shapes.map((shape) => shape.items).filter((schema) => schema !== true)
  return {
    types: types.length === 0 ? undefined : types.reduce(intersectTypes),
    words: words.length === 0 ? undefined : words.reduce(intersect),
    fields: collectKeyword(shapes, 'allOf'),
    required: new Set(shapes.flatMap(({ required }) => [...required])),
    unstated: new Set(shapes.flatMap(({ unstated }) => [...unstated])),
    items: items.length === 0 ? true : joinKeyword(items, 'allOf'),
    limits: tightenLimits(shapes.map((shape) => shape.limits)),
  }
}

/**
 * Unites shapes: the result allows what any of them allows. A shape that is not an object requires no field and removes
 * none.
 */
function uniteShapes(shapes: Shape[]): Shape {
  const objects = shapes.filter(({ types }) => types === undefined || types.has('object'))
  const arrays = shapes.filter(({ types }) => types === undefined || types.has('array'))
  const scalars = shapes.filter(hasScalar)
  const isOpen = shapes.some(({ types }) => types === undefined)
  const isListed = scalars.length > 0 && scalars.every(({ words }) => words !== undefined)
  const required = objects.map((shape) => shape.required)
  const items = arrays.map((shape) => shape.items)
  return {
    types: isOpen ? undefined : new Set(shapes.flatMap(({ types }) => [...(types ?? [])])),
    words: isListed ? new Set(scalars.flatMap(({ words }) => [...(words ?? [])])) : undefined,
    fields: collectKeyword(objects, 'anyOf'),
    required: required.length === 0 ? new Set() : required.reduce(intersect),
    unstated: new Set(objects.flatMap(({ unstated }) => [...unstated])),
    items: items.length === 0 ? true : joinKeyword(items, 'anyOf'),
    limits: widenLimits(shapes.filter((shape) => !isOnlyNull(shape)).map((shape) => shape.limits)),
  }
}

function collectKeyword(shapes: Shape[], keyword: 'allOf' | 'anyOf'): Map<string, Schema> {
  const byName = new Map<string, Schema[]>()
  for (const [name, schema] of shapes.flatMap(({ fields }) => [...fields])) {
    byName.set(name, [...(byName.get(name) ?? []), schema])
  }
  return new Map([...byName].map(([name, schemas]) => [name, joinKeyword(schemas, keyword)]))
}

/**
 * Joins schemas under a keyword. A single schema is returned unchanged, so compositions do not nest deeper at every
 * step.
 */
function joinKeyword(schemas: Schema[], keyword: 'allOf' | 'anyOf'): Schema {
  const [only] = schemas
  return only !== undefined && schemas.length === 1 ? only : { [keyword]: schemas }
}

function allowsNothing(document: OpenApi, schema: Schema): boolean {
  return toShape(document, schema).types?.size === 0
}

function isOnlyNull({ types }: Shape): boolean {
  return types?.size === 1 && types.has('null')
}

function hasScalar({ types }: Shape): boolean {
  return types === undefined || SCALARS.some((type) => types.has(type))
}

function intersect(one: Set<string>, other: Set<string>): Set<string> {
  return new Set([...one].filter((word) => other.has(word)))
}

function intersectTypes(one: Set<string>, other: Set<string>): Set<string> {
  const narrower = [...one].filter((type) => isCovered(type, other))
  return new Set([...narrower, ...[...other].filter((type) => isCovered(type, one))])
}

function findUncoveredTypes(types: Set<string>, by: Set<string>): string[] {
  return [...types].filter((type) => !isCovered(type, by))
}

function isCovered(type: string, by: Set<string>): boolean {
  return by.has(type) || (type === 'integer' && by.has('number'))
}

function findMissing(wanted: Set<string>, there: Set<string>): string[] {
  return [...wanted].filter((name) => !there.has(name))
}

function resolveReference<T extends { $ref?: string }>(shared: Record<string, T> | undefined, thing: T): T {
  let found = thing
  for (let depth = 0; found.$ref !== undefined; depth += 1) {
    if (depth > MAX_DEPTH) throw new Error(`${found.$ref} leads round in a circle`)
    found = findComponent(shared, found.$ref)
  }
  return found
}

/**
 * Finds a component in `shared`, the only group of components that a reference such as `#/components/schemas/StockRow`
 * can mean here.
 */
function findComponent<T>(shared: Record<string, T> | undefined, ref: string): T {
  const name = /^#\/components\/\w+\/([^/]+)$/.exec(ref)?.[1]
  const found = name === undefined ? undefined : shared?.[name]
  if (found === undefined) throw new Error(`${ref} leads nowhere`)
  return found
}
