/** Time as the gateway sees it: the wall clock for expiry and schedules, the monotonic one for intervals. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that only ever grow. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}

/** The second that was printed last: of many times in a row most are of the same one. */
const printed = { second: Number.NaN, text: '' }

/** RFC 3339 in UTC with milliseconds. */
export function instant(epochMs: number): string {
  const second = Math.floor(epochMs / 1000)
  if (second !== printed.second) {
    printed.text = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
    printed.second = second
  }
  const ms = Math.trunc(epochMs - second * 1000)
  return `${printed.text}${String(ms).padStart(3, '0')}Z`
}

/** The same of a time that may be missing. */
export function instantOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : instant(epochMs)
}

/** Epoch milliseconds of an RFC 3339 time that may be missing. */
export function epochOrNull(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}
