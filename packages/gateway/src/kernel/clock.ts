/** The clocks of a process: the wall clock for expiry and schedules, the monotonic clock for intervals. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never decrease. They do not count the time for which the machine is suspended. */
  monotonic(): number
  /**
   * Epoch milliseconds of the machine, which also count the time for which it is suspended. They may be wrong and may be
   * set at any time, so they only make a process more careful.
   */
  machine(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  machine: () => Date.now(),
}

/** The last instant that RFC 3339 can express, in epoch milliseconds. */
export const lastWritableInstant = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** The text of the second that was formatted last, cached because consecutive times often share it. */
const printed = { second: Number.NaN, text: '' }

/** Formats a time as RFC 3339 in UTC with milliseconds. */
export function formatInstant(epochMs: number): string {
  const second = Math.floor(epochMs / 1000)
  if (second !== printed.second) {
    printed.text = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
    printed.second = second
  }
  const ms = Math.trunc(epochMs - second * 1000)
  return `${printed.text}${String(ms).padStart(3, '0')}Z`
}

/** Formats a time as RFC 3339; null stays null. */
export function formatInstantOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatInstant(epochMs)
}

/** Parses an RFC 3339 time to epoch milliseconds; null stays null. */
export function parseInstantOrNull(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}
