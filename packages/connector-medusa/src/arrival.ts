import type { Arrival } from '@trade-gateway/connector'

type Days = readonly [min: number, max: number]

/** Computes when goods leave a warehouse and arrive, from the date at the warehouse. */
export function computeArrival(
  now: number,
  {
    timezone,
    dispatch,
    transit,
  }: { readonly timezone: string; readonly dispatch: Days; readonly transit: Days },
): Arrival {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(now)
  const after = (days: number) => {
    const date = new Date(`${today}T00:00:00Z`)
    date.setUTCDate(date.getUTCDate() + days)
    return date.toISOString().slice(0, 10)
  }
  return {
    earliest_ship_date: after(dispatch[0]),
    latest_ship_date: after(dispatch[1]),
    earliest_arrival_date: after(dispatch[0] + transit[0]),
    latest_arrival_date: after(dispatch[1] + transit[1]),
  }
}
