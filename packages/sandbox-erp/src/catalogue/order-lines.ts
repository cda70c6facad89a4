import { columnName, readCsv, UnreadableFile } from './csv.ts'
import { minorUnits } from './decimal.ts'
import { quoted } from './text.ts'

/** The largest file of order lines. */
export const mostOrderLines = 5_000_000
export const mostOrderBytes = 512 * 1024 * 1024

/** The columns, in the order in which `OrderLine` has them. */
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

/** One line of an order as the shop kept it. */
export interface OrderLine {
  /** Where the line begins in the file, from 1. */
  readonly line: number
  readonly invoice_no: string
  /** Byte for byte: codes that differ only by case are two codes. */
  readonly stock_code: string
  /** As it stands there; may be blank. */
  readonly description: string
  /** Negative where goods came back or were written off. */
  readonly quantity: number
  /** `YYYY-MM-DD HH:MM:SS`, the shop's local time: in the order of time when compared as text. */
  readonly invoice_date: string
  /** The decimal of the file, in major units; `minorUnits` makes it an integer. May be 0 or negative. */
  readonly unit_price: string
  /** Null for a sale without a known customer. */
  readonly customer_id: string | null
  readonly country: string
  /** Whether the line takes an earlier sale back: its `invoice_no` begins with `C`. */
  readonly is_cancellation: boolean
}

/** A line that is no order line. */
export interface InvalidLine {
  readonly line: number
  /** The same sentence for the same kind of fault, so that lines can be counted by it. */
  readonly reason: string
  readonly value: string
}

interface Listeners {
  readonly onInvalid?: (invalid: InvalidLine) => void
  /** Told now and then how many bytes of the file itself were read. */
  readonly onBytes?: (bytes: number) => void
}

/**
 * The order lines of a CSV file, `.csv` or `.csv.gz`, in the order of the file, in constant memory. Lines that
 * cannot be read as an order line are told to `onInvalid` and passed over. Throws an UnreadableFile when the file
 * cannot be read, lacks a column or goes beyond a limit.
 */
export async function* readOrderLines(path: string, listeners: Listeners = {}): AsyncGenerator<OrderLine> {
  const { onInvalid, onBytes } = listeners
  const limits = { most_bytes: mostOrderBytes, most_lines: mostOrderLines, ...(onBytes && { onBytes }) }
  let positions: number[] | undefined
  let width = 0
  for await (const { line, fields } of readCsv(path, limits)) {
    if (positions === undefined) {
      positions = positionsIn(path, fields)
      width = fields.length
      continue
    }
    const values = positions.map((position) => fields[position] ?? '')
    const fault = fields.length === width ? faultOf(values) : { reason: wrongWidth, value: fields.join(',') }
    if (fault === undefined) yield orderLine(line, values)
    else onInvalid?.({ line, ...fault })
  }
  if (positions === undefined) throw new UnreadableFile(`${path} is empty.`)
}

const wrongWidth = 'it has more or fewer fields than the header'

function positionsIn(path: string, header: readonly string[]): number[] {
  const names = header.map(columnName)
  const missing = columns.filter((column) => !names.includes(columnName(column)))
  if (missing.length > 0) {
    throw new UnreadableFile(
      `${path} lacks the columns ${missing.join(', ')}. It has: ${header.map(quoted).join(', ')}.`,
    )
  }
  return columns.map((column) => names.indexOf(columnName(column)))
}

function faultOf(values: readonly string[]): { reason: string; value: string } | undefined {
  const [invoice_no = '', stock_code = '', , quantity = '', invoice_date = '', unit_price = ''] = values
  if (invoice_no === '') return { reason: 'the InvoiceNo is empty', value: '' }
  if (stock_code === '') return { reason: 'the StockCode is empty', value: '' }
  if (!/^-?\d{1,8}$/.test(quantity)) {
    return { reason: 'the Quantity is not a whole number of at most 8 digits', value: quantity }
  }
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(invoice_date)) {
    return { reason: 'the InvoiceDate is not like 2010-12-01 08:26:00', value: invoice_date }
  }
  if (minorUnits(unit_price) === undefined) {
    return { reason: 'the UnitPrice is not a number', value: unit_price }
  }
  return undefined
}

function orderLine(line: number, values: readonly string[]): OrderLine {
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
    // "17850.0": the numbers of customers went through a table of floating-point numbers once.
    customer_id: customer === '' ? null : customer.replace(/\.0$/, ''),
    country,
    is_cancellation: invoice_no.startsWith('C'),
  }
}
