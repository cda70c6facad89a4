import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'

/** The media type of a list as CSV. */
export const csvType = 'text/csv; charset=utf-8'

/** What a spreadsheet takes for the beginning of a formula, full-width forms too. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/
const quoted = /[",\r\n]|^\s|\s$/

/** The columns of a list: the fields of its rows, in the order of their schema. Throws where it is no list of rows. */
export function columnsOf({ id, result }: Pick<Endpoint, 'id' | 'result'>): string[] {
  const data = result instanceof z.ZodObject ? result.shape.data : undefined
  const row = data instanceof z.ZodArray ? data.element : undefined
  if (row instanceof z.ZodObject) return Object.keys(row.shape)
  throw new Error(`${id} is no list of rows.`)
}

/** Rows as CSV (RFC 4180): a header row, CRLF, quotes where they are needed; null is empty. */
export function csvOf(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) => {
    const fields = new Map<string, unknown>(Object.entries(row))
    return columns.map((column) => cell(fields.get(column))).join(',')
  })
  return [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
}

/** Text that a spreadsheet would run is made text by an apostrophe (OWASP, CSV injection); numbers stay numbers. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const text = formula.test(value) ? `'${value}` : value
  return quoted.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
