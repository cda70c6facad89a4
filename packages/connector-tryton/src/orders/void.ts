/** Cancelling an order: its shipments and draft invoices, and what Tryton asks about them. Refused once one was shipped. */
import type { Input, Output } from '@trade-gateway/connector'
import { z } from 'zod'
import { requireWarehouse } from '../connector.ts'
import { Deadline } from '../steps.ts'
import { id, ids } from '../values.ts'
import { type Call, type Orders, outModel, Refusal, saleModel, takeStep } from './context.ts'
import { readOrderOf } from './documents.ts'
import { readChanged } from './figures.ts'
import { findSale, readShipments, requireSale, type Sale } from './find.ts'
import { finishOrWithdraw } from './finish.ts'

export async function voidOrder(orders: Orders, { reference }: Input<'void'>): Promise<Output<'void'>> {
  const { locks, environment } = orders.connector
  const call = { reference, deadline: new Deadline(environment) }
  return locks.run([reference], async () => {
    const sale = await findSale(orders, reference)
    if (!sale || sale.isFenced) throw new Refusal('not_found', `There is no order ${reference}.`)
    if (sale.isBegun && !(await finishOrWithdraw(orders, call)))
      throw new Refusal('not_found', `The order ${reference} was never placed, and was taken back.`)
    const cancelled = await cancelOrder(orders, call, sale.isBegun ? undefined : sale)
    const document = await readOrderOf(orders, cancelled)
    const warehouse = requireWarehouse(orders.connector, cancelled.warehouse)
    const skus = document.lines.map(({ sku }) => sku)
    return { document, figures: await readChanged(orders, warehouse, { codes: skus }) }
  })
}

/**
 * Cancels an order and returns its sale as it is then. Each step is taken only if Tryton's state asks for it, so that a
 * repeated call continues where another was cut. `known` is the sale, if it was just read.
 */
export async function cancelOrder(orders: Orders, call: Call, known?: Sale): Promise<Sale> {
  const { rpc } = orders.connector
  const sale = known ?? (await requireSale(orders, call.reference))
  const open = await listOpenShipments(orders, sale)
  let current = sale
  if (open.length > 0) {
    await takeStep(orders, call, { name: 'void.shipments', run: () => rpc.press(outModel, 'cancel', open) })
    const [shipments, read] = await Promise.all([
      readShipments(orders, sale),
      requireSale(orders, call.reference),
    ])
    // Staff may have shipped one of them meanwhile. That is no refusal any more: the others are cancelled.
    if (shipments.some(({ state }) => state !== 'cancelled'))
      throw new Error(`Not every shipment of ${call.reference} was cancelled.`)
    current = read
  }
  if (await cancelInvoices(orders, call, current)) current = await requireSale(orders, call.reference)
  return handleExceptions(orders, call, current)
}

async function listOpenShipments(orders: Orders, sale: Sale): Promise<number[]> {
  const shipments = await readShipments(orders, sale)
  if (shipments.some(({ state }) => state === 'done'))
    throw new Refusal('already_shipped', `The order ${sale.web_id} was shipped.`)
  return shipments.filter(({ state }) => state !== 'cancelled').map((row) => row.id)
}

const draftRow = z.object({ id, sales: ids })

/**
 * Cancels the drafts. A posted invoice is a matter of the bookkeepers: it is left, and they credit it. So is a draft that
 * bills other orders too, made while `sale_invoice_grouping` was active. Returns whether there was something to cancel.
 */
async function cancelInvoices(
  orders: Orders,
  call: Call,
  { id: own, invoices }: Pick<Sale, 'id' | 'invoices'>,
): Promise<boolean> {
  const { rpc, log } = orders.connector
  if (invoices.length === 0) return false
  const domain = [
    ['id', 'in', invoices],
    ['state', 'in', ['draft', 'validated']],
  ]
  const rows = await rpc.searchRead('account.invoice', domain, draftRow, { fields: ['sales'] })
  const drafts: number[] = []
  for (const { id: draft, sales } of rows) {
    if (sales.every((sale) => sale === own)) drafts.push(draft)
    else
      log(`The draft invoice ${draft} of ${call.reference} bills other orders too: remove its lines there.`)
  }
  if (drafts.length === 0) return false
  await takeStep(orders, call, {
    name: 'void.invoices',
    run: () => rpc.press('account.invoice', 'cancel', drafts),
  })
  return true
}

/** How often a sale is read until Tryton has processed an answer. */
const maxAnswerReads = 8
const answerPauseMs = 250

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
async function handleExceptions(orders: Orders, call: Call, known: Sale): Promise<Sale> {
  let sale = known
  for (const { state, wizard, recreate, all } of exceptions) {
    if (sale[state] !== 'exception') continue
    const { id: asked } = sale
    await takeStep(orders, call, {
      name: 'void.handled',
      run: () => answerNo(orders, call, { sale: asked, wizard, recreate, all }),
    })
    sale = await readAnswered(orders, call, state)
  }
  return sale
}

/** Reads a sale until Tryton has processed an answer: with a worker, that is a moment later. */
async function readAnswered(
  orders: Orders,
  call: Call,
  state: (typeof exceptions)[number]['state'],
): Promise<Sale> {
  for (let reads = 1; ; reads++) {
    const sale = await requireSale(orders, call.reference)
    if (sale[state] !== 'exception' || reads >= maxAnswerReads) return sale
    call.deadline.require('void.answered')
    await orders.connector.environment.pause(answerPauseMs)
  }
}

const created = z.tuple([z.int(), z.string(), z.string()])
const asked = z.object({
  view: z.object({ defaults: z.record(z.string(), z.unknown()).nullish() }).nullish(),
})

/** Each of its calls begins inside the deadline of the request. */
async function answerNo(
  { connector }: Orders,
  { deadline }: Call,
  { sale, wizard, recreate, all }: { sale: number; wizard: string; recreate: string; all: string },
): Promise<void> {
  const { rpc } = connector
  const requireTime = () => deadline.require(`wizard.${wizard}`)
  const context = { active_model: saleModel, active_id: sale, active_ids: [sale] }
  const [session] = await rpc.call(`wizard.${wizard}.create`, [], created)
  requireTime()
  const { view } = await rpc.call(`wizard.${wizard}.execute`, [session, {}, 'ask'], asked, { context })
  const form = { ask: { [recreate]: [], [all]: view?.defaults?.[all] ?? [] } }
  requireTime()
  await rpc.call(`wizard.${wizard}.execute`, [session, form, 'handle'], z.unknown(), { context })
  requireTime()
  await rpc.call(`wizard.${wizard}.delete`, [session], z.unknown())
}
