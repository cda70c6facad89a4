/** Invoices of customers: bills, and credit notes, which are refunds. */
import { cutText } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import type { Customer } from '../customers.ts'
import { day, decimal, id, ids, instant, toMinor } from '../values.ts'

const maxInvoices = 100_000

const invoiceRow = z.object({
  id,
  number: z.string().nullish(),
  state: z.string(),
  reference: z.string().nullish(),
  description: z.string().nullish(),
  invoice_date: day.nullish(),
  total_amount: decimal,
  amount_to_pay: decimal,
  create_date: instant,
  move: z.int().nullish(),
  'move.': z.object({ write_date: instant.nullish(), create_date: instant }).nullish(),
  cancel_move: z.int().nullish(),
  lines_to_pay: ids,
  sales: ids,
})
const invoiceFields = [
  ...['number', 'state', 'reference', 'description', 'invoice_date', 'total_amount', 'amount_to_pay'],
  ...['create_date', 'move', 'move.write_date', 'move.create_date', 'cancel_move', 'lines_to_pay', 'sales'],
]

export interface Invoice extends z.output<typeof invoiceRow> {
  /** The instant of posting, or of creation before it; milliseconds since 1970. */
  readonly at: number
  readonly total: number
  readonly toPay: number
  /** Null if it was not posted. */
  readonly postedAt: number | null
}

/**
 * The number of a bill or a refund in every state: Tryton's id of its invoice. Tryton's own number is no name of it. It
 * begins again with each fiscal year, and a credit note gets one only when it is posted.
 */
export const toInvoiceNumber = ({ id: invoice }: Pick<Invoice, 'id'>) => `#${invoice}`

/** Reads all invoices of a customer. */
export function readInvoices(connector: Connector, customer: Customer): Promise<Invoice[]> {
  return searchInvoices(connector, [['party', '=', customer.id]])
}

export async function searchInvoices(
  { rpc, places }: Connector,
  domain: readonly unknown[],
): Promise<Invoice[]> {
  const own = [
    ['type', '=', 'out'],
    ['company', '=', places.company],
    ['currency', '=', places.currencyId],
    ...domain,
  ]
  const settings = { fields: invoiceFields, limit: maxInvoices }
  const rows = await rpc.searchRead('account.invoice', own, invoiceRow, settings)
  return rows.map((row) => {
    const move = row['move.']
    const postedAt = move ? Math.floor(move.write_date ?? move.create_date) : null
    return {
      ...row,
      at: postedAt ?? Math.floor(row.create_date),
      postedAt,
      total: toMinor(row.total_amount, places.minorUnits),
      toPay: toMinor(row.amount_to_pay, places.minorUnits),
    }
  })
}

const saleRow = z.object({
  id,
  number: z.string().nullish(),
  web_id: z.string().nullish(),
  reference: z.string().nullish(),
  shipment_party: z.int().nullish(),
})

export interface OrderOf {
  readonly order_type: 'wholesale' | 'dropship'
  readonly number: string
  readonly reference: string | null
  readonly clientNumber: string | null
}

/** Reads the orders of sales by Tryton's id. */
export async function readOrdersOf(
  { rpc }: Connector,
  sales: readonly number[],
): Promise<ReadonlyMap<number, OrderOf>> {
  if (sales.length === 0) return new Map()
  const fields = ['number', 'web_id', 'reference', 'shipment_party']
  const rows = await rpc.searchRead('sale.sale', [['id', 'in', sales]], saleRow, { fields })
  return new Map(
    rows.map((row) => [
      row.id,
      {
        order_type: row.shipment_party ? ('dropship' as const) : ('wholesale' as const),
        number: row.number ?? `#${row.id}`,
        reference: /^[A-Za-z0-9-]{1,40}$/.test(row.web_id ?? '') ? (row.web_id ?? null) : null,
        clientNumber: cutText(row.reference ?? '', 64) || null,
      },
    ]),
  )
}
