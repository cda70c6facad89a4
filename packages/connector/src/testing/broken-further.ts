import { changeOutput, type Mutant, replaceOperation } from './broken.ts'
import { letOrderFor } from './broken-orders.ts'

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
    fault: 'orders for a customer that the ERP knows and the session is not of',
    id: 'orders.foreign_customer',
    mutant: (erp) => letOrderFor(erp, (code) => code === other_customer_code),
  },
]
