/** Whether an `If-None-Match` header contains an entity tag or `*`, by weak comparison (RFC 9110 §13.1.2). */
export function matchesETag(headers: readonly string[], tag: string): boolean {
  if (headers.length === 0) return false
  const opaque = tag.replace(/^W\//, '')
  return namesEveryTag(headers) || headers.some((list) => list.match(/"[^"]*"/g)?.includes(opaque) === true)
}

/** Whether an `If-None-Match` header names every representation. */
export function namesEveryTag(headers: readonly string[]): boolean {
  return headers.some((list) => list.trim() === '*')
}

/** A tag of numbers; the third is undefined if it has two. */
export type NumberTag = readonly [number, number, number | undefined]

/** Reads the entity tags of an `If-None-Match` header that consist of two or three numbers, such as `W/"12.3"`. */
export function readNumberTags(headers: readonly string[]): readonly NumberTag[] {
  return headers.flatMap((list) =>
    [...list.matchAll(/"(\d{1,16})\.(\d{1,16})(?:\.(\d{1,16}))?"/g)].map(
      ([, first, second, third]) =>
        [Number(first), Number(second), third === undefined ? undefined : Number(third)] as const,
    ),
  )
}
