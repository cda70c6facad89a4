import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { isPublicUnicast } from './address.ts'

/**
 * What a webhook URL may be, by its text alone: looked at when it is registered and again before each connection. What
 * a name resolves to is decided when it is connected to (`egress.ts`), and only then: it can change at any time.
 */
export const mostUrlCharacters = 2_048
const ports = new Set(['', '443', '8443'])
/** Names that never leave a machine or a network, whatever a resolver says. */
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

/** Why a URL is not called; undefined where nothing in its text speaks against it. */
export function flawOfUrl(text: string, config: Config): UrlFlaw | undefined {
  // Visible ASCII only, so that no reader sees another host than we do: names in other scripts come in punycode.
  if (
    text.length > mostUrlCharacters ||
    !/^https?:\/\/[\x21-\x7e]+$/i.test(text) ||
    /[\\^`{|}<>"]/.test(text)
  )
    return 'url_form'
  if (!URL.canParse(text)) return 'url_form'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
    return 'url_credentials'
  if (text.includes('#')) return 'url_fragment'
  if (config.webhookPrivateNets) return undefined
  if (url.protocol !== 'https:') return 'url_scheme'
  if (!ports.has(url.port)) return 'url_port'
  const host = hostOf(url)
  if (isIP(host) !== 0) return isPublicUnicast(host) ? undefined : 'url_not_public'
  const name = host.replace(/\.$/, '')
  if (!name.includes('.') || localNames.test(name)) return 'url_not_public'
  return ownHosts(config).has(name) ? 'url_own' : undefined
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Hosts that the gateway itself stands on or works with: nobody has it call them. */
export function ownHosts({ baseUrl, databaseUrl, upstream }: Config): ReadonlySet<string> {
  const urls = [baseUrl, databaseUrl, upstream?.url].filter((each) => each !== undefined)
  return new Set(urls.filter((each) => URL.canParse(each)).map((each) => hostOf(new URL(each))))
}
