/**
 * Reads a catalogue file line by line into styles. Which SKUs can be sold is known only at the end of the file, because
 * a product is listed in the currency of its first line.
 */
import type { ErpProduct, ErpSku } from '@trade-gateway/connector'
import type { Catalogue, LeftOut, OpeningStock } from './catalogue.ts'
import { type CsvRecord, normalizeColumnName, readCsv, UnreadableFile } from './csv.ts'
import { createDays } from './days.ts'
import {
  type CatalogueLine,
  type Column,
  optionalColumns,
  parseCatalogueLine,
  requiredColumns,
  UnusableLine,
} from './row.ts'
import { quoteText } from './text.ts'

/** The limits of a catalogue file. */
export const maxCatalogueLines = 1_000_000
export const maxCatalogueBytes = 64 * 1024 * 1024

/** The maximum number of SKUs of a product in the connector's protocol. */
const maxSkusPerProduct = 500

/** The number of reasons that the error quotes if no line can be used. */
const maxExamples = 3

/** The error for a catalogue file that cannot be used. Its message is a sentence for the operator. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
}

/** A style while the file is read. Its first line gives its name and currency. */
interface StyleLines {
  readonly first: CatalogueLine
  readonly skus: Map<string, CatalogueLine[]>
}

interface CatalogueDraft {
  readonly styles: Map<string, StyleLines>
  readonly styleOfSku: Map<string, string>
  readonly left_out: LeftOut[]
}

/**
 * Reads a catalogue from a CSV file with a header. Required columns: `sku`, `name`, `price_wholesale` (decimal, major
 * units). Optional columns: `product_code`, `price_retail`, `quantity`, `warehouse_code`, `barcode`, `color`, `size`,
 * `weight_g`, `name_zh`, `name_ko`, `category`, `brand`. A line is the stock of one SKU in one warehouse, in the
 * warehouse's currency. `today` (`YYYY-MM-DD`) becomes the day of the last change. Lines that cannot be used, and
 * unknown columns, are listed in `left_out`. Throws a CatalogueError if the file cannot be read or has no usable line.
 */
export async function readCatalogueFile(path: string, { today }: { today: string }): Promise<Catalogue> {
  const updated_at = createDays(today).toInstant(0)
  const draft: CatalogueDraft = { styles: new Map(), styleOfSku: new Map(), left_out: [] }
  let header: Header | undefined
  try {
    const limits = { max_bytes: maxCatalogueBytes, max_lines: maxCatalogueLines }
    for await (const record of readCsv(path, limits)) {
      if (header === undefined) {
        header = readHeader(path, record, draft.left_out)
      } else {
        addRecord(draft, record, header)
      }
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CatalogueError(error.message, { cause: error })
    throw error
  }
  if (header === undefined) throw new CatalogueError(`${path} is empty.`)
  const catalogue = toCatalogue(draft, updated_at)
  if (catalogue.products.length === 0) throw new CatalogueError(explainNoUsableLine(path, catalogue.left_out))
  return catalogue
}

interface Header {
  /** The position of each column. */
  readonly columns: ReadonlyMap<Column, number>
  /** The number of fields. */
  readonly width: number
}

function readHeader(path: string, { line, fields }: CsvRecord, left_out: LeftOut[]): Header {
  const columns = new Map<Column, number>()
  for (const [index, field] of fields.entries()) {
    const name = normalizeColumnName(field)
    const column = [...requiredColumns, ...optionalColumns].find((known) => known === name)
    if (column === undefined) {
      left_out.push({ line, sku: '', reason: `the column ${quoteText(field)} is not known and not read` })
    } else if (columns.has(column)) {
      throw new CatalogueError(`${path} has the column ${column} twice.`)
    } else {
      columns.set(column, index)
    }
  }
  const missing = requiredColumns.filter((column) => !columns.has(column))
  if (missing.length > 0) {
    const found = fields.map(quoteText).join(', ')
    throw new CatalogueError(`${path} lacks the columns ${missing.join(', ')}. It has: ${found}.`)
  }
  return { columns, width: fields.length }
}

function addRecord(draft: CatalogueDraft, { line, fields }: CsvRecord, { columns, width }: Header): void {
  const getField = (column: Column) => fields[columns.get(column) ?? -1] ?? ''
  try {
    if (fields.length !== width) {
      throw new UnusableLine(`the line has ${fields.length} fields where the header has ${width}`)
    }
    addLine(draft, parseCatalogueLine(line, getField))
  } catch (error) {
    if (!(error instanceof UnusableLine)) throw error
    draft.left_out.push({ line, sku: getField('sku').slice(0, 64), reason: error.message })
  }
}

/** Adds a row to its style. Throws an UnusableLine if it contradicts an earlier line. */
function addLine({ styles, styleOfSku }: CatalogueDraft, row: CatalogueLine): void {
  const known = styleOfSku.get(row.sku)
  const product_code = row.product_code ?? known ?? row.sku
  if (known !== undefined && known !== product_code) {
    throw new UnusableLine(
      `the product_code ${quoteText(product_code)} is another than ${quoteText(known)} of an earlier line`,
    )
  }
  const style = styles.get(product_code) ?? { first: row, skus: new Map<string, CatalogueLine[]>() }
  const rows = style.skus.get(row.sku) ?? []
  if (rows.length === 0 && style.skus.size >= maxSkusPerProduct) {
    throw new UnusableLine(`the product ${quoteText(product_code)} already has ${maxSkusPerProduct} SKUs`)
  }
  const same = rows.find(({ warehouse_code }) => warehouse_code === row.warehouse_code)
  if (same !== undefined) {
    throw new UnusableLine(
      `the SKU already stands in line ${same.line} for the warehouse ${row.warehouse_code}`,
    )
  }
  styles.set(product_code, style)
  rows.push(row)
  style.skus.set(row.sku, rows)
  styleOfSku.set(row.sku, product_code)
}

function toCatalogue({ styles, left_out }: CatalogueDraft, updated_at: string): Catalogue {
  const products: ErpProduct[] = []
  const stock: OpeningStock[] = []
  for (const [product_code, style] of styles) {
    const skus: ErpSku[] = []
    for (const rows of style.skus.values()) {
      // A product is listed in one currency. Prices are not converted, because there are no exchange rates.
      const listed = rows.find(({ currency }) => currency === style.first.currency)
      if (listed === undefined) {
        left_out.push(...rows.map((row) => explainOtherCurrency(product_code, style.first, row)))
      } else {
        skus.push(toSku(listed))
        stock.push(...rows.map(toOpeningStock))
      }
    }
    products.push({ ...toProduct(product_code, style.first), skus, updated_at })
  }
  return { products, stock, left_out: left_out.sort((one, other) => one.line - other.line) }
}

function explainOtherCurrency(
  product_code: string,
  first: CatalogueLine,
  { line, sku, currency }: CatalogueLine,
): LeftOut {
  const product = `the product ${quoteText(product_code)} is listed in ${first.currency}`
  return { line, sku, reason: `${product}, and the SKU has a price in ${currency} only` }
}

function toProduct(product_code: string, first: CatalogueLine): Omit<ErpProduct, 'skus' | 'updated_at'> {
  return {
    product_code,
    names: {
      en: first.name,
      ...(first.name_zh === undefined ? {} : { zh: first.name_zh }),
      ...(first.name_ko === undefined ? {} : { ko: first.name_ko }),
    },
    brand: first.brand,
    category: first.category,
    season: null,
    status: 'active',
    images: [],
    price_wholesale: first.price_wholesale,
    price_retail: first.price_retail,
    currency: first.currency,
  }
}

function toSku({
  sku,
  barcode,
  color,
  size,
  price_wholesale,
  price_retail,
  weight_g,
}: CatalogueLine): ErpSku {
  return { sku, barcode, color, size, price_wholesale, price_retail, weight_g }
}

function toOpeningStock({
  warehouse_code,
  sku,
  quantity,
  price_wholesale,
  price_retail,
}: CatalogueLine): OpeningStock {
  return { warehouse_code, sku, quantity, price_wholesale, price_retail, incoming: [] }
}

function explainNoUsableLine(path: string, left_out: readonly LeftOut[]): string {
  const examples = left_out.slice(0, maxExamples).map(({ line, reason }) => `line ${line}: ${reason}`)
  const why = examples.length === 0 ? 'It has no line below the header.' : `${examples.join('; ')}.`
  return `${path} has no line that can be used. ${why}`
}
