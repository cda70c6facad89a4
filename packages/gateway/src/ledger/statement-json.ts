/**
 * Statement records in responses. Transactions and refunds have signed amounts, and an amount in the customer's favour
 * is positive. Bills and freight bills have positive amounts.
 */

import { billStatuses, refundStatuses, statementDocuments, transactionTypes } from '@trade-gateway/connector'
import { z } from 'zod'
import { currency, instantField, toListSchema } from '../contract/fields.ts'

const amount = z.number().meta({ description: 'At most 2 decimals; what the customer has is positive' })
const asked = z.number().meta({ description: 'At most 2 decimals; what is owed is positive' })
const day = z.iso.date()
/**
 * The ids of an order. Both are null if the order belongs to another channel or was not created through this gateway;
 * `order_number` then identifies it.
 */
const orderNames = { order_id: z.string().nullable(), dropship_order_id: z.string().nullable() }
const erpNumber = z.string().nullable()
const grams = z.int().min(0)

export const billStates = billStatuses
export const refundStates = refundStatuses

export const balance = z
  .object({
    currency,
    balance: amount,
    available: amount.meta({ description: 'balance + credit_limit − frozen' }),
    frozen: amount.meta({ description: 'Set aside for what was promised and is not booked yet' }),
    credit_limit: amount,
    credit_used: amount,
    updated_at: instantField,
  })
  .meta({ id: 'Balance' })

export const transaction = z
  .object({
    transaction_id: z.string(),
    occurred_at: instantField,
    type: z.enum(transactionTypes),
    amount,
    currency,
    balance_after: amount,
    reference_type: z.enum(statementDocuments).nullable(),
    reference_id: z
      .string()
      .nullable()
      .meta({ description: 'Our id; of what is not ours the ERP’s own number' }),
    bill_id: z.string().nullable(),
    client_order_number: z.string().nullable(),
    description: z.string(),
    status_raw: z.string(),
  })
  .meta({ id: 'Transaction' })

export const bill = z
  .object({
    bill_id: z.string(),
    bill_number: z.string(),
    period_start: day,
    period_end: day,
    issued_at: instantField,
    due_date: day,
    currency,
    amount_total: asked,
    amount_paid: asked,
    amount_due: asked,
    status: z.enum(billStates),
    document_url: z.string().nullable(),
  })
  .meta({ id: 'Bill' })

export const refund = z
  .object({
    refund_id: z.string(),
    order_type: z.enum(['wholesale', 'dropship']),
    ...orderNames,
    amount,
    currency,
    reason: z.string(),
    status: z.enum(refundStates),
    requested_at: instantField,
    completed_at: instantField.nullable(),
    transaction_id: z.string().nullable(),
    order_number: erpNumber,
  })
  .meta({ id: 'Refund' })

export const freightBill = z
  .object({
    freight_bill_id: z.string(),
    billed_at: instantField,
    shipment_id: z.string().nullable(),
    ...orderNames,
    tracking_number: z.string().nullable(),
    carrier: z.string(),
    weight_g: grams,
    chargeable_weight_g: grams,
    zone: z.string(),
    amount: asked,
    currency,
    bill_id: z.string().nullable(),
    transaction_id: z.string().nullable(),
    order_number: erpNumber,
    shipment_number: erpNumber,
  })
  .meta({ id: 'FreightBill' })

const spanBalance = z
  .object({ currency, opening_balance: amount, closing_balance: amount })
  .meta({ id: 'SpanBalance' })

export const balancePage = toListSchema(balance)
export const transactionPage = toListSchema(transaction).extend({ balances: z.array(spanBalance) })
export const billPage = toListSchema(bill)
export const refundPage = toListSchema(refund)
export const freightBillPage = toListSchema(freightBill)
