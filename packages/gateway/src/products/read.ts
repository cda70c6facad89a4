import type { ErpProduct, Names } from '@trade-gateway/connector'
import type { Caller } from '../contract/call.ts'
import { GatewayError } from '../contract/errors.ts'
import { type Language, languages } from '../contract/language.ts'
import { type ListQuery, type ListWindow, parseWindow } from '../contract/lists.ts'
import { toNotFilledError } from '../contract/not-filled.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'
import { amountOf } from '../kernel/money.ts'
import { includesWords, splitWords } from '../kernel/words.ts'
import { catchUpWithPlace, readSortedPage } from '../lists/sorted.ts'
import { catchUp } from '../snapshot/catch-up.ts'
import type { SearchableProduct } from '../snapshot/reference-mirror.ts'

/** The caller and the language in which product names are returned. */
interface Reader {
  readonly gateway: Gateway
  readonly caller: Caller
  readonly language: Language
}

/** The query of a product list. Products are read from memory, sorted by code, with names in the caller's language. */
interface ProductQuery extends ListQuery {
  readonly product_code?: string | undefined
  readonly sku?: string | undefined
  readonly q?: string | undefined
  readonly updated_since?: string | undefined
}

/**
 * Lists one page of styles. Throws `NOT_FOUND` for an unknown SKU or style, and `UPSTREAM_ERROR` until the products
 * and the customer's catalogue have been read. A later page, and a list of what changed since a time, are never older
 * than what another process has sent before.
 */
export async function listProducts(reader: Reader, query: ProductQuery) {
  const { gateway } = reader
  const { reference } = gateway.mirror
  const isFirst = query.cursor === undefined && query.page === 1
  if (isFirst && query.updated_since !== undefined && gateway.store.isShared) await catchUp(reference)
  else await catchUpWithPlace(gateway, reference, query)
  requireKnownCustomer(reader)
  const window = parseWindow(query, gateway.clock.now(), true)
  return readSortedPage(window, findMatches(gateway, query, window), {
    keyOf: ({ product }) => product.product_code,
    toJson: ({ product }) => toProductJson(reader, product),
    version: reference.version,
  })
}

function* findMatches(
  gateway: Gateway,
  query: ProductQuery,
  window: ListWindow,
): Generator<SearchableProduct> {
  const words = splitWords(query.q ?? '')
  const since = query.updated_since === undefined ? 0 : Date.parse(query.updated_since)
  for (const each of findCandidates(gateway, query)) {
    const updated = Date.parse(each.product.updated_at)
    if (!window.includesTime(updated) || updated < since) continue
    if (includesWords(each.haystack, words)) yield each
  }
}

/** Reads one style. Throws `NOT_FOUND`, and `UPSTREAM_ERROR` as `listProducts` does. */
export function readProduct(reader: Reader, code: string) {
  requireKnownCustomer(reader)
  return toProductJson(reader, requireProduct(reader.gateway, code, 'product_code'))
}

function* findCandidates(gateway: Gateway, { product_code, sku }: ProductQuery) {
  const { reference } = gateway.mirror
  if (product_code === undefined && sku === undefined) {
    requireFilled(gateway)
    yield* reference.products()
    return
  }
  const product =
    product_code === undefined
      ? reference.findProductOfSku(sku ?? '')
      : requireProduct(gateway, product_code, 'product_code')
  if (!product) {
    requireFilled(gateway)
    throw new GatewayError('NOT_FOUND', {
      param: 'sku',
      reason: 'sku_unknown',
      say: ['sku_unknown', { sku: sku ?? '' }],
    })
  }
  if (sku !== undefined && !product.skus.some((each) => each.sku === sku)) return
  const listed = reference.findSearchable(product.product_code)
  if (listed) yield listed
}

function requireProduct(gateway: Gateway, code: string, param: string): ErpProduct {
  const product = gateway.mirror.reference.findProduct(code)
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
  throw toNotFilledError('products')
}

/** Until the customer's catalogue has been read, nobody knows which SKUs are `sellable`. */
function requireKnownCustomer({ gateway, caller: { customer_code: customer } }: Reader) {
  if (customer === null || gateway.mirror.reference.knowsCustomer(customer)) return
  throw toNotFilledError('customer')
}

function toProductJson({ gateway, caller, language }: Reader, product: ErpProduct) {
  const { names, price_wholesale, price_retail, skus, ...same } = product
  const { currency } = product
  const { customer_code: customer } = caller
  return {
    ...same,
    updated_at: formatInstant(Date.parse(product.updated_at)),
    name: chooseName(language, names),
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

function chooseName(language: Language, names: Names): string {
  return names[language] ?? languages.map((other) => names[other]).find((name) => name !== undefined) ?? ''
}
