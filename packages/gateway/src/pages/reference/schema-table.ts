import type { Language } from '../../contract/language.ts'
import { toRecord, toRecords } from '../../kernel/json.ts'
import { formatSiteText, formatTable } from '../page.ts'

/** A field of an OpenAPI schema as a table row, with its path from the top. */
export interface FieldRow {
  /** Names from the top, such as `lines[].sku`. */
  readonly path: string
  readonly schema: Json
  readonly isNeeded: boolean
}

export type Json = Record<string, unknown>
export type Components = Json

const maxDepth = 6

/** Lists every field of an object, each followed by its nested fields: `lines`, `lines[].sku`. */
export function listFieldRows(schema: unknown, components: Components): FieldRow[] {
  const object = findObject(resolveSchema(schema, components), components)
  return object ? listPropertyRows(object.schema, components, '', maxDepth) : []
}

function listPropertyRows(object: Json, components: Components, prefix: string, depth: number): FieldRow[] {
  const needed = new Set(Array.isArray(object.required) ? object.required : [])
  return Object.entries(toRecord(object.properties)).flatMap(([name, property]) => {
    const path = `${prefix}${name}`
    const schema = resolveSchema(property, components)
    const row = { path, schema, isNeeded: needed.has(name) }
    const inner = depth > 0 ? findObject(schema, components) : undefined
    return inner
      ? [row, ...listPropertyRows(inner.schema, components, `${path}${inner.suffix}.`, depth - 1)]
      : [row]
  })
}

/** Finds the object schema of an object, a list of objects or a nullable object. */
function findObject(schema: Json, components: Components): { schema: Json; suffix: string } | undefined {
  const own = unwrapNullable(schema, components)
  if (own.type === 'object' && own.properties !== undefined) return { schema: own, suffix: '' }
  if (own.type !== 'array') return undefined
  const items = unwrapNullable(resolveSchema(own.items, components), components)
  return items.type === 'object' ? { schema: items, suffix: '[]' } : undefined
}

/** Resolves the reference of a schema. Members beside the reference override the members of its target. */
export function resolveSchema(schema: unknown, components: Components): Json {
  const own = toRecord(schema)
  const name = /^#\/components\/\w+\/(.+)$/.exec(String(own.$ref ?? ''))?.[1]
  if (name === undefined) return own
  const { $ref: _reference, ...beside } = own
  return { ...toRecord(components[name]), ...beside }
}

/** Returns the schema of a nullable value without null. */
function unwrapNullable(schema: Json, components: Components): Json {
  const ways = toRecords(schema.anyOf)
    .map((way) => resolveSchema(way, components))
    .filter(({ type }) => type !== 'null')
  return ways.length === 1 ? { ...schema, ...ways[0] } : schema
}

/** Whether a request field is accepted and ignored, so that a client can send a response back. */
export function isEchoField({ schema }: FieldRow): boolean {
  return Object.keys(schema).every((key) => key === 'description')
}

/** What a field is, in the reader's language. */
export interface FieldFacts {
  readonly type: string
  readonly limits: readonly string[]
  /** `required`, or `optional`; undefined for a field that every response has. */
  readonly need: 'needed' | 'optional' | undefined
}

/** Describes the type and the limits of a field in the reader's language. */
export function describeField(row: FieldRow, { components, language, isRequest }: FieldView): FieldFacts {
  const schema = unwrapNullable(row.schema, components)
  const isNullable =
    schema !== row.schema || (Array.isArray(row.schema.type) && row.schema.type.includes('null'))
  const limits = describeLimits(schema, language)
  if (isNullable) limits.push(formatSiteText(language, 'may_be_null'))
  if (schema.default !== undefined)
    limits.push(formatSiteText(language, 'default_value', { value: `\`${schema.default}\`` }))
  return {
    type: formatTypeName(schema, components, language),
    limits,
    need: row.isNeeded ? (isRequest ? 'needed' : undefined) : 'optional',
  }
}

/** How fields are shown. */
export interface FieldView {
  readonly components: Components
  readonly language: Language
  readonly isRequest: boolean
}

function formatTypeName(schema: Json, components: Components, language: Language): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (Array.isArray(schema.enum)) {
    return formatSiteText(language, 'one_of', {
      values: schema.enum.map((value) => `\`${value}\``).join(' '),
    })
  }
  const type = Array.isArray(schema.type)
    ? schema.type.filter((each) => each !== 'null').join(', ')
    : schema.type
  if (type === 'array') {
    const items = unwrapNullable(resolveSchema(schema.items, components), components)
    return formatSiteText(language, 'list_of', { type: formatTypeName(items, components, language) })
  }
  if (typeof schema.format === 'string') return `${type} (${schema.format})`
  return String(type ?? 'any')
}

function describeLimits(schema: Json, language: Language): string[] {
  const { minimum: least, maximum: most, minLength, maxLength, minItems, maxItems } = schema
  const found: string[] = []
  if (least !== undefined && most !== undefined) {
    found.push(formatSiteText(language, 'from_to', { least: Number(least), most: Number(most) }))
  } else if (least !== undefined) found.push(formatSiteText(language, 'at_least', { least: Number(least) }))
  else if (most !== undefined) found.push(formatSiteText(language, 'at_most', { most: Number(most) }))
  if (minLength !== undefined && maxLength !== undefined) {
    found.push(formatSiteText(language, 'characters', { least: Number(minLength), most: Number(maxLength) }))
  } else if (maxLength !== undefined) {
    found.push(formatSiteText(language, 'characters_most', { most: Number(maxLength) }))
  }
  if (minItems !== undefined && maxItems !== undefined) {
    found.push(formatSiteText(language, 'entries', { least: Number(minItems), most: Number(maxItems) }))
  }
  if (typeof schema.pattern === 'string' && schema.format === undefined) found.push(`\`${schema.pattern}\``)
  return found
}

/** Formats rows as a Markdown table. */
export function formatFieldTable(rows: readonly FieldRow[], view: FieldView): string {
  const { language } = view
  const head = (['field', 'type', 'meaning'] as const).map((word) => formatSiteText(language, word))
  const cells = rows.map((row) => {
    const { type, limits, need } = describeField(row, view)
    const said = need && formatSiteText(language, need)
    const shown = [type, ...limits, ...(said === undefined ? [] : [need === 'needed' ? `**${said}**` : said])]
    return [`\`${row.path}\``, shown.join('; '), String(row.schema.description ?? '')]
  })
  return formatTable(head, cells)
}
