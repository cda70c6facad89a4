import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toUsernameSubject } from './guard.ts'

const names = fc.string({ unit: 'binary', maxLength: 30 })

describe('the subject of a name', () => {
  it('is the same for every spelling: case, composition, width, spaces around', () => {
    const spellings: ((name: string) => string)[] = [
      (name) => name.toUpperCase(),
      (name) => name.toLowerCase(),
      (name) => name.normalize('NFC'),
      (name) => name.normalize('NFD'),
      (name) => name.normalize('NFKC'),
      (name) => name.normalize('NFKD'),
      (name) => ` ${name}\t`,
    ]
    fc.assert(
      fc.property(names, fc.constantFrom(...spellings), (name, spelled) => {
        expect(toUsernameSubject(spelled(name))).toBe(toUsernameSubject(name))
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps different names apart', () => {
    const plain = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789@.-_') })
    fc.assert(
      fc.property(plain, plain, (one, two) => {
        expect(toUsernameSubject(one) === toUsernameSubject(two)).toBe(one === two)
      }),
    )
  })

  it.each([
    ['ｂｕｙｅｒ＠ｔｅｓｔ', 'buyer@test'],
    ['BUYER@TEST', 'buyer@test'],
    ['bu\u200byer@te\u00adst', 'buyer@test'],
    ['ﬁsh', 'fish'],
    ['STRASSE', 'straße'],
    ['ẞ', 'ss'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['e\u0301', 'É'],
    ['\u212aelvin', 'kelvin'],
  ])('is the same for %j and %j', (one, two) => {
    expect(toUsernameSubject(one)).toBe(toUsernameSubject(two))
  })
})
