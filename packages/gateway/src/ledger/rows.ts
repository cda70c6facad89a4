import type { ErpBalance, ErpBill, ErpFreightBill, ErpRefund, ErpTransaction } from '@trade-gateway/connector'
import type { z } from 'zod'
import { amountOf } from '../kernel/money.ts'
import type { Names } from './names.ts'
import { timeShown } from './page.ts'
import type { balance, bill, freightBill, refund, transaction } from './shown.ts'

/** The ERP's records as they are on the wire: amounts in units of their currency, documents by their names. */
export function balanceShown(row: ErpBalance): z.input<typeof balance> {
  const { currency } = row
  return {
    currency,
    balance: amountOf(row.balance, currency),
    available: amountOf(row.available, currency),
    frozen: amountOf(row.frozen, currency),
    credit_limit: amountOf(row.credit_limit, currency),
    credit_used: amountOf(row.credit_used, currency),
    updated_at: timeShown(row.updated_at),
  }
}

export function transactionShown(row: ErpTransaction, names: Names): z.input<typeof transaction> {
  const { document, currency } = row
  return {
    transaction_id: names.paper('transaction', row.number),
    occurred_at: timeShown(row.occurred_at),
    type: row.type,
    amount: amountOf(row.amount, currency),
    currency,
    balance_after: amountOf(row.balance_after, currency),
    reference_type: document?.kind ?? null,
    reference_id: document && names.document(document),
    bill_id: names.paperOrNull('bill', row.bill_number),
    client_order_number: row.client_order_number,
    description: row.description,
    status_raw: row.status_raw,
  }
}

export function billShown(row: ErpBill, names: Names): z.input<typeof bill> {
  const { currency } = row
  return {
    bill_id: names.paper('bill', row.number),
    bill_number: row.number,
    period_start: row.period_start,
    period_end: row.period_end,
    issued_at: timeShown(row.issued_at),
    due_date: row.due_date,
    currency,
    amount_total: amountOf(row.amount_total, currency),
    amount_paid: amountOf(row.amount_paid, currency),
    amount_due: amountOf(row.amount_due, currency),
    status: row.status,
    document_url: row.document_url,
  }
}

export function refundShown(row: ErpRefund, names: Names): z.input<typeof refund> {
  return {
    refund_id: names.paper('refund', row.number),
    order_type: row.order.order_type,
    ...names.order(row.order),
    amount: amountOf(row.amount, row.currency),
    currency: row.currency,
    reason: row.reason,
    status: row.status,
    requested_at: timeShown(row.requested_at),
    completed_at: row.completed_at && timeShown(row.completed_at),
    transaction_id: names.paperOrNull('transaction', row.transaction_number),
    order_number: row.order.number,
  }
}

export function freightBillShown(row: ErpFreightBill, names: Names): z.input<typeof freightBill> {
  const { order, currency } = row
  return {
    freight_bill_id: names.paper('freight_bill', row.number),
    billed_at: timeShown(row.billed_at),
    shipment_id: names.shipment(order, row.shipment_number),
    ...names.order(order),
    tracking_number: row.tracking_number,
    carrier: row.carrier,
    weight_g: row.weight_g,
    chargeable_weight_g: row.chargeable_weight_g,
    zone: row.zone,
    amount: amountOf(row.amount, currency),
    currency,
    bill_id: names.paperOrNull('bill', row.bill_number),
    transaction_id: names.paperOrNull('transaction', row.transaction_number),
    order_number: order?.number ?? null,
    shipment_number: row.shipment_number,
  }
}
