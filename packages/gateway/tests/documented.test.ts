import { describe, expect, it } from 'vitest'
import { endpointIdOf } from '../src/catalogue.ts'
import { declaredSettings } from '../src/config.ts'
import { fieldText, listOf, recordOf } from '../src/contract/describe-fields.ts'
import { errorCodes } from '../src/contract/errors.ts'
import { groupOf } from '../src/contract/groups.ts'
import { type Language, languages } from '../src/contract/language.ts'
import { codesOf, describedPaths, openApiDocument } from '../src/contract/openapi.ts'
import { isSettingName } from '../src/contract/texts/settings/en.ts'
import { texts } from '../src/contract/texts/texts.ts'
import { docsFolder, readSource } from '../src/pages/docs/library.ts'
import { misfits, staleBlocks } from '../src/pages/docs/translation.ts'
import { writtenDocs } from '../src/pages/docs/tree.ts'
import { families } from '../src/pages/errors/advice.ts'
import { pageMarkdown } from '../src/pages/page.ts'
import { fieldRows, resolved } from '../src/pages/reference/schema-table.ts'
import { documented, pageAt } from '../src/pages/site.ts'

/** Nothing of the contract is undocumented, in any language. */
function markdownOf(path: string, language: Language): string {
  const page = pageAt(path, language)
  if (!page) throw new Error(`there is no ${path}`)
  return pageMarkdown(page, language, (text) => text)
}

describe.each(languages)('in %s', (language) => {
  it.each(documented.map((endpoint) => [endpoint.id, endpoint] as const))(
    '/reference/%s has its parameters, fields, errors, price and samples',
    (id, endpoint) => {
      const text = markdownOf(`/reference/${id}`, language)
      const { summary, description } = texts[language].endpoints[endpointIdOf(endpoint)]
      const missing = [
        `# ${summary}`,
        description,
        `\`${endpoint.method} ${endpoint.path}\``,
        endpoint.since,
        ...(endpoint.capability ? [`\`${endpoint.capability}\``] : []),
        ...Object.keys({ ...endpoint.params, ...endpoint.query, ...endpoint.body?.shape }).map(
          (name) => `\`${name}\``,
        ),
        ...codesOf(endpoint).map((code) => `(/errors/${code})`),
        '```sh\ncurl ',
        '```ts\nconst response = await fetch(',
      ].filter((part) => !text.includes(part))
      expect(missing).toEqual([])
    },
  )

  it('every parameter, field and header has a text', () => {
    const document = recordOf(describedPaths(documented, language))
    const components = recordOf(document.components)
    const schemas = recordOf(components.schemas)
    const bare: string[] = []
    for (const item of Object.values(recordOf(document.paths))) {
      for (const operation of Object.values(recordOf(item)).map(recordOf)) {
        const id = String(operation.operationId)
        for (const parameter of listOf(operation.parameters)) {
          if (parameter.description === undefined) bare.push(`${id}:${parameter.name}`)
        }
        const bodies = [operation.requestBody, ...Object.values(recordOf(operation.responses))]
        for (const body of bodies.map(recordOf)) {
          const { schema } = recordOf(recordOf(body.content)['application/json'])
          for (const row of fieldRows(schema, schemas)) {
            const name = row.path.split('.').at(-1)?.replace('[]', '') ?? ''
            if (fieldText(language, id, name) === undefined) bare.push(`${id}:${row.path}`)
          }
        }
      }
    }
    for (const name of Object.keys(recordOf(components.headers))) {
      if (resolved(recordOf(components.headers)[name], {}).description === undefined)
        bare.push(`header ${name}`)
    }
    expect([...new Set(bare)]).toEqual([])
  })

  it.each(errorCodes)('/errors/%s has all its sections', (code) => {
    const text = markdownOf(`/errors/${code}`, language)
    const { message, hint, when, title } = texts[language].errors[code]
    for (const part of [message, hint, when, title, `"code": "${code}"`, '```sh\n'])
      expect(text).toContain(part)
    expect(text.match(/^## /gm)).toHaveLength(8)
  })

  it('every setting has a text', () => {
    const names = declaredSettings().map(({ name }) => name)
    expect(names.filter((name) => !isSettingName(name))).toEqual([])
    const text = markdownOf('/docs/configuration', language)
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })

  it('the contract as OpenAPI has the texts of the language', () => {
    const document = JSON.stringify(openApiDocument(language))
    expect(document).toContain(JSON.stringify(texts[language].fields.client_order_number))
    expect(document).toContain(JSON.stringify(texts[language].endpoints['dropship.submit'].summary))
  })
})

describe('the lists', () => {
  it('have every code exactly once', () => {
    expect(families.flatMap(({ codes }) => [...codes]).toSorted()).toEqual([...errorCodes].toSorted())
  })

  it('have every endpoint in a group', () => {
    expect(() => documented.map(({ id }) => groupOf(id))).not.toThrow()
  })
})

describe('numbers and switches of a query', () => {
  it('are that in OpenAPI, with their bounds', () => {
    const paths = recordOf(openApiDocument().paths)
    const parameters = listOf(recordOf(recordOf(paths['/api/v1/dropship-orders']).get).parameters)
    const schemaOf = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema
    expect(schemaOf('page_size')).toEqual({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
    expect(schemaOf('include_previews')).toEqual({ type: 'boolean' })
  })
})

/** What a translation is of is what stands there now. Pages that are missing: `npm run docs -- check`. */
describe.each(['zh', 'ko'] as const)('the translations into %s', (language) => {
  it('follow their sources block by block, and none is out of date', () => {
    const problems = writtenDocs.flatMap((path) => {
      const english = readSource(docsFolder, 'en', path)
      const translation = readSource(docsFolder, language, path)
      if (!english || !translation) return []
      return [...misfits(english, translation), ...staleBlocks(english, translation)].map(
        (each) => `${path}: ${each}`,
      )
    })
    expect(problems).toEqual([])
  })
})
