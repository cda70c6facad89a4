import { z } from 'zod'
import type { Language } from '../contract/language.ts'
import {
  createCommonFieldTexts,
  describeSchema,
  type FieldText,
  setDescription,
} from '../contract/texts/describe-schema.ts'
import { isFieldName } from '../contract/texts/fields/en.ts'
import { chooseTexts, type DocumentedEndpoint } from '../endpoint.ts'
import { toRecord, toRecords } from '../kernel/json.ts'
import { toRequestName, toResponseName } from './schema-names.ts'

/**
 * Creates the look-up of field texts in a language: an endpoint's own texts first, then the common ones. The texts of an
 * endpoint are also those of the schema that it returns, except what is written for a parameter, or for that schema.
 */
export function createFieldTexts(endpoints: readonly DocumentedEndpoint[], language: Language): FieldText {
  const common = createCommonFieldTexts(language)
  const declared = new Map(
    endpoints.flatMap((endpoint) => {
      const { id, params, query, body } = endpoint
      const places = [id, toRequestName(id), toResponseName(id)]
      const parameters = { ...params, ...query, ...body?.shape }
      const returned = readReturnedName(endpoint)
      return Object.entries(chooseTexts(endpoint, language).fields ?? {}).flatMap(([name, text]) => {
        const isOther = Object.hasOwn(parameters, name) || isFieldName(`${returned}:${name}`)
        const all = isOther || returned === undefined ? places : [...places, returned]
        return all.map((place) => [`${place}:${name}`, text] as const)
      })
    }),
  )
  return (place, name) => declared.get(`${place}:${name}`) ?? common(place, name)
}

/** Sets the description of every parameter, field and header of an OpenAPI document. */
export function describeFields(document: unknown, textOf: FieldText) {
  const root = toRecord(document)
  const components = toRecord(root.components)
  for (const item of [...Object.values(toRecord(root.paths)), ...Object.values(toRecord(root.webhooks))]) {
    for (const operation of Object.values(toRecord(item)).map(toRecord)) {
      const id = String(operation.operationId)
      for (const parameter of toRecords(operation.parameters))
        setDescription(parameter, textOf(id, readName(parameter)))
      describeSchema(operation.requestBody, id, textOf)
      describeSchema(operation.responses, id, textOf)
    }
  }
  for (const [name, schema] of Object.entries(toRecord(components.schemas)))
    describeSchema(schema, name, textOf)
  for (const [name, header] of Object.entries(toRecord(components.headers))) {
    setDescription(toRecord(header), textOf('', name))
  }
}

/** Reads the name of the schema of the document, or of each row, that an endpoint returns, if the schema has one. */
function readReturnedName({ result }: DocumentedEndpoint): string | undefined {
  const data: unknown = result instanceof z.ZodObject ? result.shape.data : undefined
  const document = data instanceof z.ZodArray ? data.element : data
  return document instanceof z.ZodType ? document.meta()?.id : undefined
}

function readName({ name }: Record<string, unknown>): string {
  return String(name)
}
