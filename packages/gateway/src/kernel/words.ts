/** Splits a search into its words in lower case, each once. Without any, everything is found. */
export function splitWords(search: string): string[] {
  return [...new Set(search.toLowerCase().split(/\s+/))].filter((word) => word !== '')
}

/**
 * Whether a text in lower case contains every word, in any order. A word may be part of a longer one, because Chinese and
 * Korean write no spaces between many words.
 */
export function includesWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word))
}
