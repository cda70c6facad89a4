import type { Sale } from '../ledger/sales.ts'
import type { Stored } from './documents.ts'

const nothing = { goods: 0, freight: 0, handling: 0, tax: 0, discount: 0, total: 0 }

/** An order as the books know it. */
export function saleOf({ document, particulars }: Pick<Stored, 'document' | 'particulars'>): Sale {
  return {
    customer_code: particulars.customer_code,
    currency: document.currency,
    order_type: document.order_type === 'dropship' ? 'dropship' : 'wholesale',
    number: document.number,
    reference: document.reference,
    client_order_number: particulars.client_order_number,
    costs: document.costs ?? nothing,
  }
}
