import { listOf, recordOf } from '../../contract/describe-fields.ts'
import type { Language } from '../../contract/language.ts'
import { table, word } from '../page.ts'

/** A schema in OpenAPI's words, read as rows: one for each field, with its path from the top. */
export interface FieldRow {
  readonly path: string
  readonly schema: Json
  readonly isNeeded: boolean
}

export type Json = Record<string, unknown>
export type Components = Json

const mostDepth = 6

/** Every field of an object, its own fields after it: `lines`, `lines[].sku`. */
export function fieldRows(schema: unknown, components: Components): FieldRow[] {
  const object = objectIn(resolved(schema, components), components)
  return object ? rowsOf(object.schema, components, '', mostDepth) : []
}

function rowsOf(object: Json, components: Components, prefix: string, depth: number): FieldRow[] {
  const needed = new Set(Array.isArray(object.required) ? object.required : [])
  return Object.entries(recordOf(object.properties)).flatMap(([name, property]) => {
    const path = `${prefix}${name}`
    const schema = resolved(property, components)
    const row = { path, schema, isNeeded: needed.has(name) }
    const inner = depth > 0 ? objectIn(schema, components) : undefined
    return inner ? [row, ...rowsOf(inner.schema, components, `${path}${inner.suffix}.`, depth - 1)] : [row]
  })
}

/** The object that a schema is, or has lists of, or may be. */
function objectIn(schema: Json, components: Components): { schema: Json; suffix: string } | undefined {
  const own = notNull(schema, components)
  if (own.type === 'object' && own.properties !== undefined) return { schema: own, suffix: '' }
  if (own.type !== 'array') return undefined
  const items = notNull(resolved(own.items, components), components)
  return items.type === 'object' ? { schema: items, suffix: '[]' } : undefined
}

/** A schema with its reference followed; what stands beside the reference wins. */
export function resolved(schema: unknown, components: Components): Json {
  const own = recordOf(schema)
  const name = /^#\/components\/\w+\/(.+)$/.exec(String(own.$ref ?? ''))?.[1]
  if (name === undefined) return own
  const { $ref: _reference, ...beside } = own
  return { ...recordOf(components[name]), ...beside }
}

/** What a nullable schema is where it is not null. */
function notNull(schema: Json, components: Components): Json {
  const ways = listOf(schema.anyOf)
    .map((way) => resolved(way, components))
    .filter(({ type }) => type !== 'null')
  return ways.length === 1 ? { ...schema, ...ways[0] } : schema
}

/** Whether a field is only accepted so that an answer can be sent back. */
export function isIgnored({ schema }: FieldRow): boolean {
  return Object.keys(schema).every((key) => key === 'description')
}

/** The type of a field and its limits, in the reader's language. */
export function typeWords(
  row: FieldRow,
  components: Components,
  language: Language,
  isRequest: boolean,
): string {
  const schema = notNull(row.schema, components)
  const isNullable =
    schema !== row.schema || (Array.isArray(row.schema.type) && row.schema.type.includes('null'))
  const parts = [typeName(schema, components, language), ...limits(schema, language)]
  if (isRequest) parts.push(row.isNeeded ? `**${word(language, 'needed')}**` : word(language, 'optional'))
  else if (!row.isNeeded) parts.push(word(language, 'optional'))
  if (isNullable) parts.push(word(language, 'may_be_null'))
  if (schema.default !== undefined)
    parts.push(word(language, 'default_value', { value: `\`${schema.default}\`` }))
  return parts.join('; ')
}

function typeName(schema: Json, components: Components, language: Language): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (Array.isArray(schema.enum)) {
    return word(language, 'one_of', { values: schema.enum.map((value) => `\`${value}\``).join(' ') })
  }
  const type = Array.isArray(schema.type)
    ? schema.type.filter((each) => each !== 'null').join(', ')
    : schema.type
  if (type === 'array') {
    const items = notNull(resolved(schema.items, components), components)
    return word(language, 'list_of', { type: typeName(items, components, language) })
  }
  if (typeof schema.format === 'string') return `${type} (${schema.format})`
  return String(type ?? 'any')
}

function limits(schema: Json, language: Language): string[] {
  const { minimum: least, maximum: most, minLength, maxLength, minItems, maxItems } = schema
  const found: string[] = []
  if (least !== undefined && most !== undefined) {
    found.push(word(language, 'from_to', { least: Number(least), most: Number(most) }))
  } else if (least !== undefined) found.push(word(language, 'at_least', { least: Number(least) }))
  else if (most !== undefined) found.push(word(language, 'at_most', { most: Number(most) }))
  if (minLength !== undefined && maxLength !== undefined) {
    found.push(word(language, 'characters', { least: Number(minLength), most: Number(maxLength) }))
  } else if (maxLength !== undefined) {
    found.push(word(language, 'characters_most', { most: Number(maxLength) }))
  }
  if (minItems !== undefined && maxItems !== undefined) {
    found.push(word(language, 'entries', { least: Number(minItems), most: Number(maxItems) }))
  }
  if (typeof schema.pattern === 'string' && schema.format === undefined) found.push(`\`${schema.pattern}\``)
  return found
}

/** Rows as a Markdown table. */
export function fieldTable(
  rows: readonly FieldRow[],
  components: Components,
  language: Language,
  isRequest: boolean,
): string {
  return table(
    [word(language, 'field'), word(language, 'type'), word(language, 'meaning')],
    rows.map((row) => [
      `\`${row.path}\``,
      typeWords(row, components, language, isRequest),
      String(row.schema.description ?? ''),
    ]),
  )
}
