import { expect, it } from 'vitest'
import { HintedWrites } from './hinted.ts'

const writes = ['A', 'B', 'C'].map((key, at) => ({ key, at: at + 1 }))
const [a, b, c] = writes as [HintedWrite, HintedWrite, HintedWrite]
type HintedWrite = (typeof writes)[number]

/** Remembers a poll that continues a cursor. */
const poll = (
  hinted: HintedWrites,
  former: string,
  next: string,
  found: readonly HintedWrite[],
  oldest = 0,
) => hinted.remember({ former, next, writes: found, oldest })
const listFresh = (hinted: HintedWrites, cursor: string) =>
  hinted
    .selectFresh(cursor, writes)
    .map(({ key }) => key)
    .join('')

it('knows what was hinted up to each cursor of a line', () => {
  const hinted = new HintedWrites()
  poll(hinted, '0', '1', [a])
  poll(hinted, '1', '2', [a, b])
  expect(['0', '1', '2', 'unknown'].map((cursor) => listFresh(hinted, cursor))).toEqual([
    'ABC',
    'BC',
    'C',
    'ABC',
  ])
  expect(hinted.size).toBe(2)
})

it('hints again what only a lost response has hinted', () => {
  const hinted = new HintedWrites()
  poll(hinted, '0', '1', [a])
  poll(hinted, '1', 'lost', [b])
  poll(hinted, '1', '2', [])
  poll(hinted, '2', '3', [c])
  expect(listFresh(hinted, '2')).toBe('BC')
  expect(listFresh(hinted, '3')).toBe('B')
  expect(listFresh(hinted, 'lost')).toBe('C')
})

it('takes nothing for hinted that a caller with another cursor was told', () => {
  const hinted = new HintedWrites()
  poll(hinted, 'mine 0', 'mine 1', [a])
  poll(hinted, 'yours 0', 'yours 1', [a, b])
  poll(hinted, 'mine 1', 'mine 2', [a])
  expect(listFresh(hinted, 'mine 2')).toBe('BC')
})

it('forgets what no later poll finds, and lines that nobody continues', () => {
  const hinted = new HintedWrites()
  poll(hinted, '0', '1', [a, b])
  poll(hinted, '1', '2', [c], 1)
  expect(hinted.size).toBe(2)
  for (let other = 0; other < 20; other++) poll(hinted, '1', `lost ${other}`, [c])
  expect(hinted.size).toBeLessThanOrEqual(16)
})
