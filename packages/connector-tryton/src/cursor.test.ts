import { describe, expect, it } from 'vitest'
import { formatCursor, parseCursor } from './cursor.ts'

const settings = 'one Tryton'
const cursor = {
  feed: 'stock',
  epoch: 'ab1x2',
  polledAt: 1_795_000_000_000,
  longPolledAt: 1_794_999_990_000,
  serial: 7,
  newest: { source: 3, id: 12, at: 1_794_999_999_000 },
}

describe('A cursor', () => {
  it.each([cursor, { ...cursor, newest: undefined }])('is understood by the feed that made it', (each) => {
    expect(parseCursor(formatCursor(each, settings), 'stock', settings)).toEqual(each)
  })

  it('has whole milliseconds of a stamp, so that the same write is never earlier than it', () => {
    const newest = { ...cursor.newest, at: cursor.newest.at + 0.25 }
    expect(parseCursor(formatCursor({ ...cursor, newest }, settings), 'stock', settings)).toEqual(cursor)
  })

  it.each([
    ['another feed', 'products', settings, (text: string) => text],
    ['other settings', 'stock', 'another Tryton', (text: string) => text],
    ['a changed time', 'stock', settings, (text: string) => text.replace('1795', '1796')],
    ['another newest write', 'stock', settings, (text: string) => text.replace('3-12-', '3-13-')],
    ['more text', 'stock', settings, (text: string) => `${text}.1`],
    ['less text', 'stock', settings, (text: string) => text.slice(0, -1)],
  ])('is not understood with %s', (_name, feed, itsSettings, damage) => {
    expect(parseCursor(damage(formatCursor(cursor, settings)), feed, itsSettings)).toBeUndefined()
  })
})
