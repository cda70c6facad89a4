import { catalogue } from '../../catalogue.ts'
import { type ErrorCode, errorTable } from '../../contract/error-table.ts'
import type { Language } from '../../contract/language.ts'
import type { SiteWord } from '../../contract/texts/site/en.ts'
import { texts } from '../../contract/texts/texts.ts'
import { findHintOfReason } from '../../pipeline/failure.ts'
import { errorExampleOf } from '../../projections/error-examples.ts'
import { listErrorCodes } from '../../projections/openapi.ts'
import { html } from '../html.ts'
import { fenceCode, formatSiteText, formatTable, omitFromFullText, type Piece } from '../page.ts'
import { families, keyAdvice, listRelatedCodes, otherStatuses } from './advice.ts'
import { reasonsOf } from './reasons.ts'
import { listVariables, toShellScript, triggers } from './triggers.ts'

/** Builds `/errors`: every code by topic. The full text leaves the tables out: each page of a code has its row. */
export function buildErrorIndexPieces(language: Language): Piece[] {
  const { errors } = texts[language]
  return families.map(({ id, codes }) => {
    const rows = codes.map((code) => [
      `[${code}](/errors/${code})`,
      String(errorTable[code].status),
      errors[code].title,
      describeRetry(code, language),
    ])
    const head = [
      formatSiteText(language, 'code'),
      formatSiteText(language, 'status'),
      formatSiteText(language, 'meaning'),
      formatSiteText(language, 'retry_column'),
    ]
    return omitFromFullText({
      markdown: `## ${formatSiteText(language, `errors_of_${id}`)}\n\n${formatTable(head, rows)}`,
      ids: [id],
    })
  })
}

/** Builds `/errors/<code>`: meaning, cause, remedy, and how to reproduce it. */
export function buildErrorPieces(code: ErrorCode, language: Language): Piece[] {
  const { message, hint, when } = texts[language].errors[code]
  const { status } = errorTable[code]
  const buildSection = (title: SiteWord, ...parts: string[]): Piece => ({
    markdown: [`## ${formatSiteText(language, title)}`, ...parts].join('\n\n'),
    ids: [title.replace('error_', '').replaceAll('_', '-')],
  })
  return [
    buildErrorFacts(code, language),
    buildSection('error_meaning', message),
    buildSection('error_why', when),
    buildSection('error_fix', hint),
    ...buildReasons(code, language),
    buildSection(
      'error_retry',
      formatSiteText(language, `retry_${findRetryWord(code)}`),
      formatSiteText(language, `key_${keyAdvice[code]}`),
    ),
    omitFromFullText(
      buildSection(
        'error_answer',
        fenceCode(JSON.stringify(errorExampleOf(code).bodies[language], null, 2), 'json'),
        describeStatus(code, status, language),
      ),
    ),
    buildReproduction(code, language),
    omitFromFullText(buildSection('error_where', describeWhere(code, language))),
    omitFromFullText(
      buildSection(
        'error_related',
        listRelatedCodes(code)
          .map((other) => `[${other}](/errors/${other})`)
          .join(', '),
      ),
    ),
  ]
}

/** Builds the reasons that refine a code, each with what it means and what to do. */
function buildReasons(code: ErrorCode, language: Language): Piece[] {
  const reasons = reasonsOf[code]
  if (!reasons) return []
  const head = (['reason', 'meaning', 'reason_advice'] as const).map((word) => formatSiteText(language, word))
  const rows = reasons.map((reason) => [
    `\`${reason}\``,
    formatSiteText(language, `reason_of_${reason}`),
    findHintOfReason(reason, language) ?? texts[language].errors[code].hint,
  ])
  const text = [
    `## ${formatSiteText(language, 'reasons')}`,
    formatSiteText(language, 'reasons_lead'),
    formatTable(head, rows),
  ]
  return [{ markdown: text.join('\n\n'), ids: ['reasons'] }]
}

function buildErrorFacts(code: ErrorCode, language: Language): Piece {
  const { status } = errorTable[code]
  const facts = [
    [formatSiteText(language, 'error_status'), String(status)],
    [formatSiteText(language, 'retry_column'), describeRetry(code, language)],
  ] as const
  return {
    markdown: formatTable(
      facts.map(([name]) => name),
      [facts.map(([, value]) => value)],
    ),
    html: () =>
      html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
  }
}

/** Whether a retry helps, in a word. */
function describeRetry(code: ErrorCode, language: Language): string {
  return formatSiteText(language, findRetryWord(code))
}

function findRetryWord(code: ErrorCode): 'yes' | 'no' | 'sometimes' {
  if ('sometimesRetryable' in errorTable[code]) return 'sometimes'
  return errorTable[code].retryable ? 'yes' : 'no'
}

function describeStatus(code: ErrorCode, status: number, language: Language): string {
  const others = otherStatuses[code]
  return others
    ? formatSiteText(language, 'error_status_usual', { status, others: others.join(', ') })
    : formatSiteText(language, 'answer_status', { status })
}

const variableWords: Readonly<Record<string, SiteWord>> = {
  TOKEN: 'var_token',
  ADMIN_TOKEN: 'var_admin',
  CLIENT_ID: 'var_client',
  NAME: 'var_name',
}

/** Builds the instructions to reproduce a code: the variables to set, then the requests. */
function buildReproduction(code: ErrorCode, language: Language): Piece {
  const trigger = triggers[code]
  const variables = listVariables(trigger).flatMap((name) => variableWords[name] ?? [])
  const settings =
    trigger.setting === undefined
      ? []
      : [formatSiteText(language, 'provoke_setting', { setting: `\`${trigger.setting}\`` })]
  const several = trigger.steps.length > 1 || trigger.steps.some(({ times = 1 }) => times > 1)
  const text = [
    `## ${formatSiteText(language, 'error_provoke')}`,
    ...settings,
    [formatSiteText(language, 'var_base'), ...variables.map((id) => formatSiteText(language, id))].join(' '),
    fenceCode(toShellScript(trigger), 'sh'),
    ...(several ? [formatSiteText(language, 'provoke_last')] : []),
  ]
  return { markdown: text.join('\n\n'), ids: ['provoke'] }
}

const maxNamed = 8

function describeWhere(code: ErrorCode, language: Language): string {
  const where = catalogue.filter((endpoint) => listErrorCodes(endpoint).includes(code))
  if (where.length === catalogue.length) return formatSiteText(language, 'every_endpoint')
  const bearers = catalogue.filter(({ access }) => access === 'bearer')
  if (bearers.every((endpoint) => where.includes(endpoint)))
    return formatSiteText(language, 'every_token_endpoint')
  if (where.length === 0)
    return formatSiteText(language, keyAdvice[code] === 'irrelevant' ? 'outside_contract' : 'every_endpoint')
  const named = where.map(({ id, method, path }) => `[\`${method} ${path}\`](/reference/${id})`)
  if (named.length <= maxNamed) return named.map((each) => `- ${each}`).join('\n')
  return formatSiteText(language, 'many_endpoints', {
    count: named.length,
    some: named.slice(0, maxNamed).join(', '),
  })
}

/** Finds the previous and the next code in the order of the index. */
export function findNeighbours(code: ErrorCode): readonly [ErrorCode | undefined, ErrorCode | undefined] {
  const all = families.flatMap(({ codes }) => codes)
  const at = all.indexOf(code)
  return [all[at - 1], all[at + 1]]
}
