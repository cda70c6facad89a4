import { expect, it } from 'vitest'
import { isInForce } from './price-lists.ts'

const now = Date.parse('2026-11-30T12:00:00Z')
const [before, after] = ['2026-11-30T11:59:59.999Z', '2026-11-30T12:00:00.001Z']

it.each([
  [true, { status: 'active', starts_at: null, ends_at: null }],
  [true, { status: 'active', starts_at: before, ends_at: after }],
  [false, { status: 'active', starts_at: after, ends_at: null }],
  [false, { status: 'active', starts_at: null, ends_at: before }],
  [false, { status: 'draft', starts_at: null, ends_at: null }],
])('A price list is in force, %s: %o', (expected, list) => {
  expect(isInForce(list, now)).toBe(expected)
})
