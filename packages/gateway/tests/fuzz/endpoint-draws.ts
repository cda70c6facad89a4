/**
 * Draws paths, queries and bodies of endpoints from their own declarations, with words that exist in a gateway under
 * test. A place in braces stands for an id that is known only when the request is sent (`known.ts`).
 */
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import fc from 'fast-check'
import { z } from 'zod'
import type { Endpoint } from '../../src/endpoint.ts'
import { buyers } from '../harness.ts'
import { alex, harbourShipping } from '../trade.ts'
import { idNames, ownChannel, toPlace, totalPlace } from './known.ts'
import { drawValues, type KnownWords, mutateOnce } from './schema-values.ts'

const { products, stock } = createBuiltInCatalogue({ seed: 1, styles: 30, today: '2026-11-21' })
const maxSkus = 8
const plentiful = 100

/** SKUs of which every gateway under test has plenty. Those that begin with `SBX` make the built-in ERP fail. */
export const skus: readonly string[] = stock
  .filter(({ warehouse_code, quantity }) => warehouse_code === 'AUSYD1' && quantity >= plentiful)
  .map(({ sku }) => sku)
  .filter((sku) => !sku.startsWith('SBX-'))
  .slice(0, maxSkus)

/** Most draws name what exists: the rest of a schema is reached only through it. */
const toIdWords = (name: Parameters<typeof toPlace>[0], unknown: string) => [
  ...[toPlace(name), toPlace(name), toPlace(name)],
  unknown,
]

/** Values of fields and parameters, most of which exist, by their name. */
export const words: KnownWords = {
  ...Object.fromEntries(idNames.map((name) => [name, toIdWords(name, `unknown-${name}`)])),
  order_id: toIdWords('order_id', 'ord_00000000000000000000000000'),
  dropship_order_id: toIdWords('dropship_order_id', 'dso_00000000000000000000000000'),
  channel_code: toIdWords('channel_code', ownChannel),
  cursor: toIdWords('cursor', 'forged'),
  client_id: toIdWords('client_id', 'unknown'),
  client_secret: toIdWords('client_secret', 'wrong'),
  quote_id: [toPlace('order_quote'), toPlace('dropship_quote'), 'qto-forged'],
  confirm_total: [totalPlace],
  // Of any amounts, nearly all would be less than the total, or have too many decimals.
  max_total: [100_000, 1_000_000.55, 10],
  sku: [...skus, 'SBX-OOS', 'NO-SUCH-SKU'],
  product_code: [...products.slice(0, 3).map(({ product_code }) => product_code), 'NO-SUCH-STYLE'],
  warehouse_code: [...['AUSYD1', 'AUSYD1', 'AUSYD1', 'AU'], ...['AUSYD2', 'CHNZJ1', 'CN', 'nowhere']],
  warehouse_allowlist: ['AUSYD1', 'AUSYD2', 'CHNZJ1'],
  // A recipient is right only as a whole: some countries require a state, and some a postal code.
  recipient: [alex],
  shipping_method_id: [harbourShipping.shipping_method_id, 'no-such-method'],
  shipping_method: ['normal', 'express'],
  address_id: [harbourShipping.address_id, 'ADDR-LANTERN'],
  country_code: ['AU', 'CN', 'XX'],
  ...{ name: [alex.name], phone: [alex.phone], address: [alex.address], city: [alex.city] },
  ...{ state: [alex.state], postal_code: [alex.postal_code], since: ['0'], currency: ['AUD', 'CNY'] },
  ...{ start_date: ['2026-11-01', '2026-11-21'], end_date: ['2026-11-21'] },
  ...{ page: ['1', '2'], page_size: ['1', '50', '200'], hours: ['1', '24'], days: ['7'], q: ['shirt', 'a'] },
  code: ['NOT_FOUND', 'RATE_LIMITED', 'NO_SUCH_CODE'],
  url: ['https://hooks.example.com/trade', 'https://hooks.example.com:8443/?a=b', 'http://127.0.0.1/'],
  username: [...buyers.map(({ username }) => username), 'nobody@test.example'],
  password: [...buyers.map(({ password }) => password), 'wrong'],
  customer_code: [...buyers.map(({ customer_code }) => customer_code), 'NO-SUCH-CUSTOMER'],
}

/** Recipients are drawn only where they belong: a path or a channel's name goes to logs, which may have none of them. */
function findWords({ access, id, body }: Endpoint): KnownWords {
  const isPersonal = id === 'admin.recipients.erase' || (body !== undefined && 'recipient' in body.shape)
  return {
    ...words,
    ...(isPersonal ? {} : { name: ['corner-shop'] }),
    // A channel that exists cannot be created.
    ...(id === 'admin.channels.create' ? { channel_code: [] } : {}),
    // An operator's list begins at a time, and not at a number.
    ...(access === 'admin' ? { since: [] } : {}),
  }
}

/** Fills the parameters of an endpoint's path with words, most of which exist. */
export function drawPath(endpoint: Endpoint): fc.Arbitrary<string> {
  const { path } = endpoint
  const known = findWords(endpoint)
  const strange = fc.constantFrom('x', '..', '%2e', 'me', 'é', '')
  const values = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) =>
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...(known[name] ?? ['x'])).map(String) },
      { weight: 1, arbitrary: strange },
    ),
  )
  return fc.tuple(...values).map((chosen) => {
    const inOrder = chosen.values()
    return path.replaceAll(/\{\w+\}/g, () => inOrder.next().value ?? '')
  })
}

/** Parameters exclude each other, such as a page and a cursor, so a query with all of them is never valid. */
const maxParameters = 2

/** Draws a query as text, with its question mark: no parameter, a few, or one that is wrong. */
export function drawSearch(endpoint: Endpoint): fc.Arbitrary<string> {
  const { query } = endpoint
  const names = Object.keys(query)
  if (names.length === 0) return fc.constant('')
  const required = names.filter((name) => !z.safeParse(query[name] ?? z.any(), undefined).success)
  const few = fc
    .tuple(
      drawValues(z.object(query), findWords(endpoint)),
      fc.subarray(names, { maxLength: Math.min(maxParameters, names.length) }),
    )
    .map(([values, chosen]) =>
      Object.fromEntries(
        Object.entries(Object(values)).filter(([name]) => chosen.includes(name) || required.includes(name)),
      ),
    )
  return mutateOnce(few).map(toSearch)
}

function toSearch(values: unknown): string {
  const texts = Object.entries(Object(values)).map(([name, value]) => [name, toText(value)] as const)
  // Unlike its encoded form, a place is found again.
  const search = new URLSearchParams(Object.fromEntries(texts)).toString().replaceAll(/%7B(\w+)%7D/g, '{$1}')
  return search === '' ? '' : `?${search}`
}

const toText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

export const jsonType = 'application/json'
const formType = 'application/x-www-form-urlencoded'

/** The content of a request: its media type, and its bytes as characters of Latin-1. */
export interface Content {
  readonly type: string
  readonly body: string
}

const noContent: Content = { type: '', body: '' }

/** Draws the body that an endpoint declares, valid or wrong in one place. */
export function drawContent(endpoint: Endpoint): fc.Arbitrary<Content> {
  const { body, bodyKind, optionalBody } = endpoint
  if (!body) return fc.constant(noContent)
  const values = mutateOnce(drawValues(body, findWords(endpoint)))
  const json = values.map((value) => ({ type: jsonType, body: toBytes(JSON.stringify(value)) }))
  const form = values.map((value) => ({ type: formType, body: toSearch(value).slice(1) }))
  return fc.oneof(
    { weight: 8, arbitrary: json },
    ...(bodyKind === 'oauth' ? [{ weight: 8, arbitrary: form }] : []),
    ...(optionalBody ? [{ weight: 4, arbitrary: fc.constant(noContent) }] : []),
  )
}

const toBytes = (text: string) => Buffer.from(text).toString('latin1')
