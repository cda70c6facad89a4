import { expect, it } from 'vitest'
import { cutPage } from './account.ts'

const at = (text: string) => Date.parse(`2026-11-27T12:00:0${text}Z`)
const rows = ['3.001', '3.000', '2.000', '1.000'].map((text) => ({ at: at(text), number: text }))
const list = { from: '2026-11-27T00:00:00.000Z', to: null, after: null, skip: 0, limit: 50 }

const readNumbers = (change: object, asOf = at('3.000') + 0.75) =>
  cutPage(rows, { ...list, ...change }, asOf).page.map(({ number }) => number)

it('A page ends with its own time or the end of the period, whichever is earlier', () => {
  expect(readNumbers({})).toEqual(['3.000', '2.000', '1.000'])
  expect(readNumbers({ to: '2026-11-28T00:00:00.000Z' })).toEqual(['3.000', '2.000', '1.000'])
  expect(readNumbers({ to: '2026-11-27T12:00:02.000Z' })).toEqual(['1.000'])
})

it('Pages by number that end with the time of the first one miss no row, and repeat none', () => {
  const first = readNumbers({ limit: 2 })
  const to = new Date(at('3.000') + 1).toISOString()
  expect([...first, ...readNumbers({ to, skip: 2, limit: 2 }, at('9.000'))]).toEqual([
    '3.000',
    '2.000',
    '1.000',
  ])
})
