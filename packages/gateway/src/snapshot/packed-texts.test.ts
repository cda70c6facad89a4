import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PackedTexts } from './packed-texts.ts'

/** Texts that share beginnings, with units that UTF-8 and UTF-16 sort differently. */
const text = fc
  .array(fc.constantFrom('a', 'ab', 'ü', 'é', '\uffee', '\u{1f455}', '\ud83d', '"', '\\', '\u001f', ''), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

describe('packed texts', () => {
  it('has the texts that it was made of, in their order', () => {
    const property = fc.property(fc.array(text), (texts) => {
      const packed = PackedTexts.of(texts)
      expect([...packed]).toEqual(texts)
      expect(packed).toHaveLength(texts.length)
      expect(texts.map((_, index) => packed.at(index))).toEqual(texts)
      expect(packed.at(texts.length)).toBe('')
    })
    fc.assert(property)
  })

  it('finds texts as a comparison of the texts would', () => {
    const property = fc.property(fc.uniqueArray(text), text, (texts, sought) => {
      const sorted = texts.toSorted(compare)
      const packed = PackedTexts.of(sorted)
      for (const each of [sought, ...texts]) {
        expect(packed.findLowerBound(each)).toBe(sorted.filter((other) => other < each).length)
        expect(packed.find(each)).toBe(sorted.includes(each) ? sorted.indexOf(each) : undefined)
      }
    })
    fc.assert(property)
    // The empty text is below all others, so that only a list without any has no text at its place.
    expect(PackedTexts.of([]).find('')).toBeUndefined()
  })
})
