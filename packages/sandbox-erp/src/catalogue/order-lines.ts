import { normalizeColumnName, readCsv, UnreadableFile } from './csv.ts'
import { parseMinorUnits } from './decimal.ts'
import { quoteText } from './text.ts'

/** The limits of a file of order lines. */
export const maxOrderLines = 5_000_000
export const maxOrderBytes = 512 * 1024 * 1024

/** The columns, in the order of the fields of `OrderLine`. */
const columns = [
  'InvoiceNo',
  'StockCode',
  'Description',
  'Quantity',
  'InvoiceDate',
  'UnitPrice',
  'CustomerID',
  'Country',
] as const

/** One line of an order in the shop's data. */
export interface OrderLine {
  /** The line of the file on which the record starts, from 1. */
  readonly line: number
  readonly invoice_no: string
  /** Codes that differ only in case are different codes. */
  readonly stock_code: string
  /** The text of the file; may be blank. */
  readonly description: string
  /** Negative for returned or written-off goods. */
  readonly quantity: number
  /** `YYYY-MM-DD HH:MM:SS` in the shop's local time, which sorts chronologically as text. */
  readonly invoice_date: string
  /** The decimal of the file, in major units; `parseMinorUnits` converts it. May be 0 or negative. */
  readonly unit_price: string
  /** Null for a sale without a known customer. */
  readonly customer_id: string | null
  readonly country: string
  /** Whether the line cancels an earlier sale: its `invoice_no` starts with `C`. */
  readonly is_cancellation: boolean
}

/** A line that is not a valid order line. */
export interface InvalidLine {
  readonly line: number
  /** The same text for the same kind of fault, so that faults can be counted by it. */
  readonly reason: string
  readonly value: string
}

interface Listeners {
  readonly onInvalid?: (invalid: InvalidLine) => void
  /** Called with the number of bytes of the file that were read so far. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * Reads the order lines of a `.csv` or `.csv.gz` file in file order, in constant memory. Invalid lines are passed to
 * `onInvalid` and skipped. Throws an UnreadableFile if the file cannot be read, lacks a column or exceeds a limit.
 */
export async function* readOrderLines(path: string, listeners: Listeners = {}): AsyncGenerator<OrderLine> {
  const { onInvalid, onBytes } = listeners
  const limits = { max_bytes: maxOrderBytes, max_lines: maxOrderLines, ...(onBytes && { onBytes }) }
  let positions: number[] | undefined
  let width = 0
  for await (const { line, fields } of readCsv(path, limits)) {
    if (positions === undefined) {
      positions = findPositions(path, fields)
      width = fields.length
      continue
    }
    const values = positions.map((position) => fields[position] ?? '')
    const fault =
      fields.length === width ? findFault(values) : { reason: wrongWidth, value: fields.join(',') }
    if (fault === undefined) yield toOrderLine(line, values)
    else onInvalid?.({ line, ...fault })
  }
  if (positions === undefined) throw new UnreadableFile(`${path} is empty.`)
}

const wrongWidth = 'it has more or fewer fields than the header'

function findPositions(path: string, header: readonly string[]): number[] {
  const names = header.map(normalizeColumnName)
  const missing = columns.filter((column) => !names.includes(normalizeColumnName(column)))
  if (missing.length > 0) {
    throw new UnreadableFile(
      `${path} lacks the columns ${missing.join(', ')}. It has: ${header.map(quoteText).join(', ')}.`,
    )
  }
  return columns.map((column) => names.indexOf(normalizeColumnName(column)))
}

function findFault(values: readonly string[]): { reason: string; value: string } | undefined {
  const [invoice_no = '', stock_code = '', , quantity = '', invoice_date = '', unit_price = ''] = values
  if (invoice_no === '') return { reason: 'the InvoiceNo is empty', value: '' }
  if (stock_code === '') return { reason: 'the StockCode is empty', value: '' }
  if (!/^-?\d{1,8}$/.test(quantity)) {
    return { reason: 'the Quantity is not a whole number of at most 8 digits', value: quantity }
  }
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(invoice_date)) {
    return { reason: 'the InvoiceDate is not like 2010-12-01 08:26:00', value: invoice_date }
  }
  if (parseMinorUnits(unit_price) === undefined) {
    return { reason: 'the UnitPrice is not a number', value: unit_price }
  }
  return undefined
}

function toOrderLine(line: number, values: readonly string[]): OrderLine {
  const [invoice_no = '', stock_code = '', description = '', quantity = ''] = values
  const [, , , , invoice_date = '', unit_price = '', customer = '', country = ''] = values
  return {
    line,
    invoice_no,
    stock_code,
    description,
    quantity: Number(quantity),
    invoice_date,
    unit_price,
    // The data were exported from floating-point numbers: "17850.0" is customer 17850.
    customer_id: customer === '' ? null : customer.replace(/\.0$/, ''),
    country,
    is_cancellation: invoice_no.startsWith('C'),
  }
}
