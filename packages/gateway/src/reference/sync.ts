/**
 * Syncs reference data. The ERP reports which products have changed, and the gateway reads only those; it reads the
 * other kinds completely. It writes only the records that differ from the stored ones.
 */

import { type ErpProduct, type Output, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'
import type { Lease } from '../store/store.ts'
import type { ReferenceSource } from '../store/tables.ts'
import { unhintedIntervalMs } from '../upstream/description.ts'
import { readDeadlineMs } from '../upstream/guarded.ts'
import { readInParts, readPages } from '../upstream/unreadable.ts'
import { type RecordKind, readLiveIds, writeRecords } from './records.ts'

/** The time between two turns of the worker. */
export const referenceIntervalMs = 15_000
const maxPages = 10_000
const maxHintPages = 50

interface Turn {
  readonly gateway: Gateway
  readonly lease: Lease
}

interface LastTurn {
  readonly at: number
  readonly customers: string
}

/** When the worker of a gateway last had a turn, by the monotonic clock, and for which customers. */
const lastTurns = new WeakMap<Gateway['memory'], LastTurn>()

/**
 * One turn of the worker. A change of permissions wakes it, because a channel may have a customer whose data is not known
 * yet. Most of these changes are others, such as a session that ended: they cost the ERP nothing.
 */
export async function syncReferenceWhenDue(gateway: Gateway): Promise<void> {
  const { memory, clock } = gateway
  const customers = JSON.stringify((await listCustomersOfChannels(gateway)).toSorted())
  const at = clock.monotonic()
  const last = lastTurns.get(memory)
  if (last?.customers === customers && at - last.at < referenceIntervalMs) return
  lastTurns.set(memory, { at, customers })
  await syncReference(gateway)
}

/** Syncs all reference data, in the process that has the lease. */
export async function syncReference(gateway: Gateway): Promise<void> {
  await gateway.store.withLease('sync reference', async (lease) => {
    const turn = { gateway, lease }
    const failures: unknown[] = []
    // A record that the ERP cannot report must not stop the sync of the others.
    const attempt = (step: Promise<void>) => step.catch((error: unknown) => void failures.push(error))
    await attempt(syncProducts(turn))
    await attempt(syncShippingMethods(turn))
    for (const customer of await listCustomersOfChannels(gateway)) await attempt(syncCustomer(turn, customer))
    gateway.nudge('reference')
    if (failures.length > 0) throw failures[0]
  })
}

async function syncProducts(turn: Turn): Promise<void> {
  const source = await turn.gateway.store.db
    .selectFrom('reference_sources')
    .selectAll()
    .where('source', '=', 'products')
    .executeTakeFirst()
  const cursor = source?.cursor ?? null
  if (cursor !== null && (await areProductsRecent(turn.gateway))) return
  if (cursor !== null && (await readChangedProducts(turn, cursor))) return
  await readAllProducts(turn)
}

/** When all products were last requested, by the monotonic clock of each gateway. */
const allReadAt = new WeakMap<Gateway['memory'], number>()

/** Whether an ERP that gives no hints was asked for all products a short time ago. */
async function areProductsRecent({ upstream, memory, clock }: Gateway): Promise<boolean> {
  const { changes } = await upstream.capabilities()
  const at = allReadAt.get(memory)
  return changes === 'none' && at !== undefined && clock.monotonic() - at < unhintedIntervalMs
}

/**
 * Reads the products that the ERP reports as changed. Returns false if the ERP demands a full read. A product that the
 * ERP cannot report does not stop the others. The cursor stays before it, so that its hint comes again.
 */
async function readChangedProducts(turn: Turn, since: string): Promise<boolean> {
  const { gateway } = turn
  let cursor = since
  let isWhole = true
  for (let page = 0; page < maxHintPages; page++) {
    const hints = unwrap(await gateway.erp['products.changed']({ cursor }, withTimeout(readDeadlineMs)))
    if (hints.everything) return false
    isWhole = (await readProducts(turn, hints.product_codes)) && isWhole
    if (isWhole && hints.cursor !== cursor) await saveCursor(gateway, hints.cursor)
    cursor = hints.cursor
    if (!hints.more) break
  }
  return true
}

/** When a product that the ERP could not report is read again. */
const unreadableProductMs = 10 * 60_000
/** When the products that the ERP could not report are read again, by the monotonic clock of each gateway. */
const putOff = new WeakMap<Gateway['memory'], Map<string, number>>()

/**
 * Reads products, without those whose time to be read again has not come. Returns whether all were read. Throws at the
 * second product that the ERP cannot report: many calls that fail would open the circuit to it, for orders too.
 */
async function readProducts({ gateway, lease }: Turn, hinted: readonly string[]): Promise<boolean> {
  const { clock, memory, log, erp } = gateway
  const waiting = putOff.get(memory) ?? new Map<string, number>()
  putOff.set(memory, waiting)
  for (const [code, due] of waiting) if (due <= clock.monotonic()) waiting.delete(code)
  const codes = hinted.filter((code) => !waiting.has(code))
  let unread = 0
  const parts = readInParts(codes, {
    read: async (product_codes) =>
      unwrap(await erp['products.read']({ product_codes }, withTimeout(readDeadlineMs))),
    putOff: async (subject, error) => {
      log.warn({ error, subject }, 'the ERP could not report a product; it is read again in ten minutes')
      waiting.set(subject, clock.monotonic() + unreadableProductMs)
      unread += 1
      if (unread > 1) throw error
    },
  })
  for await (const { codes: read, response } of parts) {
    const bodies = serializeProducts(response.products)
    const gone = read.filter((code) => !bodies.has(code))
    await writeRecords(gateway, { kind: 'product', owner: '', bodies, gone, lease })
  }
  return unread === 0 && codes.length === hinted.length
}

/**
 * Reads all products and withdraws those that the ERP no longer has. If these are more than half, a fault in the ERP is
 * more likely: they are withdrawn only if a second read has the same products.
 */
async function readAllProducts({ gateway, lease }: Turn): Promise<void> {
  allReadAt.set(gateway.memory, gateway.clock.monotonic())
  const { cursor } = unwrap(
    await gateway.erp['products.changed']({ cursor: null }, withTimeout(readDeadlineMs)),
  )
  const seen = new Set<string>()
  for await (const { products } of readProductPages(gateway)) {
    for (const { product_code } of products) seen.add(product_code)
    const bodies = serializeProducts(products)
    await writeRecords(gateway, { kind: 'product', owner: '', bodies, gone: [], lease })
  }
  const live = await readLiveIds(gateway, 'product', '')
  const gone = live.filter((code) => !seen.has(code))
  if (gone.length * 2 > live.length && !(await isReadAgain(gateway, seen))) {
    gateway.log.warn(
      { rows: gone.length },
      'more than half of the products are missing, and a second read differs',
    )
    return
  }
  await writeRecords(gateway, { kind: 'product', owner: '', bodies: new Map(), gone, lease })
  await saveCursor(gateway, cursor)
}

/** Whether a second read of all products has the same ones. */
async function isReadAgain(gateway: Gateway, seen: ReadonlySet<string>): Promise<boolean> {
  const again = new Set<string>()
  for await (const { products } of readProductPages(gateway))
    for (const { product_code } of products) again.add(product_code)
  return again.size === seen.size && [...again].every((code) => seen.has(code))
}

function readProductPages(gateway: Gateway): AsyncGenerator<Output<'products.snapshot'>, void> {
  return readPages({
    read: async (after, limit) =>
      unwrap(await gateway.erp['products.snapshot']({ after, limit }, withTimeout(readDeadlineMs))),
    maxPages,
    list: 'list of products',
    nameRow: (after) => (after === null ? 'first product' : `product after ${after}`),
  })
}

function serializeProducts(products: readonly ErpProduct[]): Map<string, string> {
  return new Map(products.map((product) => [product.product_code, JSON.stringify(product)]))
}

async function syncShippingMethods(turn: Turn): Promise<void> {
  const { shipping_methods } = unwrap(
    await turn.gateway.erp.shipping_methods({}, withTimeout(readDeadlineMs)),
  )
  await replaceRecords(
    turn,
    { kind: 'shipping_method', owner: '' },
    shipping_methods.map((method) => [method.shipping_method_id, method]),
  )
  if (turn.gateway.mirror.reference.knowsShippingMethods) return
  await markFilled(turn.gateway, { source: 'shipping_methods', cursor: null })
}

/** Syncs a customer's data. A customer that the ERP does not know has no addresses and may order nothing. */
async function syncCustomer(turn: Turn, customer_code: string): Promise<void> {
  const addresses = await turn.gateway.erp.addresses({ customer_code }, withTimeout(readDeadlineMs))
  const known = 'ok' in addresses ? addresses.ok.addresses : []
  await replaceRecords(
    turn,
    { kind: 'address', owner: customer_code },
    known.map((address) => [address.address_id, address]),
  )
  const sellable = await turn.gateway.erp.sellable({ customer_code }, withTimeout(readDeadlineMs))
  const rule = 'ok' in sellable ? sellable.ok : { rule: 'only', skus: [] }
  await replaceRecords(turn, { kind: 'sellable', owner: customer_code }, [['rule', rule]])
}

async function replaceRecords(
  { gateway, lease }: Turn,
  { kind, owner }: { readonly kind: RecordKind; readonly owner: string },
  entries: readonly (readonly [string, unknown])[],
): Promise<void> {
  const bodies = new Map(entries.map(([id, body]) => [id, JSON.stringify(body)]))
  const gone = (await readLiveIds(gateway, kind, owner)).filter((id) => !bodies.has(id))
  await writeRecords(gateway, { kind, owner, bodies, gone, lease })
}

/** Lists the customers whose addresses and catalogue are read. */
export async function listCustomersOfChannels(gateway: Gateway): Promise<string[]> {
  const rows = await gateway.store.db
    .selectFrom('channels')
    .select('customer_code')
    .where('deleted_at', 'is', null)
    .execute()
  return rows.flatMap(({ customer_code }) => (customer_code === null ? [] : [customer_code]))
}

function saveCursor(gateway: Gateway, cursor: string): Promise<void> {
  return markFilled(gateway, { source: 'products', cursor })
}

/** Records that everything of a source has been read once, also if the ERP has none of it. */
async function markFilled(
  gateway: Gateway,
  { source, cursor }: { readonly source: ReferenceSource; readonly cursor: string | null },
): Promise<void> {
  await gateway.store.db
    .insertInto('reference_sources')
    .values({ source, cursor, filled_at: gateway.clock.now() })
    .onConflict((conflict) => conflict.column('source').doUpdateSet({ cursor }))
    .execute()
}
