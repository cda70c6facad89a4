import { describe, expect, it } from 'vitest'
import { formatCursor, parseCursor } from './cursor.ts'

const cursor = {
  feed: 'stock',
  epoch: 'ab1x2',
  polledAt: 1_795_000_000_000,
  longPolledAt: 1_794_999_990_000,
  serial: 7,
}

describe('A cursor', () => {
  it('is understood by the feed and the start that made it', () => {
    expect(parseCursor(formatCursor(cursor), 'stock', 'ab1x2')).toEqual(cursor)
  })

  it.each([
    ['another feed', 'products', 'ab1x2', (text: string) => text],
    ['another start', 'stock', 'ab1x3', (text: string) => text],
    ['a changed time', 'stock', 'ab1x2', (text: string) => text.replace('1795', '1796')],
    ['more text', 'stock', 'ab1x2', (text: string) => `${text}.1`],
    ['less text', 'stock', 'ab1x2', (text: string) => text.slice(0, -1)],
  ])('is not understood with %s', (_name, feed, epoch, damage) => {
    expect(parseCursor(damage(formatCursor(cursor)), feed, epoch)).toBeUndefined()
  })
})
