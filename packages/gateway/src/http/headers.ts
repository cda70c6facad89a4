import type { IncomingMessage } from 'node:http'

/** Headers of every response of the process, and the version of the contract that they name. */
export const apiVersion = '1.4.0'

/** Where agents call. What they write is written by the calls behind it. */
export const mcpPath = '/mcp'

export function baseHeaders(requestId: string): string[] {
  return ['X-API-Version', apiVersion, 'X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff']
}

/** Headers of answers that are data and never a page. */
export const dataHeaders = ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"]

/** The id of a request. Two ids are none: they arrive joined, and that does not fit. */
export function requestIdOf(request: IncomingMessage, fresh: () => string): string {
  return requestIdFrom(request.headersDistinct['x-request-id']?.join(), fresh)
}

/** A client's request id is kept where it cannot harm a log or a header. */
export function requestIdFrom(sent: string | undefined, fresh: () => string): string {
  return sent !== undefined && /^[A-Za-z0-9._-]{8,128}$/.test(sent) ? sent : fresh()
}
