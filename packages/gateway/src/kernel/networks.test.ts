import { describe, expect, it } from 'vitest'
import { canonicalizeAddress, Networks, parseNetwork, toAddressKey } from './networks.ts'

describe('a set of networks', () => {
  it.each([
    ['::/0', '8.8.8.8'],
    ['::ffff:0:0/96', '8.8.8.8'],
    ['0.0.0.0/0', '2606:4700::1111'],
    ['0.0.0.0/0', '::ffff:8.8.8.8'],
    ['fe80::/10', 'fe80::1%eth0'],
    ['0.0.0.0/0', 'localhost'],
  ])('%s does not include %s', (network, address) => {
    expect(new Networks([network]).includes(address)).toBe(false)
  })

  it.each([
    ['10.0.0.0/8', '10.255.255.255'],
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8::/32', '2001:DB8:0:0::1'],
    ['0.0.0.0/0', '203.0.113.9'],
  ])('%s includes %s', (network, address) => {
    expect(new Networks([network]).includes(address)).toBe(true)
  })

  it.each(['', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '::/-1', 'fe80::%eth0/64', 'local'])(
    'is not made of "%s"',
    (text) => {
      expect(parseNetwork(text)).toBeUndefined()
      expect(() => new Networks([text])).toThrow(`"${text}" is not an IP network.`)
    },
  )
})

describe('what an address is counted by', () => {
  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s is counted as %s', (address, key) => expect(toAddressKey(address)).toBe(key))

  it('differs between neighbouring /64', () => {
    expect(toAddressKey('2001:db8:1:2::1')).not.toBe(toAddressKey('2001:db8:1:3::1'))
  })

  it('is one spelling of an address', () => {
    expect(canonicalizeAddress('2001:0DB8:0:0::0001')).toBe('2001:db8::1')
    expect(canonicalizeAddress('198.51.100.1')).toBe('198.51.100.1')
  })
})
