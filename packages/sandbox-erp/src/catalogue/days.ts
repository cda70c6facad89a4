const day_ms = 24 * 60 * 60 * 1000

/**
 * Creates functions that compute days relative to `today` (`YYYY-MM-DD`) in UTC. Throws a RangeError if `today` is not
 * a valid date.
 */
export function createDays(today: string) {
  const midnight_ms = Date.parse(`${today}T00:00:00.000Z`)
  if (
    !/^\d{4}-\d{2}-\d{2}$/.test(today) ||
    Number.isNaN(midnight_ms) ||
    toInstant(0).slice(0, 10) !== today
  ) {
    throw new RangeError(`"${today}" is not a day like 2026-08-31.`)
  }

  function toInstant(days: number): string {
    return new Date(midnight_ms + days * day_ms).toISOString()
  }

  return {
    /** Midnight of the day `days` after today: `YYYY-MM-DDT00:00:00.000Z`. */
    toInstant,
    /** The day `days` after today: `YYYY-MM-DD`. */
    toDay: (days: number) => toInstant(days).slice(0, 10),
  }
}

export type Days = ReturnType<typeof createDays>
