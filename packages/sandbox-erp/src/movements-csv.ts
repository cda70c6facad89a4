import { parse } from 'csv-parse/sync'
import type { LeftOut } from './catalogue/catalogue.ts'
import { columnName } from './catalogue/csv.ts'
import { decimalPlaces, minorUnits } from './catalogue/decimal.ts'
import { quoted } from './catalogue/text.ts'
import { applyMovements, type Moved, type Movement } from './movements.ts'
import type { Store } from './store.ts'

/** The largest CSV of movements; all of it becomes one transaction. */
export const mostMovementBytes = 8 * 1024 * 1024

const requiredColumns = ['warehouse_code', 'sku', 'quantity'] as const
const optionalColumns = ['price_wholesale', 'price_retail', 'withdrawn'] as const
const columns: readonly string[] = [...requiredColumns, ...optionalColumns]
type Column = (typeof requiredColumns)[number] | (typeof optionalColumns)[number]

/** The largest record, in bytes: a quote that is never closed must not gather the rest of the body. */
const mostRecordBytes = 64 * 1024

/** A text that is no CSV of movements. The message is a sentence for whoever sent it. */
export class MalformedMovements extends Error {
  override readonly name = 'MalformedMovements'
}

/**
 * Applies a CSV (UTF-8) with the columns `warehouse_code,sku,quantity` and, where wanted, `price_wholesale`,
 * `price_retail` (decimal, major units) and `withdrawn` (0 or 1; an empty field changes nothing) in one
 * transaction. Throws `MalformedMovements` where it is no such CSV; then nothing was applied.
 */
export function applyMovementsCsv(store: Store, bytes: Uint8Array): Moved {
  const [header, ...records] = recordsOf(textOf(bytes))
  const positions = positionsIn(header?.fields ?? [])
  const movements: Movement[] = []
  const left_out: LeftOut[] = []
  for (const { line, fields } of records) {
    const field = (column: Column) => fields[positions.get(column) ?? -1] ?? ''
    const movement = movementFrom(line, field)
    if (typeof movement === 'string') left_out.push({ line, sku: field('sku'), reason: movement })
    else movements.push(movement)
  }
  const moved = applyMovements(store, movements)
  return { ...moved, left_out: [...left_out, ...moved.left_out].sort((a, b) => a.line - b.line) }
}

function textOf(bytes: Uint8Array): string {
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

function recordsOf(text: string): CsvLine[] {
  /** On which line each record ends. */
  const ends: number[] = []
  try {
    const records = parse(text, {
      record_delimiter: '\n',
      skip_empty_lines: true,
      max_record_size: mostRecordBytes,
      on_record: (record, { lines }) => {
        ends.push(lines)
        return record
      },
    })
    return records.map((fields, index) => ({ line: (ends[index] ?? 0) - linesInside(fields), fields }))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
    throw new MalformedMovements(`The movements are not well-formed CSV. ${error.message}.`, { cause: error })
  }
}

function linesInside(record: readonly string[]): number {
  return record.reduce((lines, field) => lines + field.split('\n').length - 1, 0)
}

function positionsIn(header: readonly string[]): Map<string, number> {
  const names = header.map(columnName)
  const positions = new Map(names.map((name, position) => [name, position]))
  const missing = requiredColumns.filter((column) => !positions.has(column))
  if (missing.length > 0)
    throw new MalformedMovements(`The movements lack the columns ${missing.join(', ')}.`)
  const strange = names.filter((name) => !columns.includes(name))
  if (strange.length > 0) {
    throw new MalformedMovements(
      `${strange.map(quoted).join(', ')} is no column of movements; those are ${columns.join(', ')}.`,
    )
  }
  if (positions.size < names.length) throw new MalformedMovements('A column stands twice in the header.')
  return positions
}

/** A movement, or the reason why the line is none. */
function movementFrom(line: number, field: (column: Column) => string): Movement | string {
  const quantity = field('quantity')
  if (!/^[+-]?\d{1,12}$/.test(quantity)) return `the quantity ${quoted(quantity)} is not a whole number`
  const price_wholesale = priceFrom(field('price_wholesale'))
  const price_retail = priceFrom(field('price_retail'))
  if (price_wholesale === null) return notAPrice('price_wholesale', field('price_wholesale'))
  if (price_retail === null) return notAPrice('price_retail', field('price_retail'))
  const withdrawn = field('withdrawn')
  if (!['', '0', '1'].includes(withdrawn)) return `withdrawn is 0 or 1, not ${quoted(withdrawn)}`
  return {
    line,
    warehouse_code: field('warehouse_code'),
    sku: field('sku'),
    quantity: Number(quantity),
    price_wholesale,
    price_retail,
    withdrawn: withdrawn === '' ? undefined : withdrawn === '1',
  }
}

/** Minor units; undefined where nothing is said, null where it is no price. */
function priceFrom(text: string): number | undefined | null {
  if (text === '') return undefined
  const minor = minorUnits(text)
  return minor === undefined || minor <= 0 || decimalPlaces(text) > 2 ? null : minor
}

function notAPrice(column: string, text: string): string {
  return `the ${column} ${quoted(text)} is not a price above 0 with at most 2 decimals`
}
