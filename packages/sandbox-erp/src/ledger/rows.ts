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

/** Converts a row to a transaction. `bookEntry` wrote its columns, so their types are known. */
export function toTransaction(row: Row): ErpTransaction {
  return {
    number: String(row.number),
    occurred_at: toInstant(Number(row.occurred_at)),
    type: requireWord(transactionTypes, row.type),
    amount: Number(row.amount),
    currency: String(row.currency),
    balance_after: Number(row.balance_after),
    document:
      row.document_kind === null
        ? null
        : {
            kind: requireWord(statementDocuments, row.document_kind),
            number: String(row.document_number),
            reference: toTextOrNull(row.reference),
          },
    bill_number: toTextOrNull(row.bill_number),
    client_order_number: toTextOrNull(row.client_order_number),
    description: String(row.description),
    status_raw: String(row.status_raw),
  }
}

export function toBill(row: Row): ErpBill {
  const [total, settled] = [Number(row.amount_total), Number(row.amount_paid)]
  return {
    number: String(row.number),
    period_start: String(row.period_start),
    period_end: String(row.period_end),
    issued_at: toInstant(Number(row.issued_at)),
    due_date: String(row.due_date),
    currency: String(row.currency),
    amount_total: total,
    amount_paid: settled,
    amount_due: total - settled,
    status: settled >= total ? 'paid' : 'open',
    document_url: `https://billing.sandbox.example/bills/${row.number}`,
  }
}

export function toRefund(row: Row): ErpRefund {
  return {
    number: String(row.number),
    order: toOrder(row),
    amount: Number(row.amount),
    currency: String(row.currency),
    reason: String(row.reason),
    status: requireWord(refundStatuses, row.status),
    requested_at: toInstant(Number(row.requested_at)),
    completed_at: row.completed_at === null ? null : toInstant(Number(row.completed_at)),
    transaction_number: toTextOrNull(row.transaction_number),
  }
}

export function toFreightBill(row: Row): ErpFreightBill {
  return {
    number: String(row.number),
    billed_at: toInstant(Number(row.billed_at)),
    shipment_number: String(row.shipment_number),
    order: toOrder(row),
    tracking_number: toTextOrNull(row.tracking_number),
    carrier: String(row.carrier),
    weight_g: Number(row.weight_g),
    chargeable_weight_g: Number(row.chargeable_weight_g),
    zone: String(row.zone),
    amount: Number(row.amount),
    currency: String(row.currency),
    bill_number: toTextOrNull(row.bill_number),
    transaction_number: toTextOrNull(row.transaction_number),
  }
}

function toOrder(row: Row): ErpRefund['order'] {
  const order_type = row.order_type === 'dropship' ? 'dropship' : 'wholesale'
  return { order_type, number: String(row.order_number), reference: toTextOrNull(row.reference) }
}

function toTextOrNull(value: Row[string] | undefined): string | null {
  return typeof value === 'string' ? value : null
}

export function toInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** Returns the value as one of the known words. Throws if it is none of them. */
function requireWord<Word extends string>(words: readonly Word[], value: Row[string] | undefined): Word {
  const known = words.find((word) => word === value)
  if (known === undefined) throw new Error(`${value} is none of ${words.join(', ')}.`)
  return known
}
