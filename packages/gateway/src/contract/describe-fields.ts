import type { Language } from './language.ts'
import { isFieldName } from './texts/fields/en.ts'
import { texts } from './texts/texts.ts'

/**
 * Puts the reader's words onto every parameter, field and header of an OpenAPI document. A text is looked up by the
 * schema or endpoint that has the field (`StockChange.version`, `errors.read:code`), then by the field's name alone.
 */
export function describeFields(document: unknown, language: Language) {
  const root = recordOf(document)
  const components = recordOf(root.components)
  for (const item of [...Object.values(recordOf(root.paths)), ...Object.values(recordOf(root.webhooks))]) {
    for (const operation of Object.values(recordOf(item)).map(recordOf)) {
      const id = String(operation.operationId)
      for (const parameter of listOf(operation.parameters)) describe(parameter, id, parameter.name, language)
      walk(operation.requestBody, id, language)
      walk(operation.responses, id, language)
    }
  }
  for (const [name, schema] of Object.entries(recordOf(components.schemas))) walk(schema, name, language)
  for (const [name, header] of Object.entries(recordOf(components.headers))) {
    describe(recordOf(header), '', name, language)
  }
}

/** The text of a field in a place; undefined where nobody has written one. */
export function fieldText(language: Language, place: string, name: string): string | undefined {
  const { fields } = texts[language]
  const key = [`${place}:${name}`, name].find(isFieldName)
  return key === undefined ? undefined : fields[key]
}

function describe(target: Record<string, unknown>, place: string, name: unknown, language: Language) {
  const text = fieldText(language, place, String(name))
  if (text === undefined) return
  target.description = text
  // A parameter's schema says no more than the parameter.
  if (typeof target.schema === 'object') delete recordOf(target.schema).description
}

const mostDepth = 40

function walk(value: unknown, place: string, language: Language, depth = 0) {
  if (typeof value !== 'object' || value === null || depth > mostDepth) return
  if (Array.isArray(value)) {
    for (const each of value) walk(each, place, language, depth + 1)
    return
  }
  const node = recordOf(value)
  if (node.type === 'object') {
    for (const [name, property] of Object.entries(recordOf(node.properties))) {
      describe(recordOf(property), place, name, language)
    }
  }
  for (const [name, child] of Object.entries(node)) {
    if (name !== 'example' && name !== 'examples') walk(child, place, language, depth + 1)
  }
}

/** JSON as it comes; whatever is no object has no members. */
export function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}
