import { sandboxWarehouses } from './catalogue.ts'
import { decimalPlaces, minorUnits } from './decimal.ts'
import { codeProblem, isOneLine, quoted } from './text.ts'

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

/** A line of a catalogue file that means something. Prices are in minor units of `currency`. */
export interface Row {
  readonly line: number
  readonly sku: string
  /** Undefined where the line names none. */
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

/** Why a line is left out. The message is the reason. */
export class Unusable extends Error {
  override readonly name = 'Unusable'
}

/**
 * A line of a catalogue file. `field` gives the text of a column, empty where the file has no such column. Throws
 * an Unusable with the first thing that is wrong with it.
 */
export function rowFrom(line: number, field: (column: Column) => string): Row {
  const sku = code('SKU', field('sku'))
  const name = field('name')
  if (name.trim() === '') throw new Unusable('the name is empty')
  const warehouse = warehouseOf(field('warehouse_code'))
  const price_wholesale = price('price', field('price_wholesale'))
  return {
    line,
    sku,
    product_code: field('product_code') === '' ? undefined : code('product_code', field('product_code')),
    name: text('name', name, 200),
    name_zh: optional('name_zh', field('name_zh'), 200) ?? undefined,
    name_ko: optional('name_ko', field('name_ko'), 200) ?? undefined,
    category: optional('category', field('category'), 100),
    brand: optional('brand', field('brand'), 100),
    barcode: optional('barcode', field('barcode'), 64),
    color: optional('color', field('color'), 64),
    size: optional('size', field('size'), 64),
    weight_g: field('weight_g') === '' ? null : wholeNumber('weight_g', field('weight_g')),
    warehouse_code: warehouse.warehouse_code,
    currency: warehouse.currency,
    price_wholesale,
    price_retail:
      field('price_retail') === '' ? price_wholesale * 2 : price('price_retail', field('price_retail')),
    quantity: field('quantity') === '' ? 0 : wholeNumber('quantity', field('quantity')),
  }
}

function code(kind: string, value: string): string {
  const problem = codeProblem(kind, value)
  if (problem !== undefined) throw new Unusable(problem)
  return value
}

function optional(kind: string, value: string, most: number): string | null {
  return value === '' ? null : text(kind, value, most)
}

function text(kind: string, value: string, most: number): string {
  if (value.length > most) throw new Unusable(`the ${kind} ${quoted(value)} has more than ${most} characters`)
  if (!isOneLine(value)) throw new Unusable(`the ${kind} ${quoted(value)} has control characters`)
  return value
}

function warehouseOf(value: string) {
  const wanted = value === '' ? sandboxWarehouses[0].warehouse_code : value
  const warehouse = sandboxWarehouses.find(({ warehouse_code }) => warehouse_code === wanted)
  if (warehouse !== undefined) return warehouse
  const known = sandboxWarehouses.map(({ warehouse_code }) => warehouse_code).join(', ')
  throw new Unusable(`the warehouse ${quoted(value)} is none of ${known}`)
}

function price(kind: string, value: string): number {
  const minor = minorUnits(value)
  if (value === '') throw new Unusable(`the ${kind} is empty`)
  if (minor === undefined) {
    throw new Unusable(`the ${kind} ${quoted(value)} is not a number like 12.50 of at most 12 whole digits`)
  }
  if (decimalPlaces(value) > 2) throw new Unusable(`the ${kind} ${value} has more than 2 decimals`)
  if (minor === 0) throw new Unusable(`${kind} 0: not for sale`)
  if (minor < 0) throw new Unusable(`the ${kind} ${value} is negative`)
  return minor
}

function wholeNumber(kind: string, value: string): number {
  if (!/^\d{1,15}$/.test(value)) {
    throw new Unusable(`the ${kind} ${quoted(value)} is not a whole number from 0 on of at most 15 digits`)
  }
  return Number(value)
}
