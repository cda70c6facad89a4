import { hash, timingSafeEqual } from 'node:crypto'

export function sha256(text: string | Uint8Array): Buffer {
  return hash('sha256', text, 'buffer')
}

/** Whether two texts are equal. The comparison takes constant time. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(sha256(a), sha256(b))
}
