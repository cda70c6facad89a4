import { endpointIdOf } from '../../catalogue.ts'
import { listOf, recordOf } from '../../contract/describe-fields.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { errorTable } from '../../contract/errors.ts'
import type { Language } from '../../contract/language.ts'
import { codesOf, takesKey } from '../../contract/openapi.ts'
import { texts } from '../../contract/texts/texts.ts'
import { codeBlock } from '../docs/markdown.ts'
import { escaped } from '../escape.ts'
import { fenced, type Piece, table, word } from '../page.ts'
import { curlOf, mcpOf, sampleOf, typescriptOf } from './samples.ts'
import { type Components, fieldRows, fieldTable, isIgnored, resolved } from './schema-table.ts'

/** What is read of an OpenAPI document for one endpoint. */
export interface Described {
  readonly operation: Record<string, unknown>
  readonly components: Components
}

/** The pieces of `/reference/<id>`. */
export function endpointPieces(endpoint: Endpoint, described: Described, language: Language): Piece[] {
  const { description } = texts[language].endpoints[endpointIdOf(endpoint)]
  return [
    { markdown: description },
    factsPiece(factsOf(endpoint, language), language),
    ...parameterPieces(endpoint, described, language),
    ...answerPieces(endpoint, described, language),
    errorsPiece(endpoint, language),
    ...samplePieces(endpoint, language),
  ]
}

type Fact = readonly [name: string, value: string]

function factsOf(endpoint: Endpoint, language: Language): Fact[] {
  const say = (id: Parameters<typeof word>[1]) => word(language, id)
  return [
    [say('points_label'), pointsWords(endpoint, language)],
    [say('grant'), grantWords(endpoint, language)],
    [say('capability'), endpoint.capability ? `\`${endpoint.capability}\`` : say('capability_none')],
    [say('idempotent'), say(idempotentWord(endpoint))],
    [say('writes_erp'), say(endpoint.writesUpstream ? 'writes_erp_yes' : 'writes_erp_no')],
    [say('since'), endpoint.since],
  ]
}

const pointsById: Readonly<Record<string, 'points_stock' | 'points_changes'>> = {
  'stock.list': 'points_stock',
  'stock.changes': 'points_changes',
}

/** What a call costs, in words. */
export function pointsWords({ id, cost = 0, access }: Endpoint, language: Language): string {
  if (typeof cost === 'function') return word(language, pointsById[id] ?? 'points_varies')
  if (cost === 0 || access !== 'bearer') return word(language, 'points_free')
  return word(language, cost === 1 ? 'points_one' : 'points_many', { count: cost })
}

function grantWords({ access, oms }: Endpoint, language: Language): string {
  if (access === 'public') return word(language, 'grant_public')
  if (access === 'admin') return word(language, 'grant_admin')
  return word(language, oms ? 'grant_oms' : 'grant_any')
}

function idempotentWord(endpoint: Endpoint) {
  if (endpoint.method === 'GET') return 'idempotent_read'
  return takesKey(endpoint) ? 'idempotent_key' : 'idempotent_token'
}

function factsPiece(facts: readonly Fact[], language: Language): Piece {
  const shown = (value: string) => escaped(value).replace(/`([^`]+)`/g, '<code>$1</code>')
  return {
    markdown: table(
      [word(language, 'field'), word(language, 'meaning')],
      facts.map((fact) => [...fact]),
    ),
    brief: facts.map(([name, value]) => `${name}: ${value}`).join('; '),
    html: () =>
      `<dl class="facts">${facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${shown(value)}</dd></div>`).join('')}</dl>`,
  }
}

function parameterPieces(
  endpoint: Endpoint,
  { operation, components }: Described,
  language: Language,
): Piece[] {
  const say = (id: Parameters<typeof word>[1]) => word(language, id)
  const parameters = listOf(operation.parameters).map((parameter) => resolved(parameter, components))
  const partsIn = (place: 'path' | 'query' | 'header') => {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({
        path: String(parameter.name),
        schema: { ...resolved(parameter.schema, components), description: parameter.description },
        isNeeded: parameter.required === true,
      }))
    return rows.length === 0
      ? []
      : [`### ${say(`in_${place}`)}`, fieldTable(rows, components, language, true)]
  }
  const [path, query, header] = [partsIn('path'), partsIn('query'), partsIn('header')]
  const body = bodyParts(endpoint, { operation, components }, language)
  const headed = (parts: readonly string[]) => [
    `## ${say('parameters')}`,
    ...(parts.length > 0 ? parts : [say('no_parameters')]),
  ]
  const text = headed([...path, ...query, ...header, ...body])
  const ids = text.filter((part) => part.startsWith('#')).map(idOf(language))
  // The headers are the same everywhere, and are told where retries are.
  return [{ markdown: text.join('\n\n'), ids, brief: headed([...path, ...query, ...body]).join('\n\n') }]
}

function bodyParts(endpoint: Endpoint, { operation, components }: Described, language: Language): string[] {
  const content = recordOf(recordOf(operation.requestBody).content)
  const { schema } = recordOf(content['application/json'])
  if (schema === undefined) return []
  const rows = fieldRows(schema, components)
  const ignored = rows.filter(isIgnored).map(({ path }) => `\`${path}\``)
  return [
    `### ${word(language, 'in_body')}`,
    ...(endpoint.optionalBody ? [word(language, 'body_optional')] : []),
    fieldTable(
      rows.filter((row) => !isIgnored(row)),
      components,
      language,
      true,
    ),
    ...(ignored.length > 0 ? [word(language, 'body_ignored', { fields: ignored.join(', ') })] : []),
  ]
}

const headingWords = [
  'parameters',
  'in_path',
  'in_query',
  'in_header',
  'in_body',
  'answer',
  'possible_errors',
  'samples',
] as const

/** A heading's address: the same in every language. */
function idOf(language: Language): (heading: string) => string {
  return (heading) => {
    const text = heading.replace(/^#+ /, '')
    return headingWords.find((id) => word(language, id) === text)?.replaceAll('_', '-') ?? 'section'
  }
}

function answerPieces(endpoint: Endpoint, { operation, components }: Described, language: Language): Piece[] {
  const status = endpoint.status ?? 200
  const response = recordOf(recordOf(operation.responses)[String(status)])
  const { schema } = recordOf(recordOf(response.content)['application/json'])
  const headers = (endpoint.headers ?? []).map((name) => `\`${name}\``)
  const rows = fieldRows(schema, components)
  const text = [
    `## ${word(language, 'answer')}`,
    word(language, 'answer_status', { status }),
    fieldTable(rows, components, language, false),
    ...(headers.length > 0 ? [`${word(language, 'answer_headers')}: ${headers.join(', ')}`] : []),
  ]
  const brief = `${word(language, 'answer')} ${status}: ${rows.map(({ path }) => path).join(', ')}`
  return [{ markdown: text.join('\n\n'), ids: ['answer'], brief }]
}

function errorsPiece(endpoint: Endpoint, language: Language): Piece {
  const rows = codesOf(endpoint)
    .toSorted(
      (one, other) => errorTable[one].status - errorTable[other].status || one.localeCompare(other, 'en'),
    )
    .map((code) => [
      `[${code}](/errors/${code})`,
      String(errorTable[code].status),
      texts[language].errors[code].title,
    ])
  const head = [word(language, 'code'), word(language, 'status'), word(language, 'meaning')]
  const text = [
    `## ${word(language, 'possible_errors')}`,
    word(language, 'possible_errors_lead'),
    table(head, rows),
  ]
  return {
    markdown: text.join('\n\n'),
    ids: ['errors'],
    brief: `${word(language, 'possible_errors')}: ${codesOf(endpoint).join(', ')}`,
  }
}

function samplePieces(endpoint: Endpoint, language: Language): Piece[] {
  const sample = sampleOf(endpoint)
  const mcp = mcpOf(sample)
  const panes = [
    { title: 'curl', code: curlOf(sample), lang: 'sh' },
    { title: 'TypeScript', code: typescriptOf(sample), lang: 'ts' },
    ...(mcp === undefined ? [] : [{ title: 'MCP', code: mcp, lang: 'json' }]),
  ]
  const lead = word(language, mcp === undefined ? 'samples_lead_no_mcp' : 'samples_lead')
  return [
    { markdown: `## ${word(language, 'samples')}\n\n${lead}`, ids: ['samples'], brief: '' },
    {
      brief: '',
      markdown: panes.map(({ title, code, lang }) => `**${title}**\n\n${fenced(code, lang)}`).join('\n\n'),
      html: () => tabsHtml(panes, word(language, 'samples')),
    },
  ]
}

/** Panes that a reader chooses between; without styles they stand one below the other. */
function tabsHtml(panes: readonly { title: string; code: string; lang: string }[], legend: string): string {
  const choices = panes.map(
    ({ title }, index) =>
      `<input type="radio" name="sample" id="sample-${index}"${index === 0 ? ' checked' : ''}><label for="sample-${index}">${escaped(title)}</label>`,
  )
  const bodies = panes.map(({ code, lang }) => `<div class="pane">${codeBlock(code, lang)}</div>`)
  return `<fieldset class="samples"><legend>${escaped(legend)}</legend>${choices.join('')}<div class="panes">${bodies.join('')}</div></fieldset>`
}
