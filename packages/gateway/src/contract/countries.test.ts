import { iso31661 } from 'iso-3166'
import { expect, it } from 'vitest'
import { countries } from './countries.ts'

it('the countries are those of ISO 3166-1', () => {
  expect([...countries]).toEqual(iso31661.map(({ alpha2 }) => alpha2).toSorted())
  expect(['GB', 'UK', 'XX', 'XK', 'AN'].filter((code) => countries.has(code))).toEqual(['GB'])
})
