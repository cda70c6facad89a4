/**
 * Where a shipping option delivers to: the zones of Medusa, compared as its carts do. The field that a zone is of must equal
 * the address exactly; one before it counts only if the address has it.
 */
import type { ErpAddress } from '@trade-gateway/connector'
import { z } from 'zod'

/** The number of fields that a zone of each type names, from the country on. */
const fieldCounts = { country: 1, province: 2, city: 3, zip: 4 } as const

export const geoZone = z.object({
  type: z.enum(['country', 'province', 'city', 'zip']),
  country_code: z.string(),
  province_code: z.string().nullish(),
  city: z.string().nullish(),
  postal_expression: z.unknown(),
})
export type GeoZone = z.output<typeof geoZone>

export type Place = Pick<ErpAddress, 'country_code' | 'state' | 'city' | 'postal_code'>

/** Measures how narrow the narrowest zone with a place is: from 1 for its country to 4 for its postal code, 0 for none. */
export function measureCover(zones: readonly GeoZone[], place: Place): number {
  return Math.max(0, ...zones.filter((zone) => includes(zone, place)).map(({ type }) => fieldCounts[type]))
}

function includes(zone: GeoZone, { country_code, state, city, postal_code }: Place): boolean {
  const fields = [
    [zone.country_code.toUpperCase(), country_code],
    [zone.province_code, state],
    [zone.city, city],
    [zone.postal_expression, postal_code],
  ]
  const last = fieldCounts[zone.type] - 1
  return fields.slice(0, last + 1).every(([wanted, own], at) => wanted === own || (at < last && own === null))
}
