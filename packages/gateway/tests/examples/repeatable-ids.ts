import { createHash } from 'node:crypto'
import { encodeBase32, type Ids } from '../../src/kernel/ids.ts'

const idBytes = 16

/** Creates ids that look random and are the same in each run. Each prefix has its own series. */
export function createRepeatableIds(): Ids {
  const counts = new Map<string, number>()
  const digest = (series: string) => {
    const count = (counts.get(series) ?? 0) + 1
    counts.set(series, count)
    return createHash('sha256').update(`${series} ${count}`).digest()
  }
  return {
    next: (prefix) => `${prefix}_${encodeBase32(digest(prefix).subarray(0, idBytes))}`,
    bytes(count) {
      const parts: Buffer[] = []
      for (let length = 0; length < count; length += 32) parts.push(digest('bytes'))
      return Buffer.concat(parts).subarray(0, count)
    },
  }
}
