import type { ErpBill } from '@trade-gateway/connector'
import { expect, it } from 'vitest'
import type { DocumentIds } from './names.ts'
import { toBillJson } from './rows.ts'

const bill: ErpBill = {
  number: '#7',
  ...{ period_start: '2026-11-27', period_end: '2026-11-27', issued_at: '2026-11-27T12:00:00.000Z' },
  ...{ due_date: '2026-12-27', currency: 'AUD', amount_total: 1_000, amount_paid: 0, amount_due: 1_000 },
  ...{ status: 'open', document_url: null },
}
// A bill has no other id.
const names = {
  deriveDocumentId: (kind: string, number: string) => `${kind} ${number}`,
} as unknown as DocumentIds

it.each([
  ['what is printed on it', { printed_number: 'INV-00001' }, 'INV-00001'],
  ['its own, if nothing else is printed', { printed_number: null }, '#7'],
  ['its own, if the ERP does not know the other one', {}, '#7'],
])('The number of a bill is %s, and its id is that of its own number', (_name, printed, bill_number) => {
  expect(toBillJson({ ...bill, ...printed }, names)).toMatchObject({ bill_id: 'bill #7', bill_number })
})
