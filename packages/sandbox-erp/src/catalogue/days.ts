const day_ms = 24 * 60 * 60 * 1000

/**
 * Midnight, UTC, of a day `YYYY-MM-DD` and of days before and after it. Throws a RangeError when `today` is no day
 * of the calendar.
 */
export function daysAround(today: string) {
  const midnight_ms = Date.parse(`${today}T00:00:00.000Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(today) || Number.isNaN(midnight_ms) || instant(0).slice(0, 10) !== today) {
    throw new RangeError(`"${today}" is not a day like 2026-08-31.`)
  }

  function instant(days: number): string {
    return new Date(midnight_ms + days * day_ms).toISOString()
  }

  return {
    /** The instant at which the day `days` after today begins: `YYYY-MM-DDT00:00:00.000Z`. */
    instant,
    /** The day `days` after today: `YYYY-MM-DD`. */
    day: (days: number) => instant(days).slice(0, 10),
  }
}

export type Days = ReturnType<typeof daysAround>
