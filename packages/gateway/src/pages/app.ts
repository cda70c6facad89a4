import { type Context, Hono } from 'hono'
import { GatewayError } from '../contract/errors.ts'
import { isLanguage, type Language, languageOf, languages } from '../contract/language.ts'
import { openApiText } from '../contract/openapi.ts'
import type { Gateway } from '../gateway.ts'
import { failureAnswer } from '../http/failure.ts'
import { apiVersion, requestIdFrom } from '../http/headers.ts'
import { prefersMarkdown } from './accept.ts'
import { asset, assetPath } from './assets.ts'
import { localLink } from './docs/markdown.ts'
import { health } from './health.ts'
import { pageHtml } from './layout.ts'
import { fullPath, llmsFullText, llmsText } from './llms.ts'
import { missingPage } from './missing.ts'
import { llmsPath, pageMarkdown } from './page.ts'
import { prepared, respond } from './respond.ts'
import { searchIndex } from './search.ts'
import { pageAt } from './site.ts'

/** Nothing inline, nothing from elsewhere. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

type Variables = { Variables: { requestId: string; language: Language; query: string } }

/** Pages, probes and machine documents: everything that is not the contract. */
export function pages(gateway: Gateway): Hono<Variables> {
  const app = new Hono<Variables>()
  app.use(async (c, next) => {
    const requestId = requestIdFrom(c.req.header('x-request-id'), () => gateway.ids.next('req'))
    const asked = c.req.query('lang')
    c.set('requestId', requestId)
    c.set('language', isLanguage(asked) ? asked : languageOf(c.req.header('accept-language')))
    c.set('query', isLanguage(asked) ? `?lang=${asked}` : '')
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw methodNotAllowed(c.req.method, c.req.path)
    await next()
    // Afterwards: a response that a handler made whole does not take what was said before it.
    c.header('X-API-Version', apiVersion)
    c.header('X-Request-Id', requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    c.header('Content-Security-Policy', pagePolicy)
  })
  health(app, gateway)
  machineDocuments(app, gateway)
  // The changelog has one address; what a page of the documentation calls `/docs/changelog` is there.
  app.get('/docs/changelog', (c) => c.redirect(`/changelog${c.get('query')}`, 308))
  app.get('/docs/changelog.md', (c) => c.redirect(`/changelog.md${c.get('query')}`, 308))
  app.get('*', showPage)

  app.notFound((c) => {
    const { language, query, requestId } = c.var
    if (!isForPeople(c.req.path, c.req.header('accept'))) {
      return refused(gateway, requestId, language, notFound(c.req.method, c.req.path))
    }
    c.header('Content-Language', language)
    c.header('Vary', negotiated)
    c.header('Cache-Control', 'no-store')
    return c.html(pageHtml(missingPage(c.req.path, language), { language, query, assetPath }), 404)
  })
  app.onError((error, c) => refused(gateway, c.get('requestId'), c.get('language'), error))
  return app
}

const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const json = 'application/json; charset=utf-8'
const negotiated = 'Accept, Accept-Language, Accept-Encoding'

/** A page as HTML, or as Markdown by its address or by what the reader accepts. */
async function showPage(c: Context<Variables>): Promise<Response> {
  const { language, query } = c.var
  const address = c.req.path
  const isMarkdown = address.endsWith('.md') || prefersMarkdown(c.req.header('accept'))
  const path = pathOf(address)
  const type = isMarkdown ? markdown : html
  const document = await prepared(`${type} ${path} ${language} ${query}`, type, () => {
    const page = pageAt(path, language)
    if (!page) return undefined
    return isMarkdown
      ? pageMarkdown(page, language, (text) => linked(text, query))
      : pageHtml(page, { language, query, assetPath })
  })
  if (!document) return c.notFound()
  return respond(document, c.req.raw, {
    'Content-Language': language,
    Vary: negotiated,
    'Cache-Control': 'no-cache',
    Link: `<${llmsPath(language)}>; rel="llms-txt"`,
  })
}

/** `/docs/quickstart.md` and `/docs/quickstart/` are `/docs/quickstart`; `/index.md` is `/`. */
function pathOf(address: string): string {
  const path = address.replace(/\.md$/, '').replace(/\/(?:index(?:\.html)?)?$/, '')
  return path === '' || path === '/index' ? '/' : path
}

/** A person with a browser, and not at an address where only programs call. */
function isForPeople(path: string, accept: string | undefined): boolean {
  const isProgramming = /^\/(?:mcp|admin|sandbox|assets|\.well-known)(?:\/|$)|\.\w{2,5}$/.test(path)
  return !isProgramming && /\btext\/html\b/.test(accept ?? '') && !prefersMarkdown(accept)
}

/** The links of a Markdown text with the language that the reader asked for. */
function linked(text: string, query: string): string {
  if (query === '') return text
  return text.replace(/\]\((\/[^)\s]*)\)/g, (_whole, href: string) => `](${localLink(href, query)})`)
}

const forGood = 'public, max-age=31536000, immutable'

function machineDocuments(app: Hono<Variables>, gateway: Gateway) {
  const serve = (
    path: string,
    type: string,
    language: Language | undefined,
    make: (language: Language) => string,
  ) => {
    app.get(path, async (c) => {
      const own = language ?? c.get('language')
      const document = await prepared(`${path} ${own}`, type, () => make(own))
      if (!document) return c.notFound()
      return respond(document, c.req.raw, {
        'Content-Language': own,
        Vary: 'Accept-Language, Accept-Encoding',
        'Cache-Control': 'no-cache',
      })
    })
  }
  serve('/openapi.json', json, undefined, openApiText)
  for (const language of languages) {
    const fixed = language === 'en' ? undefined : language
    serve(llmsPath(language), 'text/plain; charset=utf-8', fixed, llmsText)
    serve(fullPath(language), 'text/plain; charset=utf-8', fixed, llmsFullText)
    serve(`/assets/search-${language}.json`, json, language, searchIndex)
  }
  app.get('/assets/:hash/:name', async (c) => {
    const found = asset(c.req.param('name'))
    if (!found || found.hash !== c.req.param('hash')) return c.notFound()
    const document = await prepared(`asset ${found.hash}`, found.type, () => found.bytes)
    if (!document) return c.notFound()
    return respond(document, c.req.raw, { 'Cache-Control': forGood, Vary: 'Accept-Encoding' })
  })
  app.get('/favicon.ico', (c) => c.redirect(assetPath('mark.svg'), 302))
  app.get('/.well-known/jwks.json', (c) =>
    c.json(gateway.keys.jwks, 200, { 'Cache-Control': 'public, max-age=300' }),
  )
}
const mostEchoedPath = 100

function notFound(method: string, path: string): GatewayError {
  return new GatewayError('BAD_REQUEST', {
    status: 404,
    say: ['path_unknown', { method, path: path.slice(0, mostEchoedPath) }],
  })
}

function methodNotAllowed(method: string, path: string): GatewayError {
  return new GatewayError('BAD_REQUEST', {
    status: 405,
    say: ['method_not_allowed', { method, path: path.slice(0, mostEchoedPath), allowed: 'GET, HEAD' }],
    headers: ['Allow', 'GET, HEAD'],
  })
}

/** A failure outside the contract has the contract's envelope. */
function refused(gateway: Gateway, requestId: string, language: Language, error: unknown): Response {
  const answer = failureAnswer(error, { requestId, language }, (fault) => {
    gateway.log.error({ request_id: requestId, error: fault }, 'a page failed inside')
  })
  const headers = new Headers([
    ['X-API-Version', apiVersion],
    ['X-Request-Id', requestId],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Security-Policy', pagePolicy],
  ])
  for (let at = 0; at < answer.headers.length; at += 2)
    headers.append(answer.headers[at] ?? '', answer.headers[at + 1] ?? '')
  return new Response(String(answer.body), { status: answer.status, headers })
}
