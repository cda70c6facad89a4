/**
 * The recent past of the first customer: two orders that were shipped and billed, a refund and a payment. It is booked
 * at every start with an empty past, not kept in the dump, because statements are read for the last year.
 */
import { z } from 'zod'
import { id, ids, toDate, toDecimal } from '../values.ts'
import type { Seeder } from './seeder.ts'
import { customers } from './settings.ts'

const soldSku = 'ST0002-L'
const paid = '50.00'

export async function seedHistory(seeder: Seeder): Promise<void> {
  const refunded = await shipAndBill(seeder, 10, 'PO-1001')
  await creditInvoice(seeder, refunded)
  const billed = await shipAndBill(seeder, 4, 'PO-1002')
  await payInvoice(seeder, billed)
}

/** Places an order as Tryton's own form does, ships it and posts its invoice. Returns the invoice. */
async function shipAndBill(seeder: Seeder, quantity: number, reference: string): Promise<number> {
  const party = await seeder.findOne('party.party', [['code', '=', customers[0].code]])
  const address = await seeder.findOne('party.address', [
    ['party', '=', party],
    ['invoice', '=', true],
  ])
  const product = await seeder.findOne('product.product', [['code', '=', soldSku]])
  const unit = await seeder.findOne('product.uom', [['symbol', '=', 'u']])
  const tax = await seeder.findOne('account.tax', [])
  const company = await seeder.findOne('company.company', [])
  const sale = await seeder.createOne('sale.sale', {
    ...{ company, party, reference, invoice_address: address, shipment_address: address },
    currency: await seeder.findOne('currency.currency', [['code', '=', 'AUD']]),
    warehouse: await seeder.findOne('stock.location', [['code', '=', 'AUSYD1']]),
    carrier: await seeder.findOne('carrier', [['carrier_product.code', '=', 'FRT-NORMAL']]),
    payment_term: await seeder.findOne('account.invoice.payment_term', []),
    ...{ shipment_cost_method: 'order', invoice_method: 'shipment', shipment_method: 'order' },
    lines: [
      [
        'create',
        [{ type: 'line', product, quantity, unit, unit_price: toDecimal('12.60'), taxes: [['add', [tax]]] }],
      ],
    ],
  })
  await seeder.press('sale.sale', 'quote', [sale])
  await seeder.press('sale.sale', 'confirm', [sale])
  const { shipments } = await seeder.readOne('sale.sale', sale, z.object({ shipments: ids }), ['shipments'])
  for (const button of ['assign_try', 'pick', 'pack', 'done'])
    await seeder.press('stock.shipment.out', button, shipments)
  const { invoices } = await seeder.readOne('sale.sale', sale, z.object({ invoices: ids }), ['invoices'])
  await seeder.press('account.invoice', 'post', invoices)
  return id.parse(invoices[0])
}

/** Credits a posted invoice in full and posts the credit note. */
async function creditInvoice(seeder: Seeder, invoice: number): Promise<void> {
  const before = new Set(await seeder.rpc.search('account.invoice', []))
  await seeder.runWizard('account.invoice.credit', { model: 'account.invoice', id: invoice }, [
    ['start', () => ({})],
    ['credit', (start) => ({ start: { ...start, invoice_date: today(), with_refund: true } })],
  ])
  const after = await seeder.rpc.search('account.invoice', [])
  const notes = after.filter((each) => !before.has(each))
  const rows = await seeder.rpc.searchRead(
    'account.invoice',
    [['id', 'in', notes]],
    z.object({ id, state: z.string() }),
    { fields: ['state'] },
  )
  const drafts = rows.filter(({ state }) => state === 'draft' || state === 'validated').map((row) => row.id)
  if (drafts.length > 0) await seeder.press('account.invoice', 'post', drafts)
}

async function payInvoice(seeder: Seeder, invoice: number): Promise<void> {
  const payment_method = await seeder.findOne('account.invoice.payment.method', [])
  let start: object = {}
  await seeder.runWizard('account.invoice.pay', { model: 'account.invoice', id: invoice }, [
    ['start', () => ({})],
    [
      'choice',
      (defaults) => {
        start = { ...defaults, description: 'Part', amount: toDecimal(paid), payment_method, date: today() }
        return { start }
      },
    ],
    ['pay', (defaults) => ({ start, ask: { ...defaults, type: 'partial' } })],
  ])
}

/** The day of the sandbox's company. */
function today() {
  return toDate(new Intl.DateTimeFormat('en-CA', { timeZone: 'Australia/Sydney' }).format(new Date()))
}
