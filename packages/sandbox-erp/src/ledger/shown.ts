import {
  type ErpBill,
  type ErpFreightBill,
  type ErpRefund,
  type ErpTransaction,
  refundStatuses,
  statementDocuments,
  transactionTypes,
} from '@trade-gateway/connector'
import type { Row } from '../store.ts'

/** The columns hold what `book` wrote. */
export function transactionFrom(row: Row): ErpTransaction {
  return {
    number: String(row.number),
    occurred_at: instant(Number(row.occurred_at)),
    type: oneOf(transactionTypes, row.type),
    amount: Number(row.amount),
    currency: String(row.currency),
    balance_after: Number(row.balance_after),
    document:
      row.document_kind === null
        ? null
        : {
            kind: oneOf(statementDocuments, row.document_kind),
            number: String(row.document_number),
            reference: textOf(row.reference),
          },
    bill_number: textOf(row.bill_number),
    client_order_number: textOf(row.client_order_number),
    description: String(row.description),
    status_raw: String(row.status_raw),
  }
}

export function billFrom(row: Row): ErpBill {
  const [total, settled] = [Number(row.amount_total), Number(row.amount_paid)]
  return {
    number: String(row.number),
    period_start: String(row.period_start),
    period_end: String(row.period_end),
    issued_at: instant(Number(row.issued_at)),
    due_date: String(row.due_date),
    currency: String(row.currency),
    amount_total: total,
    amount_paid: settled,
    amount_due: total - settled,
    status: settled >= total ? 'paid' : 'open',
    document_url: `https://billing.sandbox.example/bills/${row.number}`,
  }
}

export function refundFrom(row: Row): ErpRefund {
  return {
    number: String(row.number),
    order: orderOf(row),
    amount: Number(row.amount),
    currency: String(row.currency),
    reason: String(row.reason),
    status: oneOf(refundStatuses, row.status),
    requested_at: instant(Number(row.requested_at)),
    completed_at: row.completed_at === null ? null : instant(Number(row.completed_at)),
    transaction_number: textOf(row.transaction_number),
  }
}

export function freightBillFrom(row: Row): ErpFreightBill {
  return {
    number: String(row.number),
    billed_at: instant(Number(row.billed_at)),
    shipment_number: String(row.shipment_number),
    order: orderOf(row),
    tracking_number: textOf(row.tracking_number),
    carrier: String(row.carrier),
    weight_g: Number(row.weight_g),
    chargeable_weight_g: Number(row.chargeable_weight_g),
    zone: String(row.zone),
    amount: Number(row.amount),
    currency: String(row.currency),
    bill_number: textOf(row.bill_number),
    transaction_number: textOf(row.transaction_number),
  }
}

function orderOf(row: Row): ErpRefund['order'] {
  const order_type = row.order_type === 'dropship' ? 'dropship' : 'wholesale'
  return { order_type, number: String(row.order_number), reference: textOf(row.reference) }
}

function textOf(value: Row[string] | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The word as it was booked. */
function oneOf<Word extends string>(words: readonly Word[], value: Row[string] | undefined): Word {
  const known = words.find((word) => word === value)
  if (known === undefined) throw new Error(`${value} is none of ${words.join(', ')}.`)
  return known
}
