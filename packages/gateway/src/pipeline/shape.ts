import { z } from 'zod'
import type { Call } from '../contract/call.ts'
import { GatewayError, type Problem } from '../contract/errors.ts'
import { createErrorMap, dropSafeIntegerIssues } from '../contract/problems.ts'
import { toRecord } from '../kernel/json.ts'

/**
 * An input's schema, compiled once. The length of each array is checked before its items are parsed: a body can contain
 * 85,000 empty items, and parsing and explaining them would take 20 ms of the event loop. Messages in the caller's
 * language are only computed for a refusal.
 */
export interface Shape {
  readonly schema: z.ZodType
  /** What `schema` was compiled from. */
  readonly source: z.ZodType
  readonly bounds: Bounds | undefined
  /** The sentence for a field or parameter that the schema does not have. */
  readonly unknownName: 'field_unknown' | 'parameter_unknown'
}

/** The maximum lengths of the arrays in a value. Parts without arrays are omitted. */
interface Bounds {
  readonly maxItems?: number
  readonly items?: Bounds
  readonly properties?: ReadonlyMap<string, Bounds>
}

const maxProblems = 20

export function compileShape(schema: z.ZodType, unknownName: Shape['unknownName'] = 'field_unknown'): Shape {
  const json = z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' })
  return {
    schema: z.compile(schema),
    source: schema,
    bounds: collectBounds(json, toRecord(json.$defs)),
    unknownName,
  }
}

/** Parses a value. Throws `VALIDATION_FAILED` with the first invalid field as `param` and all problems in `errors`. */
export function checkShape(shape: Shape, value: unknown, call: Call): object {
  const { schema, bounds } = shape
  const error = createErrorMap(call.language)
  const long = bounds && findLongArray(value, bounds)
  if (long) {
    const { path, array, maxItems } = long
    // Only the array's length is validated here, not its items.
    const { error: tooLong } = z.array(z.unknown()).max(maxItems).safeParse(array, { error })
    throw toValidationError(
      (tooLong?.issues ?? []).flatMap((issue) => listProblems({ ...issue, path }, shape)),
    )
  }
  const result = schema.safeParse(value)
  if (result.success) return Object(result.data)
  const explained = schema.safeParse(value, { error })
  const issues = dropSafeIntegerIssues((explained.error ?? result.error).issues).slice(0, maxProblems)
  throw toValidationError(issues.flatMap((issue) => listProblems(issue, shape)))
}

function toValidationError(problems: readonly Problem[]): GatewayError {
  const [first] = problems
  return new GatewayError('VALIDATION_FAILED', {
    param: first?.param ?? '',
    reason: 'invalid_field',
    say: first?.say ?? ['field_invalid', { param: '', problem: '' }],
    errors: problems.slice(0, maxProblems),
  })
}

function listProblems(issue: z.core.$ZodIssue, { source, unknownName }: Shape): Problem[] {
  const path = formatPath(issue.path)
  if (issue.code !== 'unrecognized_keys') {
    return [{ param: path, say: ['field_invalid', { param: path, problem: issue.message }] }]
  }
  const known = listNames(source, issue.path).join(', ') || '–'
  return issue.keys.slice(0, maxProblems).map((key) => {
    const param = path === '' ? key : `${path}.${key}`
    return { param, say: [unknownName, { param, known }] }
  })
}

/** Lists the names that the object at a path of a schema may have, without those whose values are ignored. */
function listNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const found = path.reduce<z.core.$ZodType | undefined>((outer, part) => {
    const inner = outer && unwrap(outer)
    if (inner instanceof z.ZodArray) return inner.element
    return inner instanceof z.ZodObject ? inner.shape[String(part)] : undefined
  }, schema)
  const object = found && unwrap(found)
  if (!(object instanceof z.ZodObject)) return []
  const members: [string, z.core.$ZodType][] = Object.entries(object.shape)
  return members.flatMap(([name, member]) => (unwrap(member) instanceof z.ZodUnknown ? [] : [name]))
}

/** Removes what makes a schema optional, gives it a default or transforms what was parsed. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
  if (isWrapped) return unwrap(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema
}

/** Formats a path as `lines[0].quantity`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}

/** Collects the maximum lengths from a JSON Schema; its `$ref`s are resolved with `definitions`. */
function collectBounds(sent: unknown, definitions: Readonly<Record<string, unknown>>): Bounds | undefined {
  if (sent === undefined) return undefined
  const json = toRecord(sent)
  if (typeof json.$ref === 'string') {
    return collectBounds(definitions[json.$ref.replace('#/$defs/', '')], definitions)
  }
  const choices = [json.anyOf, json.allOf].flatMap((each) => (Array.isArray(each) ? each : []))
  for (const choice of choices) {
    const bounds = collectBounds(choice, definitions)
    if (bounds) return bounds
  }
  const items = collectBounds(json.items, definitions)
  const properties = new Map<string, Bounds>()
  for (const [name, property] of Object.entries(toRecord(json.properties))) {
    const bounds = collectBounds(property, definitions)
    if (bounds) properties.set(name, bounds)
  }
  const bounds = {
    ...(typeof json.maxItems === 'number' ? { maxItems: json.maxItems } : {}),
    ...(items ? { items } : {}),
    ...(properties.size > 0 ? { properties } : {}),
  }
  return Object.keys(bounds).length > 0 ? bounds : undefined
}

interface LongArray {
  readonly path: PropertyKey[]
  readonly array: readonly unknown[]
  readonly maxItems: number
}

/** Finds the first array that exceeds its maximum length. Items are visited only if their array is within its limit. */
function findLongArray(value: unknown, bounds: Bounds, path: PropertyKey[] = []): LongArray | undefined {
  const { maxItems, items, properties } = bounds
  if (Array.isArray(value)) {
    if (maxItems !== undefined && value.length > maxItems) return { path, array: value, maxItems }
    if (!items) return undefined
    for (const [index, item] of value.entries()) {
      const found = findLongArray(item, items, [...path, index])
      if (found) return found
    }
    return undefined
  }
  if (!properties) return undefined
  const record = toRecord(value)
  for (const [name, inner] of properties) {
    const found = findLongArray(record[name], inner, [...path, name])
    if (found) return found
  }
  return undefined
}
