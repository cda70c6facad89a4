import { describe, expect, it } from 'vitest'
import { isPublicUnicast, specialRanges } from './address.ts'

/** Returns the 4 or 16 bytes of the first address of a range. */
function toFirstBytes(address: string): number[] {
  if (!address.includes(':')) return address.split('.').map(Number)
  const groups = address.replace('::', '').split(':')
  const bytes = groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  return [...bytes, ...new Array<number>(16 - bytes.length).fill(0)]
}

/** Returns the address that is `steps` after another one. */
function shiftAddress(address: string, steps: bigint): string | undefined {
  const bytes = toFirstBytes(address)
  const bits = BigInt(bytes.length * 8)
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + steps
  if (value < 0n || value >= 1n << bits) return undefined
  const shifted = Array.from(bytes, (_, at) => Number((value >> BigInt((bytes.length - 1 - at) * 8)) & 255n))
  if (shifted.length === 4) return shifted.join('.')
  return Array.from({ length: 8 }, (_, at) =>
    (((shifted[at * 2] ?? 0) << 8) | (shifted[at * 2 + 1] ?? 0)).toString(16),
  ).join(':')
}

/** Ranges that border another special range. The neighbours of all other ranges are public. */
const neighbours = new Set([
  '224.0.0.0/4 after',
  '240.0.0.0/4 before',
  '240.0.0.0/4 after',
  '0.0.0.0/8 before',
])

describe('an address', () => {
  it.each(specialRanges)('is not public anywhere in %s, and is right before and after it', (range) => {
    const [first = '', bits = ''] = range.split('/')
    const size = 1n << BigInt(toFirstBytes(first).length * 8 - Number(bits))
    for (const steps of [0n, 1n, size / 2n, size - 1n]) {
      const within = shiftAddress(first, steps > size - 1n ? size - 1n : steps) ?? ''
      expect(isPublicUnicast(within), within).toBe(false)
    }
    for (const [where, steps] of [
      ['before', -1n],
      ['after', size],
    ] as const) {
      const outside = shiftAddress(first, steps)
      if (outside === undefined || neighbours.has(`${range} ${where}`)) continue
      expect(isPublicUnicast(outside), outside).toBe(true)
    }
  })

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::1',
    '2001:4860::8888',
    '3ffe::1',
  ])('%s is public', (address) => expect(isPublicUnicast(address)).toBe(true))

  it.each([
    '::',
    '::1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::ffff:0:7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:0:7f00:1::',
    '2001:10::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:808:808::1',
    '3fff::1',
    '4000::1',
    '1fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700::1111%eth0',
    'fec0::1',
    'ff02::1',
    'ff0e::1',
    '::FFFF:8.8.8.8',
    '0:0:0:0:0:ffff:808:808',
  ])('%s is not', (address) => expect(isPublicUnicast(address)).toBe(false))

  it.each([
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.04',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3',
    '1.2.3.4::',
    '2606:4700:::1111',
    '2606:4700::1111/128',
    ' 1.1.1.1',
  ])('"%s" is not an address, and is refused', (text) => expect(isPublicUnicast(text)).toBe(false))
})
