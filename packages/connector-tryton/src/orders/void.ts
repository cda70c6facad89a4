/** Cancelling an order: its shipments and draft invoices, and what Tryton asks about them. Refused once one was shipped. */
import type { Input, Output } from '@trade-gateway/connector'
import { z } from 'zod'
import { requireWarehouse } from '../connector.ts'
import { Deadline } from '../steps.ts'
import { id } from '../values.ts'
import { type Call, type Orders, outModel, Refusal, saleModel, takeStep } from './context.ts'
import { readOrder } from './documents.ts'
import { readChanged } from './figures.ts'
import { findSale, type Sale } from './find.ts'
import { finishSale, readSaleLines, readShipments, requireSale } from './finish.ts'

const noLimits = { expectedTotal: null, maxTotal: null }

export async function voidOrder(orders: Orders, { reference }: Input<'void'>): Promise<Output<'void'>> {
  const { locks, environment } = orders.connector
  const call = { reference, deadline: new Deadline(environment) }
  return locks.run([reference], async () => {
    const sale = await findSale(orders, reference)
    if (!sale || sale.isFenced) throw new Refusal('not_found', `There is no order ${reference}.`)
    if (sale.isBegun) await finishSale(orders, call, noLimits)
    await cancelOrder(orders, call)
    const { warehouse, products } = await readSaleLines(orders, reference)
    const figures = await readChanged(orders, requireWarehouse(orders.connector, warehouse), products)
    return { document: await readOrder(orders, reference), figures }
  })
}

/** Each step is taken only if Tryton's state asks for it, so that a repeated call continues where another was cut. */
export async function cancelOrder(orders: Orders, call: Call): Promise<void> {
  const { rpc } = orders.connector
  const sale = await requireSale(orders, call.reference)
  const open = await listOpenShipments(orders, sale)
  if (open.length > 0) {
    await takeStep(orders, call, { name: 'void.shipments', run: () => rpc.press(outModel, 'cancel', open) })
    if ((await listOpenShipments(orders, sale)).length > 0)
      throw new Error(`The shipments of ${call.reference} cannot be cancelled.`)
  }
  await cancelInvoices(orders, call)
  await handleExceptions(orders, call)
}

async function listOpenShipments(orders: Orders, sale: Sale): Promise<number[]> {
  const shipments = await readShipments(orders, sale)
  if (shipments.some(({ state }) => state === 'done'))
    throw new Refusal('already_shipped', `The order ${sale.web_id} was shipped.`)
  return shipments.filter(({ state }) => state !== 'cancelled').map((row) => row.id)
}

/** A posted invoice is a matter of the bookkeepers: it is left, and they credit it. */
async function cancelInvoices(orders: Orders, call: Call): Promise<void> {
  const { rpc } = orders.connector
  const { invoices } = await requireSale(orders, call.reference)
  if (invoices.length === 0) return
  const domain = [
    ['id', 'in', invoices],
    ['state', 'in', ['draft', 'validated']],
  ]
  const rows = await rpc.searchRead('account.invoice', domain, z.object({ id }), { fields: ['id'] })
  const drafts = rows.map((row) => row.id)
  if (drafts.length === 0) return
  await takeStep(orders, call, {
    name: 'void.invoices',
    run: () => rpc.press('account.invoice', 'cancel', drafts),
  })
}

const exceptions = [
  {
    state: 'shipment_state',
    wizard: 'sale.handle.shipment.exception',
    recreate: 'recreate_moves',
    all: 'domain_moves',
  },
  {
    state: 'invoice_state',
    wizard: 'sale.handle.invoice.exception',
    recreate: 'recreate_invoices',
    all: 'domain_invoices',
  },
] as const

/** Tryton asks whether to deliver or bill again what was cancelled. The answer is no. */
async function handleExceptions(orders: Orders, call: Call): Promise<void> {
  for (const { state, wizard, recreate, all } of exceptions) {
    const sale = await requireSale(orders, call.reference)
    if (sale[state] !== 'exception') continue
    await takeStep(orders, call, {
      name: 'void.handled',
      run: () => answerNo(orders, sale, { wizard, recreate, all }),
    })
  }
}

const created = z.tuple([z.int(), z.string(), z.string()])
const asked = z.object({
  view: z.object({ defaults: z.record(z.string(), z.unknown()).nullish() }).nullish(),
})

async function answerNo(
  { connector }: Orders,
  sale: Sale,
  { wizard, recreate, all }: { wizard: string; recreate: string; all: string },
): Promise<void> {
  const { rpc } = connector
  const context = { active_model: saleModel, active_id: sale.id, active_ids: [sale.id] }
  const [session] = await rpc.call(`wizard.${wizard}.create`, [], created)
  const { view } = await rpc.call(`wizard.${wizard}.execute`, [session, {}, 'ask'], asked, { context })
  const form = { ask: { [recreate]: [], [all]: view?.defaults?.[all] ?? [] } }
  await rpc.call(`wizard.${wizard}.execute`, [session, form, 'handle'], z.unknown(), { context })
  await rpc.call(`wizard.${wizard}.delete`, [session], z.unknown())
}
