/** The documentation over HTTP, for readers and machines. */

import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorCodes } from '../src/contract/error-table.ts'
import { type Language, languages } from '../src/contract/language.ts'
import { buildAssetPath, readAsset } from '../src/pages/assets.ts'
import { listLinks } from '../src/pages/docs/markdown.ts'
import { listFences } from '../src/pages/docs/source.ts'
import { writtenDocs } from '../src/pages/docs/tree.ts'
import { renderPage, toMarkdownPath } from '../src/pages/layout.ts'
import { maxFullBytes } from '../src/pages/llms.ts'
import { findPage, listPagePaths } from '../src/pages/site.ts'
import { openTestGateway, type TestGateway } from './harness.ts'
import { parseLlmsTxt } from './llms-txt.ts'

let house: TestGateway
const paths = listPagePaths().filter((path) => findPage(path, 'en') !== undefined)

beforeAll(async () => {
  house = await openTestGateway()
})
afterAll(() => house.close())

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${house.url}${path}`, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

/** Returns a page as a browser gets it. Each is fetched once: all of them are more than the gateway keeps rendered. */
function openPage(path: string, language: Language): ReturnType<typeof get> {
  const address = `${path}?lang=${language}`
  const page = opened.get(address) ?? get(address, { accept: browser })
  opened.set(address, page)
  return page
}
/** Every page in three languages: half a minute on a machine that is busy with other work. */
const everyPageMs = 120_000
const opened = new Map<string, ReturnType<typeof get>>()

describe('every page', () => {
  it(
    'is a whole document without scripts, in three languages, under a policy that lets nothing else in',
    async () => {
      for (const path of paths) {
        for (const language of languages) {
          const { status, headers, text } = await openPage(path, language)
          expect(status, path).toBe(200)
          expect(headers.get('content-type'), path).toBe('text/html; charset=utf-8')
          expect(headers.get('content-language'), path).toBe(language)
          expect(headers.get('vary'), path).toMatch(/^Accept, Accept-Language/)
          expect(headers.get('link'), path).toContain('rel="llms-txt"')
          expect(headers.get('content-security-policy'), path).toBe(policy)
          expect(text, path).toContain(`<html lang="${language}">`)
          expect(text.match(/<h1>/g), path).toHaveLength(1)
          expect(text, path).toMatch(/<link rel="alternate" type="text\/markdown" href="[^"]+\.md\?lang=/)
          expect(findViolations(text), path).toEqual([])
        }
      }
    },
    everyPageMs,
  )

  it(
    'has its navigation and each block of code of its Markdown without scripts',
    async () => {
      for (const path of paths) {
        for (const language of languages) {
          const { text } = await openPage(path, language)
          const markdown = await get(`${toMarkdownPath(path)}?lang=${language}`)
          const blocks = text.match(/<pre\b/g)?.length ?? 0
          const fences = listFences(markdown.text).length
          expect(text, path).toMatch(/<nav class="sections"[^>]*>(?:(?!<\/nav>)[\s\S])*<a /)
          // The HTML of an endpoint also shows the responses that its Markdown describes in words.
          if (path.startsWith('/reference/')) expect(blocks, path).toBeGreaterThanOrEqual(fences)
          else expect(blocks, `${path} ${language}`).toBe(fences)
        }
      }
    },
    everyPageMs,
  )

  it(
    'is the same Markdown by its address and by what the reader accepts',
    async () => {
      for (const path of paths) {
        const byAddress = await get(`${toMarkdownPath(path)}?lang=ko`)
        const negotiated = await get(`${path}?lang=ko`, { accept: 'text/markdown' })
        expect(byAddress.headers.get('content-type'), path).toBe('text/markdown; charset=utf-8')
        expect(negotiated.headers.get('content-type'), path).toBe('text/markdown; charset=utf-8')
        expect(negotiated.text, path).toBe(byAddress.text)
        expect(byAddress.text.split('\n')[0], path).toContain('(/ko/llms.txt')
        expect(byAddress.text, path).not.toMatch(/^ *```\w+ /m)
      }
    },
    everyPageMs,
  )

  it(
    'links only to what is there, sections included',
    async () => {
      const seen = new Map<string, Promise<string | undefined>>()
      const broken: string[] = []
      for (const path of paths) {
        const { text } = await get(path)
        for (const [, href = ''] of text.matchAll(/ href="([^"]*)"/g)) {
          if (!href.startsWith('/') && !href.startsWith('#')) continue
          const [address = '', fragment] = (href.startsWith('#') ? path + href : href)
            .replaceAll('&amp;', '&')
            .split('#')
          if (isUnwritten(address)) continue
          const target = seen.get(address) ?? readBody(address)
          seen.set(address, target)
          const body = await target
          if (body === undefined) broken.push(`${path} → ${href}`)
          else if (fragment && !body.includes(` id="${fragment}"`))
            broken.push(`${path} → ${href} (no such section)`)
        }
      }
      expect([...new Set(broken)]).toEqual([])
    },
    everyPageMs,
  )
})

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

/** Finds references that the content security policy forbids or that point to other origins. */
function findViolations(html: string): string[] {
  const inline = html.match(/<style|<script(?![^>]* src=")|\sstyle="|\son\w+="|javascript:/g) ?? []
  const outside = [...html.matchAll(/<(?:script|link|img|iframe|source)[^>]* (?:src|href)="(https?:)?\/\//g)]
  return [...inline, ...outside.map(([tag]) => tag)]
}

/**
 * Whether the address is a documentation page that is in the tree but not written yet. Links to such pages are not
 * counted as broken; `npm run docs -- check` reports them.
 */
function isUnwritten(address: string): boolean {
  const path = address.split('?')[0]?.replace(/\.md$/, '') ?? ''
  return writtenDocs.some((each) => `/docs/${each}` === path) && findPage(path, 'en') === undefined
}

async function readBody(address: string): Promise<string | undefined> {
  const answer = await get(address)
  if (answer.status === 308) return readBody(answer.headers.get('location') ?? '')
  return answer.status === 200 ? answer.text : undefined
}

describe('the runner', () => {
  it('is on the pages of channels’ calls in a sandbox, and nowhere else a word of it', async () => {
    const has = async (path: string) => (await get(path, { accept: browser })).text.includes('data-run=')
    expect(await has('/reference/orders.submit')).toBe(true)
    // A sign-in has no token yet, and an operator’s call needs the admin token.
    for (const path of ['/reference/auth.token', '/reference/admin.channels.list', '/docs'])
      expect(await has(path), path).toBe(false)
    const view = { language: 'en', query: '', assetPath: buildAssetPath, isSandbox: false } as const
    for (const path of paths) {
      const page = findPage(path, 'en')
      if (page) expect(renderPage(page, view), path).not.toMatch(/data-run=|runner\.(?:js|css)/)
    }
  })

  it('and every page stay small: 20 KB compressed, and 40 KB for the runner', async () => {
    for (const path of paths) {
      for (const language of languages) {
        const page = await openPage(path, language)
        expect(gzipSync(page.text).length, `${path} ${language}`).toBeLessThanOrEqual(20 * 1024)
      }
    }
    for (const name of ['runner.js', 'runner.css'])
      expect(gzipSync(readAsset(name)?.bytes ?? '').length).toBeLessThanOrEqual(20 * 1024)
  })
})

describe('negotiation', () => {
  it.each([
    ['text/markdown', true],
    ['text/markdown, text/html;q=0.9', true],
    ['text/markdown;q=0.5, text/html', false],
    ['text/markdown;q=0, */*', false],
    ['TEXT/MARKDOWN; q=1.0', true],
    ['text/html, text/markdown;q=0.999', false],
    ['text/markdown;q=nonsense', false],
    ['text/markdown;charset=utf-8', true],
    ['*/*', false],
    [browser, false],
  ])('Accept: %s → Markdown: %s', async (accept, isMarkdown) => {
    const { headers } = await get('/errors/NOT_FOUND', { accept })
    expect(headers.get('content-type')?.startsWith('text/markdown')).toBe(isMarkdown)
  })

  it.each([
    ['/errors', 'zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['/errors', 'ko-KR', 'ko'],
    ['/errors', 'fr, ko;q=0.5, en;q=0.4', 'ko'],
    ['/errors', 'fr', 'en'],
    ['/errors', '', 'en'],
    ['/errors?lang=ko', 'zh', 'ko'],
    ['/errors?lang=fr', 'zh', 'zh'],
    ['/errors?lang=', 'ko', 'ko'],
    ['/errors.md?lang=zh', 'ko', 'zh'],
    ['/llms.txt', 'ko', 'ko'],
    ['/zh/llms.txt', 'ko', 'zh'],
    ['/openapi.json?lang=ko', 'zh', 'ko'],
    ['/asyncapi.json', 'zh', 'zh'],
  ])('%s with Accept-Language %s is in %s', async (path, accepted, language) => {
    const { headers } = await get(path, { 'accept-language': accepted })
    expect(headers.get('content-language')).toBe(language)
  })

  it('keeps the language that the address asks for in every link within the site, and only then', async () => {
    const asked = await get('/errors/NOT_FOUND?lang=ko')
    expect(asked.text).toContain('href="/errors/BAD_REQUEST?lang=ko"')
    const plain = await get('/errors/NOT_FOUND', { 'accept-language': 'ko' })
    expect(plain.text).toContain('href="/errors/BAD_REQUEST"')
    expect(plain.text).toContain('hreflang="x-default" href="/errors/NOT_FOUND"')
    expect(plain.text).toContain('href="/errors/NOT_FOUND?lang=zh"')
  })

  it('answers 304 to whoever has it, and compresses for whoever can', async () => {
    const first = await get('/reference')
    const tag = first.headers.get('etag') ?? ''
    const again = await get('/reference', { 'if-none-match': `"other", ${tag}` })
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await get('/reference?lang=zh', { 'if-none-match': tag })).status).toBe(200)
    expect(first.headers.get('content-encoding')).toBe('gzip')
    const plain = await get('/reference', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBe(null)
    expect(plain.text).toBe(first.text)
  })

  it('refuses what is no page with the envelope', async () => {
    for (const path of [
      '/errors/NOPE',
      '/reference/nope',
      '/docs/nope',
      '/docs/../x',
      '/assets/0/site.css',
      '/zh',
    ]) {
      const { status, headers, text } = await get(path)
      expect(status, path).toBe(404)
      expect(headers.get('content-type'), path).toContain('application/json')
      expect(JSON.parse(text).error.code, path).toBe('BAD_REQUEST')
    }
  })
})

describe('where there is no page', () => {
  it('a person gets a page, bounded and escaped, and a program the envelope', async () => {
    const path = `/docs/${'<b>'.repeat(60)}`
    const person = await get(`${encodeURI(path)}?lang=ko`, { accept: browser })
    expect(person.status).toBe(404)
    expect(person.headers.get('content-type')).toContain('text/html')
    expect(person.headers.get('content-security-policy')).toBe(policy)
    expect(person.text).toContain('없는 페이지')
    expect(person.text).not.toContain('<b>')
    for (const [address, accept] of [
      [path, '*/*'],
      ['/mcp/x', browser],
      ['/.well-known/oauth-authorization-server', browser],
      ['/nope.json', browser],
    ] as const) {
      const program = await get(encodeURI(address), { accept })
      expect(program.headers.get('content-type'), address).toContain('application/json')
      expect(program.status, address).toBe(404)
    }
  })
})

describe.each([
  ['en', '/llms.txt'],
  ['zh', '/zh/llms.txt'],
  ['ko', '/ko/llms.txt'],
] as const)('%s: %s', (language, path) => {
  it('is what llmstxt.org says, and lists exactly the pages that there are', async () => {
    const list = parseLlmsTxt((await get(path)).text)
    expect(list.title).toBe('Trade Gateway')
    expect(list.sections.at(-1)?.title).toBe('Optional')
    const addresses = list.sections.flatMap(({ links }) => links.map(({ href }) => href))
    expect(new Set(addresses).size).toBe(addresses.length)
    const query = language === 'en' ? '' : `?lang=${language}`
    expect(addresses.toSorted()).toEqual(paths.map((each) => `${toMarkdownPath(each)}${query}`).toSorted())
    for (const address of addresses) {
      const { status, headers } = await get(address)
      expect(status, address).toBe(200)
      expect(headers.get('content-type'), address).toBe('text/markdown; charset=utf-8')
    }
  })

  it('names what is no page outside of its links: the file of everything and the contracts', async () => {
    const [notes = ''] = (await get(path)).text.split('\n## ')
    const named = [...notes.matchAll(/`(\/[^`]*)`/g)].map(([, address = '']) => address)
    const query = language === 'en' ? '' : `?lang=${language}`
    expect(named).toEqual([
      path.replace('llms.txt', 'llms-full.txt'),
      `/openapi.json${query}`,
      `/admin/openapi.json${query}`,
    ])
    for (const address of named) expect((await get(address)).status, address).toBe(200)
  })

  it('comes whole in one file of at most 400 KB that names every page', async () => {
    const { text } = await get(path.replace('llms.txt', 'llms-full.txt'))
    expect(Buffer.byteLength(text)).toBeLessThan(maxFullBytes)
    expect(paths.filter((each) => !text.includes(`\nURL: ${toMarkdownPath(each)}\n`))).toEqual([])
  })

  it('has every error code and every path of both contracts in that file', async () => {
    const { text } = await get(path.replace('llms.txt', 'llms-full.txt'))
    const words = new Set(text.match(/[A-Z][A-Z_]+[A-Z]|\/[\w/.{}-]+/g))
    expect(errorCodes.filter((code) => !words.has(code))).toEqual([])
    for (const contract of ['/openapi.json', '/admin/openapi.json']) {
      const addresses = Object.keys(JSON.parse((await get(contract)).text).paths)
      expect(addresses.length, contract).toBeGreaterThan(30)
      expect(addresses.filter((address) => !words.has(address))).toEqual([])
    }
  })

  it('says of how many pages that file has the title and summary only', async () => {
    const { text } = await get(path.replace('llms.txt', 'llms-full.txt'))
    const [, said] = /llms-full\.txt`:.*?(\d+)/.exec((await get(path)).text) ?? []
    const short = text.split('\n---\n\nURL: ').filter((page) => {
      const [address = '', ...rest] = page.split('\n').filter((line) => line !== '' && !line.startsWith('>'))
      // The title and the summary remain.
      return /^\/(?:docs\/|changelog)/.test(address) && rest.length === 2
    })
    expect(String(short.length)).toBe(said)
  })
})

describe('a page’s Markdown', () => {
  it('is what its HTML is made of: the same links', async () => {
    for (const path of paths.filter((each) => each.startsWith('/docs/') || each.startsWith('/errors/'))) {
      const markdown = (await get(toMarkdownPath(path))).text
      const html = (await get(path)).text
      for (const href of listLinks(markdown)) expect(html, `${path} → ${href}`).toContain(`href="${href}"`)
    }
  })
})

describe('/changelog.atom', () => {
  it('is an Atom feed of the versions that have a date, and the page has a section for each', async () => {
    const { status, headers, text } = await get('/changelog.atom')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    const [head = '', ...entries] = text.split('<entry>')
    const read = (part: string, name: string) =>
      new RegExp(`<${name}>([^<]*)</${name}>`).exec(part)?.[1] ?? ''
    expect(entries.length).toBeGreaterThanOrEqual(5)
    const page = (await get('/changelog')).text
    expect(page).toContain('type="application/atom+xml"')
    const dates = entries.map((entry) => read(entry, 'updated'))
    expect(dates).toEqual(dates.toSorted().toReversed())
    expect(read(head, 'updated')).toBe(dates[0])
    for (const entry of entries) {
      expect(read(entry, 'updated')).toMatch(/^\d{4}-\d{2}-\d{2}T00:00:00Z$/)
      expect(page).toContain(` id="${read(entry, 'id').split('#')[1]}"`)
      // The content is escaped HTML, so the only tags are those of Atom.
      expect(entry.replace(/<\/?(?:id|title|link|updated|content|entry|feed)\b[^<>]*>/g, '')).not.toContain(
        '<',
      )
    }
    expect(new Set(entries.map((entry) => read(entry, 'id'))).size).toBe(entries.length)
  })
})

describe('the search', () => {
  it.each(languages)('in %s finds sections in the language that the address asks for', async (language) => {
    const { headers, text } = await get(`/search.json?q=RATE_LIMITED&lang=${language}`)
    expect(headers.get('content-language')).toBe(language)
    expect(headers.get('vary')).toBe('Accept-Language, Accept-Encoding')
    const [first] = JSON.parse(text).data
    expect(first).toMatchObject({ href: '/errors/RATE_LIMITED', title: 'RATE_LIMITED', heading: '' })
  })

  it('finds nothing for nothing, and bounds what it is asked', async () => {
    for (const query of ['', '?q=', '?q=%20', `?q=${'zq'.repeat(2_000)}`, '?q=%E4%BB%93%FF'])
      expect((await get(`/search.json${query}`)).status, query.slice(0, 20)).toBe(200)
    expect(JSON.parse((await get('/search.json?q=')).text)).toEqual({ data: [] })
  })
})

describe('a page that does not exist', () => {
  it.each([
    ['/docs/quikstart', '/docs/quickstart'],
    ['/docs/webhooks', '/docs/guides/receive-webhooks'],
    ['/reference/dropship.sumbit', '/reference/dropship.submit'],
    ['/errors/RATE_LIMITTED', '/errors/RATE_LIMITED'],
    ['/docs/authentication', '/docs/guides/two-grants'],
    ['/docs/%E9%99%90%E6%B5%81', '/docs/guides/points-and-limits'],
  ])('%s suggests %s first', async (address, nearest) => {
    const { status, text } = await get(`${address}?lang=zh`, { accept: browser })
    expect(status).toBe(404)
    const [, suggested] =
      /<div class="prose">[\s\S]*?href="([^"]*)\?lang=zh"/.exec(
        text.replace(/<a class="anchor"[^>]*>/g, ''),
      ) ?? []
    expect(suggested?.split('#')[0]).toBe(nearest)
  })
})
