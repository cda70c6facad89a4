import type { IncomingMessage } from 'node:http'
import { apiVersion } from '../contract/version.ts'

/** The headers of every response of the process, as a flat list of names and values. */
export function buildBaseHeaders(requestId: string): string[] {
  return ['X-API-Version', apiVersion, 'X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff']
}

/** Headers of responses that are data and never a page. */
export const dataHeaders = ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"]

/**
 * Reads the id of a request. Repeated headers are joined with a comma, which no valid id contains, so the request gets
 * a new id.
 */
export function readRequestId(request: IncomingMessage, fresh: () => string): string {
  return chooseRequestId(request.headersDistinct['x-request-id']?.join(), fresh)
}

/** Chooses the client's request id if it is safe in a log line and a header, otherwise a new id. */
export function chooseRequestId(sent: string | undefined, fresh: () => string): string {
  return sent !== undefined && /^[A-Za-z0-9._-]{8,128}$/.test(sent) ? sent : fresh()
}
