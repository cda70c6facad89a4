import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * A set of IP networks. Node's `BlockList` does the matching, with one list per address family: in a mixed list, an
 * IPv6 rule such as `::/0` or `::ffff:0:0/96` also matches every IPv4 address. `BlockList` ignores a zone (`%eth0`),
 * so an address with a zone belongs to no network here.
 */
export class Networks {
  readonly #v4 = new BlockList()
  readonly #v6 = new BlockList()

  /** Each network is an address, with or without a prefix length. Throws if one is not valid. */
  constructor(networks: Iterable<string>) {
    for (const text of networks) {
      const network = parseNetwork(text)
      if (!network) throw new TypeError(`"${text}" is not an IP network.`)
      const { address, prefix } = network
      if (isIPv4(address)) this.#v4.addSubnet(address, prefix, 'ipv4')
      else this.#v6.addSubnet(address, prefix, 'ipv6')
    }
  }

  /** Whether an address is in one of the networks; false for text that is not an address. */
  includes(address: string): boolean {
    if (isIPv4(address)) return this.#v4.check(address, 'ipv4')
    return isPlainIPv6(address) && this.#v6.check(address, 'ipv6')
  }
}

/**
 * Parses a network such as `10.0.0.0/8`. An address without a prefix length becomes the network that contains only this
 * address. Returns undefined for any other text.
 */
export function parseNetwork(text: string): { address: string; prefix: number } | undefined {
  const [address = '', bits, ...more] = text.split('/')
  if (!isAddress(address) || more.length > 0) return undefined
  const maxPrefix = isIPv4(address) ? 32 : 128
  if (bits === undefined) return { address, prefix: maxPrefix }
  const prefix = /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  return prefix <= maxPrefix ? { address, prefix } : undefined
}

/** Whether a text is an IPv4 or IPv6 address without a zone. */
export function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%')
}

function isPlainIPv6(text: string): boolean {
  return isIPv6(text) && !text.includes('%')
}

/**
 * Returns the canonical spelling of an IPv6 address; an IPv4-mapped one becomes the IPv4 address. Other text is
 * returned unchanged.
 */
export function canonicalizeAddress(text: string): string {
  const groups = parseIPv6Groups(text)
  if (!groups) return text
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  return new URL(`http://[${text}]`).hostname.slice(1, -1)
}

/**
 * Returns the key by which limits per address count: the IPv4 address, or the /64 of an IPv6 address. A single customer
 * has at least a /64 and could otherwise use another address for each attempt.
 */
export function toAddressKey(text: string): string {
  const groups = parseIPv6Groups(canonicalizeAddress(text))
  if (!groups) return canonicalizeAddress(text).slice(0, maxAddressCharacters)
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/**
 * The longest spelling of an address. A proxy may send any text in place of an address, and the text is stored, so it
 * is cut to this length.
 */
const maxAddressCharacters = 45

/** Parses the eight groups of an IPv6 address. Returns undefined for everything else. */
function parseIPv6Groups(text: string): number[] | undefined {
  if (!isPlainIPv6(text)) return undefined
  // The URL parser writes every address in hexadecimal groups, with the longest run of zeros as `::`.
  const [head = '', tail = ''] = new URL(`http://[${text}]`).hostname.slice(1, -1).split('::')
  const read = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const before = read(head)
  const after = read(tail)
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}
