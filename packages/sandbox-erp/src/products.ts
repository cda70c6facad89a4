import {
  type ErpProduct,
  type ErpResult,
  type Input,
  maxPerCall,
  type Output,
  ok,
} from '@trade-gateway/connector'
import { parseCursor } from './stock.ts'
import type { Row, Store } from './store.ts'

export function readProductPage(
  store: Store,
  input: Input<'products.snapshot'>,
): ErpResult<Output<'products.snapshot'>> {
  const products = store
    .all(
      'select body from products where product_code > ? order by product_code limit ?',
      input.after ?? '',
      input.limit,
    )
    .map(toProduct)
  const next = products.length < input.limit ? null : (products.at(-1)?.product_code ?? null)
  return ok({ products, next })
}

export function readProducts(
  store: Store,
  input: Input<'products.read'>,
): ErpResult<Output<'products.read'>> {
  const products = store
    .all(
      'select body from products where product_code in (select value from json_each(?)) order by product_code',
      JSON.stringify(input.product_codes),
    )
    .map(toProduct)
  return ok({ products })
}

/** Returns the codes of the styles that have changed since the cursor. */
export function readChangedProductCodes(
  store: Store,
  epoch: string,
  input: Input<'products.changed'>,
): ErpResult<Output<'products.changed'>> {
  const latest = Number(store.one('select coalesce(max(seq), 0) as seq from products')?.seq)
  const answer = { cursor: `${epoch}.${latest}`, everything: false, product_codes: [], more: false }
  if (input.cursor === null) return ok(answer)
  const since = parseCursor(input.cursor, epoch, latest)
  if (since === undefined) return ok({ ...answer, everything: true })
  const rows = store.all(
    'select product_code, seq from products where seq > ? order by seq limit ?',
    since,
    maxPerCall,
  )
  const more = rows.length === maxPerCall
  const reached = more ? rows.at(-1)?.seq : latest
  const codes = rows.map((row) => String(row.product_code))
  return ok({ cursor: `${epoch}.${reached}`, everything: false, product_codes: codes, more })
}

function toProduct(row: Row): ErpProduct {
  return JSON.parse(String(row.body))
}
