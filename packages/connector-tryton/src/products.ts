/** Styles with their SKUs. */
import { cutText, type ErpProduct, type Output } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Sku } from './catalogue.ts'
import type { Connector } from './connector.ts'
import type { Domain } from './rpc.ts'
import type { Stock } from './stock.ts'
import { compareBytes, decimal, formatInstant, id, instant, isUsableCode, toMinor } from './values.ts'

const maxSkusPerStyle = 500
const maxStyles = 200_000
/** 2,000 styles with their SKUs take 3 s of an idle Tryton. Pages and calls are shorter, so that none takes long. */
const stylesPerCall = 500
const maxNameCharacters = 200
const maxListAgeMs = 10_000

const templateRow = z.object({
  id,
  code: z.string().nullish(),
  name: z.string().nullish(),
  salable: z.boolean().nullish(),
  list_price: decimal.nullish(),
  write_date: instant.nullish(),
  create_date: instant.nullish(),
})
const templateFields = ['code', 'name', 'salable', 'list_price', 'write_date', 'create_date']
const goods: Domain = [
  ['type', '=', 'goods'],
  ['consumable', '=', false],
]
const barcodeRow = z.object({ product: id, code: z.string() })

export class Products {
  readonly #stock: Stock
  #list: { readonly at: number; readonly codes: readonly string[] } | undefined

  constructor(stock: Stock) {
    this.#stock = stock
  }

  get #connector(): Connector {
    return this.#stock.connector
  }

  async readPage(after: string | null, limit: number): Promise<Output<'products.snapshot'>> {
    const codes = await this.#listCodes(after === null)
    const following = after === null ? codes : codes.filter((code) => compareBytes(code, after) > 0)
    const page = following.slice(0, Math.min(limit, stylesPerCall))
    const products = await this.read(page)
    return { products, next: following.length > page.length ? (page.at(-1) ?? null) : null }
  }

  async read(codes: readonly string[]): Promise<ErpProduct[]> {
    const products: ErpProduct[] = []
    for (let from = 0; from < codes.length; from += stylesPerCall)
      products.push(...(await this.#readSome(codes.slice(from, from + stylesPerCall))))
    return products.sort((one, other) => compareBytes(one.product_code, other.product_code))
  }

  async #listCodes(isFirst: boolean): Promise<readonly string[]> {
    const now = this.#connector.environment.elapsed()
    if (this.#list && !isFirst && now - this.#list.at < maxListAgeMs) return this.#list.codes
    const row = z.object({ code: z.string().nullish() })
    const settings = { fields: ['code'], limit: maxStyles }
    const rows = await this.#connector.rpc.searchRead('product.template', goods, row, settings)
    const codes = [...new Set(rows.map(({ code }) => code).filter(isUsableCode))].sort(compareBytes)
    this.#list = { at: now, codes }
    return codes
  }

  async #readSome(codes: readonly string[]): Promise<ErpProduct[]> {
    const { rpc } = this.#connector
    const domain = [...goods, ['code', 'in', codes]]
    const templates = await rpc.searchRead('product.template', domain, templateRow, {
      fields: templateFields,
    })
    const skus = await this.#stock.catalogue.readByTemplates(templates.map((row) => row.id))
    const prices = await this.#stock.prices.read(skus)
    const barcodes = await this.#readBarcodes(skus)
    const isAlone = (code: string | null | undefined) =>
      templates.filter((other) => other.code === code).length === 1
    return templates.flatMap((template) => {
      const own = skus.filter((sku) => sku.template === template.id)
      if (!template.code || own.length === 0) return []
      if (!isAlone(template.code)) {
        this.#stock.catalogue.tell(`style ${template.code}`, 'more than one style has this code')
        return []
      }
      for (const { code } of own.slice(maxSkusPerStyle))
        this.#stock.catalogue.tell(`product ${code}`, `its style has more than ${maxSkusPerStyle} products`)
      return [this.#toProduct(template, own, { prices, barcodes })]
    })
  }

  async #readBarcodes(skus: readonly Sku[]): Promise<ReadonlyMap<number, string>> {
    const domain = [
      ['product', 'in', skus.map((sku) => sku.id)],
      ['type', '=', 'ean'],
    ]
    const fields = ['product', 'code']
    const rows = await this.#connector.rpc.searchRead('product.identifier', domain, barcodeRow, { fields })
    return new Map(rows.map(({ product, code }) => [product, code]))
  }

  #toProduct(
    template: z.output<typeof templateRow>,
    skus: readonly Sku[],
    { prices, barcodes }: { prices: ReadonlyMap<number, number>; barcodes: ReadonlyMap<number, string> },
  ): ErpProduct {
    const { currency, minorUnits } = this.#connector.places
    const retail = (price: string | null | undefined) => Math.max(0, toMinor(price ?? '0', minorUnits))
    const code = template.code ?? ''
    return {
      product_code: code,
      names: { en: cutText(template.name || code, maxNameCharacters) },
      ...{ brand: null, category: null, season: null, images: [], currency },
      status: template.salable === false ? 'discontinued' : 'active',
      price_wholesale: Math.min(...skus.map((sku) => prices.get(sku.id) ?? 0)),
      price_retail: retail(template.list_price),
      skus: skus.slice(0, maxSkusPerStyle).map((sku) => ({
        sku: sku.code,
        barcode: barcodes.get(sku.id) ?? null,
        ...{ color: null, size: null, weight_g: null },
        price_wholesale: prices.get(sku.id) ?? 0,
        price_retail: retail(sku.listPrice),
      })),
      updated_at: formatInstant(Math.floor(template.write_date ?? template.create_date ?? 0)),
    }
  }
}
