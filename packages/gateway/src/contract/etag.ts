/** Whether an `If-None-Match` header contains an entity tag or `*`, by weak comparison (RFC 9110 §13.1.2). */
export function matchesETag(headers: readonly string[], tag: string): boolean {
  if (headers.length === 0) return false
  const opaque = tag.replace(/^W\//, '')
  return headers.some((list) => list.trim() === '*' || list.match(/"[^"]*"/g)?.includes(opaque) === true)
}

/** Reads the entity tags of an `If-None-Match` header that consist of two numbers, such as `W/"12.3"`. */
export function readNumberTags(headers: readonly string[]): readonly (readonly [number, number])[] {
  return headers.flatMap((list) =>
    [...list.matchAll(/"(\d{1,16})\.(\d{1,16})"/g)].map(
      ([, first, second]) => [Number(first), Number(second)] as const,
    ),
  )
}
