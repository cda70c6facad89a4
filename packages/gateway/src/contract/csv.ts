import { z } from 'zod'

/** The media type of a list as CSV. */
export const csvType = 'text/csv; charset=utf-8'

/**
 * The beginning of a formula in a spreadsheet, including full-width forms. Text that begins with apostrophes before it is
 * treated the same, so that a reader can remove the one that was put before it.
 */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/
const quoted = /[",\r\n]|^\s|\s$/

/**
 * Lists the columns of a list: the fields of its rows, in the order of their schema. Throws if the result is not a list
 * of rows.
 */
export function listColumns({ id, result }: { readonly id: string; readonly result: z.ZodType }): string[] {
  const data = result instanceof z.ZodObject ? result.shape.data : undefined
  const row = data instanceof z.ZodArray ? data.element : undefined
  if (row instanceof z.ZodObject) return Object.keys(row.shape)
  throw new Error(`${id} is not a list of rows.`)
}

/** Formats rows as CSV (RFC 4180): a header row, CRLF line ends, quotes where required, and an empty cell for null. */
export function toCsv(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => {
    const fields = new Map<string, unknown>(Object.entries(row))
    return columns.map((column) => toCsvCell(fields.get(column))).join(',')
  })
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

/**
 * Formats a cell. An apostrophe before text that a spreadsheet would run as a formula makes it plain text (OWASP, CSV
 * injection). Numbers stay numbers.
 */
function toCsvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
