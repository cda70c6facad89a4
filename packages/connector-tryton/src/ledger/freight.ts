/** Freight bills: the lines of posted invoices with the product of a carrier. They are a part of their bill. */
import {
  cutText,
  type ErpFreightBill,
  type ErpResult,
  type Input,
  type Output,
  ok,
} from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import type { Customer } from '../customers.ts'
import { decimal, formatInstant, id, toMinor } from '../values.ts'
import { compareNewestFirst, cutPage, requireAccount } from './account.ts'
import { readInvoices, readOrdersOf, toInvoiceNumber } from './invoices.ts'

const maxLines = 100_000
const lineRow = z.object({ id, invoice: id, product: id, amount: decimal })

export async function readFreightBills(
  connector: Connector,
  input: Input<'freight_bills'>,
): Promise<ErpResult<Output<'freight_bills'>>> {
  const account = await requireAccount(connector, input)
  if ('refusal' in account) return account.refusal
  const readAt = connector.rpc.readServerTime()
  const rows = await listFreight(connector, account.customer)
  const { page, next, as_of } = cutPage(rows.sort(compareNewestFirst), input, readAt)
  const orders = await readOrdersOf(
    connector,
    page.flatMap(({ sale }) => sale ?? []),
  )
  const freight_bills = page.map((row): ErpFreightBill => {
    const order = orders.get(row.sale ?? 0)
    return {
      number: row.number,
      billed_at: formatInstant(row.at),
      shipment_number: null,
      order: order
        ? { order_type: order.order_type, number: order.number, reference: order.reference }
        : null,
      tracking_number: null,
      carrier: cutText(row.carrier, 100),
      ...{ weight_g: 0, chargeable_weight_g: 0, zone: '' },
      amount: row.amount,
      currency: connector.places.currency,
      bill_number: row.bill,
      transaction_number: null,
    }
  })
  return ok({ as_of, next, freight_bills })
}

async function listFreight(connector: Connector, customer: Customer) {
  const { rpc, places } = connector
  const invoices = (await readInvoices(connector, customer)).filter(
    ({ postedAt, total, state }) => postedAt !== null && total >= 0 && state !== 'cancelled',
  )
  if (invoices.length === 0) return []
  const domain = [
    ['invoice', 'in', invoices.map((invoice) => invoice.id)],
    ['product', 'in', places.carriers.map(({ product }) => product)],
  ]
  const fields = ['invoice', 'product', 'amount']
  const lines = await rpc.searchRead('account.invoice.line', domain, lineRow, { fields, limit: maxLines })
  return lines.flatMap((line) => {
    const invoice = invoices.find((each) => each.id === line.invoice)
    const amount = toMinor(line.amount, places.minorUnits)
    if (!invoice || amount <= 0) return []
    const carrier = places.carriers.find(({ product }) => product === line.product)
    const bill = toInvoiceNumber(invoice)
    // Its line makes it the only one of its number.
    const number = `${invoice.number ?? bill}-${line.id}`
    const [sale] = invoice.sales
    return [{ at: invoice.at, number, bill, sale, amount, carrier: carrier?.name ?? '' }]
  })
}
