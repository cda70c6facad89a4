import { describe, expect, it } from 'vitest'
import { toChoice } from './column-choice.ts'

describe('the kept choice of columns', () => {
  it('is what was chosen', () => {
    expect(toChoice('{"account":true,"points":false}')).toEqual({ account: true, points: false })
  })

  it.each([undefined, '', '{', 'null', '7', '[1]', '{"account":"yes"}'])(
    'is no choice if it is %j',
    (kept) => {
      expect(toChoice(kept)).toEqual({})
    },
  )
})
