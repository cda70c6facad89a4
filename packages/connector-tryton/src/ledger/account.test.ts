import { expect, it } from 'vitest'
import { cutPage } from './account.ts'

const at = (text: string) => Date.parse(`2026-11-27T12:00:0${text}Z`)
const rows = ['3.001', '3.000', '2.000', '1.000'].map((text) => ({ at: at(text), number: text }))
const list = { from: '2026-11-27T00:00:00.000Z', to: null, after: null, skip: 0, limit: 50 }

const read = (change: object, readAt: number) => {
  const { page, as_of } = cutPage(rows, { ...list, ...change }, readAt)
  return { numbers: page.map(({ number }) => number), as_of }
}

it('A page is as new as its newest row, also if Tryton’s time is behind it', () => {
  const all = rows.map(({ number }) => number)
  expect(read({}, at('1.500'))).toEqual({ numbers: all, as_of: '2026-11-27T12:00:03.001Z' })
  expect(read({}, at('4.000') + 0.75)).toEqual({ numbers: all, as_of: '2026-11-27T12:00:04.000Z' })
  expect(read({ to: '2026-11-27T12:00:02.000Z' }, at('1.500')).as_of).toBe('2026-11-27T12:00:01.500Z')
})

it('Pages by number that end with the time of the first one miss no row, and repeat none', () => {
  const first = read({ limit: 2 }, at('2.000'))
  const to = new Date(Date.parse(first.as_of) + 1).toISOString()
  const second = read({ to, skip: 2, limit: 2 }, at('9.000'))
  expect([...first.numbers, ...second.numbers]).toEqual(rows.map(({ number }) => number))
})
