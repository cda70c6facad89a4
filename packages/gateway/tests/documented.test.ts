/** Every part of the contract is documented in every language. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listSettings } from '../src/config.ts'
import { type ErrorCode, errorCodes, errorTable, isErrorCode } from '../src/contract/error-table.ts'
import { reasons } from '../src/contract/errors.ts'
import { type Language, languages } from '../src/contract/language.ts'
import { isSettingName } from '../src/contract/texts/settings/en.ts'
import { texts } from '../src/contract/texts/texts.ts'
import { dropshipSubmitCreate } from '../src/dropship/endpoints.ts'
import { chooseTexts, type DocumentedEndpoint, eraseEndpointTypes } from '../src/endpoint.ts'
import { toRecord, toRecords } from '../src/kernel/json.ts'
import { docsFolder, readSource } from '../src/pages/docs/library.ts'
import { findStructureDifferences, listStaleBlocks } from '../src/pages/docs/translation.ts'
import { writtenDocs } from '../src/pages/docs/tree.ts'
import { families } from '../src/pages/errors/advice.ts'
import { reasonsOf } from '../src/pages/errors/reasons.ts'
import { formatSiteText, renderPageMarkdown } from '../src/pages/page.ts'
import { listFieldRows, resolveSchema } from '../src/pages/reference/schema-table.ts'
import { findPage } from '../src/pages/site.ts'
import { buildAsyncApi } from '../src/projections/asyncapi.ts'
import { createFieldTexts } from '../src/projections/describe-fields.ts'
import {
  buildAdminOpenApi,
  buildOpenApi,
  describePaths,
  documentedEndpoints,
  listErrorCodes,
} from '../src/projections/openapi.ts'
import { listAllTexts } from './all-texts.ts'

function readMarkdown(path: string, language: Language): string {
  const page = findPage(path, language)
  if (!page) throw new Error(`there is no ${path}`)
  return renderPageMarkdown(page, language, (text) => text)
}

/** Reads the row of a code in the index of errors. */
function readIndexRow(code: ErrorCode, language: Language): string {
  const lines = readMarkdown('/errors', language).split('\n')
  return lines.find((line) => line.includes(`](/errors/${code})`)) ?? ''
}

/** Words that say nothing of a field. */
const emptyWords = new Set(
  'a an and as be by for id in is it its of on or that the this to was when whether which who with'.split(
    ' ',
  ),
)
const stem = (word: string) => word.slice(0, 4)

/** The words of a meaning that its field’s name does not have, such as `frozen` in `Amount that is frozen`. */
function listFurtherWords(name: string, meaning: string): Set<string> {
  const split = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? []
  const known = new Set(split(name.replaceAll('_', ' ')).map(stem))
  return new Set(split(meaning).filter((word) => !emptyWords.has(word) && !known.has(stem(word))))
}

describe('the meaning of a field', () => {
  it('says more than its name', () => {
    const thin: string[] = []
    const note = (place: string, name: string, { description }: Record<string, unknown>) => {
      // A reference to a schema may have no meaning of its own.
      if (description === undefined) return
      if (listFurtherWords(name, String(description)).size < 2) thin.push(`${place}: ${name}: ${description}`)
    }
    const document = toRecord(buildOpenApi('en'))
    for (const item of Object.values(toRecord(document.paths)))
      for (const operation of Object.values(toRecord(item)).map(toRecord))
        for (const parameter of toRecords(operation.parameters))
          note(String(operation.operationId), String(parameter.name), parameter)
    const visit = (place: string, schema: unknown) => {
      if (typeof schema !== 'object' || schema === null) return
      for (const [name, property] of Object.entries(toRecord(toRecord(schema).properties)))
        note(place, name, toRecord(property))
      for (const inner of Object.values(schema)) visit(place, inner)
    }
    for (const [place, schema] of Object.entries(toRecord(toRecord(document.components).schemas)))
      visit(place, schema)
    expect([...new Set(thin)]).toEqual([])
  })
})

/** The kinds of samples that apply to an endpoint: a client of the SDK is no agent, and an agent has its token already. */
function listSampleKinds({ id, access, group, isProtocol }: DocumentedEndpoint): string[] {
  if (access === 'admin' && group !== 'sandbox') return ['curl']
  if (isProtocol) return ['curl', 'CLI', 'MCP']
  if (access === 'admin') return ['curl', 'CLI']
  const isForAgents = group !== 'sandbox' && id !== 'auth.token'
  return ['curl', 'TypeScript', 'CLI', ...(isForAgents ? ['MCP'] : [])]
}

/** The codes that the documents of OpenAPI declare for each operation, by its id. */
const declaredCodes = new Map(
  [describePaths('en'), buildAdminOpenApi(), buildOpenApi()].map(toRecord).flatMap((document) => {
    const shared = toRecord(toRecord(document.components).responses)
    return Object.values(toRecord(document.paths))
      .flatMap((item) => Object.values(toRecord(item)).map(toRecord))
      .map(({ operationId, responses }) => [
        String(operationId),
        listFailureCodes(toRecord(responses), shared),
      ])
  }) as [string, string[]][],
)

it('every operation declares the refusals of a large body and of too many refused calls', () => {
  const undeclared = [describePaths('en'), buildAdminOpenApi(), buildOpenApi()]
    .flatMap(({ paths }) => Object.values(toRecord(paths)))
    .flatMap((item) => Object.values(toRecord(item)).map(toRecord))
    .filter(({ responses }) => !['413', '429'].every((status) => status in toRecord(responses)))
  expect(undeclared.map(({ operationId }) => operationId)).toEqual([])
})

function listFailureCodes(responses: Record<string, unknown>, shared: Record<string, unknown>): string[] {
  const failures = Object.entries(responses).filter(
    ([status, response]) => Number(status) >= 400 && !isProtocolError(response),
  )
  const texts = failures.map(([, response]) => {
    const { $ref, description } = toRecord(response)
    const name = String($ref).split('/').at(-1) ?? ''
    return String($ref === undefined ? description : toRecord(shared[name]).description)
  })
  return [...new Set(texts.flatMap((text) => text.split(', ')))]
}

/** Whether a failure has an error of JSON-RPC, which has no code of the contract. */
function isProtocolError(response: unknown): boolean {
  const { schema } = toRecord(toRecord(toRecord(response).content)['application/json'])
  return toRecord(schema).$ref === '#/components/schemas/McpMessage'
}

describe.each(languages)('in %s', (language) => {
  it.each(documentedEndpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    '/reference/%s has its parameters, fields, errors, price and samples',
    (id, endpoint) => {
      const text = readMarkdown(`/reference/${id}`, language)
      const { summary, description, priceNote } = chooseTexts(endpoint, language)
      const missing = [
        `# ${summary}`,
        description,
        `\`${endpoint.method} ${endpoint.path}\``,
        ...(endpoint.since ? [endpoint.since] : []),
        ...(priceNote ? [priceNote] : []),
        ...(endpoint.capability ? [`\`${endpoint.capability}\``] : []),
        ...Object.keys({ ...endpoint.params, ...endpoint.query, ...endpoint.body?.shape }).map(
          (name) => `\`${name}\``,
        ),
        ...listErrorCodes(endpoint).map((code) => `(/errors/${code})`),
        '```sh\ncurl ',
        ...(endpoint.access === 'admin' || endpoint.isProtocol
          ? []
          : ["```ts\nimport { TradeGateway } from '@trade-gateway/sdk'"]),
      ].filter((part) => !text.includes(part))
      expect(missing).toEqual([])
    },
  )

  it('every parameter, field and header has a text', () => {
    const document = toRecord(describePaths(language))
    const components = toRecord(document.components)
    const schemas = toRecord(components.schemas)
    const textOf = createFieldTexts(documentedEndpoints, language)
    // A schema with a name has texts of its own, such as `AuditRow:number`.
    const isDescribed = new Set(
      Object.entries(schemas).flatMap(([place, schema]) =>
        Object.keys(toRecord(toRecord(schema).properties)).filter(
          (name) => textOf(place, name) !== undefined,
        ),
      ),
    )
    const bare: string[] = []
    for (const item of Object.values(toRecord(document.paths))) {
      for (const operation of Object.values(toRecord(item)).map(toRecord)) {
        const id = String(operation.operationId)
        for (const parameter of toRecords(operation.parameters)) {
          if (parameter.description === undefined) bare.push(`${id}:${parameter.name}`)
        }
        const bodies = [operation.requestBody, ...Object.values(toRecord(operation.responses))]
        for (const body of bodies.map(toRecord)) {
          const { schema } = toRecord(toRecord(body.content)['application/json'])
          for (const row of listFieldRows(schema, schemas)) {
            const name = row.path.split('.').at(-1)?.replace('[]', '') ?? ''
            if (textOf(id, name) === undefined && !isDescribed.has(name)) bare.push(`${id}:${row.path}`)
          }
        }
      }
    }
    for (const name of Object.keys(toRecord(components.headers))) {
      if (resolveSchema(toRecord(components.headers)[name], {}).description === undefined)
        bare.push(`header ${name}`)
    }
    expect([...new Set(bare)]).toEqual([])
  })

  it.each(errorCodes)('/errors/%s has all its sections, each with a heading of its own', (code) => {
    const text = readMarkdown(`/errors/${code}`, language)
    const { message, hint, when, title } = texts[language].errors[code]
    for (const part of [message, hint, when, title, `"code": "${code}"`, '```sh\n'])
      expect(text).toContain(part)
    const { [code]: reasons = [] } = reasonsOf
    for (const reason of reasons) expect(text).toContain(`| \`${reason}\` | `)
    const headings = text.match(/^## .*$/gm) ?? []
    expect(headings).toHaveLength(reasons.length > 0 ? 9 : 8)
    expect(new Set(headings).size).toBe(headings.length)
  })

  it.each(errorCodes)(
    '/errors/%s and the index say whether a retry helps, or that the response says it',
    (code) => {
      const usual = errorTable[code].retryable ? 'yes' : 'no'
      const word = 'sometimesRetryable' in errorTable[code] ? 'sometimes' : usual
      const cell = formatSiteText(language, word)
      const text = readMarkdown(`/errors/${code}`, language)
      expect(text).toContain(`| ${formatSiteText(language, 'retry_column')} |`)
      expect(text).toMatch(new RegExp(`^\\| \\d+ \\| ${cell} \\|$`, 'm'))
      expect(text).toContain(
        `\n## ${formatSiteText(language, 'error_retry')}\n\n${formatSiteText(language, `retry_${word}`)}\n`,
      )
      expect(readIndexRow(code, language)).toMatch(new RegExp(` \\| ${cell} \\|$`))
    },
  )

  it.each(documentedEndpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    '/reference/%s has all eight blocks, and the errors of the contract',
    (id, endpoint) => {
      const text = readMarkdown(`/reference/${id}`, language)
      const headings = ['samples', 'parameters', 'answer', 'possible_errors'] as const
      for (const word of headings) expect(text).toContain(`\n## ${formatSiteText(language, word)}\n`)
      for (const word of ['points_label', 'grant', 'capability', 'idempotent'] as const)
        expect(text).toMatch(new RegExp(`^\\| ${formatSiteText(language, word)} \\| [^|]+ \\|$`, 'm'))
      const kinds = [...text.matchAll(/^\*\*(curl|TypeScript|CLI|MCP)\*\*$/gm)].map(([, kind]) => kind)
      expect(kinds).toEqual(listSampleKinds(endpoint))
      const [, response = ''] = text.split(`\n## ${formatSiteText(language, 'answer')}\n`)
      const { status = 200 } = endpoint
      expect(response).toContain(formatSiteText(language, 'answer_status', { status }))
      const listed = [...text.matchAll(/^\| \[([A-Z_]+)\]\(\/errors\//gm)].map(([, code]) => code)
      expect(listed.toSorted()).toEqual(declaredCodes.get(id)?.toSorted())
    },
  )

  it('every setting has a text', () => {
    const names = listSettings().map(({ name }) => name)
    expect(names.filter((name) => !isSettingName(name))).toEqual([])
    const text = readMarkdown('/docs/configuration', language)
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([])
  })

  it('no text of the contract that a translation has is left in English', () => {
    const shared = (['api_success', 'api_not_modified', 'api_mcp_response', 'api_mcp_accepted'] as const).map(
      (word) => texts.en.site[word],
    )
    for (const document of [buildOpenApi(language), buildAsyncApi(language)].map((each) =>
      JSON.stringify(each),
    )) {
      const english = [
        ...shared,
        'A header row',
        'JSON-RPC error',
        'Warehouse code',
        texts.en.site.api_webhook_url,
      ]
      const left = english.filter((text) => document.includes(`"description":"${text}`))
      if (language !== 'en') expect(left).toEqual([])
    }
  })

  it('the contract as AsyncAPI has the texts of the language', () => {
    const document = JSON.stringify(buildAsyncApi(language))
    expect(document).toContain(texts[language].site.api_webhook_url)
    expect(document).toContain(JSON.stringify(texts[language].site.api_description))
  })

  it('the contract as OpenAPI has the texts of the language', () => {
    const document = JSON.stringify(buildOpenApi(language))
    expect(document).toContain(JSON.stringify(texts[language].fields.client_order_number))
    expect(document).toContain(
      JSON.stringify(chooseTexts(eraseEndpointTypes(dropshipSubmitCreate), language).summary),
    )
  })
})

describe('the lists', () => {
  it('have every code exactly once', () => {
    expect(families.flatMap(({ codes }) => [...codes]).toSorted()).toEqual([...errorCodes].toSorted())
  })
})

describe('the codes of which only some responses may be retried', () => {
  it('are those for which the sources name a time to retry, and which are not retryable as such', () => {
    const found = new Set<string>()
    for (const [, code = ''] of readSources().flatMap(({ text }) => [...text.matchAll(thrownWithTime)]))
      if (isErrorCode(code) && !errorTable[code].retryable) found.add(code)
    expect([...found].toSorted()).toEqual(
      errorCodes.filter((code) => 'sometimesRetryable' in errorTable[code]).toSorted(),
    )
  })
})

/** A thrown error with the time after which a retry makes sense. */
const thrownWithTime = /new GatewayError\(\s*'([A-Z_]+)',\s*\{(?:(?!\}\))[\s\S])*?\bretryAfter\b/g

/** Reads every source of the gateway except the tests. */
function readSources(): { readonly path: string; readonly text: string }[] {
  const folder = join(import.meta.dirname, '../src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }))
}

describe('the reasons of the codes', () => {
  it('are all that the sources give them, and each of the closed list', () => {
    expect(new Set(Object.values(reasonsOf).flat())).toEqual(new Set(reasons))
    const given = new Map(Object.entries(reasonsOf))
    const missing: string[] = []
    let found = 0
    for (const { path, text } of readSources()) {
      for (const [, code = '', reason = ''] of text.matchAll(thrown)) {
        found += 1
        if (!given.get(code)?.some((each) => each === reason)) missing.push(`${path}: ${code} ${reason}`)
      }
    }
    expect(missing).toEqual([])
    expect(found).toBeGreaterThan(20)
  })
})

/** A thrown error with its reason: `new GatewayError('NOT_FOUND', { …, reason: 'sku_unknown'`. */
const thrown = /new GatewayError\('([A-Z_]+)', \{[^}]*?\breason: '([a-z_]+)'/g

describe('numbers and switches of a query', () => {
  it('are that in OpenAPI, with their bounds', () => {
    const paths = toRecord(buildOpenApi().paths)
    const parameters = toRecords(toRecord(toRecord(paths['/api/v1/dropship-orders']).get).parameters)
    const findSchema = (name: string) => parameters.find((parameter) => parameter.name === name)?.schema
    expect(findSchema('page_size')).toEqual({ type: 'integer', minimum: 1, maximum: 200, default: 50 })
    expect(findSchema('include_previews')).toEqual({ type: 'boolean' })
  })
})

describe('the version that added an operation', () => {
  const operations = Object.values(toRecord(buildOpenApi().paths)).flatMap((item) =>
    Object.values(toRecord(item)).map(toRecord),
  )
  const listAddedIn = (version: string) =>
    operations.filter((each) => each['x-since'] === version).map(({ operationId }) => operationId)

  it('is told exactly where the version table of the specification names it', () => {
    expect(listAddedIn('1.1.0')).toEqual(['me'])
    // Previews, submits, voiding and the creation of orders: not how they are read, listed and changed.
    expect(listAddedIn('1.2.0').toSorted()).toEqual([
      'dropship.preview',
      'dropship.release',
      'dropship.submit',
      'dropship.void',
      'orders.create',
      'orders.preview',
      'orders.submit',
      'orders.void',
    ])
    expect(listAddedIn('1.3.0')).toEqual([
      'balances.list',
      'transactions.list',
      'bills.list',
      'refunds.list',
      'freight_bills.list',
    ])
    expect(listAddedIn('1.4.0')).toEqual(['mcp'])
    const versions = new Set(operations.map((each) => each['x-since']))
    expect([...versions].toSorted()).toEqual(['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', undefined])
  })
})

/** Translations are current. `npm run docs -- check` lists missing pages. */
describe.each(['zh', 'ko'] as const)('the translations into %s', (language) => {
  it('follow their sources block by block, and none is out of date', () => {
    const problems = writtenDocs.flatMap((path) => {
      const english = readSource(docsFolder, 'en', path)
      const translation = readSource(docsFolder, language, path)
      if (!english || !translation) return []
      return [
        ...findStructureDifferences(english, translation),
        ...listStaleBlocks(english, translation),
      ].map((each) => `${path}: ${each}`)
    })
    expect(problems).toEqual([])
  })
})

describe('the descriptions of endpoints', () => {
  it.each(languages)('have their identifiers in code font in %s', (language) => {
    const bare: string[] = []
    for (const [name, text] of listAllTexts(language)) {
      const isDescription = /^declared\..*(?:\.description|\.fields\.\w+|\.priceNote)$/.test(name)
      if (!isDescription || forPrograms.test(name)) continue
      const plain = text.replace(/`[^`]*`|\]\([^)]*\)/g, ' ')
      for (const [word] of plain.matchAll(identifier)) bare.push(`${name}: ${word}`)
    }
    expect(bare).toEqual([])
  })
})

/** Texts that models read as they are. */
const forPrograms = /^declared\.(?:mcp|webhook_response)\./
const identifier =
  /(?<![\w/.{-])(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z]{2,}_[A-Z_]+|\/[A-Za-z][\w/{}.*-]*[\w}*]|X-[A-Z][\w-]+\w|Retry-After|Idempotency-Key|Content-Type|stock\.changed|order\.created|webhook\.test)(?![\w-])/g
