/** Parses the kept choice of columns. Whatever else the browser holds under its key counts as no choice. */
export function toChoice(kept: string | undefined): Record<string, boolean> {
  try {
    const pairs = Object.entries(Object(JSON.parse(kept ?? '{}')))
    return Object.fromEntries(
      pairs.flatMap(([name, shown]) => (typeof shown === 'boolean' ? [[name, shown]] : [])),
    )
  } catch {
    return {}
  }
}
