import { catalogue } from '../../catalogue.ts'
import { type ErrorCode, errorTable } from '../../contract/errors.ts'
import type { Language } from '../../contract/language.ts'
import { codesOf } from '../../contract/openapi.ts'
import type { SiteWord } from '../../contract/texts/site/en.ts'
import { texts } from '../../contract/texts/texts.ts'
import { escaped } from '../escape.ts'
import { fenced, type Piece, table, word } from '../page.ts'
import { advice, families, otherStatuses, related } from './advice.ts'
import { shellOf, triggers, variablesOf } from './triggers.ts'

/** The pieces of `/errors`: every code under what it is about. */
export function errorIndexPieces(language: Language): Piece[] {
  const { errors } = texts[language]
  return families.map(({ id, codes }) => {
    const rows = codes.map((code) => [
      `[${code}](/errors/${code})`,
      String(errorTable[code].status),
      errors[code].title,
      word(language, errorTable[code].retryable ? 'yes' : 'no'),
    ])
    const head = [
      word(language, 'code'),
      word(language, 'status'),
      word(language, 'meaning'),
      word(language, 'retry_column'),
    ]
    return {
      markdown: `## ${word(language, `errors_of_${id}`)}\n\n${table(head, rows)}`,
      ids: [id],
    }
  })
}

/** The pieces of `/errors/<code>`: what it means, why, what to do, and how to meet it on purpose. */
export function errorPieces(code: ErrorCode, language: Language): Piece[] {
  const { message, hint, when } = texts[language].errors[code]
  const { status, retryable } = errorTable[code]
  const section = (title: SiteWord, ...parts: string[]): Piece => ({
    markdown: [`## ${word(language, title)}`, ...parts].join('\n\n'),
    ids: [title.replace('error_', '').replaceAll('_', '-')],
  })
  return [
    factsPiece(code, language),
    section('error_meaning', message),
    section('error_why', when),
    section('error_fix', hint),
    section(
      'error_retry',
      word(language, retryable ? 'retry_yes' : 'retry_no'),
      word(language, `key_${advice[code]}`),
    ),
    inFullOnly(
      section(
        'error_answer',
        fenced(JSON.stringify(exampleOf(code, language), null, 2), 'json'),
        statusWords(code, status, language),
      ),
    ),
    provokePiece(code, language),
    inFullOnly(section('error_where', whereWords(code, language))),
    inFullOnly(
      section(
        'error_related',
        related(code)
          .map((other) => `[${other}](/errors/${other})`)
          .join(', '),
      ),
    ),
  ]
}

/** What follows from other pages is left out of the file that has them all. */
function inFullOnly(piece: Piece): Piece {
  return { ...piece, brief: '' }
}

function factsPiece(code: ErrorCode, language: Language): Piece {
  const { status, retryable } = errorTable[code]
  const facts = [
    [word(language, 'error_status'), String(status)],
    [word(language, 'retry_column'), word(language, retryable ? 'yes' : 'no')],
  ] as const
  return {
    markdown: table(
      facts.map(([name]) => name),
      [facts.map(([, value]) => value)],
    ),
    html: () =>
      `<dl class="facts">${facts.map(([name, value]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>`,
  }
}

function exampleOf(code: ErrorCode, language: Language) {
  const { message, hint } = texts[language].errors[code]
  const { retryable } = errorTable[code]
  return {
    error: { code, message, hint, request_id: 'req_…', doc_url: `/errors/${code}`, retryable },
  }
}

function statusWords(code: ErrorCode, status: number, language: Language): string {
  const others = otherStatuses[code]
  return others
    ? word(language, 'error_status_usual', { status, others: others.join(', ') })
    : word(language, 'answer_status', { status })
}

const variableWords: Readonly<Record<string, SiteWord>> = {
  TOKEN: 'var_token',
  ADMIN_TOKEN: 'var_admin',
  CLIENT_ID: 'var_client',
  NAME: 'var_name',
}

/** What `npm start` prints, and where the rest comes from; then the requests. */
function provokePiece(code: ErrorCode, language: Language): Piece {
  const trigger = triggers[code]
  const variables = variablesOf(trigger).flatMap((name) => variableWords[name] ?? [])
  const settings =
    trigger.setting === undefined
      ? []
      : [word(language, 'provoke_setting', { setting: `\`${trigger.setting}\`` })]
  const several = trigger.steps.length > 1 || trigger.steps.some(({ times = 1 }) => times > 1)
  const text = [
    `## ${word(language, 'error_provoke')}`,
    ...settings,
    [word(language, 'var_base'), ...variables.map((id) => word(language, id))].join(' '),
    fenced(shellOf(trigger), 'sh'),
    ...(several ? [word(language, 'provoke_last')] : []),
  ]
  return { markdown: text.join('\n\n'), ids: ['provoke'] }
}

const mostNamed = 8

function whereWords(code: ErrorCode, language: Language): string {
  const where = catalogue.filter((endpoint) => codesOf(endpoint).includes(code))
  if (where.length === catalogue.length) return word(language, 'every_endpoint')
  const bearers = catalogue.filter(({ access }) => access === 'bearer')
  if (bearers.every((endpoint) => where.includes(endpoint))) return word(language, 'every_token_endpoint')
  if (where.length === 0)
    return word(language, advice[code] === 'irrelevant' ? 'outside_contract' : 'every_endpoint')
  const named = where.map(({ id, method, path }) => `[\`${method} ${path}\`](/reference/${id})`)
  if (named.length <= mostNamed) return named.map((each) => `- ${each}`).join('\n')
  return word(language, 'many_endpoints', { count: named.length, some: named.slice(0, mostNamed).join(', ') })
}

/** The code before and after, in the order of the index. */
export function neighbours(code: ErrorCode): readonly [ErrorCode | undefined, ErrorCode | undefined] {
  const all = families.flatMap(({ codes }) => codes)
  const at = all.indexOf(code)
  return [all[at - 1], all[at + 1]]
}
