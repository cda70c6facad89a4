import { sandboxWarehouses } from './catalogue.ts'
import { countDecimals, parseMinorUnits } from './decimal.ts'
import { findCodeProblem, isOneLine, quoteText } from './text.ts'

export const requiredColumns = ['sku', 'name', 'price_wholesale'] as const

export const optionalColumns = [
  'product_code',
  'price_retail',
  'quantity',
  'warehouse_code',
  'barcode',
  'color',
  'size',
  'weight_g',
  'name_zh',
  'name_ko',
  'category',
  'brand',
] as const

export type Column = (typeof requiredColumns)[number] | (typeof optionalColumns)[number]

/** A valid line of a catalogue file. Prices are in minor units of `currency`. */
export interface CatalogueLine {
  readonly line: number
  readonly sku: string
  /** Undefined if the line has none. */
  readonly product_code: string | undefined
  readonly name: string
  readonly name_zh: string | undefined
  readonly name_ko: string | undefined
  readonly category: string | null
  readonly brand: string | null
  readonly barcode: string | null
  readonly color: string | null
  readonly size: string | null
  readonly weight_g: number | null
  readonly warehouse_code: string
  readonly currency: string
  readonly price_wholesale: number
  readonly price_retail: number
  readonly quantity: number
}

/** The error for a line that cannot be imported. Its message is the reason. */
export class UnusableLine extends Error {
  override readonly name = 'Unusable'
}

/**
 * Parses a line of a catalogue file. `getField` returns the text of a column, or an empty text if the file lacks it.
 * Throws an UnusableLine with the first problem.
 */
export function parseCatalogueLine(line: number, getField: (column: Column) => string): CatalogueLine {
  const sku = parseCode('SKU', getField('sku'))
  const name = getField('name')
  if (name.trim() === '') throw new UnusableLine('the name is empty')
  const warehouse = findWarehouse(getField('warehouse_code'))
  const price_wholesale = parsePrice('price', getField('price_wholesale'))
  return {
    line,
    sku,
    product_code:
      getField('product_code') === '' ? undefined : parseCode('product_code', getField('product_code')),
    name: parseText('name', name, 200),
    name_zh: parseOptionalText('name_zh', getField('name_zh'), 200) ?? undefined,
    name_ko: parseOptionalText('name_ko', getField('name_ko'), 200) ?? undefined,
    category: parseOptionalText('category', getField('category'), 100),
    brand: parseOptionalText('brand', getField('brand'), 100),
    barcode: parseOptionalText('barcode', getField('barcode'), 64),
    color: parseOptionalText('color', getField('color'), 64),
    size: parseOptionalText('size', getField('size'), 64),
    weight_g: getField('weight_g') === '' ? null : parseWholeNumber('weight_g', getField('weight_g')),
    warehouse_code: warehouse.warehouse_code,
    currency: warehouse.currency,
    price_wholesale,
    price_retail:
      getField('price_retail') === ''
        ? price_wholesale * 2
        : parsePrice('price_retail', getField('price_retail')),
    quantity: getField('quantity') === '' ? 0 : parseWholeNumber('quantity', getField('quantity')),
  }
}

function parseCode(kind: string, value: string): string {
  const problem = findCodeProblem(kind, value)
  if (problem !== undefined) throw new UnusableLine(problem)
  return value
}

function parseOptionalText(kind: string, value: string, maxCharacters: number): string | null {
  return value === '' ? null : parseText(kind, value, maxCharacters)
}

function parseText(kind: string, value: string, maxCharacters: number): string {
  if (value.length > maxCharacters)
    throw new UnusableLine(`the ${kind} ${quoteText(value)} has more than ${maxCharacters} characters`)
  if (!isOneLine(value)) throw new UnusableLine(`the ${kind} ${quoteText(value)} has control characters`)
  return value
}

function findWarehouse(value: string) {
  const wanted = value === '' ? sandboxWarehouses[0].warehouse_code : value
  const warehouse = sandboxWarehouses.find(({ warehouse_code }) => warehouse_code === wanted)
  if (warehouse !== undefined) return warehouse
  const known = sandboxWarehouses.map(({ warehouse_code }) => warehouse_code).join(', ')
  throw new UnusableLine(`the warehouse ${quoteText(value)} is none of ${known}`)
}

function parsePrice(kind: string, value: string): number {
  const minor = parseMinorUnits(value)
  if (value === '') throw new UnusableLine(`the ${kind} is empty`)
  if (minor === undefined) {
    throw new UnusableLine(
      `the ${kind} ${quoteText(value)} is not a number like 12.50 of at most 12 whole digits`,
    )
  }
  if (countDecimals(value) > 2) throw new UnusableLine(`the ${kind} ${value} has more than 2 decimals`)
  if (minor === 0) throw new UnusableLine(`${kind} 0: not for sale`)
  if (minor < 0) throw new UnusableLine(`the ${kind} ${value} is negative`)
  return minor
}

function parseWholeNumber(kind: string, value: string): number {
  if (!/^\d{1,15}$/.test(value)) {
    throw new UnusableLine(
      `the ${kind} ${quoteText(value)} is not a whole number from 0 on of at most 15 digits`,
    )
  }
  return Number(value)
}
