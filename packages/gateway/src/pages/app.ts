import { type Context, Hono } from 'hono'
import { parseWeights, prefersMarkdown } from '../contract/accept.ts'
import { GatewayError } from '../contract/errors.ts'
import { chooseSupportedLanguage, isLanguage, type Language, languages } from '../contract/language.ts'
import { apiVersion } from '../contract/version.ts'
import type { Gateway } from '../gateway.ts'
import { toFailureResponse } from '../pipeline/failure.ts'
import { chooseRequestId } from '../pipeline/headers.ts'
import { serializeAsyncApi } from '../projections/asyncapi.ts'
import { buildPostmanCollection } from '../projections/collections/postman.ts'
import { serializeAdminOpenApi, serializeOpenApi } from '../projections/openapi.ts'
import { buildAssetPath, readAsset } from './assets.ts'
import { registerConsoleRoutes } from './console.ts'
import { buildChangelogFeed, changelogFeedPath } from './docs/changelog.ts'
import { addQuery } from './docs/markdown.ts'
import { registerHealthRoutes } from './health.ts'
import { renderPage } from './layout.ts'
import { buildLlmsFullText, buildLlmsText, toLlmsFullPath } from './llms.ts'
import { buildMissingPage } from './missing.ts'
import { renderPageMarkdown, toLlmsPath } from './page.ts'
import { buildPagePolicy } from './policy.ts'
import {
  immutableCache,
  type PageVariables,
  prepareDocument,
  readHeaderValues,
  toDocumentResponse,
} from './respond.ts'
import { findSections, suggestPages } from './search/search.ts'
import { findPage } from './site.ts'
import { apiCatalogLink, registerWellKnownRoutes } from './well-known.ts'

/** Creates the application for pages, health checks and machine-readable documents: everything outside the API. */
export function createPages(gateway: Gateway, isDraining = () => false): Hono<PageVariables> {
  const app = new Hono<PageVariables>()
  app.use(async (c, next) => {
    const requestId = chooseRequestId(c.req.header('x-request-id'), () => gateway.ids.next('req'))
    const asked = c.req.query('lang')
    c.set('requestId', requestId)
    c.set('language', isLanguage(asked) ? asked : chooseSupportedLanguage(c.req.header('accept-language')))
    c.set('query', isLanguage(asked) ? `?lang=${asked}` : '')
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw toMethodError(c.req.method, c.req.path)
    await next()
    // Set after the handler, because a response that the handler created replaces headers that were set earlier.
    c.header('X-API-Version', apiVersion)
    c.header('X-Request-Id', requestId)
    for (const [name, value] of buildPagePolicy(gateway.config.baseUrl, c.get('styleNonce')))
      c.header(name, value)
  })
  registerHealthRoutes(app, gateway, isDraining)
  registerWellKnownRoutes(app, gateway)
  registerMachineDocuments(app, gateway)
  app.get('/search.json', async (c) => {
    const { language } = c.var
    const data = await findSections(c.req.query('q') ?? '', language)
    return c.json({ data }, 200, {
      'Content-Language': language,
      Vary: inLanguages,
      'Cache-Control': 'no-cache',
    })
  })
  registerConsoleRoutes(app, gateway)
  // The changelog is at `/changelog`; `/docs/changelog` redirects there.
  app.get('/docs/changelog', (c) => c.redirect(`/changelog${c.get('query')}`, 308))
  app.get('/docs/changelog.md', (c) => c.redirect(`/changelog.md${c.get('query')}`, 308))
  app.get(changelogFeedPath, (c) =>
    c.body(buildChangelogFeed(gateway.config.baseUrl ?? new URL(c.req.url).origin), 200, {
      'Cache-Control': 'no-cache',
      'Content-Language': 'en',
      'Content-Type': 'application/atom+xml; charset=utf-8',
    }),
  )
  app.get('*', (c) => servePage(c, gateway.upstream.isSandbox))

  app.notFound(async (c) => {
    const { language, query, requestId } = c.var
    if (!isBrowserNavigation(c.req.path, readHeaderValues(c.req.raw, 'accept'))) {
      return toErrorResponse(gateway, requestId, language, toNotFoundError(c.req.method, c.req.path))
    }
    c.header('Content-Language', language)
    c.header('Vary', negotiated)
    c.header('Cache-Control', 'no-store')
    const address = decodeAddress(c.req.path)
    const page = buildMissingPage(address, await suggestPages(address, language), language)
    const { isSandbox } = gateway.upstream
    return c.html(renderPage(page, { language, query, assetPath: buildAssetPath, isSandbox }), 404)
  })
  app.onError((error, c) => toErrorResponse(gateway, c.get('requestId'), c.get('language'), error))
  return app
}

const html = 'text/html; charset=utf-8'
const markdown = 'text/markdown; charset=utf-8'
const json = 'application/json; charset=utf-8'
const inLanguages = 'Accept-Language, Accept-Encoding'
const negotiated = `Accept, ${inLanguages}`

/** Serves a page as HTML, or as Markdown if its address ends in `.md` or the client prefers Markdown. */
async function servePage(c: Context<PageVariables>, isSandbox: boolean): Promise<Response> {
  const { language, query } = c.var
  const address = c.req.path
  const isMarkdown = address.endsWith('.md') || prefersMarkdown(readHeaderValues(c.req.raw, 'accept'))
  const path = toPagePath(address)
  const type = isMarkdown ? markdown : html
  const document = await prepareDocument(`${type} ${path} ${language} ${query} ${isSandbox}`, type, () => {
    const page = findPage(path, language)
    if (!page) return undefined
    return isMarkdown
      ? renderPageMarkdown(page, language, (text) => addLanguageToLinks(text, query))
      : renderPage(page, { language, query, assetPath: buildAssetPath, isSandbox })
  })
  if (!document) return c.notFound()
  return toDocumentResponse(document, c.req.raw, {
    'Content-Language': language,
    Vary: negotiated,
    'Cache-Control': 'no-cache',
    Link: buildLinkHeader(path, language, query),
  })
}

/**
 * Builds the `Link` header. It contains the list of all pages; on pages about the API also the OpenAPI document; on the
 * home page also the API catalog.
 */
function buildLinkHeader(path: string, language: Language, query: string): string {
  const links = [`<${toLlmsPath(language)}>; rel="llms-txt"`]
  if (/^\/(?:$|reference(?:\/|$)|swagger$)/.test(path))
    links.push(`</openapi.json${query}>; rel="service-desc"`)
  if (path === '/') links.push(apiCatalogLink)
  return links.join(', ')
}

/**
 * Normalizes an address: `/docs/quickstart.md` and `/docs/quickstart/` become `/docs/quickstart`, and `/index.md`
 * becomes `/`.
 */
function toPagePath(address: string): string {
  const path = address.replace(/\.md$/, '').replace(/\/(?:index(?:\.html)?)?$/, '')
  return path === '' || path === '/index' ? '/' : path
}

/** Decodes the address of a page that does not exist, as far as it can be decoded. */
function decodeAddress(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Whether a browser requests a page for a person, and not an address that only programs use. */
function isBrowserNavigation(path: string, accept: readonly string[]): boolean {
  const isProgramming = /^\/(?:mcp|admin|sandbox|assets|\.well-known)(?:\/|$)|\.\w{2,5}$/.test(path)
  const takesHtml = (parseWeights(accept).get('text/html') ?? 0) > 0
  return !isProgramming && takesHtml && !prefersMarkdown(accept)
}

/** Adds the requested language to the links of a Markdown text. */
function addLanguageToLinks(text: string, query: string): string {
  if (query === '') return text
  return text.replace(/\]\((\/[^)\s]*)\)/g, (_whole, href: string) => `](${addQuery(href, query)})`)
}

function registerMachineDocuments(app: Hono<PageVariables>, { config }: Gateway) {
  const server = config.baseUrl ?? `http://localhost:${config.port}`
  const serve = (
    path: string,
    type: string,
    language: Language | undefined,
    make: (language: Language) => string,
  ) => {
    app.get(path, async (c) => {
      const own = language ?? c.get('language')
      const document = await prepareDocument(`${path} ${own}`, type, () => make(own))
      if (!document) return c.notFound()
      return toDocumentResponse(document, c.req.raw, {
        'Content-Language': own,
        Vary: inLanguages,
        'Cache-Control': 'no-cache',
      })
    })
  }
  serve('/openapi.json', json, undefined, (language) => serializeOpenApi(language, server))
  serve('/asyncapi.json', json, undefined, serializeAsyncApi)
  serve(
    '/collections/postman.json',
    json,
    'en',
    () => `${JSON.stringify(buildPostmanCollection(server), null, 2)}\n`,
  )
  serve('/admin/openapi.json', json, undefined, serializeAdminOpenApi)
  for (const language of languages) {
    const fixed = language === 'en' ? undefined : language
    serve(toLlmsPath(language), 'text/plain; charset=utf-8', fixed, buildLlmsText)
    serve(toLlmsFullPath(language), 'text/plain; charset=utf-8', fixed, buildLlmsFullText)
  }
  app.get('/assets/:hash/:name', async (c) => {
    const found = readAsset(c.req.param('name'))
    if (!found || found.hash !== c.req.param('hash')) return c.notFound()
    const document = await prepareDocument(`asset ${found.hash}`, found.type, () => found.bytes)
    if (!document) return c.notFound()
    return toDocumentResponse(document, c.req.raw, {
      'Cache-Control': immutableCache,
      Vary: 'Accept-Encoding',
    })
  })
  app.get('/favicon.ico', (c) => c.redirect(buildAssetPath('mark.svg'), 302))
}

const maxEchoedPath = 100

function toNotFoundError(method: string, path: string): GatewayError {
  return new GatewayError('BAD_REQUEST', {
    status: 404,
    say: ['path_unknown', { method, path: path.slice(0, maxEchoedPath) }],
  })
}

function toMethodError(method: string, path: string): GatewayError {
  return new GatewayError('BAD_REQUEST', {
    status: 405,
    say: ['method_not_allowed', { method, path: path.slice(0, maxEchoedPath), allowed: 'GET, HEAD' }],
    headers: ['Allow', 'GET, HEAD'],
  })
}

/** Builds an error response with the API's envelope for a failure outside the API. */
function toErrorResponse(gateway: Gateway, requestId: string, language: Language, error: unknown): Response {
  const apiResponse = toFailureResponse(error, { requestId, language }, (fault) => {
    gateway.log.error({ request_id: requestId, error: fault }, 'a page failed inside')
  })
  const headers = new Headers([
    ['X-API-Version', apiVersion],
    ['X-Request-Id', requestId],
  ])
  for (const [name, value] of buildPagePolicy(gateway.config.baseUrl)) headers.append(name, value)
  for (let at = 0; at < apiResponse.headers.length; at += 2)
    headers.append(apiResponse.headers[at] ?? '', apiResponse.headers[at + 1] ?? '')
  return new Response(String(apiResponse.body), { status: apiResponse.status, headers })
}
