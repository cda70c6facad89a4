/**
 * Joins buffers to one with memory of its own, for what stays long. Small buffers are otherwise parts of Node's pool, all
 * of which stays as long as one of its parts.
 */
export function joinAlone(parts: readonly Uint8Array[]): Buffer {
  const all = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const part of parts) {
    all.set(part, end)
    end += part.length
  }
  return all
}
