import { errorTable } from '../../contract/error-table.ts'
import type { Language } from '../../contract/language.ts'
import { texts } from '../../contract/texts/texts.ts'
import { chooseTexts, type Endpoint, isTranslationStale } from '../../endpoint.ts'
import { toRecord, toRecords } from '../../kernel/json.ts'
import { acceptsIdempotencyKey, listErrorCodes } from '../../projections/openapi.ts'
import { renderCodeBlock } from '../docs/markdown.ts'
import { type Html, html } from '../html.ts'
import { fenceCode, formatSiteText, formatTable, type Piece } from '../page.ts'
import { toCurl, toMcpCall, toSample, toTypeScript } from './samples.ts'
import {
  type Components,
  formatFieldTable,
  isEchoField,
  listFieldRows,
  resolveSchema,
} from './schema-table.ts'

/** The parts of an OpenAPI document that describe one endpoint. */
export interface EndpointDescription {
  readonly operation: Record<string, unknown>
  readonly components: Components
}

/** Builds the page of an endpoint, `/reference/<id>`. */
export function buildEndpointPieces(
  endpoint: Endpoint,
  described: EndpointDescription,
  language: Language,
): Piece[] {
  const { description } = chooseTexts(endpoint, language)
  return [
    { markdown: description, isStale: isTranslationStale(endpoint, language) },
    buildFacts(listFacts(endpoint, language), language),
    ...buildParameters(endpoint, described, language),
    ...buildResponse(endpoint, described, language),
    buildErrors(endpoint, language),
    ...buildSamples(endpoint, language),
  ]
}

type Fact = readonly [name: string, value: string]

function listFacts(endpoint: Endpoint, language: Language): Fact[] {
  const translate = (id: Parameters<typeof formatSiteText>[1]) => formatSiteText(language, id)
  return [
    [translate('points_label'), describePoints(endpoint, language)],
    [translate('grant'), describeGrant(endpoint, language)],
    [
      translate('capability'),
      endpoint.capability ? `\`${endpoint.capability}\`` : translate('capability_none'),
    ],
    [translate('idempotent'), translate(chooseIdempotencyText(endpoint))],
    [translate('writes_erp'), translate(endpoint.writesUpstream ? 'writes_erp_yes' : 'writes_erp_no')],
    ...(endpoint.since ? [[translate('since'), endpoint.since] as const] : []),
  ]
}

/** Describes the cost of a call in points. */
export function describePoints(endpoint: Endpoint, language: Language): string {
  const { cost = 0, access } = endpoint
  if (typeof cost === 'object') return chooseTexts(endpoint, language).priceNote ?? cost.priceNote
  if (cost === 0 || access !== 'bearer') return formatSiteText(language, 'points_free')
  return formatSiteText(language, cost === 1 ? 'points_one' : 'points_many', { count: cost })
}

function describeGrant({ access, oms }: Endpoint, language: Language): string {
  if (access === 'public') return formatSiteText(language, 'grant_public')
  if (access === 'admin') return formatSiteText(language, 'grant_admin')
  return formatSiteText(language, oms ? 'grant_oms' : 'grant_any')
}

function chooseIdempotencyText(endpoint: Endpoint) {
  if (endpoint.method === 'GET') return 'idempotent_read'
  return acceptsIdempotencyKey(endpoint) ? 'idempotent_key' : 'idempotent_token'
}

function buildFacts(facts: readonly Fact[], language: Language): Piece {
  return {
    markdown: formatTable(
      [formatSiteText(language, 'field'), formatSiteText(language, 'meaning')],
      facts.map((fact) => [...fact]),
    ),
    brief: facts.map(([name, value]) => `${name}: ${value}`).join('; '),
    html: () =>
      html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${renderInlineCode(value)}</dd></div>`)}</dl>`,
  }
}

/** Renders text and the code between backticks. Every second part of the split text is code. */
function renderInlineCode(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
}

function buildParameters(
  endpoint: Endpoint,
  { operation, components }: EndpointDescription,
  language: Language,
): Piece[] {
  const translate = (id: Parameters<typeof formatSiteText>[1]) => formatSiteText(language, id)
  const parameters = toRecords(operation.parameters).map((parameter) => resolveSchema(parameter, components))
  const partsIn = (place: 'path' | 'query' | 'header') => {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({
        path: String(parameter.name),
        schema: { ...resolveSchema(parameter.schema, components), description: parameter.description },
        isNeeded: parameter.required === true,
      }))
    return rows.length === 0
      ? []
      : [`### ${translate(`in_${place}`)}`, formatFieldTable(rows, components, language, true)]
  }
  const [path, query, header] = [partsIn('path'), partsIn('query'), partsIn('header')]
  const body = buildBodyParts(endpoint, { operation, components }, language)
  const withHeading = (parts: readonly string[]) => [
    `## ${translate('parameters')}`,
    ...(parts.length > 0 ? parts : [translate('no_parameters')]),
  ]
  const text = withHeading([...path, ...query, ...header, ...body])
  const ids = text.filter((part) => part.startsWith('#')).map(createHeadingIds(language))
  // All endpoints share the same request headers, which the page about retries describes.
  return [{ markdown: text.join('\n\n'), ids, brief: withHeading([...path, ...query, ...body]).join('\n\n') }]
}

function buildBodyParts(
  endpoint: Endpoint,
  { operation, components }: EndpointDescription,
  language: Language,
): string[] {
  const content = toRecord(toRecord(operation.requestBody).content)
  const { schema } = toRecord(content['application/json'])
  if (schema === undefined) return []
  const rows = listFieldRows(schema, components)
  const ignored = rows.filter(isEchoField).map(({ path }) => `\`${path}\``)
  return [
    `### ${formatSiteText(language, 'in_body')}`,
    ...(endpoint.optionalBody ? [formatSiteText(language, 'body_optional')] : []),
    formatFieldTable(
      rows.filter((row) => !isEchoField(row)),
      components,
      language,
      true,
    ),
    ...(ignored.length > 0 ? [formatSiteText(language, 'body_ignored', { fields: ignored.join(', ') })] : []),
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

/** Returns a function that maps a heading to its id, which is the same in every language. */
function createHeadingIds(language: Language): (heading: string) => string {
  return (heading) => {
    const text = heading.replace(/^#+ /, '')
    return headingWords.find((id) => formatSiteText(language, id) === text)?.replaceAll('_', '-') ?? 'section'
  }
}

function buildResponse(
  endpoint: Endpoint,
  { operation, components }: EndpointDescription,
  language: Language,
): Piece[] {
  const status = endpoint.status ?? 200
  const response = toRecord(toRecord(operation.responses)[String(status)])
  const { schema } = toRecord(toRecord(response.content)['application/json'])
  const headers = (endpoint.headers ?? []).map((name) => `\`${name}\``)
  const rows = listFieldRows(schema, components)
  const text = [
    `## ${formatSiteText(language, 'answer')}`,
    formatSiteText(language, 'answer_status', { status }),
    formatFieldTable(rows, components, language, false),
    ...(headers.length > 0 ? [`${formatSiteText(language, 'answer_headers')}: ${headers.join(', ')}`] : []),
  ]
  const brief = `${formatSiteText(language, 'answer')} ${status}: ${rows.map(({ path }) => path).join(', ')}`
  return [{ markdown: text.join('\n\n'), ids: ['answer'], brief }]
}

function buildErrors(endpoint: Endpoint, language: Language): Piece {
  const rows = listErrorCodes(endpoint)
    .toSorted(
      (one, other) => errorTable[one].status - errorTable[other].status || one.localeCompare(other, 'en'),
    )
    .map((code) => [
      `[${code}](/errors/${code})`,
      String(errorTable[code].status),
      texts[language].errors[code].title,
    ])
  const head = [
    formatSiteText(language, 'code'),
    formatSiteText(language, 'status'),
    formatSiteText(language, 'meaning'),
  ]
  const text = [
    `## ${formatSiteText(language, 'possible_errors')}`,
    formatSiteText(language, 'possible_errors_lead'),
    formatTable(head, rows),
  ]
  return {
    markdown: text.join('\n\n'),
    ids: ['errors'],
    brief: `${formatSiteText(language, 'possible_errors')}: ${listErrorCodes(endpoint).join(', ')}`,
  }
}

function buildSamples(endpoint: Endpoint, language: Language): Piece[] {
  const sample = toSample(endpoint)
  const mcp = toMcpCall(sample)
  const panes = [
    { title: 'curl', code: toCurl(sample), lang: 'sh' },
    { title: 'TypeScript', code: toTypeScript(sample), lang: 'ts' },
    ...(mcp === undefined ? [] : [{ title: 'MCP', code: mcp, lang: 'json' }]),
  ]
  const lead = formatSiteText(language, mcp === undefined ? 'samples_lead_no_mcp' : 'samples_lead')
  return [
    { markdown: `## ${formatSiteText(language, 'samples')}\n\n${lead}`, ids: ['samples'], brief: '' },
    {
      brief: '',
      markdown: panes.map(({ title, code, lang }) => `**${title}**\n\n${fenceCode(code, lang)}`).join('\n\n'),
      html: () => renderTabs(panes, formatSiteText(language, 'samples')),
    },
  ]
}

/** Renders tabs without scripts. Without style sheets, all panes are shown one below the other. */
function renderTabs(panes: readonly { title: string; code: string; lang: string }[], legend: string): Html {
  const choices = panes.map(
    ({ title }, index) =>
      html`<input type="radio" name="sample" id="sample-${index}"${index === 0 ? html` checked` : undefined}><label for="sample-${index}">${title}</label>`,
  )
  const bodies = panes.map(({ code, lang }) => html`<div class="pane">${renderCodeBlock(code, lang)}</div>`)
  return html`<fieldset class="samples"><legend>${legend}</legend>${choices}<div class="panes">${bodies}</div></fieldset>`
}
