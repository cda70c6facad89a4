/** Converts the ERP's records to rows of a response: amounts in currency units, documents by their ids. */

import type { ErpBalance, ErpBill, ErpFreightBill, ErpRefund, ErpTransaction } from '@trade-gateway/connector'
import type { z } from 'zod'
import { amountOf } from '../kernel/money.ts'
import type { DocumentIds } from './names.ts'
import { normalizeInstant } from './page.ts'
import type { balance, bill, freightBill, refund, transaction } from './statement-json.ts'

export function toBalanceJson(row: ErpBalance): z.input<typeof balance> {
  const { currency } = row
  return {
    currency,
    balance: amountOf(row.balance, currency),
    available: amountOf(row.available, currency),
    frozen: amountOf(row.frozen, currency),
    credit_limit: amountOf(row.credit_limit, currency),
    credit_used: amountOf(row.credit_used, currency),
    updated_at: normalizeInstant(row.updated_at),
  }
}

export function toTransactionJson(row: ErpTransaction, names: DocumentIds): z.input<typeof transaction> {
  const { document, currency } = row
  return {
    transaction_id: names.deriveDocumentId('transaction', row.number),
    occurred_at: normalizeInstant(row.occurred_at),
    type: row.type,
    amount: amountOf(row.amount, currency),
    currency,
    balance_after: amountOf(row.balance_after, currency),
    reference_type: document?.kind ?? null,
    reference_id: document && names.findSubjectId(document),
    bill_id: names.deriveDocumentIdOrNull('bill', row.bill_number),
    client_order_number: row.client_order_number,
    description: row.description,
    status_raw: row.status_raw,
  }
}

export function toBillJson(row: ErpBill, names: DocumentIds): z.input<typeof bill> {
  const { currency } = row
  return {
    bill_id: names.deriveDocumentId('bill', row.number),
    bill_number: row.printed_number ?? row.number,
    period_start: row.period_start,
    period_end: row.period_end,
    issued_at: normalizeInstant(row.issued_at),
    due_date: row.due_date,
    currency,
    amount_total: amountOf(row.amount_total, currency),
    amount_paid: amountOf(row.amount_paid, currency),
    amount_due: amountOf(row.amount_due, currency),
    status: row.status,
    document_url: row.document_url,
  }
}

export function toRefundJson(row: ErpRefund, names: DocumentIds): z.input<typeof refund> {
  return {
    refund_id: names.deriveDocumentId('refund', row.number),
    order_type: row.order.order_type,
    ...names.findOrderId(row.order),
    amount: amountOf(row.amount, row.currency),
    currency: row.currency,
    reason: row.reason,
    status: row.status,
    requested_at: normalizeInstant(row.requested_at),
    completed_at: row.completed_at && normalizeInstant(row.completed_at),
    transaction_id: names.deriveDocumentIdOrNull('transaction', row.transaction_number),
    order_number: row.order.number,
  }
}

export function toFreightBillJson(row: ErpFreightBill, names: DocumentIds): z.input<typeof freightBill> {
  const { order, currency } = row
  return {
    freight_bill_id: names.deriveDocumentId('freight_bill', row.number),
    billed_at: normalizeInstant(row.billed_at),
    shipment_id: names.findShipmentId(order, row.shipment_number),
    ...names.findOrderId(order),
    tracking_number: row.tracking_number,
    carrier: row.carrier,
    weight_g: row.weight_g,
    chargeable_weight_g: row.chargeable_weight_g,
    zone: row.zone,
    amount: amountOf(row.amount, currency),
    currency,
    bill_id: names.deriveDocumentIdOrNull('bill', row.bill_number),
    transaction_id: names.deriveDocumentIdOrNull('transaction', row.transaction_number),
    order_number: order?.number ?? null,
    shipment_number: row.shipment_number,
  }
}
