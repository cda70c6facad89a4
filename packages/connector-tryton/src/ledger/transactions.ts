/** The account of a customer and its transactions. The balance is the sum of the bookings, as Tryton's receivable is. */
import {
  cutText,
  type ErpResult,
  type ErpTransaction,
  type Input,
  type Output,
  ok,
} from '@trade-gateway/connector'
import { z } from 'zod'
import type { Connector } from '../connector.ts'
import { readCredit, readUnbilled } from '../customers.ts'
import { formatInstant, id, toMinor } from '../values.ts'
import { cutPage, requireAccount } from './account.ts'
import type { Booking, Chains } from './chain.ts'
import { type Invoice, type OrderOf, readOrdersOf, searchInvoices, toInvoiceNumber } from './invoices.ts'

export interface Ledger {
  readonly connector: Connector
  readonly chains: Chains
}

export async function readBalances(
  { connector, chains }: Ledger,
  input: Input<'balances'>,
): Promise<ErpResult<Output<'balances'>>> {
  const account = await requireAccount(connector, input)
  if ('refusal' in account) return account.refusal
  const as_of = formatInstant(connector.rpc.readServerTime())
  const bookings = await chains.read(account.customer)
  const credit = await readCredit(connector, account.customer)
  const { currency, minorUnits } = connector.places
  const balance = bookings[0]?.balanceAfter ?? 0
  const toAmount = (text: string) => toMinor(text, minorUnits)
  const frozen = await readUnbilled(connector, account.customer, credit)
  const limit = credit.creditLimit === null ? 0 : Math.max(0, toAmount(credit.creditLimit))
  return ok({
    as_of,
    balances: [
      {
        ...{ currency, balance, frozen, credit_limit: limit },
        available: balance - frozen + limit,
        credit_used: Math.max(0, -balance),
        updated_at: bookings[0] ? formatInstant(bookings[0].at) : as_of,
      },
    ],
  })
}

export async function readTransactions(
  { connector, chains }: Ledger,
  input: Input<'transactions'>,
): Promise<ErpResult<Output<'transactions'>>> {
  const account = await requireAccount(connector, input)
  if ('refusal' in account) return account.refusal
  const readAt = connector.rpc.readServerTime()
  const bookings = await chains.read(account.customer)
  const { page, next, as_of } = cutPage(bookings, input, readAt)
  return ok({
    ...{ as_of, next },
    transactions: await describeBookings(connector, page),
    balances: [toSpan(connector, { bookings, page, from: input.from })],
  })
}

/** The balance before the oldest row and after the newest; without rows, that at the start of the period. */
function toSpan(
  { places }: Connector,
  { bookings, page, from }: { bookings: readonly Booking[]; page: readonly Booking[]; from: string },
) {
  const [newest, oldest] = [page[0], page.at(-1)]
  const before = bookings.find(({ at }) => at < Date.parse(from))?.balanceAfter ?? 0
  const opening = oldest ? oldest.balanceAfter - oldest.amount : before
  return {
    currency: places.currency,
    opening_balance: opening,
    closing_balance: newest ? newest.balanceAfter : opening,
  }
}

const moveRow = z.object({ id, description: z.string().nullish() })

async function describeBookings(connector: Connector, page: readonly Booking[]): Promise<ErpTransaction[]> {
  if (page.length === 0) return []
  const moves = page.map(({ move }) => move)
  const fields = ['description']
  const heads = await connector.rpc.searchRead('account.move', [['id', 'in', moves]], moveRow, { fields })
  const byMove = ['OR', ['move', 'in', moves], ['cancel_move', 'in', moves]]
  const invoices = await searchInvoices(connector, [byMove])
  const orders = await readOrdersOf(
    connector,
    invoices.flatMap(({ sales }) => sales),
  )
  return page.map((booking) => {
    // A credit note that cancels a bill is also the cancelling move of that bill.
    const invoice =
      invoices.find(({ move }) => move === booking.move) ??
      invoices.find(({ cancel_move }) => cancel_move === booking.move)
    const bill = invoices.find(
      ({ move, cancel_move, total }) => total >= 0 && [move, cancel_move].includes(booking.move),
    )
    const head = heads.find((row) => row.id === booking.move)
    const order = invoice?.sales.flatMap((sale) => orders.get(sale) ?? [])[0]
    const description = head?.description ?? null
    return toTransaction(connector, booking, { invoice, bill, order, description })
  })
}

interface Story {
  readonly invoice: Invoice | undefined
  /** The bill that the booking charges or cancels. A credit note that cancels a bill is a refund, and has its bill. */
  readonly bill: Invoice | undefined
  readonly order: OrderOf | undefined
  readonly description: string | null
}

function toTransaction(
  { places }: Connector,
  booking: Booking,
  { invoice, bill, order, description }: Story,
): ErpTransaction {
  const isRefund = invoice !== undefined && invoice.total < 0 && invoice.move === booking.move
  const isBill = invoice !== undefined && invoice.total >= 0
  const refundNumber = isRefund ? toInvoiceNumber(invoice) : undefined
  return {
    number: booking.number,
    occurred_at: formatInstant(booking.at),
    type: toType(booking, { isRefund, isBill, isCancelled: invoice?.cancel_move === booking.move }),
    amount: booking.amount,
    currency: places.currency,
    balance_after: booking.balanceAfter,
    document: toDocument(order, refundNumber),
    bill_number: bill ? toInvoiceNumber(bill) : null,
    client_order_number: order?.clientNumber ?? null,
    description: cutText(description || invoice?.description || `Booked for ${booking.date}`, 500),
    status_raw: invoice?.state ?? 'posted',
  }
}

function toType(
  { amount }: Booking,
  { isRefund, isBill, isCancelled }: { isRefund: boolean; isBill: boolean; isCancelled: boolean },
): ErpTransaction['type'] {
  if (isRefund) return 'refund'
  if (isCancelled) return 'adjustment'
  if (isBill) return 'order_charge'
  return amount > 0 ? 'payment' : 'adjustment'
}

function toDocument(order: OrderOf | undefined, refund: string | undefined): ErpTransaction['document'] {
  if (refund !== undefined) return { kind: 'refund', number: refund, reference: null }
  if (!order) return null
  const kind = order.order_type === 'dropship' ? 'dropship_order' : 'order'
  return { kind, number: order.number, reference: order.reference }
}
