/**
 * Decides whether an address belongs to the public internet. The gateway refuses every address that is not certainly
 * public unicast. It refuses the ranges of the IANA special-purpose registries (RFC 6890 and its updates), multicast, and
 * all of IPv6 outside 2000::/3. These contain the standard forms of an IPv4 address inside an IPv6 one (mapped,
 * compatible, 64:ff9b::/96, 6to4, Teredo).
 */

import { Networks } from '../kernel/networks.ts'

/** The special ranges of IPv4. */
const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The host of a virtual machine at one large cloud provider: private, although no IANA registry lists it.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const

/** The special ranges of IPv6 within 2000::/3. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const

/** Every special range. Exported so that tests can check the edges of each one. */
export const specialRanges: readonly string[] = [...specialV4, ...specialV6]

const unicast = new Networks(['0.0.0.0/0', '2000::/3'])
const special = new Networks(specialRanges)

/** Whether an address is public unicast. The address is text, as a resolver or a socket returns it. */
export function isPublicUnicast(address: string): boolean {
  return unicast.includes(address) && !special.includes(address)
}
