import { expect, it } from 'vitest'
import type { Connector } from './connector.ts'
import { readCompanyDay } from './shipping.ts'

const hourMs = 3_600_000

/** A connector to a Tryton of a time zone whose clock has a time. Nothing else of it is used. */
const connectorAt = (timezone: string, now: number) =>
  ({ rpc: { readServerTime: () => now }, places: { timezone } }) as unknown as Connector

const zones = [
  // Sydney: 11 hours before UTC until daylight saving ends on 2026-04-05 at 03:00, then 10.
  { zone: 'Australia/Sydney', from: '2026-04-03T13:00:00Z', first: '2026-04-04', hours: [24, 25, 24] },
  { zone: 'Asia/Shanghai', from: '2026-04-03T16:00:00Z', first: '2026-04-04', hours: [24, 24, 24] },
]

it.each(zones)('The company’s day is that of $zone at every hour', ({ zone, from, first, hours }) => {
  let at = Date.parse(from)
  for (const [index, length] of hours.entries()) {
    const day = new Date(Date.parse(first) + index * 24 * hourMs).toISOString().slice(0, 10)
    for (let hour = 0; hour < length; hour++) {
      expect(readCompanyDay(connectorAt(zone, at))).toBe(day)
      at += hourMs
    }
  }
})
