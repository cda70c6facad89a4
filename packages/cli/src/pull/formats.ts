import type { Row } from '@trade-gateway/sdk'

/** A row of stock. */
export type StockRow = Row<'stock.list'>

export const formats = ['csv', 'ndjson'] as const
export type Format = (typeof formats)[number]

/** How rows become text. */
export interface RowFormat {
  /** The first line, if the format has one. */
  readonly header: string
  formatRows(rows: readonly StockRow[]): string
}

const columns = [
  'sku',
  'product_code',
  'warehouse_code',
  'quantity_on_hand',
  'quantity_available',
  'price_wholesale',
  'price_retail',
  'currency',
  'version',
  'updated_at',
] as const

export const rowFormats: Readonly<Record<Format, RowFormat>> = {
  ndjson: {
    header: '',
    formatRows(rows) {
      let text = ''
      for (const row of rows) text += `${JSON.stringify(row)}\n`
      return text
    },
  },
  csv: {
    header: `${columns.join(',')}\r\n`,
    formatRows(rows) {
      let text = ''
      for (const row of rows) text += `${columns.map((column) => formatCell(row[column])).join(',')}\r\n`
      return text
    },
  },
}

/** RFC 4180: a cell with a comma, a quote or a line break is quoted. */
function formatCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

interface FormatChoice {
  /** The value of `--format`. */
  readonly named: string | undefined
  readonly file: string | undefined
  /** Whether `--json` is given. */
  readonly isJson: boolean
}

/** Chooses the format: the named one, else the ending of the file, else NDJSON with `--json`, else CSV. */
export function chooseFormat({ named, file, isJson }: FormatChoice): Format {
  const usual = isJson && !file?.endsWith('.csv') ? 'ndjson' : 'csv'
  const ending = /\.(ndjson|jsonl)$/.test(file ?? '') ? 'ndjson' : usual
  return formats.find((format) => format === named) ?? ending
}
