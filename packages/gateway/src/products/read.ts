import type { ErpProduct, Names } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { notFilled } from '../contract/filling.ts'
import { type Language, languages } from '../contract/language.ts'
import { pageOf, windowOf } from '../contract/lists.ts'
import type { Gateway } from '../gateway.ts'
import { instant } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'

/** Products from memory: styles in the order of their codes, names in the reader's language. */
interface ProductQuery {
  readonly product_code?: string | undefined
  readonly sku?: string | undefined
  readonly q?: string | undefined
  readonly updated_since?: string | undefined
  readonly start_date?: string | undefined
  readonly end_date?: string | undefined
  readonly as_of?: string | undefined
  readonly page: number
  readonly page_size: number
}

/** One page. Throws `NOT_FOUND` for a SKU or style that does not exist, `UPSTREAM_ERROR` until products were read once. */
export function listProducts(gateway: Gateway, caller: Caller, language: Language, query: ProductQuery) {
  const window = windowOf(query, gateway.clock.now(), true)
  const wanted = query.q?.toLowerCase()
  const since = query.updated_since === undefined ? 0 : Date.parse(query.updated_since)
  const page: ErpProduct[] = []
  let passed = 0
  for (const { product, haystack } of candidates(gateway, query)) {
    const updated = Date.parse(product.updated_at)
    if (!window.holds(updated) || updated < since) continue
    if (wanted !== undefined && !haystack.includes(wanted)) continue
    if (passed++ < window.offset) continue
    if (page.push(product) > window.pageSize) break
  }
  return pageOf(
    window,
    page.map((product) => shown(gateway, caller, language, product)),
  )
}

/** One style. Throws `NOT_FOUND`. */
export function readProduct(gateway: Gateway, caller: Caller, language: Language, code: string) {
  return shown(gateway, caller, language, known(gateway, code, 'product_code'))
}

function* candidates(gateway: Gateway, { product_code, sku }: ProductQuery) {
  const { reference } = gateway.mirror
  if (product_code === undefined && sku === undefined) {
    requireFilled(gateway)
    yield* reference.products()
    return
  }
  const product =
    product_code === undefined
      ? reference.productOfSku(sku ?? '')
      : known(gateway, product_code, 'product_code')
  if (!product) {
    requireFilled(gateway)
    throw new GatewayError('NOT_FOUND', {
      param: 'sku',
      reason: 'sku_unknown',
      say: ['sku_unknown', { sku: sku ?? '' }],
    })
  }
  if (sku !== undefined && !product.skus.some((each) => each.sku === sku)) return
  const listed = reference.listed(product.product_code)
  if (listed) yield listed
}

function known(gateway: Gateway, code: string, param: string): ErpProduct {
  const product = gateway.mirror.reference.product(code)
  if (product) return product
  requireFilled(gateway)
  throw new GatewayError('NOT_FOUND', {
    param,
    reason: 'sku_unknown',
    say: ['style_unknown', { style: code }],
  })
}

function requireFilled(gateway: Gateway) {
  if (gateway.mirror.reference.isFilled) return
  throw notFilled('products')
}

function shown(gateway: Gateway, caller: Caller, language: Language, product: ErpProduct) {
  const { names, price_wholesale, price_retail, skus, ...same } = product
  const { currency } = product
  const { customer_code: customer } = caller
  return {
    ...same,
    updated_at: instant(Date.parse(product.updated_at)),
    name: nameIn(language, names),
    price_wholesale: amountOf(price_wholesale, currency),
    price_retail: amountOf(price_retail, currency),
    skus: skus.map((each) => ({
      ...each,
      price_wholesale: amountOf(each.price_wholesale, currency),
      price_retail: amountOf(each.price_retail, currency),
      sellable: customer === null || gateway.mirror.reference.maySell(customer, each.sku),
    })),
  }
}

function nameIn(language: Language, names: Names): string {
  return names[language] ?? languages.map((other) => names[other]).find((name) => name !== undefined) ?? ''
}
