/**
 * Yields what a generator yields, and lets it prepare the next value while the consumer works on the present one. It is
 * never more than one value ahead. If the consumer stops, the generator ends after that value.
 */
export async function* readAhead<T>(source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  let next = source.next()
  try {
    for (let present = await next; !present.done; present = await next) {
      next = source.next()
      // A failure is thrown where the value is awaited. If the consumer stops before, nobody needs the value.
      next.catch(() => {})
      yield present.value
    }
  } finally {
    await source.return()
  }
}
