/**
 * Computes the optimal string alignment distance: the fewest characters to add, omit, replace or swap with their
 * neighbour to turn one word into the other.
 */
export function computeTypingDistance(one: string, other: string): number {
  // Three rows of the table suffice, because a swap of neighbours looks two rows back.
  let earlier: number[] = []
  let before = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          readCell(current, column - 1) + 1,
          readCell(before, column) + 1,
          readCell(before, column - 1) + (isSame ? 0 : 1),
          isExchanged ? readCell(earlier, column - 2) + 1 : Infinity,
        ),
      )
    }
    earlier = before
    before = current
  }
  return readCell(before, other.length)
}

function readCell(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}

/**
 * The length from which a known word counts as long. Shorter words resemble many other words (HOST, HOME, POST), so
 * only one typing error is allowed in them.
 */
const minLongWordLength = 6

/**
 * Finds the known word that was probably meant: at most one typing error away, or two if the known word is long. The
 * known words are in upper case; the case of `word` does not matter.
 */
export function findNearestWord(word: string, known: Iterable<string>): string | undefined {
  const upper = word.toUpperCase()
  let nearest: { word: string; distance: number } | undefined
  for (const candidate of known) {
    const maxDistance = candidate.length < minLongWordLength ? 1 : 2
    if (Math.abs(candidate.length - upper.length) > maxDistance) continue
    const distance = computeTypingDistance(upper, candidate)
    if (distance <= maxDistance && distance < (nearest?.distance ?? Infinity))
      nearest = { word: candidate, distance }
  }
  return nearest?.word
}
