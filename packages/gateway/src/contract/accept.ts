/**
 * What an `Accept` header makes of two media types (RFC 9110 §12.5.1): the most specific range that names a type gives
 * its weight, and what no range names is not wanted.
 */
const mostHeaderCharacters = 1_000

interface Range {
  readonly type: string
  readonly weight: number
}

/** The weight of a media type in an `Accept` header, 0 to 1. Without a header everything is as welcome. */
export function weightOf(headers: readonly string[], type: string): number {
  if (headers.length === 0) return 1
  const ranges = headers.join(',').slice(0, mostHeaderCharacters).toLowerCase().split(',').map(rangeOf)
  const [family = ''] = type.split('/')
  for (const wanted of [type, `${family}/*`, '*/*']) {
    const named = ranges.filter((range) => range.type === wanted).map(({ weight }) => weight)
    if (named.length > 0) return Math.max(...named)
  }
  return 0
}

/** Whether CSV is wanted more than JSON: asked for by name or family, and not merely not refused. */
export function prefersCsv(headers: readonly string[]): boolean {
  return headers.length > 0 && weightOf(headers, 'text/csv') > weightOf(headers, 'application/json')
}

/** A weight that is none is no wish. */
function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
  if (q === undefined) return { type, weight: 1 }
  return { type, weight: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0 }
}
