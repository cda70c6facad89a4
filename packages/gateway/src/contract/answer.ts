import type { Answer, Prebuilt } from './call.ts'
import type { Reply } from './endpoint.ts'

const json = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'private, no-cache']

/** The answer that a success is: `status` unless the reply has one of its own. */
export function answerFrom(reply: Reply<unknown>, status = 200): Answer {
  return { status: reply.status ?? status, headers: withDefaults(reply.headers), body: bodyOf(reply.body) }
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
