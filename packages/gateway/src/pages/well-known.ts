import type { Env, Hono } from 'hono'
import { languages } from '../contract/language.ts'
import { mcpPath } from '../contract/paths.ts'
import type { Gateway } from '../gateway.ts'
import { formatInstant } from '../kernel/clock.ts'

/** Registers documents at well-known addresses (RFC 8615). */
export function registerWellKnownRoutes<E extends Env>(app: Hono<E>, gateway: Gateway) {
  const readBaseUrl = (url: string) => gateway.config.baseUrl ?? new URL(url).origin
  app.get('/.well-known/jwks.json', (c) =>
    c.json(gateway.keys.jwks, 200, { 'Cache-Control': 'public, max-age=300' }),
  )
  app.get(securityPath, (c) =>
    c.body(buildSecurityTxt(readBaseUrl(c.req.url), gateway.clock.now()), 200, {
      ...changingHeaders,
      'Content-Type': 'text/plain; charset=utf-8',
    }),
  )
  app.get(apiCatalogPath, (c) =>
    c.body(JSON.stringify({ linkset: buildLinkset(readBaseUrl(c.req.url)) }), 200, {
      ...changingHeaders,
      'Content-Type': 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      Link: apiCatalogLink,
    }),
  )
}

const securityPath = '/.well-known/security.txt'
const apiCatalogPath = '/.well-known/api-catalog'
export const apiCatalogLink = `<${apiCatalogPath}>; rel="api-catalog"`

/** Headers of documents that caches must check again before each use, because they contain the requested host or the current day. */
const changingHeaders = { 'Cache-Control': 'no-cache' }

const dayMs = 86_400_000
const validDays = 180

/** Builds `security.txt` (RFC 9116). `Expires` is counted from midnight, so that the file changes only once a day. */
function buildSecurityTxt(base: string, now: number): string {
  const today = now - (now % dayMs)
  const fields = [
    ['Contact', `${base}/docs/security#security`],
    ['Expires', formatInstant(today + validDays * dayMs)],
    ['Preferred-Languages', languages.join(', ')],
    ['Canonical', `${base}${securityPath}`],
  ]
  return `${fields.map(([name, value]) => `${name}: ${value}`).join('\n')}\n`
}

/** Builds the API catalog (RFC 9727) as a link set (RFC 9264): the gateway's APIs and the description of each. */
function buildLinkset(base: string) {
  const buildLink = (path: string, type: string) => ({ href: `${base}${path}`, type })
  const [contract, agents] = [`${base}/api/v1`, `${base}${mcpPath}`]
  return [
    { anchor: `${base}${apiCatalogPath}`, item: [{ href: contract }, { href: agents }] },
    {
      anchor: contract,
      'service-desc': [buildLink('/openapi.json', 'application/json')],
      'service-doc': [buildLink('/reference', 'text/html'), buildLink('/reference.md', 'text/markdown')],
      status: [buildLink('/statusz', 'application/json')],
    },
    {
      anchor: agents,
      'service-doc': [buildLink('/docs/agents/connect-an-agent', 'text/html')],
      status: [buildLink('/statusz', 'application/json')],
    },
  ]
}
