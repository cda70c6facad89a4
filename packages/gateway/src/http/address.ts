import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { canonicalizeAddress, isAddress, Networks, toAddressKey } from '../kernel/networks.ts'

/**
 * Returns the key by which limits per address count a client; all addresses of an IPv6 /64 share one key. It is derived
 * from the peer's address or, behind trusted proxies, from the last hop that is not a trusted proxy. A hop that is not an
 * address could be another text for each request, so the proxy that sent it is counted instead.
 *
 * Returns undefined if the client must not be counted: no proxy is trusted and the peer is loopback or private, so all
 * clients may share this address. Also returns undefined if the connection is closed.
 */
export function readClientAddressKey(
  trusted: Networks | undefined,
  request: IncomingMessage,
): string | undefined {
  // Node's types say that the socket is always present, but it is missing once the parser has given up the connection.
  const socket: IncomingMessage['socket'] | null = request.socket
  if (!socket?.remoteAddress) return undefined
  if (!trusted) return readPeerKey(socket, socket.remoteAddress)
  const peer = canonicalizeAddress(socket.remoteAddress)
  const forwarded = (request.headersDistinct['x-forwarded-for'] ?? []).join(',').split(',')
  const hops = forwarded.map((hop) => hop.trim()).filter((hop) => hop !== '')
  let client = peer
  while (trusted.includes(client)) {
    const hop = canonicalizeAddress(omitPort(hops.pop() ?? ''))
    if (!isAddress(hop)) break
    client = hop
  }
  return toAddressKey(client)
}

/** The keys of the peers of open connections. To read an IPv4-mapped address takes a tenth of the time of a refusal. */
const peerKeys = new WeakMap<Socket, { readonly key: string | undefined }>()

/** Returns the key of a connection's peer; undefined if its address is loopback or private. */
function readPeerKey(socket: Socket, address: string): string | undefined {
  const known = peerKeys.get(socket)
  if (known) return known.key
  const peer = canonicalizeAddress(address)
  const key = privateNets.includes(peer) ? undefined : toAddressKey(peer)
  peerKeys.set(socket, { key })
  return key
}

/** Removes the port that some proxies write behind an address, and the brackets of an IPv6 address. */
function omitPort(hop: string): string {
  const [, v4, v6] = /^(?:([\d.]+):\d+|\[(.+)\](?::\d+)?)$/.exec(hop) ?? []
  return v4 ?? v6 ?? hop
}

const privateNets = new Networks([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '::1',
  'fc00::/7',
  'fe80::/10',
])
