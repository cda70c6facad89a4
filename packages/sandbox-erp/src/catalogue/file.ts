/**
 * A catalogue file is read line by line into styles; only at its end is it known in which currency each SKU can be
 * listed, and therefore what is sold.
 */
import type { ErpProduct, ErpSku } from '@trade-gateway/connector'
import type { Catalogue, LeftOut, OpeningStock } from './catalogue.ts'
import { type CsvRecord, columnName, readCsv, UnreadableFile } from './csv.ts'
import { daysAround } from './days.ts'
import { type Column, optionalColumns, type Row, requiredColumns, rowFrom, Unusable } from './row.ts'
import { quoted } from './text.ts'

/** The largest catalogue file. */
export const mostCatalogueLines = 1_000_000
export const mostCatalogueBytes = 64 * 1024 * 1024

/** As many SKUs as a product of the connector can have. */
const mostSkusPerProduct = 500

/** How many of the lines left out are named when nothing is left. */
const mostExamples = 3

/** A catalogue file that cannot be used. The message is a sentence for the operator. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError'
}

/** A style while the file is read: its first line gives its name and currency; rows by SKU. */
interface Style {
  readonly first: Row
  readonly skus: Map<string, Row[]>
}

interface Reading {
  readonly styles: Map<string, Style>
  readonly styleOfSku: Map<string, string>
  readonly left_out: LeftOut[]
}

/**
 * The catalogue of a CSV file with a header: `sku`, `name`, `price_wholesale` (decimal, major units), and if wanted
 * `product_code`, `price_retail`, `quantity`, `warehouse_code`, `barcode`, `color`, `size`, `weight_g`, `name_zh`,
 * `name_ko`, `category`, `brand`. A line is the stock of one SKU in one warehouse, in that warehouse's currency.
 * `today`, `YYYY-MM-DD`, becomes the day of the last change. Lines that cannot be used, and columns that are not
 * known, stand in `left_out`. Throws a CatalogueError when the file cannot be read or nothing of it can be used.
 */
export async function catalogueFromFile(path: string, { today }: { today: string }): Promise<Catalogue> {
  const updated_at = daysAround(today).instant(0)
  const reading: Reading = { styles: new Map(), styleOfSku: new Map(), left_out: [] }
  let header: Map<Column, number> | undefined
  let width = 0
  try {
    const limits = { most_bytes: mostCatalogueBytes, most_lines: mostCatalogueLines }
    for await (const record of readCsv(path, limits)) {
      if (header === undefined) {
        header = headerFrom(path, record, reading.left_out)
        width = record.fields.length
      } else {
        take(reading, record, header, width)
      }
    }
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CatalogueError(error.message, { cause: error })
    throw error
  }
  if (header === undefined) throw new CatalogueError(`${path} is empty.`)
  const catalogue = finished(reading, updated_at)
  if (catalogue.products.length === 0) throw new CatalogueError(nothingUsable(path, catalogue.left_out))
  return catalogue
}

function headerFrom(path: string, { line, fields }: CsvRecord, left_out: LeftOut[]): Map<Column, number> {
  const columns = new Map<Column, number>()
  for (const [index, field] of fields.entries()) {
    const name = columnName(field)
    const column = [...requiredColumns, ...optionalColumns].find((known) => known === name)
    if (column === undefined) {
      left_out.push({ line, sku: '', reason: `the column ${quoted(field)} is not known and not read` })
    } else if (columns.has(column)) {
      throw new CatalogueError(`${path} has the column ${column} twice.`)
    } else {
      columns.set(column, index)
    }
  }
  const missing = requiredColumns.filter((column) => !columns.has(column))
  if (missing.length > 0) {
    const found = fields.map(quoted).join(', ')
    throw new CatalogueError(`${path} lacks the columns ${missing.join(', ')}. It has: ${found}.`)
  }
  return columns
}

function take(
  reading: Reading,
  { line, fields }: CsvRecord,
  header: Map<Column, number>,
  width: number,
): void {
  const field = (column: Column) => fields[header.get(column) ?? -1] ?? ''
  try {
    if (fields.length !== width) {
      throw new Unusable(`the line has ${fields.length} fields where the header has ${width}`)
    }
    place(reading, rowFrom(line, field))
  } catch (error) {
    if (!(error instanceof Unusable)) throw error
    reading.left_out.push({ line, sku: field('sku').slice(0, 64), reason: error.message })
  }
}

/** Puts a row into its style. Throws an Unusable where an earlier line forbids it. */
function place({ styles, styleOfSku }: Reading, row: Row): void {
  const known = styleOfSku.get(row.sku)
  const product_code = row.product_code ?? known ?? row.sku
  if (known !== undefined && known !== product_code) {
    throw new Unusable(
      `the product_code ${quoted(product_code)} is another than ${quoted(known)} of an earlier line`,
    )
  }
  const style = styles.get(product_code) ?? { first: row, skus: new Map<string, Row[]>() }
  const rows = style.skus.get(row.sku) ?? []
  if (rows.length === 0 && style.skus.size >= mostSkusPerProduct) {
    throw new Unusable(`the product ${quoted(product_code)} already has ${mostSkusPerProduct} SKUs`)
  }
  const same = rows.find(({ warehouse_code }) => warehouse_code === row.warehouse_code)
  if (same !== undefined) {
    throw new Unusable(`the SKU already stands in line ${same.line} for the warehouse ${row.warehouse_code}`)
  }
  styles.set(product_code, style)
  rows.push(row)
  style.skus.set(row.sku, rows)
  styleOfSku.set(row.sku, product_code)
}

function finished({ styles, left_out }: Reading, updated_at: string): Catalogue {
  const products: ErpProduct[] = []
  const stock: OpeningStock[] = []
  for (const [product_code, style] of styles) {
    const skus: ErpSku[] = []
    for (const rows of style.skus.values()) {
      // A product is listed in one currency, and a price is never converted: there is no rate to do it with.
      const listed = rows.find(({ currency }) => currency === style.first.currency)
      if (listed === undefined) {
        left_out.push(...rows.map((row) => otherCurrency(product_code, style.first, row)))
      } else {
        skus.push(skuFrom(listed))
        stock.push(...rows.map(stockFrom))
      }
    }
    products.push(productFrom(product_code, style.first, skus, updated_at))
  }
  return { products, stock, left_out: left_out.sort((one, other) => one.line - other.line) }
}

function otherCurrency(product_code: string, first: Row, { line, sku, currency }: Row): LeftOut {
  const product = `the product ${quoted(product_code)} is listed in ${first.currency}`
  return { line, sku, reason: `${product}, and the SKU has a price in ${currency} only` }
}

function productFrom(product_code: string, first: Row, skus: ErpSku[], updated_at: string): ErpProduct {
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
    skus,
    updated_at,
  }
}

function skuFrom({ sku, barcode, color, size, price_wholesale, price_retail, weight_g }: Row): ErpSku {
  return { sku, barcode, color, size, price_wholesale, price_retail, weight_g }
}

function stockFrom({ warehouse_code, sku, quantity, price_wholesale, price_retail }: Row): OpeningStock {
  return { warehouse_code, sku, quantity, price_wholesale, price_retail, incoming: [] }
}

function nothingUsable(path: string, left_out: readonly LeftOut[]): string {
  const examples = left_out.slice(0, mostExamples).map(({ line, reason }) => `line ${line}: ${reason}`)
  const why = examples.length === 0 ? 'It has no line below the header.' : `${examples.join('; ')}.`
  return `${path} has no line that can be used. ${why}`
}
