import { toRecord, toRecords } from '../../kernel/json.ts'
import type { Language } from '../language.ts'
import { isFieldName } from './fields/en.ts'
import { texts } from './texts.ts'

/** Returns the description of the field `name`. `place` is the id of an endpoint or the name of a schema. */
export type FieldText = (place: string, name: string) => string | undefined

/**
 * Creates a function that finds the descriptions that are not part of a declaration: first by schema and field
 * (`StockChange:version`), then by field alone.
 */
export function createCommonFieldTexts(language: Language): FieldText {
  const { fields } = texts[language]
  return (place, name) => {
    const key = [`${place}:${name}`, name].find(isFieldName)
    return key === undefined ? undefined : fields[key]
  }
}

/** Sets the description of a parameter, field or header, if there is a text. */
export function setDescription(target: Record<string, unknown>, text: string | undefined) {
  if (text === undefined) return
  target.description = text
  // The schema of a parameter and the alternatives of a nullable field would repeat it, in English.
  for (const inner of [target.schema, ...toRecords(target.anyOf)]) delete toRecord(inner).description
}

const maxDepth = 40

/** Sets the descriptions of all fields in a JSON Schema, at any depth of `value`. */
export function describeSchema(value: unknown, place: string, textOf: FieldText, depth = 0) {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return
  if (Array.isArray(value)) {
    for (const each of value) describeSchema(each, place, textOf, depth + 1)
    return
  }
  const node = toRecord(value)
  if (node.type === 'object') {
    for (const [name, property] of Object.entries(toRecord(node.properties))) {
      setDescription(toRecord(property), textOf(place, name))
    }
  }
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'example' && name !== 'examples') describeSchema(child, place, textOf, depth + 1)
  }
}
