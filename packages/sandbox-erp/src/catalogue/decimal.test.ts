import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDecimal, parseMinorUnits } from './decimal.ts'

describe('minorUnits', () => {
  it.each([
    ['2.55', 255],
    ['0.0', 0],
    ['7', 700],
    ['007.5', 750],
    ['0.001', 0],
    ['0.005', 1],
    ['1.005', 101],
    ['2.555', 256],
    ['2.5549999999', 255],
    ['9.995', 1000],
    ['-11062.06', -1_106_206],
    ['-1.005', -101],
    ['-0.00', 0],
    ['999999999999.99', 99_999_999_999_999],
  ])('rounds halves away from zero: %s is %d', (decimal, minor) => {
    expect(parseMinorUnits(decimal)).toBe(minor)
  })

  it.each([
    '',
    ' 1',
    '1 ',
    '1,5',
    '.5',
    '5.',
    '+1',
    '1e3',
    '0x10',
    'NaN',
    '--1',
    '1.2.3',
    '1'.repeat(13),
    '１',
  ])('takes %j for no decimal', (text) => {
    expect(parseMinorUnits(text)).toBeUndefined()
  })

  it('is undone by decimalText', () => {
    fc.assert(
      fc.property(fc.nat({ max: 99_999_999_999_999 }), (minor) => {
        expect(parseMinorUnits(formatDecimal(minor))).toBe(minor)
      }),
    )
  })
})
