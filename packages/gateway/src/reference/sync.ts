import {
  accepted,
  type ErpProduct,
  type Input,
  mostPerCall,
  type Output,
  within,
} from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import { liveIds, type RecordKind, writeRecords } from './records.ts'

/** Reference sync: products by hints or whole, the rest whole, each compared with what is stored. */
const callTimeoutMs = 30_000
const mostPages = 10_000
const mostHintPages = 50

/** One turn. One process at a time does it. */
export async function syncReference(gateway: Gateway): Promise<void> {
  await gateway.store.withLock('sync reference', 0, async () => {
    await syncProducts(gateway)
    await syncShippingMethods(gateway)
    for (const customer of await customersOfChannels(gateway)) await syncCustomer(gateway, customer)
    gateway.nudge('reference')
  })
}

async function syncProducts(gateway: Gateway): Promise<void> {
  const source = await gateway.store.db
    .selectFrom('reference_sources')
    .selectAll()
    .where('source', '=', 'products')
    .executeTakeFirst()
  const cursor = source?.cursor ?? null
  if (cursor !== null && (await followHints(gateway, cursor))) return
  await readAllProducts(gateway)
}

/** Reads again what the ERP says has changed; false where it asks for everything. */
async function followHints(gateway: Gateway, since: string): Promise<boolean> {
  let cursor = since
  for (let page = 0; page < mostHintPages; page++) {
    const hints = accepted(await gateway.erp['products.changed']({ cursor }, within(callTimeoutMs)))
    if (hints.everything) return false
    if (hints.product_codes.length > 0) {
      const { products } = accepted(
        await gateway.erp['products.read']({ product_codes: hints.product_codes }, within(callTimeoutMs)),
      )
      const bodies = bodiesOf(products)
      const gone = hints.product_codes.filter((code) => !bodies.has(code))
      await writeRecords(gateway, { kind: 'product', owner: '', bodies, gone })
    }
    if (hints.cursor !== cursor) await saveCursor(gateway, hints.cursor)
    cursor = hints.cursor
    if (!hints.more) break
  }
  return true
}

async function readAllProducts(gateway: Gateway): Promise<void> {
  const { cursor } = accepted(await gateway.erp['products.changed']({ cursor: null }, within(callTimeoutMs)))
  const seen = new Set<string>()
  let after: string | null = null
  for (let page = 0; page < mostPages; page++) {
    const input: Input<'products.snapshot'> = { after, limit: mostPerCall }
    const answer: Output<'products.snapshot'> = accepted(
      await gateway.erp['products.snapshot'](input, within(callTimeoutMs)),
    )
    for (const { product_code } of answer.products) seen.add(product_code)
    await writeRecords(gateway, { kind: 'product', owner: '', bodies: bodiesOf(answer.products), gone: [] })
    if (answer.next === null || answer.next === after) break
    after = answer.next
  }
  const gone = (await liveIds(gateway, 'product', '')).filter((code) => !seen.has(code))
  await writeRecords(gateway, { kind: 'product', owner: '', bodies: new Map(), gone })
  await saveCursor(gateway, cursor)
}

function bodiesOf(products: readonly ErpProduct[]): Map<string, string> {
  return new Map(products.map((product) => [product.product_code, JSON.stringify(product)]))
}

async function syncShippingMethods(gateway: Gateway): Promise<void> {
  const { shipping_methods } = accepted(await gateway.erp.shipping_methods({}, within(callTimeoutMs)))
  await replaceAll(
    gateway,
    'shipping_method',
    '',
    shipping_methods.map((method) => [method.shipping_method_id, method]),
  )
}

/** A customer that the ERP does not know has no addresses and may order nothing. */
async function syncCustomer(gateway: Gateway, customer_code: string): Promise<void> {
  const addresses = await gateway.erp.addresses({ customer_code }, within(callTimeoutMs))
  const listed = 'ok' in addresses ? addresses.ok.addresses : []
  await replaceAll(
    gateway,
    'address',
    customer_code,
    listed.map((address) => [address.address_id, address]),
  )
  const sellable = await gateway.erp.sellable({ customer_code }, within(callTimeoutMs))
  const rule = 'ok' in sellable ? sellable.ok : { rule: 'only', skus: [] }
  await replaceAll(gateway, 'sellable', customer_code, [['rule', rule]])
}

async function replaceAll(
  gateway: Gateway,
  kind: RecordKind,
  owner: string,
  entries: readonly (readonly [string, unknown])[],
): Promise<void> {
  const bodies = new Map(entries.map(([id, body]) => [id, JSON.stringify(body)]))
  const gone = (await liveIds(gateway, kind, owner)).filter((id) => !bodies.has(id))
  await writeRecords(gateway, { kind, owner, bodies, gone })
}

async function customersOfChannels(gateway: Gateway): Promise<string[]> {
  const rows = await gateway.store.db
    .selectFrom('channels')
    .select('customer_code')
    .where('deleted_at', 'is', null)
    .execute()
  return rows.flatMap(({ customer_code }) => (customer_code === null ? [] : [customer_code]))
}

async function saveCursor(gateway: Gateway, cursor: string): Promise<void> {
  await gateway.store.db
    .insertInto('reference_sources')
    .values({ source: 'products', cursor, filled_at: gateway.clock.now() })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ cursor }))
    .execute()
}
