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

/** RFC 3339 in UTC with milliseconds. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The same of a time that may be missing. */
export function instantOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : instant(epochMs)
}

/** Epoch milliseconds of an RFC 3339 time that may be missing. */
export function epochOrNull(text: string | null): number | null {
  return text === null ? null : Date.parse(text)
}
