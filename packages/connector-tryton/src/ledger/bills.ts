/** Bills: posted invoices of customers. Their amounts include the tax. */
import { type ErpBill, type ErpResult, type Input, type Output, ok } from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import { day, formatInstant, id } from '../values.ts'
import { compareNewestFirst, cutPage, requireAccount } from './account.ts'
import { type Invoice, readInvoices, toInvoiceNumber } from './invoices.ts'

const lineRow = z.object({ id, maturity_date: day.nullish() })

export async function readBills(
  connector: Connector,
  input: Input<'bills'>,
): Promise<ErpResult<Output<'bills'>>> {
  const account = await requireAccount(connector, input)
  if ('refusal' in account) return account.refusal
  const readAt = connector.rpc.readServerTime()
  const bills = (await readInvoices(connector, account.customer))
    .filter((invoice) => invoice.postedAt !== null && invoice.total >= 0)
    .filter((invoice) => input.status === null || toStatus(invoice) === input.status)
    .map((invoice) => ({ invoice, at: invoice.at, number: toInvoiceNumber(invoice) }))
    .sort(compareNewestFirst)
  const { page, next, as_of } = cutPage(bills, input, readAt)
  const invoices = page.map(({ invoice }) => invoice)
  return ok({ as_of, next, bills: await describeBills(connector, invoices) })
}

function toStatus({ state, toPay }: Invoice): ErpBill['status'] {
  if (state === 'cancelled') return 'void'
  return toPay <= 0 ? 'paid' : 'open'
}

/** A void bill charges nothing: what it charged was booked back, and nobody has paid it. */
function toAmounts(invoice: Invoice): Pick<ErpBill, 'amount_total' | 'amount_paid' | 'amount_due'> {
  if (toStatus(invoice) === 'void') return { amount_total: 0, amount_paid: 0, amount_due: 0 }
  const { total, toPay } = invoice
  return { amount_total: total, amount_paid: total - toPay, amount_due: toPay }
}

async function describeBills(connector: Connector, page: readonly Invoice[]): Promise<ErpBill[]> {
  const lines = page.flatMap(({ lines_to_pay }) => lines_to_pay)
  const fields = ['maturity_date']
  const rows =
    lines.length === 0
      ? []
      : await connector.rpc.searchRead('account.move.line', [['id', 'in', lines]], lineRow, { fields })
  return page.map((invoice) => {
    const issued = formatInstant(invoice.at)
    const date = invoice.invoice_date ?? issued.slice(0, 10)
    const own = rows.filter((row) => invoice.lines_to_pay.includes(row.id))
    const due = own.flatMap(({ maturity_date }) => maturity_date ?? []).sort()
    return {
      number: toInvoiceNumber(invoice),
      printed_number: invoice.number ?? null,
      ...{ period_start: date, period_end: date, issued_at: issued },
      due_date: due[0] ?? date,
      currency: connector.places.currency,
      ...toAmounts(invoice),
      status: toStatus(invoice),
      document_url: null,
    }
  })
}
