import { endpointIdOf } from '../../catalogue.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { groupIds, groupOf } from '../../contract/groups.ts'
import type { Language } from '../../contract/language.ts'
import { texts } from '../../contract/texts/texts.ts'
import { type Piece, table, word } from '../page.ts'
import { pointsWords } from './endpoint-page.ts'

const rules = [
  'reference_rule_base',
  'reference_rule_token',
  'reference_rule_success',
  'reference_rule_lists',
  'reference_rule_key',
  'reference_rule_points',
] as const

/** The pieces of `/reference`: what holds everywhere, then every endpoint under its group. */
export function referencePieces(endpoints: readonly Endpoint[], language: Language): Piece[] {
  const intro = [
    `## ${word(language, 'reference_rules')}`,
    rules.map((id) => `- ${word(language, id)}`).join('\n'),
    `[${word(language, 'openapi_link')}](/openapi.json)`,
  ]
  return [
    { markdown: intro.join('\n\n'), ids: ['rules'] },
    ...groupIds.flatMap((id) => groupPiece(id, endpoints, language)),
  ]
}

function groupPiece(
  id: (typeof groupIds)[number],
  endpoints: readonly Endpoint[],
  language: Language,
): Piece[] {
  const title = `## ${word(language, `group_of_${id}`)}`
  if (id === 'mcp') {
    const text = [title, texts[language].mcp.description, `[POST /mcp](/docs/agents/connect-an-agent)`]
    return [{ markdown: text.join('\n\n'), ids: [id] }]
  }
  const rows = endpoints
    .filter((endpoint) => groupOf(endpoint.id) === id)
    .map((endpoint) => [
      `[\`${endpoint.method} ${endpoint.path}\`](/reference/${endpoint.id})`,
      texts[language].endpoints[endpointIdOf(endpoint)].summary,
      pointsWords(endpoint, language),
      endpoint.since,
    ])
  if (rows.length === 0) return []
  const head = [
    word(language, 'endpoint'),
    word(language, 'purpose'),
    word(language, 'points'),
    word(language, 'since'),
  ]
  return [{ markdown: `${title}\n\n${table(head, rows)}`, ids: [id] }]
}
