import { parse } from 'csv-parse/sync'
import type { LeftOut } from './catalogue/catalogue.ts'
import { normalizeColumnName } from './catalogue/csv.ts'
import { countDecimals, parseMinorUnits } from './catalogue/decimal.ts'
import { quoteText } from './catalogue/text.ts'
import { applyMovements, type BatchResult, type Movement } from './movements.ts'
import type { Store } from './store.ts'

/** The maximum size of a CSV of movements, which is applied in one transaction. */
export const maxMovementBytes = 8 * 1024 * 1024

const requiredColumns = ['warehouse_code', 'sku', 'quantity'] as const
const optionalColumns = ['price_wholesale', 'price_retail', 'withdrawn'] as const
const columns: readonly string[] = [...requiredColumns, ...optionalColumns]
type Column = (typeof requiredColumns)[number] | (typeof optionalColumns)[number]

/** The maximum size of a record in bytes, so that an unclosed quote does not consume the whole body. */
const maxRecordBytes = 64 * 1024

/** The error for a text that is not a valid CSV of movements. Its message is a sentence for its sender. */
export class MalformedMovements extends Error {
  override readonly name = 'MalformedMovements'
}

/**
 * Applies a CSV (UTF-8) in one transaction. Required columns: `warehouse_code`, `sku`, `quantity`. Optional columns:
 * `price_wholesale`, `price_retail` (decimal, major units) and `withdrawn` (0 or 1; an empty field changes nothing).
 * Throws `MalformedMovements`, without applying anything, if the CSV is not valid.
 */
export function applyMovementsCsv(store: Store, bytes: Uint8Array): BatchResult {
  const [header, ...records] = parseRecords(decodeText(bytes))
  const positions = findPositions(header?.fields ?? [])
  const movements: Movement[] = []
  const left_out: LeftOut[] = []
  for (const { line, fields } of records) {
    const getField = (column: Column) => fields[positions.get(column) ?? -1] ?? ''
    const movement = parseMovement(line, getField)
    if (typeof movement === 'string') left_out.push({ line, sku: getField('sku'), reason: movement })
    else movements.push(movement)
  }
  const moved = applyMovements(store, movements)
  return { ...moved, left_out: [...left_out, ...moved.left_out].sort((a, b) => a.line - b.line) }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n')
  } catch {
    throw new MalformedMovements('The movements are not UTF-8 text.')
  }
}

interface CsvLine {
  readonly line: number
  readonly fields: readonly string[]
}

function parseRecords(text: string): CsvLine[] {
  /** The line on which each record ends. */
  const ends: number[] = []
  try {
    const records = parse(text, {
      record_delimiter: '\n',
      skip_empty_lines: true,
      max_record_size: maxRecordBytes,
      on_record: (record, { lines }) => {
        ends.push(lines)
        return record
      },
    })
    return records.map((fields, index) => ({ line: (ends[index] ?? 0) - countLineBreaks(fields), fields }))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new MalformedMovements(`The movements are not well-formed CSV. ${error.message}.`, { cause: error })
  }
}

function countLineBreaks(record: readonly string[]): number {
  return record.reduce((lines, field) => lines + field.split('\n').length - 1, 0)
}

function findPositions(header: readonly string[]): Map<string, number> {
  const names = header.map(normalizeColumnName)
  const positions = new Map(names.map((name, position) => [name, position]))
  const missing = requiredColumns.filter((column) => !positions.has(column))
  if (missing.length > 0) throw new MalformedMovements(`The movements have no column ${missing.join(', ')}.`)
  const strange = names.filter((name) => !columns.includes(name))
  if (strange.length > 0) {
    throw new MalformedMovements(
      `${strange.map(quoteText).join(', ')} is not a column of movements. The columns are ${columns.join(', ')}.`,
    )
  }
  if (positions.size < names.length) throw new MalformedMovements('The header has a column twice.')
  return positions
}

/** Parses a movement, or returns the reason why the line is not valid. */
function parseMovement(line: number, getField: (column: Column) => string): Movement | string {
  const quantity = getField('quantity')
  if (!/^[+-]?\d{1,12}$/.test(quantity)) return `the quantity ${quoteText(quantity)} is not a whole number`
  const price_wholesale = parsePrice(getField('price_wholesale'))
  const price_retail = parsePrice(getField('price_retail'))
  if (price_wholesale === null) return explainPrice('price_wholesale', getField('price_wholesale'))
  if (price_retail === null) return explainPrice('price_retail', getField('price_retail'))
  const withdrawn = getField('withdrawn')
  if (!['', '0', '1'].includes(withdrawn)) return `withdrawn must be 0 or 1, not ${quoteText(withdrawn)}`
  return {
    line,
    warehouse_code: getField('warehouse_code'),
    sku: getField('sku'),
    quantity: Number(quantity),
    price_wholesale,
    price_retail,
    withdrawn: withdrawn === '' ? undefined : withdrawn === '1',
  }
}

/** Returns minor units; undefined for an empty text, null for an invalid price. */
function parsePrice(text: string): number | undefined | null {
  if (text === '') return undefined
  const minor = parseMinorUnits(text)
  return minor === undefined || minor <= 0 || countDecimals(text) > 2 ? null : minor
}

function explainPrice(column: string, text: string): string {
  return `the ${column} ${quoteText(text)} is not a price above 0 with at most 2 decimals`
}
