import { cleanText, countColumns } from './text.ts'

export type Row = Readonly<Record<string, unknown>>

/** Formats rows as an aligned table with a header. Numbers are aligned to the right. */
export function formatTable(
  rows: readonly Row[],
  columns: readonly string[] = Object.keys(rows[0] ?? {}),
): string {
  const cells = rows.map((row) => columns.map((column) => cleanText(row[column])))
  const widths = columns.map((column, index) =>
    Math.max(countColumns(column), ...cells.map((each) => countColumns(each[index] ?? ''))),
  )
  const isNumeric = columns.map((column) => rows.every((row) => typeof row[column] === 'number'))
  const formatLine = (line: readonly string[]) =>
    line
      .map((cell, index) => pad(cell, widths[index] ?? 0, isNumeric[index] === true && rows.length > 0))
      .join('  ')
      .trimEnd()
  return [columns, ...cells].map((line) => `${formatLine(line)}\n`).join('')
}

function pad(cell: string, width: number, isRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - countColumns(cell)))
  return isRight ? space + cell : cell + space
}
