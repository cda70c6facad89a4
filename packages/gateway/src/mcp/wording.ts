import type { Answer } from '../contract/call.ts'
import { cleaned } from '../contract/texts/texts.ts'

/**
 * What models read. Text of others (names, reasons, remarks) is data: it stands in structured fields or inside this
 * fence, out of which it cannot break, and never beside our own words.
 */
const mostFenced = 4_000

/** Others' text, fenced; one entry a line. */
export function fenced(lines: readonly string[]): string {
  const inside = lines.map((line) => harmless(line)).join('\n')
  const shown = inside.length > mostFenced ? `${inside.slice(0, mostFenced)}…` : inside
  return `<data>\n${shown}\n</data>`
}

function harmless(line: string): string {
  return cleaned(line, mostFenced).replaceAll('<', '‹').replaceAll('>', '›')
}

/** A count and its noun. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

/** What an error tells; every member but the first two may be missing. */
export interface Envelope {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly request_id: string
  readonly doc_url: string
  readonly param?: string | undefined
  readonly reason?: string | undefined
}

/** `CODE: message. Hint. request_id. doc_url`, and what of it programs would read. */
export function errorText(error: Envelope, retryAfter: string | undefined): string {
  // The ERP's own reason is part of these messages.
  const isUpstream = error.code === 'UPSTREAM_REJECTED' || error.reason === 'sku_blocked'
  const message = isUpstream ? `<data>${harmless(error.message)}</data>` : harmless(error.message)
  const facts = [
    error.param ? `param: ${harmless(error.param)}` : '',
    error.reason ? `reason: ${error.reason}` : '',
    retryAfter === undefined ? '' : `retry_after: ${retryAfter} s`,
    `request_id: ${error.request_id}`,
    `doc_url: ${error.doc_url}`,
  ]
  return `${error.code}: ${message} ${error.hint} ${facts.filter((fact) => fact !== '').join('. ')}`
}

/** The error of an answer of the door, which always has one. */
export function envelopeOf(answer: Answer): Envelope {
  const { error }: { error: Envelope } = JSON.parse(String(answer.body))
  return error
}
