import { GatewayError } from './errors.ts'

/** The last row of a page, by its time in epoch milliseconds and its id. */
export interface RowPlace {
  readonly at: number
  readonly id: string
}

/** The times of a search, in RFC 3339: `since` is inclusive, `until` is not. */
export interface Period {
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Converts a period to epoch milliseconds; undefined where it has no bound. Throws `VALIDATION_FAILED`. */
export function parsePeriod({ since, until }: Period): [number | undefined, number | undefined] {
  const [from, to] = [since, until].map((time) => (time === undefined ? undefined : Date.parse(time)))
  if (from === undefined || to === undefined || from < to) return [from, to]
  throw new GatewayError('VALIDATION_FAILED', {
    param: 'until',
    reason: 'invalid_field',
    say: ['period_reversed', { since: since ?? '', until: until ?? '' }],
  })
}

/** Builds the cursor of the page that begins after a row, so that new rows do not shift the pages. */
export function toCursorAfter({ at, id }: RowPlace): string {
  return Buffer.from(`${at} ${id}`).toString('base64url')
}

/** Parses a cursor. Throws `VALIDATION_FAILED`. */
export function parseCursor(cursor: string): RowPlace {
  const [, at, id] = /^(\d{1,15}) (\w{1,64})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (at !== undefined && id !== undefined) return { at: Number(at), id }
  throw toCursorError()
}

/** The error for a cursor that no response contained. */
export function toCursorError(): GatewayError {
  return new GatewayError('VALIDATION_FAILED', { param: 'cursor', reason: 'invalid_field' })
}
