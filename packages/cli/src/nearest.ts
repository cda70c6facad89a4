/** The largest number of letters by which a suggestion differs. */
const maxDistance = 3

/** Finds the word that was probably meant; undefined if none is near. */
export function nearest(word: string, words: readonly string[]): string | undefined {
  const [best] = words
    .map((each) => ({ each, distance: each.startsWith(word) ? 0.5 : measure(word, each) }))
    .filter(({ each, distance }) => distance <= Math.min(maxDistance, Math.ceil(each.length / 2)))
    .sort((one, other) => one.distance - other.distance)
  return best?.each
}

/** Counts insertions, deletions, replacements and swaps of neighbours (Damerau, optimal string alignment). */
function measure(one: string, other: string): number {
  const rows = [...Array(one.length + 1).keys()].map((index) => [index])
  for (let column = 1; column <= other.length; column++) at(rows, 0)[column] = column
  for (let row = 1; row <= one.length; row++)
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      at(rows, row)[column] = Math.min(
        get(rows, row - 1, column) + 1,
        get(rows, row, column - 1) + 1,
        get(rows, row - 1, column - 1) + cost,
        isSwapped ? get(rows, row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  return get(rows, one.length, other.length)
}

function at(rows: readonly number[][], row: number): number[] {
  return rows[row] ?? []
}

function get(rows: readonly number[][], row: number, column: number): number {
  return at(rows, row)[column] ?? Number.POSITIVE_INFINITY
}
