/**
 * Tells what in one OpenAPI document would break a client of an earlier one (spec section 9: within 1.x the
 * interface only grows). A request may come to take more and an answer may come to hold more, never less.
 *
 * Each schema is first read into a `Shape`: the types, words and fields that it allows, with every `$ref`,
 * `allOf`, `anyOf` and `oneOf` worked in. Two ways of writing one thing are then equal: a nullable field is
 * the same as a type array and as an `anyOf`, and a body of several forms has the fields of all of them and
 * requires what all of them require. Where the released schema has no type, nothing was promised and
 * nothing is compared. Limits such as `maxLength`, `additionalProperties` and the schemas of headers are not
 * compared.
 */

export type OpenApi = {
  openapi: string
  security?: Need[]
  paths?: Record<string, PathItem>
  components?: {
    schemas?: Record<string, Schema>
    parameters?: Record<string, Parameter>
    requestBodies?: Record<string, Body>
    responses?: Record<string, Answer>
    headers?: Record<string, object>
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
  /** Request fields of which the specification does not say whether they are required. */
  'x-required-unstated'?: string[]
  items?: Schema
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: SchemaObject
}

type Need = Record<string, string[]>
type Content = Record<string, { schema?: Schema }>
type Parameter = { $ref?: string; name?: string; in?: string; required?: boolean; schema?: Schema }
type Body = { $ref?: string; required?: boolean; content?: Content }
type Answer = { $ref?: string; headers?: Record<string, object>; content?: Content }
type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'head' | 'options'
type PathItem = { [method in Method]?: Operation } & { parameters?: Parameter[] }

export type Operation = {
  security?: Need[]
  parameters?: Parameter[]
  requestBody?: Body
  responses?: Record<string, Answer>
}

type Documents = { released: OpenApi; current: OpenApi }
type Way = 'request' | 'answer' | 'failure'

/** `types` is undefined where anything is allowed, `words` where the values are not listed. */
type Shape = {
  types: Set<string> | undefined
  words: Set<string> | undefined
  fields: Map<string, Schema>
  required: Set<string>
  unstated: Set<string>
  items: Schema
}

const METHODS: Method[] = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options']
const SCALARS = ['string', 'number', 'integer', 'boolean']
const ERROR_CODES = 'ErrorCode'
/** Of fields within fields, and of references and compositions within one schema. */
const MAX_DEPTH = 16

/** One sentence for each way in which `current` breaks a client of `released`; none if it only grew. */
export function breaks(released: OpenApi, current: OpenApi): string[] {
  const documents = { released, current }
  const present = operationsOf(current)
  const found = [...operationsOf(released)].flatMap(([name, was]) => {
    const is = present.get(name)
    return is === undefined ? [`${name} is gone`] : operationBreaks(documents, name, was, is)
  })
  return [...found, ...namedWordBreaks(documents)]
}

/** The documents are our own and checked in: what is not shaped like OpenAPI fails the tests that read it. */
export function openApiFrom(text: string): OpenApi {
  return JSON.parse(text) as OpenApi
}

/** Every operation by its name, such as `GET /api/v1/me`. */
export function operationsOf(document: OpenApi): Map<string, Operation> {
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

function operationBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const closed = isPublic(documents.released, was) && !isPublic(documents.current, is)
  return [
    ...(closed ? [`${name} was public and now needs a token`] : []),
    ...parameterBreaks(documents, name, was, is),
    ...bodyBreaks(documents, name, was, is),
    ...answerBreaks(documents, name, was, is),
  ]
}

function isPublic(document: OpenApi, operation: Operation): boolean {
  const needs = operation.security ?? document.security ?? []
  return needs.length === 0 || needs.some((need) => Object.keys(need).length === 0)
}

function parameterBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const released = parametersOf(documents.released, was)
  const current = parametersOf(documents.current, is)
  const changed = [...released].flatMap(([key, parameter]) => {
    const where = `${name} parameter ${key}`
    const now = current.get(key)
    if (now === undefined) return [`${where} is gone`]
    return schemaBreaks(documents, 'request', parameter.schema ?? true, now.schema ?? true, where)
  })
  const required = [...current]
    .filter(([key, parameter]) => parameter.required === true && released.get(key)?.required !== true)
    .map(([key]) => `${name} parameter ${key} is now required`)
  return [...changed, ...required]
}

/** By place and name. The later one wins: an operation's own parameter replaces that of its path. */
function parametersOf(document: OpenApi, operation: Operation): Map<string, Parameter> {
  const parameters = (operation.parameters ?? []).map((parameter) =>
    resolved(document.components?.parameters, parameter),
  )
  return new Map(parameters.map((parameter) => [parameterKey(parameter), parameter]))
}

function parameterKey({ in: place = '', name = '' }: Parameter): string {
  return `${place} ${place === 'header' ? name.toLowerCase() : name}`
}

function bodyBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const released = was.requestBody && resolved(documents.released.components?.requestBodies, was.requestBody)
  const current = is.requestBody && resolved(documents.current.components?.requestBodies, is.requestBody)
  const where = `${name} request`
  if (released !== undefined && current === undefined) return [`${where} is gone`]
  const required = current?.required === true && released?.required !== true
  return [
    ...(required ? [`${where} is now required`] : []),
    ...contentBreaks(documents, 'request', released?.content, current?.content, where),
  ]
}

function answerBreaks(documents: Documents, name: string, was: Operation, is: Operation): string[] {
  const statuses = Object.keys(is.responses ?? {})
  return Object.entries(was.responses ?? {}).flatMap(([status, answer]) => {
    const released = resolved(documents.released.components?.responses, answer)
    const matching = statuses.filter((candidate) => isWithin(status, candidate))
    if (matching.length === 0) return [`${name} answer ${status} is gone`]
    return matching.flatMap((key) => {
      const current = resolved(documents.current.components?.responses, is.responses?.[key] ?? {})
      const where = `${name} answer ${key}`
      return [
        ...missing(headerNames(released), headerNames(current)).map(
          (header) => `${where}: ${header} is gone`,
        ),
        ...contentBreaks(documents, wayOf(key), released.content, current.content, where),
      ]
    })
  })
}

/** Does the status key `candidate` tell of answers that the released key told of? `default` is any failure. */
function isWithin(released: string, candidate: string): boolean {
  if (released === candidate) return true
  if (released === 'default') return wayOf(candidate) === 'failure'
  if (released.endsWith('XX')) return candidate[0] === released[0]
  return candidate === `${released[0]}XX` || (candidate === 'default' && wayOf(released) === 'failure')
}

function wayOf(status: string): Way {
  return status === 'default' || status.startsWith('4') || status.startsWith('5') ? 'failure' : 'answer'
}

function headerNames(answer: Answer): Set<string> {
  return new Set(Object.keys(answer.headers ?? {}).map((name) => name.toLowerCase()))
}

function contentBreaks(
  documents: Documents,
  way: Way,
  was: Content | undefined,
  is: Content | undefined,
  where: string,
): string[] {
  return Object.entries(was ?? {}).flatMap(([mediaType, released]) => {
    const current = is?.[mediaType]
    if (current === undefined) return [`${where}: ${mediaType} is gone`]
    return schemaBreaks(documents, way, released.schema ?? true, current.schema ?? true, where)
  })
}

/** The error codes, and every other list of words that both documents know by one name. */
function namedWordBreaks({ released, current }: Documents): string[] {
  return Object.entries(released.components?.schemas ?? {}).flatMap(([name, schema]) => {
    const was = shapeOf(released, schema).words
    if (was === undefined) return []
    const now = current.components?.schemas?.[name]
    const words = now === undefined ? undefined : shapeOf(current, now).words
    if (words === undefined) return name === ERROR_CODES ? [`the list ${name} is gone`] : []
    return missing(was, words).map((word) => `the list ${name} has lost ${word}`)
  })
}

function schemaBreaks(
  documents: Documents,
  way: Way,
  was: Schema,
  is: Schema,
  where: string,
  depth = 0,
): string[] {
  if (depth > MAX_DEPTH) return [`${where} is nested too deep to be compared`]
  const released = shapeOf(documents.released, was)
  const current = shapeOf(documents.current, is)
  if (released.types === undefined) return []
  if (current.types === undefined) return way === 'request' ? [] : [`${where} may now be anything`]

  const found = [
    ...typeBreaks(way, released.types, current.types, where),
    ...wordBreaks(way, released, current, where),
  ]
  if (current.types.has('object')) {
    found.push(...requiredBreaks(way, released, current, where))
    for (const [name, field] of released.fields) {
      const now = current.fields.get(name)
      const path = `${where} .${name}`
      if (now === undefined || isNothing(documents.current, now)) found.push(`${path} is gone`)
      else found.push(...schemaBreaks(documents, way, field, now, path, depth + 1))
    }
  }
  if (current.types.has('array')) {
    found.push(...schemaBreaks(documents, way, released.items, current.items, `${where} []`, depth + 1))
  }
  return found
}

function typeBreaks(way: Way, released: Set<string>, current: Set<string>, where: string): string[] {
  if (way === 'request') return uncovered(released, current).map((type) => `${where} no longer takes ${type}`)
  return uncovered(current, released).map((type) => `${where} may now be ${type}`)
}

/**
 * In a failure the words are the error codes. Which operation answers which of them is not promised, so
 * they are compared once, as a list, and not at each operation.
 */
function wordBreaks(way: Way, released: Shape, current: Shape, where: string): string[] {
  if (way === 'failure') return []
  if (released.words !== undefined && current.words !== undefined) {
    return missing(released.words, current.words).map((word) => `${where} has lost the word ${word}`)
  }
  const narrowed = way === 'request' && current.words !== undefined && hasScalar(released)
  const opened = way === 'answer' && released.words !== undefined && hasScalar(current)
  return narrowed || opened ? [`${where} ${narrowed ? 'now takes' : 'no longer keeps to'} listed words`] : []
}

function requiredBreaks(way: Way, released: Shape, current: Shape, where: string): string[] {
  if (way === 'request') {
    const excused = new Set([...released.required, ...released.unstated])
    return missing(current.required, excused).map((name) => `${where} .${name} is now required`)
  }
  return missing(released.required, current.required)
    .filter((name) => current.fields.has(name))
    .map((name) => `${where} .${name} is no longer always there`)
}

/** What values a schema allows. Throws where a reference leads nowhere or round in a circle. */
function shapeOf(document: OpenApi, schema: Schema, depth = 0): Shape {
  if (depth > MAX_DEPTH) throw new Error('A schema is composed too deeply, or of itself')
  if (typeof schema === 'boolean') return { ...anything(), types: schema ? undefined : new Set() }
  const deeper = (part: Schema) => shapeOf(document, part, depth + 1)
  const parts = [ownShape(schema), ...(schema.allOf ?? []).map(deeper)]
  if (schema.$ref !== undefined) parts.push(deeper(named(document.components?.schemas, schema.$ref)))
  if (schema.anyOf !== undefined) parts.push(anyOfShapes(schema.anyOf.map(deeper)))
  if (schema.oneOf !== undefined) parts.push(anyOfShapes(schema.oneOf.map(deeper)))
  return allOfShapes(parts)
}

function anything(): Shape {
  return {
    types: undefined,
    words: undefined,
    fields: new Map(),
    required: new Set(),
    unstated: new Set(),
    items: true,
  }
}

/** What the schema says itself. Listed values decide the types; `properties` and `items` imply one. */
function ownShape(schema: SchemaObject): Shape {
  const values = schema.enum ?? ('const' in schema ? [schema.const] : undefined)
  const implied = [
    ...(schema.properties !== undefined || schema.required !== undefined ? ['object'] : []),
    ...(schema.items !== undefined ? ['array'] : []),
  ]
  const types = values?.map(typeOf) ?? (schema.type === undefined ? implied : [schema.type].flat())
  const isOpen = values === undefined && schema.type === undefined && implied.length === 0
  // z.never() is written {"not": {}}.
  const isNever = schema.not !== undefined && Object.keys(schema.not).length === 0
  return {
    types: isNever ? new Set() : isOpen ? undefined : new Set(types),
    words: values && new Set(values.filter((value) => value !== null).map(String)),
    fields: new Map(Object.entries(schema.properties ?? {})),
    required: new Set(schema.required),
    unstated: new Set(schema['x-required-unstated']),
    items: schema.items ?? true,
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** What all of the shapes allow together. */
function allOfShapes(shapes: Shape[]): Shape {
  const types = shapes.flatMap((shape) => (shape.types === undefined ? [] : [shape.types]))
  const words = shapes.flatMap((shape) => (shape.words === undefined ? [] : [shape.words]))
  const items = shapes.map((shape) => shape.items).filter((schema) => schema !== true)
  return {
    types: types.length === 0 ? undefined : types.reduce(commonTypes),
    words: words.length === 0 ? undefined : words.reduce(common),
    fields: gathered(shapes, 'allOf'),
    required: new Set(shapes.flatMap(({ required }) => [...required])),
    unstated: new Set(shapes.flatMap(({ unstated }) => [...unstated])),
    items: items.length === 0 ? true : joined(items, 'allOf'),
  }
}

/** What any of the shapes allows. A form that is no object requires no field, and takes none away. */
function anyOfShapes(shapes: Shape[]): Shape {
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
    fields: gathered(objects, 'anyOf'),
    required: required.length === 0 ? new Set() : required.reduce(common),
    unstated: new Set(objects.flatMap(({ unstated }) => [...unstated])),
    items: items.length === 0 ? true : joined(items, 'anyOf'),
  }
}

function gathered(shapes: Shape[], keyword: 'allOf' | 'anyOf'): Map<string, Schema> {
  const byName = new Map<string, Schema[]>()
  for (const [name, schema] of shapes.flatMap(({ fields }) => [...fields])) {
    byName.set(name, [...(byName.get(name) ?? []), schema])
  }
  return new Map([...byName].map(([name, schemas]) => [name, joined(schemas, keyword)]))
}

/** One schema stays itself, so that compositions do not pile up from level to level. */
function joined(schemas: Schema[], keyword: 'allOf' | 'anyOf'): Schema {
  const [only] = schemas
  return only !== undefined && schemas.length === 1 ? only : { [keyword]: schemas }
}

function isNothing(document: OpenApi, schema: Schema): boolean {
  return shapeOf(document, schema).types?.size === 0
}

function hasScalar({ types }: Shape): boolean {
  return types === undefined || SCALARS.some((type) => types.has(type))
}

function common(one: Set<string>, other: Set<string>): Set<string> {
  return new Set([...one].filter((word) => other.has(word)))
}

function commonTypes(one: Set<string>, other: Set<string>): Set<string> {
  const narrower = [...one].filter((type) => isCovered(type, other))
  return new Set([...narrower, ...[...other].filter((type) => isCovered(type, one))])
}

function uncovered(types: Set<string>, by: Set<string>): string[] {
  return [...types].filter((type) => !isCovered(type, by))
}

function isCovered(type: string, by: Set<string>): boolean {
  return by.has(type) || (type === 'integer' && by.has('number'))
}

function missing(wanted: Set<string>, there: Set<string>): string[] {
  return [...wanted].filter((name) => !there.has(name))
}

function resolved<T extends { $ref?: string }>(shared: Record<string, T> | undefined, thing: T): T {
  let found = thing
  for (let depth = 0; found.$ref !== undefined; depth += 1) {
    if (depth > MAX_DEPTH) throw new Error(`${found.$ref} leads round in a circle`)
    found = named(shared, found.$ref)
  }
  return found
}

/** `shared` is the one group of components that the reference can mean: `#/components/schemas/StockRow`. */
function named<T>(shared: Record<string, T> | undefined, ref: string): T {
  const name = /^#\/components\/\w+\/([^/]+)$/.exec(ref)?.[1]
  const found = name === undefined ? undefined : shared?.[name]
  if (found === undefined) throw new Error(`${ref} leads nowhere`)
  return found
}
