/**
 * Draws values of a schema, and values that are wrong in one place. They come from the schema that a reader of the
 * values declares, so a new field is drawn without a change here.
 */
import fc from 'fast-check'
import { z } from 'zod'

/** Lists shorter than this are drawn, even if the schema allows more items. */
const maxItems = 3
const maxCharacters = 12
const maxKeys = 3

/** Values that a property has mostly, besides any that its schema accepts, by the name of the property. */
export type KnownWords = Readonly<Record<string, readonly unknown[]>>

type JsonSchema = z.core.JSONSchema.BaseSchema

/** Draws values that a schema accepts. Where the schema checks more than its JSON Schema says, it may refuse some. */
export function drawValues(schema: z.ZodType, words: KnownWords = {}): fc.Arbitrary<unknown> {
  return drawFrom(z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' }), words)
}

function drawFrom(
  schema: z.core.JSONSchema._JSONSchema,
  words: KnownWords,
  name = '',
): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean') return fc.jsonValue({ maxDepth: 2 })
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return fc.oneof(...choices.map((each) => drawFrom(each, words, name)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.type === 'array') return drawList(schema, words, name)
  const accepted = drawAny(schema, words)
  const known = words[name] ?? []
  if (known.length === 0) return accepted
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: accepted })
}

/** Draws any value that a schema accepts. */
function drawAny(schema: JsonSchema, words: KnownWords): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.type === 'object') return drawObject(schema, words)
  if (schema.type === 'string') return drawText(schema)
  if (schema.type === 'integer') return drawWholeNumber(schema)
  if (schema.type === 'number') return fc.oneof(drawWholeNumber(schema), drawFraction(schema))
  if (schema.type === 'boolean') return fc.boolean()
  if (schema.type === 'null') return fc.constant(null)
  return fc.jsonValue({ maxDepth: 2 })
}

function drawObject(schema: JsonSchema, words: KnownWords): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, each]) => [name, drawFrom(each, words, name)]),
  )
  // A record of Zod has no properties, but a schema of what it may have.
  if (Object.keys(model).length === 0 && typeof additionalProperties === 'object')
    return fc.dictionary(fc.string({ maxLength: maxCharacters }), drawFrom(additionalProperties, words), {
      maxKeys,
      noNullPrototype: true,
    })
  return fc.record(model, { requiredKeys: [...required], noNullPrototype: true })
}

function drawList({ items, ...schema }: JsonSchema, words: KnownWords, name: string): fc.Arbitrary<unknown> {
  const item = typeof items === 'object' && !Array.isArray(items) ? items : {}
  const minLength = schema.minItems ?? 0
  const maxLength = Math.min(schema.maxItems ?? maxItems, Math.max(minLength, maxItems))
  // The items of `skus` are words for `sku`.
  return fc.array(drawFrom(item, words, name.replace(/s$/, '')), { minLength, maxLength })
}

const times = [
  '2026-11-21T12:00:00Z',
  '2026-11-21T12:00:00.123Z',
  '1970-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
]
const days = ['2026-11-21', '2026-11-20', '2028-02-29', '0001-01-01', '9999-12-31']
const urls = ['https://images.example/a.jpg', 'https://a.example/?b=%F0%9F%98%80#c', 'http://[::1]:8080/']

function drawText({ format, pattern, minLength = 0, ...schema }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.constantFrom(...times)
  if (format === 'date') return fc.constantFrom(...days)
  if (format === 'uri') return fc.constantFrom(...urls)
  // Most countries and currencies of any three letters do not exist, and all of these do.
  if (pattern === '^[A-Z]{3}$') return fc.constantFrom('AUD', 'CNY', 'KRW', 'USD')
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  const maxLength = Math.min(schema.maxLength ?? maxCharacters, Math.max(minLength, maxCharacters))
  // Texts end at their largest length, too.
  const longest = schema.maxLength ?? maxLength
  return fc.oneof(
    { weight: 8, arbitrary: fc.string({ minLength, maxLength }) },
    {
      weight: 2,
      arbitrary: fc.string({ unit: 'grapheme', minLength, maxLength: Math.floor(maxLength / 4) || 1 }),
    },
    { weight: 1, arbitrary: fc.constant('x'.repeat(longest)) },
  )
}

function drawWholeNumber({ minimum = -1_000_000, maximum = 1_000_000 }: JsonSchema): fc.Arbitrary<number> {
  const min = Math.ceil(minimum)
  const max = Math.floor(Math.max(maximum, min))
  const usual = fc.integer({ min, max: Math.min(max, min + 20) })
  return fc.oneof({ weight: 3, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(min, max) })
}

function drawFraction({ minimum = -1_000, maximum = 1_000_000 }: JsonSchema): fc.Arbitrary<number> {
  return fc.double({ min: minimum, max: maximum, noNaN: true })
}

/** Changes that make a value wrong, or nearly so. */
const strangeValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, 1e308, 2 ** 53, -(2 ** 53), '', ' ', '0', '-1', '1e3'],
  ...['a\0b', '\ud800', '\udc00x', '‮abc', '\ufeff', 'é', '__proto__', 'constructor', 'x'.repeat(5_000)],
  ...[
    '2026-02-30',
    '2026-11-21T12:00:00+00:00',
    'not-a-date',
    'http://a b',
    '../..',
    '%2e%2e',
    "' or 1=1 --",
  ],
  ...[[], {}, [[]], [null], { toString: 1, valueOf: 1 }, { length: 5 }, { toJSON: 1 }],
  ...[Array(2_001).fill('a'), Array(600).fill({}), nest(40), nest(400)],
]

function nest(depth: number): unknown {
  let value: unknown = '\0'
  for (let each = 0; each < depth; each++) value = each % 2 === 0 ? [value] : { a: value }
  return value
}

interface Mutation {
  /** The place, as a share of all places of the value. */
  readonly at: number
  readonly what: 'replace' | 'remove' | 'add' | 'repeat'
  readonly put: unknown
  readonly name: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  what: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'add', 'repeat'),
  put: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...strangeValues) },
    { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  ),
  name: fc.constantFrom('extra', 'constructor', 'toString', 'hasOwnProperty', '', 'ok', '\0', 'status'),
})

/** Draws values that are valid, and valid ones that were changed in one place. */
export function mutateOnce(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.option(mutation, { freq: 1 }))
    .map(([value, change]) => (change === null ? value : applyMutation(value, change)))
}

/** A place of a value: an object or a list, and a key of it. */
interface Place {
  readonly holder: Record<string, unknown> | unknown[]
  readonly key: string
}

/** Changes a copy of the value in one place. */
export function applyMutation(value: unknown, { at, what, put, name }: Mutation): unknown {
  const whole = structuredClone({ value })
  const places = listPlaces(whole)
  const place = places[Math.floor(at * places.length)]
  if (!place) return value
  changePlace(place, { what, put, name })
  // Without its only value, it would be no JSON.
  return whole.value ?? null
}

function listPlaces(holder: object): Place[] {
  return Object.entries(holder).flatMap(([key, inner]) => [
    { holder: holder as Record<string, unknown> | unknown[], key },
    ...(typeof inner === 'object' && inner !== null ? listPlaces(inner) : []),
  ])
}

function changePlace({ holder, key }: Place, { what, put, name }: Omit<Mutation, 'at'>) {
  const isList = Array.isArray(holder)
  const record = holder as Record<string, unknown>
  const inner = record[key]
  if (what === 'remove' && isList) holder.splice(Number(key), 1)
  else if (what === 'remove') delete record[key]
  else if (what === 'repeat' && isList) holder.push(structuredClone(inner))
  else if (what === 'repeat' && Array.isArray(inner)) inner.push(...structuredClone(inner))
  else if (what === 'add' && typeof inner === 'object' && inner !== null && !Array.isArray(inner))
    Object.assign(inner, { [name]: put })
  else record[key] = put
}
