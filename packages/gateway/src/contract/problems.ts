import { z } from 'zod'
import type { Language } from './language.ts'
import { isSentenceId, type SentenceId } from './texts/en.ts'
import { formatSentence } from './texts/texts.ts'

/**
 * Creates an error map that explains what is wrong with a field in plain sentences, with the limits of the field. Zod's
 * own messages address programmers.
 */
export function createErrorMap(language: Language): z.core.$ZodErrorMap {
  return (issue) => {
    const problem = formatSentence(language, ...toSentence(issue))
    const value = describeValue(issue)
    if (value === undefined) return problem
    if (issue.code === 'invalid_value')
      return formatSentence(language, 'none_of_these', { value, values: issue.values.join(', ') })
    return formatSentence(language, isOfLength(issue) ? 'problem_length' : 'problem_value', {
      problem,
      value,
    })
  }
}

/** Names of fields whose values, and those of their parts, are not repeated: secrets, and what is about a person. */
const privateName = /password|secret|token|recipient/i
/** Rules about characters that cannot be shown. */
const unseen: ReadonlySet<unknown> = new Set(['code_form', 'words_form', 'visible_needed'])

/** Describes the value of a field that does not fit, or its length if that is wrong; undefined if it is not shown. */
function describeValue(issue: RawIssue): string | undefined {
  const { input, code } = issue
  if (input === undefined || issue.path?.some((part) => privateName.test(String(part)))) return undefined
  // A rule about a list or an object is about something in it.
  if (code === 'custom' && (unseen.has(Object(issue.params).say) || typeof input === 'object'))
    return undefined
  if (isOfLength(issue)) return String(Object(input).length)
  if (Array.isArray(input)) return '[…]'
  if (typeof input === 'object' && input !== null) return '{…}'
  return typeof input === 'string' ? JSON.stringify(input) : String(input)
}

/** Whether a text or a list is too long or too short. */
function isOfLength(issue: RawIssue): boolean {
  const isLimit = issue.code === 'too_small' || issue.code === 'too_big'
  return isLimit && (issue.origin === 'string' || issue.origin === 'array')
}

type Sentence = readonly [SentenceId, Readonly<Record<string, string | number>>?]
type RawIssue = z.core.$ZodRawIssue
const defaultSentence: Sentence = ['not_this_form']

function toSentence(issue: RawIssue): Sentence {
  // A custom rule specifies its own sentence.
  if (issue.code === 'custom') return toCustomSentence(issue)
  if (issue.input === undefined) return ['field_needed']
  if (issue.code === 'invalid_type')
    return [isWholeNumber(issue.inst) ? 'want_whole' : (wanted[issue.expected] ?? defaultSentence[0])]
  if (issue.code === 'too_small')
    return [least[issue.origin] ?? 'number_least', { least: String(issue.minimum) }]
  if (issue.code === 'too_big') return [most[issue.origin] ?? 'number_most', { most: String(issue.maximum) }]
  if (issue.code === 'invalid_value') return ['one_of_these', { values: issue.values.join(', ') }]
  return issue.code === 'invalid_format' ? toFormatSentence(issue.format, issue.pattern) : defaultSentence
}

function toCustomSentence({ params, input }: RawIssue): Sentence {
  const say: unknown = Object(params).say
  if (typeof say === 'string' && isSentenceId(say)) return [say]
  // Amounts are the only numbers with a custom rule.
  return typeof input === 'number' ? ['amount_form'] : defaultSentence
}

const wanted: Readonly<Record<string, SentenceId>> = {
  string: 'want_string',
  number: 'want_number',
  int: 'want_whole',
  boolean: 'want_boolean',
  array: 'want_list',
  object: 'want_object',
  record: 'want_object',
}

const least: Readonly<Record<string, SentenceId>> = { string: 'characters_least', array: 'entries_least' }
const most: Readonly<Record<string, SentenceId>> = { string: 'characters_most', array: 'entries_most' }

function isWholeNumber(schema: RawIssue['inst']): boolean {
  return schema instanceof z.ZodNumberFormat && schema._zod.def.format === 'safeint'
}

const wholeNumberForm = /^\/\^\\d\{1,(\d+)\}\$\/$/

const forms: ReadonlyMap<string, SentenceId> = new Map([
  [String(/^[A-Z]{2}$/), 'country_form'],
  [String(/^\d{4}-\d\d-\d\d$/), 'day_form'],
  [String(/^[\x21-\x7e]{1,255}$/), 'key_form'],
  [String(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/), 'channel_code_form'],
])

function toFormatSentence(format: string, pattern = ''): Sentence {
  if (format === 'date') return ['day_form']
  if (format === 'datetime') return ['instant_form']
  const [, digits] = wholeNumberForm.exec(pattern) ?? []
  return digits === undefined
    ? [forms.get(pattern) ?? defaultSentence[0]]
    : ['not_whole_number', { most: digits }]
}

/**
 * Zod reports two issues for a number that exceeds both the field's limit and the safe integers. Removes the second
 * one.
 */
export function dropSafeIntegerIssues(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.filter(
    (issue) =>
      !isSafeIntegerIssue(issue) ||
      !issues.some((other) => other !== issue && other.code === issue.code && isSamePath(other, issue)),
  )
}

function isSafeIntegerIssue(issue: z.core.$ZodIssue): boolean {
  return (issue.code === 'too_big' || issue.code === 'too_small') && issue.origin === 'int'
}

function isSamePath({ path }: z.core.$ZodIssue, other: z.core.$ZodIssue): boolean {
  return path.length === other.path.length && path.every((part, at) => part === other.path[at])
}
