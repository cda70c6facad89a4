/** Shortens a text to at most `most` UTF-16 code units, without half of a surrogate pair at its end. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const cut = text.slice(0, most)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}
