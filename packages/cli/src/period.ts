import type { OptionSpecs } from './declaration.ts'
import { UsageError } from './failures.ts'

/** The options of commands that read a period. */
export const periodOptions = {
  from: { type: 'string', value: 'DATE', help: 'the first day, YYYY-MM-DD (UTC)' },
  to: { type: 'string', value: 'DATE', help: 'the last day, YYYY-MM-DD (UTC)' },
} as const satisfies OptionSpecs

interface PeriodGiven {
  readonly from: string | undefined
  readonly to: string | undefined
}

const day = /^\d{4}-\d{2}-\d{2}$/

/** Reads the days that were given, as the filters of a list. */
export function readPeriod({ from, to }: PeriodGiven): { start_date?: string; end_date?: string } {
  return {
    ...(from === undefined ? {} : { start_date: readDay('from', from) }),
    ...(to === undefined ? {} : { end_date: readDay('to', to) }),
  }
}

/** What a list says if no period was given: the API then returns the last 30 days, and the older rows of `older`. */
export function describePeriod({ from, to }: PeriodGiven, older: string): string | undefined {
  if (from !== undefined || to !== undefined) return undefined
  return `Without --from and --to, the list has the last 30 days and older ${older}.`
}

/** Throws `UsageError` unless the text is a day. */
export function readDay(name: keyof PeriodGiven, given: string): string {
  if (day.test(given)) return given
  throw new UsageError(
    `--${name} must be a day, and is "${given}".`,
    'For example: --from 2026-10-01 --to 2026-10-31',
  )
}
