import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'

/**
 * The client's address, for counting failed sign-ins: the peer's, or behind trusted proxies the last hop that is
 * not one of them. Undefined where no proxy is trusted and the peer is loopback or private: then everybody comes
 * from there, and counting would lock all of them out.
 */
export function addressOf(trusted: BlockList | undefined, request: IncomingMessage): string | undefined {
  const peer = plain(request.socket.remoteAddress ?? '')
  if (!trusted) return isPrivate(peer) ? undefined : peer
  const forwarded = (request.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',')
  const hops = [...forwarded.map((hop) => plain(hop.trim())).filter((hop) => hop !== ''), peer]
  while (hops.length > 1 && holds(trusted, hops.at(-1) ?? '')) hops.pop()
  return hops.at(-1)
}

const privateNets = new BlockList()
privateNets.addSubnet('127.0.0.0', 8)
privateNets.addSubnet('10.0.0.0', 8)
privateNets.addSubnet('172.16.0.0', 12)
privateNets.addSubnet('192.168.0.0', 16)
privateNets.addSubnet('169.254.0.0', 16)
privateNets.addAddress('::1', 'ipv6')
privateNets.addSubnet('fc00::', 7, 'ipv6')
privateNets.addSubnet('fe80::', 10, 'ipv6')

function isPrivate(address: string): boolean {
  return holds(privateNets, address)
}

function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function plain(address: string): string {
  return address.replace(/^::ffff:/, '')
}
