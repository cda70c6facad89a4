/** The only parser of the `Accept*` request headers (RFC 9110 §12.5). */

import { parseAccept } from 'hono/utils/accept'

const maxHeaderCharacters = 1_000

/**
 * Parses the elements of an `Accept*` header into their weights, by lower-case name, highest weight first. Equal
 * weights keep the order of the header.
 */
export function parseWeights(headers: readonly string[]): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const text = headers.join().slice(0, maxHeaderCharacters).toLowerCase()
  // `parseAccept` sorts by weight and keeps the header's order among equal weights.
  for (const { type, params } of parseAccept(text)) {
    weights.set(type, Math.max(parseWeight(params.q), weights.get(type) ?? 0))
  }
  return weights
}

/** Parses a q-value. A malformed one counts as 0, so that a client that meant to refuse a type does not get it. */
function parseWeight(q: string | undefined): number {
  if (q === undefined) return 1
  const weight = Number(q)
  return weight >= 0 && weight <= 1 ? weight : 0
}

/**
 * Finds the weight of a media type in an `Accept` header, from 0 to 1. The most specific matching range decides; a type
 * that matches no range has weight 0. Without a header every type has weight 1.
 */
export function findMediaTypeWeight(headers: readonly string[], type: string): number {
  if (headers.length === 0) return 1
  const weights = parseWeights(headers)
  const [family = ''] = type.split('/')
  return weights.get(type) ?? weights.get(`${family}/*`) ?? weights.get('*/*') ?? 0
}

/** Whether the client prefers CSV to JSON. A client that mentions neither gets JSON. */
export function prefersCsv(headers: readonly string[]): boolean {
  return (
    headers.length > 0 &&
    findMediaTypeWeight(headers, 'text/csv') > findMediaTypeWeight(headers, 'application/json')
  )
}

/**
 * Whether the client mentions Markdown and prefers it at least as much as HTML. A browser mentions HTML and gets HTML.
 */
export function prefersMarkdown(headers: readonly string[]): boolean {
  const weights = parseWeights(headers)
  const markdown = weights.get('text/markdown') ?? 0
  return markdown > 0 && markdown >= (weights.get('text/html') ?? 0)
}

/** The content codings of bodies. Zstd (RFC 8878) takes half of gzip's time and fewer bytes. */
export type ContentCoding = 'zstd' | 'gzip'

/**
 * Chooses the coding that `Accept-Encoding` weighs most. `*` alone allows gzip, which every client knows. Without the
 * header, or if it allows neither, the response is not encoded.
 */
export function chooseCoding(headers: readonly string[]): ContentCoding | undefined {
  if (headers.length === 0) return undefined
  const weights = parseWeights(headers)
  const zstd = weights.get('zstd') ?? 0
  const gzip = weighGzip(weights)
  if (zstd > 0 && zstd >= gzip) return 'zstd'
  return gzip > 0 ? 'gzip' : undefined
}

/** Whether `Accept-Encoding` allows gzip, by name or by `*`. Without the header the response is not encoded. */
export function acceptsGzip(headers: readonly string[]): boolean {
  return weighGzip(parseWeights(headers)) > 0
}

function weighGzip(weights: ReadonlyMap<string, number>): number {
  return weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0
}
