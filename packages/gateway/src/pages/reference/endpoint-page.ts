import { type ErrorCode, errorTable } from '../../contract/error-table.ts'
import type { Language } from '../../contract/language.ts'
import type { SiteWord } from '../../contract/texts/site/en.ts'
import { texts } from '../../contract/texts/texts.ts'
import {
  acceptsIdempotencyKey,
  chooseTexts,
  type DocumentedEndpoint,
  isTranslationStale,
} from '../../endpoint.ts'
import { toRecord, toRecords } from '../../kernel/json.ts'
import { listOwnHeaders } from '../../lists/request.ts'
import { errorExampleOf } from '../../projections/error-examples.ts'
import { listErrorCodes } from '../../projections/openapi.ts'
import { renderCodeBlock } from '../docs/markdown.ts'
import { type Html, html } from '../html.ts'
import { formatSiteText, formatTable, type Piece } from '../page.ts'
import { buildFieldPiece } from './field-list.ts'
import { renderInlineCode } from './inline-code.ts'
import { buildRail } from './rail.ts'
import {
  type Components,
  type FieldRow,
  type FieldView,
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
  endpoint: DocumentedEndpoint,
  described: EndpointDescription,
  language: Language,
): Piece[] {
  const { description } = chooseTexts(endpoint, language)
  return [
    { markdown: description, isStale: isTranslationStale(endpoint, language) },
    buildRail(endpoint, language),
    buildFacts(listFacts(endpoint, language), language),
    ...buildParameters(endpoint, described, language),
    ...buildResponse(endpoint, described, language),
    buildErrors(endpoint, language),
    buildErrorExamples(endpoint, language),
  ]
}

type Fact = readonly [name: string, value: string]

function listFacts(endpoint: DocumentedEndpoint, language: Language): Fact[] {
  const translate = (id: SiteWord) => formatSiteText(language, id)
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
export function describePoints(endpoint: DocumentedEndpoint, language: Language): string {
  const { cost = 0, access } = endpoint
  if (typeof cost === 'object') return chooseTexts(endpoint, language).priceNote ?? cost.priceNote
  if (cost === 0 || access !== 'bearer') return formatSiteText(language, 'points_free')
  return formatSiteText(language, cost === 1 ? 'points_one' : 'points_many', { count: cost })
}

function describeGrant({ access, oms }: DocumentedEndpoint, language: Language): string {
  if (access === 'public') return formatSiteText(language, 'grant_public')
  if (access === 'admin') return formatSiteText(language, 'grant_admin')
  return formatSiteText(language, oms ? 'grant_oms' : 'grant_any')
}

function chooseIdempotencyText(endpoint: DocumentedEndpoint) {
  if (endpoint.method === 'GET') return 'idempotent_read'
  if (endpoint.isProtocol) return 'idempotent_action'
  if (acceptsIdempotencyKey(endpoint)) return 'idempotent_key'
  return endpoint.bodyKind === 'oauth' ? 'idempotent_token' : 'idempotent_none'
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

type Place = 'path' | 'query' | 'header'

function buildParameters(
  endpoint: DocumentedEndpoint,
  { operation, components }: EndpointDescription,
  language: Language,
): Piece[] {
  const parameters = toRecords(operation.parameters).map((parameter) => resolveSchema(parameter, components))
  const piecesIn = (place: Place): Piece[] => {
    const rows = parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => ({
        path: String(parameter.name),
        schema: { ...resolveSchema(parameter.schema, components), description: parameter.description },
        isNeeded: parameter.required === true,
      }))
    if (rows.length === 0) return []
    const pieces = [
      buildHeading(3, `in_${place}`, language),
      buildFieldPiece(rows, { components, language, isRequest: true }),
    ]
    // All endpoints share the same request headers, which the page about retries describes.
    return place === 'header' ? pieces.map((piece) => ({ ...piece, brief: '' })) : pieces
  }
  const places = (['path', 'query', 'header'] as const).flatMap(piecesIn)
  const found = [...places, ...buildBody(endpoint, { operation, components }, language)]
  const none = { markdown: formatSiteText(language, 'no_parameters') }
  return [buildHeading(2, 'parameters', language), ...(found.length > 0 ? found : [none])]
}

/** Builds a heading whose id is the same in every language. */
function buildHeading(level: 2 | 3, word: SiteWord, language: Language): Piece {
  return {
    markdown: `${'#'.repeat(level)} ${formatSiteText(language, word)}`,
    ids: [word.replaceAll('_', '-')],
  }
}

function buildBody(
  endpoint: DocumentedEndpoint,
  { operation, components }: EndpointDescription,
  language: Language,
): Piece[] {
  const content = toRecord(toRecord(operation.requestBody).content)
  const { schema } = toRecord(content['application/json'])
  if (schema === undefined) return []
  const rows = listFieldRows(schema, components)
  const ignored = rows.filter(isEchoField).map(({ path }) => `\`${path}\``)
  const said = rows.filter((row) => !isEchoField(row))
  const note = formatSiteText(language, 'body_ignored', { fields: ignored.join(', ') })
  return [
    buildHeading(3, 'in_body', language),
    ...(endpoint.optionalBody ? [{ markdown: formatSiteText(language, 'body_optional') }] : []),
    ...buildFields(schema, said, { components, language, isRequest: true }),
    ...(ignored.length > 0 ? [{ markdown: note }] : []),
  ]
}

/** Builds the fields of a schema, or what the schema says of itself if it names none. */
function buildFields(schema: unknown, rows: readonly FieldRow[], view: FieldView): Piece[] {
  const { description } = resolveSchema(schema, view.components)
  if (rows.length === 0 && description !== undefined) return [{ markdown: String(description) }]
  return [buildFieldPiece(rows, view)]
}

function buildResponse(
  endpoint: DocumentedEndpoint,
  { operation, components }: EndpointDescription,
  language: Language,
): Piece[] {
  const status = endpoint.status ?? 200
  const response = toRecord(toRecord(operation.responses)[String(status)])
  const { schema } = toRecord(toRecord(response.content)['application/json'])
  const headers = listOwnHeaders(endpoint).map((name) => `\`${name}\``)
  const rows = listFieldRows(schema, components)
  const brief = `${formatSiteText(language, 'answer')} ${status}: ${rows.map(({ path }) => path).join(', ')}`
  return [
    { ...buildHeading(2, 'answer', language), brief },
    { markdown: formatSiteText(language, 'answer_status', { status }), brief: '' },
    ...buildFields(schema, rows, { components, language, isRequest: false }).map((piece) => ({
      ...piece,
      brief: '',
    })),
    ...(headers.length > 0
      ? [{ markdown: `${formatSiteText(language, 'answer_headers')}: ${headers.join(', ')}`, brief: '' }]
      : []),
  ]
}

/** Lists the codes of an endpoint by their statuses. */
function listByStatus(endpoint: DocumentedEndpoint): ErrorCode[] {
  return listErrorCodes(endpoint).toSorted(
    (one, other) => errorTable[one].status - errorTable[other].status || one.localeCompare(other, 'en'),
  )
}

/** Shows a recorded response with each code, closed until it is wanted. In Markdown, the codes' own pages have them. */
function buildErrorExamples(endpoint: DocumentedEndpoint, language: Language): Piece {
  const title = formatSiteText(language, 'error_examples')
  const lead = formatSiteText(language, 'error_examples_lead')
  return {
    markdown: '',
    brief: '',
    html: () =>
      html`<h3 id="error-examples">${title}</h3><p>${lead}</p>${listByStatus(endpoint).map((code) => renderErrorExample(code, language))}`,
  }
}

const renderedExamples = new Map<string, Html>()

function renderErrorExample(code: ErrorCode, language: Language): Html {
  const key = `${code} ${language}`
  const known = renderedExamples.get(key)
  if (known) return known
  const { status, bodies } = errorExampleOf(code)
  const block = renderCodeBlock(JSON.stringify(bodies[language], null, 2), '')
  const rendered = html`<details class="example"><summary>${status} ${code}</summary>${block}</details>`
  renderedExamples.set(key, rendered)
  return rendered
}

function buildErrors(endpoint: DocumentedEndpoint, language: Language): Piece {
  const rows = listByStatus(endpoint).map((code) => [
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
