import { z } from 'zod'

type Json = Record<string, unknown>

/** JSON Schema as programs read it: inlined, without what says nothing. */
export function plainSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    override: ({ jsonSchema }) => dropNoise(jsonSchema, io),
  })
  return json
}

/**
 * The same for the list of tools, which a model reads before everything else, at every start: bounds that no sane call
 * meets are left out, and of results whatever explains itself once it is there. The server checks all of it anyway.
 */
export function briefSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    override: ({ jsonSchema }) => {
      dropNoise(jsonSchema, io)
      for (const name of checkedAnyway) delete jsonSchema[name]
      if (Number(jsonSchema.minimum) <= 1) delete jsonSchema.minimum
      if (Number(jsonSchema.maximum) >= 1_000_000) delete jsonSchema.maximum
      if (io === 'output') dropPlain(jsonSchema)
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
/** An object of so few fields needs no explanation. */
const plainFields = 3

function dropPlain(json: Json) {
  delete json.required
  const { items } = json
  if (typeof items !== 'object' || items === null || !('properties' in items)) return
  if (Object.keys(Object(items.properties)).length <= plainFields) delete json.items
}

/** Bounds of integers say nothing; a result may grow, a request may not. */
function dropNoise(json: Json, io: 'input' | 'output') {
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  if (io === 'output' && json.additionalProperties === false) delete json.additionalProperties
}
