/** Whether an `If-None-Match` header contains an entity tag or `*`, by weak comparison (RFC 9110 §13.1.2). */
export function matchesETag(headers: readonly string[], tag: string): boolean {
  if (headers.length === 0) return false
  const opaque = tag.replace(/^W\//, '')
  return headers.some((list) => list.trim() === '*' || list.match(/"[^"]*"/g)?.includes(opaque) === true)
}
