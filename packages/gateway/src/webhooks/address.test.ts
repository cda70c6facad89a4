import { describe, expect, it } from 'vitest'
import { bytesOf, isPublicUnicast, specialRanges } from './address.ts'

/** The address so many steps after another. */
function moved(address: string, steps: bigint): string | undefined {
  const bytes = bytesOf(address)
  if (!bytes) throw new Error(`${address} is no address.`)
  const bits = BigInt(bytes.length * 8)
  const value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) + steps
  if (value < 0n || value >= 1n << bits) return undefined
  const moved = Array.from(bytes, (_, at) => Number((value >> BigInt((bytes.length - 1 - at) * 8)) & 255n))
  if (moved.length === 4) return moved.join('.')
  return Array.from({ length: 8 }, (_, at) =>
    (((moved[at * 2] ?? 0) << 8) | (moved[at * 2 + 1] ?? 0)).toString(16),
  ).join(':')
}

/** Ranges that have another special one beside them; everything else is public right outside. */
const neighbours = new Set([
  '224.0.0.0/4 after',
  '240.0.0.0/4 before',
  '240.0.0.0/4 after',
  '0.0.0.0/8 before',
])

describe('an address', () => {
  it.each(specialRanges)('is not public anywhere in %s, and is right before and after it', (range) => {
    const [first = '', bits = ''] = range.split('/')
    const size = 1n << BigInt((bytesOf(first)?.length ?? 0) * 8 - Number(bits))
    for (const steps of [0n, 1n, size / 2n, size - 1n]) {
      const within = moved(first, steps > size - 1n ? size - 1n : steps) ?? ''
      expect(isPublicUnicast(within), within).toBe(false)
    }
    for (const [where, steps] of [
      ['before', -1n],
      ['after', size],
    ] as const) {
      const outside = moved(first, steps)
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
  ])('%s is none', (text) => {
    expect(bytesOf(text)).toBeUndefined()
    expect(isPublicUnicast(text)).toBe(false)
  })
})
