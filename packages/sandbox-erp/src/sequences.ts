import type { Store } from './store.ts'

/** Takes the next number of a sequence, from 1, in the caller's transaction. */
export function takeNextNumber(store: Store, name: string): number {
  const row = store.one(
    `insert into sequences (name, value) values (?, 1)
     on conflict (name) do update set value = value + 1 returning value`,
    name,
  )
  return Number(row?.value)
}

/** Takes the next number of a document, shipment or booking, such as SO-000123. */
export function takeDocumentNumber(
  store: Store,
  prefix: 'SO' | 'HL' | 'SH' | 'TX' | 'INV' | 'RF' | 'FB',
): string {
  const digits = 6
  return `${prefix}-${String(takeNextNumber(store, prefix)).padStart(digits, '0')}`
}
