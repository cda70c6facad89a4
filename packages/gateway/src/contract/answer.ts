import type { Answer, Prebuilt } from './call.ts'
import { csvOf, csvType } from './csv.ts'
import type { Reply } from './endpoint.ts'

const json = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'private, no-cache']

/** The answer that a success is: `status` unless the reply has one of its own. */
export function answerFrom(reply: Reply<unknown>, status = 200): Answer {
  return { status: reply.status ?? status, headers: withDefaults(reply.headers), body: bodyOf(reply.body) }
}

/** The answer of a list that is JSON or CSV, by what the caller prefers. */
export function listAnswer(reply: Reply<unknown>, columns: readonly string[], isCsv: boolean): Answer {
  const json = answerFrom(reply)
  const headers = json.headers.map((value, at) => {
    const name = at % 2 === 1 ? json.headers[at - 1] : undefined
    if (name === 'Vary') return `Accept, ${value}`
    return name === 'Content-Type' && isCsv ? csvType : value
  })
  return { ...json, headers, body: isCsv ? csvOf(columns, rowsIn(reply.body)) : json.body }
}

function rowsIn(body: unknown): object[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  return Array.isArray(data) ? data.map(Object) : []
}

/** An endpoint's own `Cache-Control` replaces the usual one. */
function withDefaults(own: readonly string[]): string[] {
  const vary = own.includes('Content-Language') ? 'Accept-Language, Accept-Encoding' : 'Accept-Encoding'
  const usual = own.includes('Cache-Control') ? json.slice(0, 2) : json
  return [...usual, 'Vary', vary, ...own]
}

function bodyOf(body: unknown): Answer['body'] {
  if (body === undefined) return undefined
  return isPrebuilt(body) ? body : JSON.stringify(body)
}

function isPrebuilt(body: unknown): body is Prebuilt {
  return typeof body === 'object' && body !== null && 'chunks' in body && 'size' in body
}
