/**
 * Whether an address belongs to the public internet, decided on its bytes. Libraries that go by the text have failed
 * again and again (mapped, compatible, translated and tunnelled addresses, zones, octal digits), so everything that is
 * not plainly public unicast is refused: the IANA special-purpose registries (RFC 6890 and its updates), multicast,
 * and of IPv6 all that lies outside 2000::/3. An IPv4 address inside an IPv6 one is refused whatever it is.
 */
const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  // The host of a virtual machine at one large provider: not special to IANA, and private all the same.
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

/** Within 2000::/3. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'] as const
const globalV6 = '2000::/3'

interface Range {
  readonly bytes: Uint8Array
  readonly bits: number
}

const rangesV4 = specialV4.map(rangeOf)
const rangesV6 = specialV6.map(rangeOf)
const rangeOfGlobalV6 = rangeOf(globalV6)

/** The ranges, for those who test their edges. */
export const specialRanges: readonly string[] = [...specialV4, ...specialV6]

/** Whether a textual address, as a resolver or a socket gives it, is public unicast. */
export function isPublicUnicast(address: string): boolean {
  const bytes = bytesOf(address)
  if (!bytes) return false
  if (bytes.length === 4) return !rangesV4.some((range) => isWithin(bytes, range))
  return isWithin(bytes, rangeOfGlobalV6) && !rangesV6.some((range) => isWithin(bytes, range))
}

/** The 4 or 16 bytes of an address; undefined where it is none, or has a zone. */
export function bytesOf(address: string): Uint8Array | undefined {
  return address.includes(':') ? bytesOfV6(address) : bytesOfV4(address)
}

function bytesOfV4(text: string): Uint8Array | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined
  return Uint8Array.from(parts, Number)
}

function bytesOfV6(text: string): Uint8Array | undefined {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0) return undefined
  const before = groupsOf(head, tail === undefined)
  const after = tail === undefined ? [] : groupsOf(tail, true)
  if (!before || !after) return undefined
  const missing = 16 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined
  return Uint8Array.from([...before, ...new Array<number>(missing).fill(0), ...after])
}

/** The bytes of groups between colons; the last of the whole address may be an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [at, group] of groups.entries()) {
    const v4 = isEnd && at === groups.length - 1 && group.includes('.') ? bytesOfV4(group) : undefined
    if (v4) bytes.push(...v4)
    else if (/^[\da-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 255)
    } else return undefined
  }
  return bytes
}

function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/')
  return { bytes: bytesOf(address) ?? new Uint8Array(), bits: Number(bits) }
}

function isWithin(bytes: Uint8Array, range: Range): boolean {
  for (let bit = 0; bit < range.bits; bit++) {
    const mask = 128 >> (bit & 7)
    if (((bytes[bit >> 3] ?? 0) & mask) !== ((range.bytes[bit >> 3] ?? 0) & mask)) return false
  }
  return true
}
