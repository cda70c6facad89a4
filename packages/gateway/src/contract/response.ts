import type { ApiResponse, Prebuilt } from './call.ts'
import { csvType, toCsv } from './csv.ts'
import type { Reply } from './reply.ts'

const json = ['Content-Type', 'application/json; charset=utf-8', 'Cache-Control', 'private, no-cache']

/** Builds the response of a success. The reply's own status takes precedence over `status`. */
export function toResponse(reply: Reply<unknown>, status = 200): ApiResponse {
  const { stream } = reply
  if (stream) {
    const headers = ['Cache-Control', 'private, no-store', 'Vary', 'Accept', ...reply.headers]
    return { status: reply.status ?? status, headers, body: undefined, stream }
  }
  return {
    status: reply.status ?? status,
    headers: addDefaultHeaders(reply.headers),
    body: serializeBody(reply.body),
  }
}

/** Builds the response of a list, as JSON or CSV. */
export function toListResponse(
  reply: Reply<unknown>,
  columns: readonly string[],
  isCsv: boolean,
): ApiResponse {
  const json = toResponse(reply)
  const headers = json.headers.map((value, at) => {
    const name = at % 2 === 1 ? json.headers[at - 1] : undefined
    if (name === 'Vary') return `Accept, ${value}`
    return name === 'Content-Type' && isCsv ? csvType : value
  })
  return { ...json, headers, body: isCsv ? toCsv(columns, toRows(reply.body)) : json.body }
}

function toRows(body: unknown): object[] {
  const data = typeof body === 'object' && body !== null && 'data' in body ? body.data : undefined
  return Array.isArray(data) ? data.map(Object) : []
}

/** Adds the default headers. An endpoint's own `Cache-Control` takes precedence over the default one. */
function addDefaultHeaders(own: readonly string[]): string[] {
  const vary = own.includes('Content-Language') ? 'Accept-Language, Accept-Encoding' : 'Accept-Encoding'
  const usual = own.includes('Cache-Control') ? json.slice(0, 2) : json
  return [...usual, 'Vary', vary, ...own]
}

function serializeBody(body: unknown): ApiResponse['body'] {
  if (body === undefined) return undefined
  return typeof body === 'string' || isPrebuilt(body) ? body : JSON.stringify(body)
}

function isPrebuilt(body: unknown): body is Prebuilt {
  return typeof body === 'object' && body !== null && 'chunks' in body && 'size' in body
}
