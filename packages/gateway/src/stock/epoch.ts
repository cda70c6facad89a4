/**
 * A version is an epoch in the high bits and a running number in the low 33. The epoch is the ten-minute slot in
 * which the history began, so that a database that was made anew or restored starts above every older history:
 * 20 bits of ten minutes reach to 2045, and the whole stays below 2^53.
 */
const lowBits = 2 ** 33
const slotMs = 600_000
const firstSlot = Date.UTC(2026, 0, 1)

/** The version from which a history that begins now counts. */
export function startVersion(now: number): number {
  return Math.max(1, Math.floor((now - firstSlot) / slotMs)) * lowBits
}

/** Which history a version belongs to. */
export function epochOf(version: number): number {
  return Math.floor(version / lowBits)
}
