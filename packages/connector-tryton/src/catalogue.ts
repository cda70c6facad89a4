/**
 * The SKUs that the connector serves, with the ids of Tryton. The codes are sorted here by their bytes: the database of
 * an operator may sort them by a language. A product that no order could name is left out, and logged once.
 */
import { z } from 'zod'
import type { Connector } from './connector.ts'
import type { Domain } from './rpc.ts'
import { compareBytes, decimal, id, ids, instant, isUsableCode, maxCodeCharacters } from './values.ts'

/** How long a list of all codes serves snapshots. A new product is hinted, and read without this list. */
const maxListAgeMs = 10_000
const maxProducts = 1_000_000

/**
 * What Tryton computes of a product, such as its unit and list price, costs most of a read. It is kept as long as neither
 * the product nor its style was written, and for this time at most: a unit or a price may change without them.
 */
export const maxKeptMs = 10 * 60_000
const maxKept = 200_000

const uom = z.object({ digits: z.int(), rounding: z.number() })
const productRow = z.object({
  id,
  code: z.string().nullish(),
  default_uom: id,
  'default_uom.': uom,
  sale_uom: id.nullish(),
  write_date: instant.nullish(),
  create_date: instant.nullish(),
  list_price: decimal.nullish(),
  'template.': z.object({
    id,
    code: z.string().nullish(),
    write_date: instant.nullish(),
    create_date: instant.nullish(),
    account_category: id.nullish(),
  }),
})
type ProductRow = z.output<typeof productRow>
const stampedRow = productRow.pick({ id: true, write_date: true, create_date: true, 'template.': true })
type StampedRow = z.output<typeof stampedRow>
const offeredRow = stampedRow.extend({ salable: z.boolean().nullish(), web_shops: ids })
const stampFields = ['write_date', 'create_date']
const stampedFields = [...stampFields, 'template.code', ...stampFields.map((field) => `template.${field}`)]
const productFields = [
  ...['code', 'default_uom', 'default_uom.digits', 'default_uom.rounding', 'sale_uom', 'list_price'],
  ...[...stampedFields, 'template.account_category'],
]
const tooLong = `its code has more than ${maxCodeCharacters} characters`
/** Goods that are counted. Services, such as freight, and assets have no stock. */
const goods: Domain = [
  ['type', '=', 'goods'],
  ['consumable', '=', false],
]

export interface Sku {
  readonly id: number
  readonly code: string
  readonly productCode: string
  readonly template: number
  readonly unit: number
  readonly listPrice: string
  /** Tryton's id of the accounting category, which decides about taxes. */
  readonly category: number | null
  /** Changes with every write of the product or its style. */
  readonly version: string
}

/** Finds the codes that more than one product has. */
type FindTwice = (rows: readonly ProductRow[]) => ReadonlySet<string> | Promise<ReadonlySet<string>>

interface CodeEntry {
  readonly id: number
  readonly code: string
}

export class Catalogue {
  readonly #connector: Connector
  readonly #told = new Set<string>()
  readonly #kept = new Map<number, { readonly at: number; readonly row: ProductRow }>()
  #list: { readonly at: number; readonly entries: readonly CodeEntry[] } | undefined

  constructor(connector: Connector) {
    this.#connector = connector
  }

  /** Reads the given SKUs, without those that cannot be served. */
  async readSkus(codes: readonly string[]): Promise<Sku[]> {
    // Whatever has one of the codes is among the rows, so that no second search is required.
    return this.#read([['code', 'in', codes]], findTwice)
  }

  /** Reads the given SKUs as `readSkus` does, and Tryton's ids of those that a web shop sells. */
  async readOffered(
    codes: readonly string[],
    shop: number,
  ): Promise<{ readonly skus: Sku[]; readonly sold: ReadonlySet<number> }> {
    const fields = [...stampedFields, 'salable', 'web_shops']
    const domain = [...goods, ['code', 'in', codes]]
    const rows = await this.#connector.rpc.searchRead('product.product', domain, offeredRow, { fields })
    const sold = rows.filter(({ salable, web_shops }) => salable && web_shops.includes(shop))
    return { skus: await this.#toSkus(rows, findTwice), sold: new Set(sold.map((row) => row.id)) }
  }

  /** Reads the SKUs of products by Tryton's ids. */
  async readByIds(ids: readonly number[]): Promise<Sku[]> {
    return this.#read([['id', 'in', ids]])
  }

  /** Reads the SKUs of styles by Tryton's ids of their templates. */
  async readByTemplates(templates: readonly number[]): Promise<Sku[]> {
    return this.#read([['template', 'in', templates]])
  }

  /** Returns the page of SKUs after a code, in the order of their bytes. */
  async readPage(
    after: string | null,
    limit: number,
  ): Promise<{ readonly skus: Sku[]; readonly next: string | null }> {
    const entries = await this.#readList(after === null)
    const from = after === null ? 0 : findFirstAfter(entries, after)
    const page = entries.slice(from, from + limit)
    const skus = page.length === 0 ? [] : await this.readByIds(page.map((entry) => entry.id))
    const hasMore = from + limit < entries.length
    return { skus, next: hasMore ? (page.at(-1)?.code ?? null) : null }
  }

  async #readList(isFirst: boolean): Promise<readonly CodeEntry[]> {
    const { rpc, environment } = this.#connector
    const now = environment.elapsed()
    const isFresh = this.#list && now - this.#list.at < maxListAgeMs
    if (this.#list && isFresh && !isFirst) return this.#list.entries
    const row = z.object({ id, code: z.string().nullish() })
    const rows = await rpc.searchRead('product.product', goods, row, { fields: ['code'], limit: maxProducts })
    for (const { code } of rows) if (code && !isUsableCode(code)) this.tell(`product ${code}`, tooLong)
    const entries = rows
      .flatMap(({ id: product, code }) => (isUsableCode(code) ? [{ id: product, code }] : []))
      .sort((one, other) => compareBytes(one.code, other.code))
      .filter((entry, index, all) => entry.code !== all[index - 1]?.code)
    this.#list = { at: now, entries }
    return entries
  }

  async #read(domain: Domain, findOwnTwice: FindTwice = (rows) => this.#searchTwice(rows)): Promise<Sku[]> {
    const settings = { fields: stampedFields }
    const { rpc } = this.#connector
    const stamped = await rpc.searchRead('product.product', [...goods, ...domain], stampedRow, settings)
    return this.#toSkus(stamped, findOwnTwice)
  }

  async #toSkus(stamped: readonly StampedRow[], findOwnTwice: FindTwice): Promise<Sku[]> {
    const rows = await this.#complete(stamped)
    const twice = await findOwnTwice(rows)
    const skus = rows.flatMap((row) => {
      const reason = twice.has(row.code ?? '') ? 'more than one product has this code' : explainLeftOut(row)
      if (reason === undefined) return [toSku(row)]
      this.tell(`product ${row.code ?? `with id ${row.id}`}`, reason)
      return []
    })
    return skus.sort((one, other) => compareBytes(one.code, other.code))
  }

  /** Returns the whole rows. Those that were not written since they were kept are not read. */
  async #complete(stamped: readonly StampedRow[]): Promise<ProductRow[]> {
    const { rpc, environment } = this.#connector
    const now = environment.elapsed()
    const findKept = (row: StampedRow) => {
      const kept = this.#kept.get(row.id)
      const isCurrent = kept && now - kept.at < maxKeptMs && toVersion(kept.row) === toVersion(row)
      return isCurrent ? kept.row : undefined
    }
    const missing = stamped.filter((row) => !findKept(row)).map((row) => row.id)
    const read = await this.#readWhole(rpc, missing)
    const rows = stamped.flatMap((row) => findKept(row) ?? read.get(row.id) ?? [])
    if (this.#kept.size + read.size > maxKept) this.#kept.clear()
    for (const [product, row] of read) this.#kept.set(product, { at: now, row })
    return rows
  }

  async #readWhole(rpc: Connector['rpc'], products: readonly number[]) {
    if (products.length === 0) return new Map<number, ProductRow>()
    const rows = await rpc.searchRead('product.product', [...goods, ['id', 'in', products]], productRow, {
      fields: productFields,
    })
    return new Map(rows.map((row) => [row.id, row]))
  }

  /** Two products with one code may be on both sides of what was read. */
  async #searchTwice(rows: readonly ProductRow[]): Promise<ReadonlySet<string>> {
    const { rpc } = this.#connector
    const codes = [...new Set(rows.flatMap(({ code }) => (code ? [code] : [])))]
    if (codes.length === 0) return new Set()
    const row = z.object({ id, code: z.string() })
    const all = await rpc.searchRead('product.product', [...goods, ['code', 'in', codes]], row, {
      fields: ['code'],
    })
    return findTwice(all)
  }

  /** Logs once that something is left out, and why. */
  tell(what: string, reason: string): void {
    const line = `left out: ${what}: ${reason}`
    if (this.#told.has(line)) return
    this.#told.add(line)
    this.#connector.log(line)
  }
}

function findTwice(rows: readonly { readonly code?: string | null | undefined }[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { code } of rows) if (code) (seen.has(code) ? twice : seen).add(code)
  return twice
}

/** Says why a product cannot be served; undefined if it can. */
export function explainLeftOut(row: Omit<ProductRow, 'id'>): string | undefined {
  const style = row['template.'].code
  if (!row.code) return 'it has no code'
  if (!style) return 'its style has no code'
  if (!isUsableCode(row.code) || !isUsableCode(style)) return tooLong
  if (row.list_price === undefined || row.list_price === null) return 'it has no list price'
  if (row['default_uom.'].digits !== 0 || row['default_uom.'].rounding !== 1)
    return 'its unit is not counted in whole pieces'
  if (row.sale_uom && row.sale_uom !== row.default_uom)
    return 'it is sold in another unit than it is counted in'
  return undefined
}

function toVersion({ write_date, create_date, 'template.': template }: StampedRow): string {
  return [write_date ?? create_date, template.write_date ?? template.create_date].join(' ')
}

function toSku(row: ProductRow): Sku {
  const template = row['template.']
  return {
    id: row.id,
    code: row.code ?? '',
    productCode: template.code ?? '',
    template: template.id,
    unit: row.default_uom,
    listPrice: row.list_price ?? '0',
    category: template.account_category ?? null,
    version: toVersion(row),
  }
}

/** Returns the index of the first entry whose code is greater, by halving. */
function findFirstAfter(entries: readonly CodeEntry[], after: string): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBytes(entries[middle]?.code ?? '', after) > 0) high = middle
    else low = middle + 1
  }
  return low
}
