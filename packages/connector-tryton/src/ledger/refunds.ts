/** Refunds: credit notes of customers. A draft is pending, a posted one completed, a cancelled one rejected. */
import {
  cutText,
  type ErpRefund,
  type ErpResult,
  type Input,
  type Output,
  ok,
} from '@trade-gateway/connector'
import type { Connector } from '../connector.ts'
import { formatInstant } from '../values.ts'
import { compareNewestFirst, cutPage, requireAccount, toMoveNumber } from './account.ts'
import { type Invoice, type OrderOf, readInvoices, readOrdersOf, toInvoiceNumber } from './invoices.ts'

const maxReasonCharacters = 300
const unknownReason = 'Credit note'

export async function readRefunds(
  connector: Connector,
  input: Input<'refunds'>,
): Promise<ErpResult<Output<'refunds'>>> {
  const account = await requireAccount(connector, input)
  if ('refusal' in account) return account.refusal
  const readAt = connector.rpc.readServerTime()
  const refunds = (await readInvoices(connector, account.customer))
    .filter((invoice) => invoice.total < 0)
    // A refund is requested when its credit note is made, and keeps this place in the list when it is posted.
    .map((invoice) => ({ ...invoice, number: toInvoiceNumber(invoice), at: Math.floor(invoice.create_date) }))
    .filter((invoice) => input.status === null || toStatus(invoice) === input.status)
    .sort(compareNewestFirst)
  const { page, next, as_of } = cutPage(refunds, input, readAt)
  const orders = await readOrdersOf(
    connector,
    page.flatMap(({ sales }) => sales),
  )
  return ok({ as_of, next, refunds: page.map((invoice) => toRefund(connector, invoice, orders)) })
}

function toStatus({ state }: Invoice): ErpRefund['status'] {
  if (state === 'posted' || state === 'paid') return 'completed'
  return state === 'cancelled' ? 'rejected' : 'pending'
}

function toRefund(
  { places }: Connector,
  invoice: Invoice & { readonly number: string },
  orders: ReadonlyMap<number, OrderOf>,
): ErpRefund {
  const status = toStatus(invoice)
  const isDone = status === 'completed'
  const found = invoice.sales.flatMap((sale) => orders.get(sale) ?? [])[0]
  const unknown = cutText(invoice.reference || invoice.number, 64)
  return {
    number: invoice.number,
    order: {
      order_type: found?.order_type ?? 'wholesale',
      number: found?.number ?? unknown,
      reference: found?.reference ?? null,
    },
    amount: -invoice.total,
    currency: places.currency,
    reason: cutText(invoice.description || unknownReason, maxReasonCharacters),
    status,
    requested_at: formatInstant(invoice.at),
    completed_at: isDone && invoice.postedAt !== null ? formatInstant(invoice.postedAt) : null,
    transaction_number: isDone && invoice.move ? toMoveNumber(invoice.move) : null,
  }
}
