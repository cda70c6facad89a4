import { type Context, say } from './context.ts'
import type { OptionSpecs } from './declaration.ts'
import { UsageError } from './failures.ts'
import type { Row } from './output/table.ts'

/** Prints a document: a line of JSON, or its fields. */
export async function printDocument({ globals, out }: Context, value: object): Promise<void> {
  await (globals.json ? out.json(value) : out.document(value))
}

/** The options of commands that print a list. */
export const listOptions = {
  limit: { type: 'string', value: 'N', help: 'print at most N rows; default 50' },
  all: { type: 'boolean', help: 'print every row' },
} as const satisfies OptionSpecs

interface ListGiven {
  readonly limit: string | undefined
  readonly all: boolean
  /** What to say if nothing is printed or everything was asked for. */
  readonly note?: string | undefined
}

const defaultLimit = 50
/** Rows of a table that are aligned together. A longer list is printed in several tables of the same columns. */
const maxTogether = 1_000

/**
 * Prints rows as they arrive: a line of JSON for each, or a table of the named columns. Says it if there are more rows
 * than the limit.
 */
export async function printRows(
  context: Context,
  rows: AsyncIterable<object>,
  columns: readonly string[],
  given: ListGiven,
): Promise<void> {
  const { globals, out, signal } = context
  const limit = given.all ? Number.POSITIVE_INFINITY : readCount('limit', given.limit, defaultLimit)
  let count = 0
  let hasMore = false
  let together: Row[] = []
  const flush = async () => {
    if (together.length > 0) await out.table(together, columns)
    together = []
  }
  for await (const row of rows) {
    signal.throwIfAborted()
    if (count >= limit) {
      hasMore = true
      break
    }
    count += 1
    if (globals.json) await out.json(row)
    else together.push(Object.fromEntries(Object.entries(row)))
    if (together.length >= maxTogether) await flush()
  }
  await flush()
  if (count === 0) await say(context, 'There are none.')
  if (given.note !== undefined && (count === 0 || given.all)) await say(context, given.note)
  if (hasMore) await say(context, `There are more than ${count}. Print them with --limit N or --all.`)
}

/** Reads a whole number of at least 1. */
export function readCount(name: string, given: string | undefined, fallback: number): number {
  if (given === undefined) return fallback
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
  throw new UsageError(`--${name} must be a whole number of at least 1, and is "${given}".`)
}

const durationUnits: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** Reads a duration such as `30s`, `5m` or `12h`, in milliseconds. */
export function readDuration(name: string, given: string): number {
  const [, count, unit = 's'] = /^(\d{1,6})([smhd]?)$/.exec(given) ?? []
  const seconds = count === undefined ? 0 : Number(count) * (durationUnits[unit || 's'] ?? 1)
  if (seconds > 0) return seconds * 1000
  throw new UsageError(`--${name} must be a duration such as 30s, 5m or 12h, and is "${given}".`)
}
