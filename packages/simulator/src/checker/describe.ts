import type { Operation } from '../history/history.ts'

/** Describes an operation for a witness, by its lines in the history. */
export function describeOperation({ name, client, begin, end, type, input, output }: Operation): string {
  const lines =
    end === Number.POSITIVE_INFINITY ? `line ${begin + 1}, no end` : `lines ${begin + 1}–${end + 1}`
  const result = output === undefined ? '' : ` ${JSON.stringify(output)}`
  return `${lines}: ${client} ${name} ${JSON.stringify(input ?? null)}: ${type}${result}`
}

/** Describes what was observed. */
export function describeSeen(seen: {
  readonly name: string
  readonly client: string
  readonly position: number
  readonly output: unknown
}): string {
  return `line ${seen.position + 1}: ${seen.client} ${seen.name} ${JSON.stringify(seen.output)}`
}
