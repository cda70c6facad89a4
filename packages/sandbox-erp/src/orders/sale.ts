import type { Sale } from '../ledger/sales.ts'
import type { StoredDocument } from './documents.ts'

const noCosts = { goods: 0, freight: 0, handling: 0, tax: 0, discount: 0, total: 0 }

/** Converts an order to the fields that the ledger uses. */
export function toSale({ document, particulars }: Pick<StoredDocument, 'document' | 'particulars'>): Sale {
  return {
    customer_code: particulars.customer_code,
    currency: document.currency,
    order_type: document.order_type === 'dropship' ? 'dropship' : 'wholesale',
    number: document.number,
    reference: document.reference,
    client_order_number: particulars.client_order_number,
    costs: document.costs ?? noCosts,
  }
}
