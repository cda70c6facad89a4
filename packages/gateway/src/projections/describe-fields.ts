import type { Language } from '../contract/language.ts'
import {
  createCommonFieldTexts,
  describeSchema,
  type FieldText,
  setDescription,
} from '../contract/texts/describe-schema.ts'
import { chooseTexts, type DocumentedEndpoint } from '../endpoint.ts'
import { toRecord, toRecords } from '../kernel/json.ts'
import { toRequestName, toResponseName } from './schema-names.ts'

/** Creates the look-up of field texts in a language: an endpoint's own texts first, then the common ones. */
export function createFieldTexts(endpoints: readonly DocumentedEndpoint[], language: Language): FieldText {
  const common = createCommonFieldTexts(language)
  const declared = new Map(
    endpoints.flatMap((endpoint) => {
      const places = [endpoint.id, toRequestName(endpoint.id), toResponseName(endpoint.id)]
      return Object.entries(chooseTexts(endpoint, language).fields ?? {}).flatMap(([name, text]) =>
        places.map((place) => [`${place}:${name}`, text] as const),
      )
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

function readName({ name }: Record<string, unknown>): string {
  return String(name)
}
