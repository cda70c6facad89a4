import type { Costs, ErpDocument, Quote } from '../documents.ts'
import type { Erp } from '../erp.ts'
import { changeOutput, type Mutant, renameCode, replaceOperation } from './broken.ts'
import { letOrderFor } from './broken-orders.ts'
import { forgetAfterEverything } from './broken-stock.ts'

/** A faulty ERP of a further kind that a check must detect. */
interface FurtherFault {
  readonly fault: string
  /** The check that must detect it. */
  readonly id: string
  readonly mutant: Mutant
}

const longAgo = '2000-01-01T00:00:00.000Z'

/** A customer that some of the faulty ERPs know. */
export const other_customer_code = 'ANOTHER'

/** Further faults of checks that have a mutant already. */
export const furtherFaults: readonly FurtherFault[] = [
  {
    fault: 'hints that are forgotten after everything was returned once',
    id: 'stock.changed.followed',
    mutant: forgetAfterEverything,
  },
  {
    fault: 'a SKU with a character that nobody sees',
    id: 'products.codes',
    mutant: (erp) => renameCode(erp, 'STYLE-29-B', 'STYLE-29-B\u200b'),
  },
  {
    fault: 'an address whose id is not in NFC',
    id: 'customers.known',
    mutant: (erp) => renameCode(erp, 'depot', 'de\u0301pot'),
  },
  {
    fault: 'transactions from before the period',
    id: 'ledger.span',
    mutant: (erp) => replaceOperation(erp, 'transactions', (input, run) => run({ ...input, from: longAgo })),
  },
  {
    fault: 'freight bills from before the period',
    id: 'ledger.span',
    mutant: (erp) => replaceOperation(erp, 'freight_bills', (input, run) => run({ ...input, from: longAgo })),
  },
  {
    fault: 'refunds of any status',
    id: 'ledger.status',
    mutant: (erp) => replaceOperation(erp, 'refunds', (input, run) => run({ ...input, status: null })),
  },
  {
    fault: 'a repeated hold without a document',
    id: 'orders.hold.once',
    mutant: (erp) => {
      const seen = new Set<string>()
      return changeOutput(erp, 'hold', (result, { reference }) => {
        const isSecond = seen.has(reference)
        seen.add(reference)
        return isSecond ? { ...result, document: null } : result
      })
    },
  },
  {
    fault: 'lines of a quote that do not add up to its goods',
    id: 'orders.quote.sums',
    mutant: (erp) => changeQuote(erp, (quote) => raiseLines(quote, { line_total: 1 })),
  },
  {
    fault: 'unit prices of a quote that are not those of its lines',
    id: 'orders.quote.sums',
    mutant: (erp) => changeQuote(erp, (quote) => raiseLines(quote, { unit_price: 100 })),
  },
  {
    fault: 'other unit prices of an order than of its quote',
    id: 'orders.submit.exact',
    mutant: (erp) => changeOrder(erp, (order) => raiseLines(order, { unit_price: 1 })),
  },
  {
    fault: 'goods of an order that are not the sum of its lines',
    id: 'orders.submit.exact',
    mutant: (erp) =>
      changeOrder(erp, (order) => ({ ...order, costs: order.costs && moveToTax(order.costs, 1) })),
  },
  {
    fault: 'orders for a customer that the ERP knows and the session is not of',
    id: 'orders.foreign_customer',
    mutant: (erp) => letOrderFor(erp, (code) => code === other_customer_code),
  },
]

/** Changes the quotes of the quantity by which the check of sums is known. */
function changeQuote(erp: Erp, change: (quote: Quote) => Quote): Erp {
  return changeOutput(erp, 'quote', ({ quote }) => ({
    quote: quote.lines[0]?.quantity === 2 ? change(quote) : quote,
  }))
}

/** Changes the orders of the quantity by which the check of an exact order is known. */
function changeOrder(erp: Erp, change: (order: ErpDocument) => ErpDocument): Erp {
  return changeOutput(erp, 'submit', ({ document, figures }) => ({
    document: document.lines[0]?.quantity === 7 ? change(document) : document,
    figures,
  }))
}

function raiseLines<Priced extends Quote | ErpDocument>(
  priced: Priced,
  { unit_price = 0, line_total = 0 }: { readonly unit_price?: number; readonly line_total?: number },
): Priced {
  const lines = priced.lines.map((line) => ({
    ...line,
    unit_price: line.unit_price + unit_price,
    line_total: line.line_total + line_total,
  }))
  return { ...priced, lines }
}

/** Returns costs with the same total, of which a part is called tax. */
function moveToTax(costs: Costs, amount: number): Costs {
  return { ...costs, goods: costs.goods - amount, tax: costs.tax + amount }
}
