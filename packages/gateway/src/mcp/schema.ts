import { z } from 'zod'
import { maxLineQuantity } from '../ordering/lines.ts'

type Json = Record<string, unknown>

/** Converts a Zod schema to inlined JSON Schema, without limits that carry no information. */
export function toInlineSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    override: ({ jsonSchema }) => dropIntegerBounds(jsonSchema, io),
  })
  return json
}

/**
 * Converts a Zod schema to a shorter JSON Schema for the list of tools, which a model reads at every start. It omits
 * limits that no reasonable call reaches and obvious parts of results. The server validates all of them anyway.
 */
export function toBriefSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    override: ({ jsonSchema }) => {
      dropIntegerBounds(jsonSchema, io)
      for (const name of checkedAnyway) delete jsonSchema[name]
      if (Number(jsonSchema.minimum) <= 1) delete jsonSchema.minimum
      if (Number(jsonSchema.maximum) >= maxLineQuantity) delete jsonSchema.maximum
      if (io === 'output') dropOutputDetails(jsonSchema)
    },
  })
  return json
}

const checkedAnyway = [
  'minLength',
  'maxLength',
  'minItems',
  'pattern',
  'propertyNames',
  'additionalProperties',
]
/** Items of a list with at most this many fields are not described. */
const maxObviousFields = 3

function dropOutputDetails(json: Json) {
  delete json.required
  const { items } = json
  if (typeof items !== 'object' || items === null || !('properties' in items)) return
  if (Object.keys(Object(items.properties)).length <= maxObviousFields) delete json.items
}

/**
 * Removes Zod's limits of safe integers. Results may gain fields, so `additionalProperties` is kept only for requests.
 */
function dropIntegerBounds(json: Json, io: 'input' | 'output') {
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties
}
