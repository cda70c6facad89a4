import { isPlainKey, type PlainKey } from '../../texts/catalogue.ts'

const creating: readonly string[] = [
  'order.submit',
  'dropship.preview',
  'dropship.submit',
  'reservation.create',
]

/** Whether a write creates what its reference names. Any other kind ends that, so that the ERP has it in any case. */
export function isCreating(kind: string): boolean {
  return creating.includes(kind)
}

/** Names a kind of write in words. A newer gateway may have kinds that have no name here. */
export function nameKind(kind: string, t: (key: PlainKey) => string): string {
  const key = `write_${kind.replace('.', '_')}`
  return isPlainKey(key) ? t(key) : kind
}
