import { groupIds } from '../../contract/groups.ts'
import type { Language } from '../../contract/language.ts'
import { chooseTexts, type DocumentedEndpoint } from '../../endpoint.ts'
import { formatSiteText, formatTable, type Piece } from '../page.ts'
import { describePoints } from './endpoint-page.ts'

const rules = [
  'reference_rule_base',
  'reference_rule_token',
  'reference_rule_success',
  'reference_rule_lists',
  'reference_rule_key',
  'reference_rule_points',
] as const

/** Builds `/reference`: the common rules, then every endpoint by group. */
export function buildReferencePieces(endpoints: readonly DocumentedEndpoint[], language: Language): Piece[] {
  const intro = [
    `## ${formatSiteText(language, 'reference_rules')}`,
    rules.map((id) => `- ${formatSiteText(language, id)}`).join('\n'),
    `[${formatSiteText(language, 'openapi_link')}](/openapi.json)`,
  ]
  return [
    { markdown: intro.join('\n\n'), ids: ['rules'] },
    ...groupIds.flatMap((id) => buildGroup(id, endpoints, language)),
  ]
}

function buildGroup(
  id: (typeof groupIds)[number],
  endpoints: readonly DocumentedEndpoint[],
  language: Language,
): Piece[] {
  const title = `## ${formatSiteText(language, `group_of_${id}`)}`
  const rows = endpoints
    .filter(({ group }) => group === id)
    .map((endpoint) => [
      `[\`${endpoint.method} ${endpoint.path}\`](/reference/${endpoint.id})`,
      chooseTexts(endpoint, language).summary,
      describePoints(endpoint, language),
      endpoint.since ?? '',
    ])
  if (rows.length === 0) return []
  const head = [
    formatSiteText(language, 'endpoint'),
    formatSiteText(language, 'purpose'),
    formatSiteText(language, 'points'),
    formatSiteText(language, 'since'),
  ]
  const guide =
    id === 'mcp' ? [`[${formatSiteText(language, 'group_of_mcp')}](/docs/agents/connect-an-agent)`] : []
  return [{ markdown: [title, formatTable(head, rows), ...guide].join('\n\n'), ids: [id] }]
}
