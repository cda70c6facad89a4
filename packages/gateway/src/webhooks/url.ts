/**
 * Checks a webhook URL by its text alone, when it is registered and again before it is first called. `egress.ts` checks
 * the resolved addresses at each connection, because DNS records can change at any time.
 */

import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { isPublicUnicast } from './address.ts'

/** The longest webhook URL. */
export const maxUrlCharacters = 2_048
const ports = new Set(['', '443', '8443'])
/** Matches names that are local to a machine or network by convention, whatever their addresses. */
const localNames =
  /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|localdomain|arpa|test|invalid|onion)$/

export type UrlFlaw =
  | 'url_form'
  | 'url_scheme'
  | 'url_credentials'
  | 'url_fragment'
  | 'url_port'
  | 'url_not_public'
  | 'url_own'

/** Finds why a URL must not be called; undefined if its text is valid. */
export function findUrlFlaw(text: string, config: Config): UrlFlaw | undefined {
  // Only visible ASCII, so that every URL parser finds the same host; names in other scripts must be in punycode.
  if (text.length > maxUrlCharacters || !/^https?:\/\/[\x21-\x7e]+$/i.test(text) || /[\\^`{|}<>"]/.test(text))
    return 'url_form'
  if (!URL.canParse(text)) return 'url_form'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
    return 'url_credentials'
  if (text.includes('#')) return 'url_fragment'
  if (config.webhookPrivateNets) return undefined
  if (url.protocol !== 'https:') return 'url_scheme'
  if (!ports.has(url.port)) return 'url_port'
  const host = toBareHost(url)
  if (isIP(host) !== 0) return isPublicUnicast(host) ? undefined : 'url_not_public'
  const name = host.replace(/\.$/, '')
  if (!name.includes('.') || localNames.test(name)) return 'url_not_public'
  return listOwnHosts(config).has(name) ? 'url_own' : undefined
}

/** Returns the host without the brackets of an IPv6 address. */
export function toBareHost({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Lists the hosts of the gateway itself, its database, its Valkey and its ERP, which a webhook must never call. */
export function listOwnHosts({ baseUrl, databaseUrl, valkeyUrl, upstream }: Config): ReadonlySet<string> {
  const given = [baseUrl, databaseUrl, valkeyUrl, upstream?.url].filter((each) => each !== undefined)
  const urls = given.filter((each) => URL.canParse(each)).map((each) => new URL(each))
  // PostgreSQL's driver prefers a host in the query.
  return new Set(urls.flatMap((url) => [toBareHost(url), ...url.searchParams.getAll('host')]))
}
