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
  /** Reads back what an interrupted download has written, with the header. */
  parseRows(text: string): StockRow[]
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
    parseRows: (text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
  },
  csv: {
    header: `${columns.join(',')}\r\n`,
    formatRows(rows) {
      let text = ''
      for (const row of rows) text += `${columns.map((column) => formatCell(row[column])).join(',')}\r\n`
      return text
    },
    parseRows: (text) => parseLines(text).slice(1).map(parseCells),
  },
}

/** RFC 4180: a cell with a comma, a quote or a line break is quoted. */
function formatCell(value: string | number): string {
  if (typeof value === 'number') return String(value)
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value
}

function parseLines(text: string): string[][] {
  const lines: string[][] = []
  let cells: string[] = []
  for (const [, cell = '', end] of text.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    cells.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === ',') continue
    lines.push(cells)
    cells = []
  }
  return lines
}

/** CSV has no `incoming`, which the checksum is not made of either. */
function parseCells(cells: readonly string[]): StockRow {
  const read = (column: (typeof columns)[number]) => cells[columns.indexOf(column)] ?? ''
  return {
    sku: read('sku'),
    product_code: read('product_code'),
    warehouse_code: read('warehouse_code'),
    quantity_on_hand: Number(read('quantity_on_hand')),
    quantity_available: Number(read('quantity_available')),
    price_wholesale: Number(read('price_wholesale')),
    price_retail: Number(read('price_retail')),
    currency: read('currency'),
    version: Number(read('version')),
    updated_at: read('updated_at'),
    incoming: [],
  }
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
