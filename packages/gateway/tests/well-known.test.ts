/** Documents at well-known addresses, and the security headers of responses. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openTestGateway, type TestGateway, testStart } from './harness.ts'

const base = 'https://trade.example'
const day = 86_400_000
let house: TestGateway
let plain: TestGateway

beforeAll(async () => {
  house = await openTestGateway({ settings: { BASE_URL: base } })
  plain = await openTestGateway()
})
afterAll(async () => {
  await house.close()
  await plain.close()
})

function get(path: string, of = house, init: RequestInit = {}) {
  return fetch(`${of.url}${path}`, { redirect: 'manual', ...init })
}

/** Whether something is served at an absolute address of the gateway. */
async function isReachable(address: string): Promise<boolean> {
  expect(address.startsWith(`${base}/`), address).toBe(true)
  return (await get(address.slice(base.length))).status === 200
}

describe('/.well-known/security.txt (RFC 9116)', () => {
  const listFields = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map((line) => /^([A-Z][A-Za-z-]*): (\S.*)$/.exec(line)?.slice(1) ?? [line])

  it('says where a weakness is reported, in which languages, and that it is the real one', async () => {
    const response = await get('/.well-known/security.txt')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    const fields = new Map(listFields(await response.text()).map(([name = '', value]) => [name, value]))
    expect([...fields.keys()]).toEqual(['Contact', 'Expires', 'Preferred-Languages', 'Canonical'])
    expect(fields.get('Canonical')).toBe(`${base}/.well-known/security.txt`)
    expect(fields.get('Preferred-Languages')).toBe('en, zh, ko')
    const [page = '', section] = fields.get('Contact')?.split('#') ?? []
    expect(await isReachable(page)).toBe(true)
    const text = await (await get(page.slice(base.length))).text()
    expect(text).toContain(` id="${section}"`)
  })

  it('expires less than a year ahead by the gateway’s clock, and never before it is read', async () => {
    const readExpiry = async () => {
      const text = await (await get('/.well-known/security.txt', plain)).text()
      return Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? '')
    }
    const first = await readExpiry()
    expect(first).toBeGreaterThan(testStart + 30 * day)
    expect(first).toBeLessThan(testStart + 365 * day)
    plain.clock.advance(400 * day)
    expect((await readExpiry()) - first).toBe(400 * day)
  })
})

describe('/.well-known/api-catalog (RFC 9727)', () => {
  const link = z.strictObject({ href: z.string(), type: z.string().optional() })
  const linksetSchema = z.strictObject({
    linkset: z.array(z.object({ anchor: z.string() }).catchall(z.array(link))),
  })
  const type = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

  it('links every API to its description, its documents and its state, all of which are there', async () => {
    const response = await get('/.well-known/api-catalog')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    const [catalog, ...apis] = linksetSchema.parse(await response.json()).linkset
    expect(catalog?.anchor).toBe(`${base}/.well-known/api-catalog`)
    expect(catalog?.item?.map(({ href }) => href)).toEqual([`${base}/api/v1`, `${base}/mcp`])
    expect(apis.map(({ anchor }) => anchor)).toEqual([`${base}/api/v1`, `${base}/mcp`])
    expect(apis[0]?.['service-desc']).toEqual([{ href: `${base}/openapi.json`, type: 'application/json' }])
    for (const { anchor, ...relations } of apis) {
      expect(Object.keys(relations), anchor).toContain('service-doc')
      for (const { href, type: promised } of Object.values(relations).flat()) {
        const target = await get(href.slice(base.length))
        expect(target.status, href).toBe(200)
        expect(target.headers.get('content-type')?.split(';')[0], href).toBe(promised)
      }
    }
  })

  it('answers HEAD with the link, and names the address that was asked where none is configured', async () => {
    const head = await get('/.well-known/api-catalog', house, { method: 'HEAD' })
    expect(head.headers.get('link')).toBe('</.well-known/api-catalog>; rel="api-catalog"')
    const { linkset } = linksetSchema.parse(await (await get('/.well-known/api-catalog', plain)).json())
    expect(linkset[0]?.item?.[0]?.href).toBe(`${plain.url}/api/v1`)
  })
})

describe('a page', () => {
  it('links to the contract where it describes the API, and to the catalog from the first page', async () => {
    for (const [path, isLinked] of [
      ['/', true],
      ['/reference', true],
      ['/reference/stock.list', true],
      ['/reference/stock.list.md', true],
      ['/swagger', true],
      ['/docs/quickstart', false],
      ['/errors', false],
    ] as const) {
      const link = (await get(path)).headers.get('link') ?? ''
      expect(link.includes('</openapi.json>; rel="service-desc"'), path).toBe(isLinked)
      expect(link.includes('</.well-known/api-catalog>; rel="api-catalog"'), path).toBe(path === '/')
    }
    expect((await get('/reference?lang=ko')).headers.get('link')).toContain(
      '</openapi.json?lang=ko>; rel="service-desc"',
    )
  })

  const everyKind = [
    '/',
    '/docs/quickstart',
    '/reference.md',
    '/llms.txt',
    '/openapi.json',
    '/docs/changelog',
    '/favicon.ico',
    '/assets/search-en.json',
    '/livez',
    '/nope',
    '/.well-known/security.txt',
  ]

  it.each(everyKind)('%s is isolated from other origins', async (path) => {
    const { headers } = await get(path)
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  it.each(everyKind)('%s keeps browsers on https where BASE_URL is https, and only there', async (path) => {
    expect((await get(path)).headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect((await get(path, plain)).headers.get('strict-transport-security')).toBe(null)
  })

  it('of a missing address has the same headers for a person', async () => {
    const { status, headers } = await get('/nope', house, { headers: { accept: 'text/html' } })
    expect(status).toBe(404)
    expect(headers.get('content-type')).toContain('text/html')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  })
})
