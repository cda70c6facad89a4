import { Hono } from 'hono'
import { GatewayError, isErrorCode } from '../contract/errors.ts'
import { isLanguage, type Language, languageOf } from '../contract/language.ts'
import { openApiText } from '../contract/openapi.ts'
import type { Gateway } from '../gateway.ts'
import { failureAnswer } from '../http/failure.ts'
import { apiVersion, requestIdFrom } from '../http/headers.ts'
import { errorIndex, errorPage } from './errors.ts'
import { health } from './health.ts'
import { home } from './home.ts'
import { type Page, toHtml, toMarkdown } from './page.ts'
import { style } from './style.ts'

const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

type Variables = { Variables: { requestId: string; language: Language } }

/** Pages, probes and machine documents: everything that is not the contract. */
export function pages(gateway: Gateway): Hono<Variables> {
  const app = new Hono<Variables>()
  app.use(async (c, next) => {
    const requestId = requestIdFrom(c.req.header('x-request-id'), () => gateway.ids.next('req'))
    const asked = c.req.query('lang')
    c.set('requestId', requestId)
    c.set('language', isLanguage(asked) ? asked : languageOf(c.req.header('accept-language')))
    c.header('X-API-Version', apiVersion)
    c.header('X-Request-Id', requestId)
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    c.header('Content-Security-Policy', pagePolicy)
    if (c.req.method !== 'GET' && c.req.method !== 'HEAD') throw methodNotAllowed(c.req.method, c.req.path)
    await next()
  })

  const show = (path: string, make: (language: Language, word: string) => Page | undefined) => {
    app.get(path, (c) => {
      const language = c.get('language')
      const raw = c.req.param('code') ?? ''
      const asMarkdown = c.req.path.endsWith('.md') || prefersMarkdown(c.req.header('accept'))
      const page = make(language, raw.replace(/\.md$/, ''))
      if (!page) return c.notFound()
      c.header('Content-Language', language)
      c.header('Vary', 'Accept, Accept-Language')
      if (asMarkdown) return c.body(toMarkdown(page), 200, { 'Content-Type': 'text/markdown; charset=utf-8' })
      return c.html(toHtml(page, language, c.req.path))
    })
  }
  show('/', home)
  show('/index.md', home)
  // Until it has pages of its own, the reference is the table of every endpoint.
  show('/reference', home)
  show('/reference.md', home)
  show('/errors', errorIndex)
  show('/errors.md', errorIndex)
  show('/errors/:code', (language, word) => (isErrorCode(word) ? errorPage(language, word) : undefined))

  app.get('/style.css', (c) =>
    c.body(style, 200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
    }),
  )
  app.get('/openapi.json', (c) =>
    c.body(openApiText(), 200, { 'Content-Type': 'application/json; charset=utf-8' }),
  )
  app.get('/.well-known/jwks.json', (c) =>
    c.json(gateway.keys.jwks, 200, { 'Cache-Control': 'public, max-age=300' }),
  )
  health(app, gateway)

  app.notFound((c) =>
    refused(gateway, c.get('requestId'), c.get('language'), notFound(c.req.method, c.req.path)),
  )
  app.onError((error, c) => refused(gateway, c.get('requestId'), c.get('language'), error))
  return app
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

/** Whether an Accept header wants Markdown more than HTML. */
function prefersMarkdown(accept: string | undefined): boolean {
  if (!accept) return false
  const weightOf = (type: string) => {
    const range = accept
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .find((part) => part.split(';')[0] === type)
    if (range === undefined) return 0
    const q = /;\s*q=([\d.]+)/.exec(range)?.[1]
    return q === undefined ? 1 : Number(q)
  }
  const markdown = weightOf('text/markdown')
  return markdown > 0 && markdown >= weightOf('text/html')
}
