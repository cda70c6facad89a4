/**
 * Text for models. Text from the ERP or a client (names, reasons, remarks) is untrusted. It appears only in structured
 * fields or inside a `<data>` fence that it cannot close, never beside the gateway's own words.
 */

import { cutText } from '@trade-gateway/connector'
import type { ApiResponse } from '../contract/call.ts'
import { cleanText } from '../contract/texts/texts.ts'

/** The maximum length of the text inside a fence, in characters. */
const maxFencedCharacters = 4_000

/** Puts untrusted text into a fence, one entry per line. */
export function fenceText(lines: readonly string[]): string {
  const inside = lines.map((line) => replaceBrackets(line)).join('\n')
  const shown = inside.length > maxFencedCharacters ? `${cutText(inside, maxFencedCharacters)}…` : inside
  return `<data>\n${shown}\n</data>`
}

function replaceBrackets(line: string): string {
  return cleanText(line, maxFencedCharacters).replaceAll('<', '‹').replaceAll('>', '›')
}

/** Formats a number with its noun in the singular or plural. */
export function countNoun(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** The fields of an error envelope. */
export interface ErrorEnvelope {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly request_id: string
  readonly doc_url: string
  readonly param?: string | undefined
  readonly reason?: string | undefined
}

/** The members of an error that its text has in a place of their own, or that a model does not need. */
const placedMembers: ReadonlySet<string> = new Set<keyof ErrorEnvelope | 'retryable' | 'errors'>([
  'code',
  'message',
  'hint',
  'request_id',
  'doc_url',
  'param',
  'reason',
  'retryable',
  'errors',
])

/** Formats the members that only some errors have, such as `required_plan`, because hints refer to them. */
function formatFurtherMembers(error: ErrorEnvelope): string[] {
  return Object.entries(error)
    .filter(([name]) => !placedMembers.has(name))
    .map(([name, value]) => `${name}: ${formatMember(value)}`)
}

/** Formats a member. Objects contain numbers and codes of other people, so they are fenced. */
function formatMember(value: unknown): string {
  if (typeof value === 'string') return replaceBrackets(value)
  return `<data>${replaceBrackets(JSON.stringify(value))}</data>`
}

/** Formats an error as `CODE: message Hint param. reason. further members. retry_after. request_id. doc_url`. */
export function describeError(error: ErrorEnvelope, retryAfter: string | undefined): string {
  // These messages contain the ERP's own text, so they are fenced.
  const isUpstream = error.code === 'UPSTREAM_REJECTED' || error.reason === 'sku_blocked'
  const message = isUpstream
    ? `<data>${replaceBrackets(error.message)}</data>`
    : replaceBrackets(error.message)
  const facts = [
    error.param ? `param: ${replaceBrackets(error.param)}` : '',
    error.reason ? `reason: ${error.reason}` : '',
    ...formatFurtherMembers(error),
    retryAfter === undefined ? '' : `retry_after: ${retryAfter} s`,
    `request_id: ${error.request_id}`,
    `doc_url: ${error.doc_url}`,
  ]
  return `${error.code}: ${message} ${error.hint} ${facts.filter((fact) => fact !== '').join('. ')}`
}

/** Reads the error from a failed response of the pipeline. */
export function readErrorEnvelope(response: ApiResponse): ErrorEnvelope {
  const { error }: { error: ErrorEnvelope } = JSON.parse(String(response.body))
  return error
}
