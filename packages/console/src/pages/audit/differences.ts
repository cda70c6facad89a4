/** A field that a change gave another value, both as text; empty where it did not exist. */
export interface Difference {
  readonly name: string
  readonly before: string
  readonly after: string
}

type Fields = Readonly<Record<string, unknown>> | null

/** Finds the fields that differ between two states of a thing. */
export function findDifferences(before: Fields, after: Fields): Difference[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) => ({ name, before: toText(before?.[name]), after: toText(after?.[name]) }))
    .filter((each) => each.before !== each.after)
}

function toText(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
