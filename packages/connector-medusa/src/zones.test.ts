import { expect, it } from 'vitest'
import { type GeoZone, measureCover } from './zones.ts'

const place = { country_code: 'AU', state: 'NSW', city: 'Sydney', postal_code: '2000' }
const country: GeoZone = { type: 'country', country_code: 'au', postal_expression: null }
const province: GeoZone = { ...country, type: 'province', province_code: 'NSW' }
const city: GeoZone = { ...province, type: 'city', city: 'Sydney' }
const zip: GeoZone = { ...city, type: 'zip', postal_expression: '2000' }

it.each<[number, string, GeoZone[]]>([
  [0, 'no zone', []],
  [1, 'its country', [country]],
  [2, 'its province', [province]],
  [3, 'its city', [city]],
  [4, 'its postal code', [zip]],
  [2, 'its country, its province and another city', [country, province, { ...city, city: 'Newcastle' }]],
  [0, 'another country', [{ ...country, country_code: 'nz' }]],
  [0, 'another province', [{ ...province, province_code: 'VIC' }]],
  [0, 'the same city in another province', [{ ...city, province_code: 'VIC' }]],
  [0, 'another postal code', [{ ...zip, postal_expression: '2300' }]],
])('measures %i for %s', (cover, _name, zones) => {
  expect(measureCover(zones, place)).toBe(cover)
})

it.each<[number, string, GeoZone]>([
  [3, 'its city', city],
  [4, 'its postal code', zip],
  [0, 'a province', province],
])('measures %i for %s where the address has no state', (cover, _name, zone) => {
  expect(measureCover([zone], { ...place, state: null })).toBe(cover)
})
