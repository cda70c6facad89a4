/** Tryton's own books of a replay, and what its staff do at the end: ship and bill everything. By RPC, without the connector. */
import { z } from 'zod'
import { isFailure } from '../../../connector-tryton/src/failures.ts'
import type { Rpc } from '../../../connector-tryton/src/rpc.ts'
import type { Seeder } from '../../../connector-tryton/src/tryton/seeder.ts'
import { decimal, id, toMinor } from '../../../connector-tryton/src/values.ts'
import type { Figures } from './replay-erp.ts'

const minorUnits = 100
const productsPerCall = 1_000
const maxProducts = 1_000_000
/** The time limit of one read, in milliseconds: Tryton may be busy. */
const maxMs = 120_000
/** Shipments and invoices per call. Tryton takes about a second for each shipment of some hundred lines. */
const recordsPerCall = 10
/** How often a call that met a lock of the connector is made. */
const maxTries = 5

const productRow = z.object({ id, code: z.string() })
const quantityRow = z.object({ id, quantity: z.number().nullish() })
const partyRow = z.object({ receivable: decimal })

/**
 * Reads the figures of every SKU of a warehouse. On hand is what is in the warehouse, available what is in its storage
 * zone and not assigned. No call names a day, because Tryton books by the company's own day.
 */
export async function readTrytonSnapshot(
  { rpc }: Seeder,
  { warehouse, storage }: { readonly warehouse: number; readonly storage: number },
): Promise<Map<string, Figures>> {
  const domain = [
    ['type', '=', 'goods'],
    ['code', '!=', null],
  ]
  const settings = { fields: ['code'], order: [['id', 'ASC']] as const, limit: maxProducts, maxMs }
  const products = await rpc.searchRead('product.product', domain, productRow, settings)
  const figures = new Map<string, Figures>()
  for (let from = 0; from < products.length; from += productsPerCall) {
    const some = products.slice(from, from + productsPerCall)
    const onHand = await readQuantities(rpc, some, { locations: [warehouse] })
    const available = await readQuantities(rpc, some, { locations: [storage], stock_assign: true })
    for (const product of some)
      figures.set(product.code, {
        on_hand: onHand.get(product.id) ?? 0,
        available: available.get(product.id) ?? 0,
      })
  }
  return figures
}

async function readQuantities(
  rpc: Rpc,
  products: readonly z.output<typeof productRow>[],
  context: object,
): Promise<Map<number, number>> {
  const domain = [['id', 'in', products.map((product) => product.id)]]
  const settings = { fields: ['quantity'], context: { ...context }, maxMs }
  const rows = await rpc.searchRead('product.product', domain, quantityRow, settings)
  return new Map(rows.map((row) => [row.id, row.quantity ?? 0]))
}

/** Reads what a customer has, in minor units: the negative of Tryton's receivable. */
export async function readTrytonBalance(seeder: Seeder, customer_code: string): Promise<number> {
  const party = await seeder.findOne('party.party', [['code', '=', customer_code]])
  const { receivable } = await seeder.readOne('party.party', party, partyRow, ['receivable'])
  // 0 - x, because -0 is another value than 0 to a comparison.
  return 0 - toMinor(receivable, minorUnits)
}

const transitions = [
  { model: 'stock.shipment.out', state: 'assigned', button: 'pick', name: 'picked' },
  { model: 'stock.shipment.out', state: 'picked', button: 'pack', name: 'packed' },
  { model: 'stock.shipment.out', state: 'packed', button: 'done', name: 'shipped' },
  { model: 'account.invoice', state: 'draft', button: 'post', name: 'billed' },
] as const

/** Picks, packs and ships all assigned shipments, and posts their invoices. */
export async function shipAndBillAll(
  seeder: Seeder,
  onShare: (share: number, text: string) => void,
): Promise<void> {
  for (const [index, { model, state, button, name }] of transitions.entries()) {
    const own = model === 'account.invoice' ? [['type', '=', 'out']] : []
    const found = await seeder.rpc.search(model, [['state', '=', state], ...own])
    for (let from = 0; from < found.length; from += recordsPerCall) {
      const some = found.slice(from, from + recordsPerCall)
      await pressPatiently(seeder, { model, button, ids: some })
      const done = from + some.length
      onShare((index + done / found.length) / transitions.length, `${done} of ${found.length} ${name}`)
    }
  }
}

/** Presses a button. A lock means that nothing has happened: the connector may hold it at this moment. */
async function pressPatiently(
  seeder: Seeder,
  {
    model,
    button,
    ids,
  }: { readonly model: string; readonly button: string; readonly ids: readonly number[] },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await seeder.press(model, button, ids)
    } catch (error) {
      if (!isFailure(error, 'locked') || tries >= maxTries) throw error
    }
  }
}
