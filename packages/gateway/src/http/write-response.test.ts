import { expect, it } from 'vitest'
import { splitLongChunks } from './write-response.ts'

const piece = 512 * 1024

it('splits a chunk that is longer than a piece, without copying, and leaves the others as they are', () => {
  const short = Buffer.from('short')
  const long = Buffer.alloc(2 * piece + 1, 7)
  const pieces = [...splitLongChunks([short, long, short])]
  expect(pieces.map(({ length }) => length)).toEqual([5, piece, piece, 1, 5])
  expect(pieces[0]).toBe(short)
  expect(pieces[1]?.buffer).toBe(long.buffer)
  expect(Buffer.concat(pieces).equals(Buffer.concat([short, long, short]))).toBe(true)
})
