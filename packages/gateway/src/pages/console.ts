/**
 * The operators' console at `/admin`: the files of `packages/console/dist`. Every address below `/admin` that is not a
 * file is one of the console's own pages, so it returns the same `index.html`.
 */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Hono } from 'hono'
import type { Gateway } from '../gateway.ts'
import { immutableCache, type PageVariables, prepareDocument, toDocumentResponse } from './respond.ts'

/** Where `vite build` writes the console (packages/console/vite.config.ts). */
export const consoleDist = join(import.meta.dirname, '../../../console/dist')

const fileTypes: ReadonlyMap<string, string> = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

const nonceBytes = 16

/** Registers the console's pages and files. The operator's API is not among them: `http/app.ts` routes it earlier. */
export function registerConsoleRoutes(app: Hono<PageVariables>, gateway: Gateway, dist = consoleDist) {
  app.get('/admin/assets/:name', async (c) => {
    const document = await prepareFile(dist, c.req.param('name'))
    if (!document) return c.notFound()
    return toDocumentResponse(document, c.req.raw, {
      'Cache-Control': immutableCache,
      Vary: 'Accept-Encoding',
    })
  })
  app.on('GET', ['/admin', '/admin/*'], async (c) => {
    if (!isConsoleAddress(new URL(c.req.url).pathname)) return c.notFound()
    const nonce = gateway.ids.bytes(nonceBytes).toString('base64url')
    c.set('styleNonce', nonce)
    c.header('Cache-Control', 'no-store')
    const page = await readFile(join(dist, 'index.html'), 'utf8').catch(() => undefined)
    if (page === undefined) return c.html(unbuiltPage, 503)
    return c.html(fillPage(page, nonce, gateway.config.adminToken === undefined ? 'unset' : 'set'))
  })
}

/** Whether an address is one of the console, as it was sent: an encoded spelling of the operator's API is no page. */
function isConsoleAddress(path: string): boolean {
  return /^\/admin(?:\/|$)/.test(path) && !/^\/admin\/api(?:\/|$)/.test(decodeURIComponent(path))
}

/** Replaces the words that `packages/console/index.html` leaves to the gateway. */
function fillPage(page: string, nonce: string, tokenState: 'set' | 'unset'): string {
  return page.replaceAll('__STYLE_NONCE__', nonce).replaceAll('__ADMIN_TOKEN_STATE__', tokenState)
}

/** Prepares a file of the build. Its name contains the hash of its content. Returns undefined if it does not exist. */
async function prepareFile(dist: string, name: string) {
  const [, extension = ''] = /^[\w-]+\.(js|css|svg)$/.exec(name) ?? []
  const type = fileTypes.get(extension)
  if (type === undefined) return undefined
  const bytes = await readFile(join(dist, 'assets', name)).catch(() => undefined)
  return bytes && prepareDocument(`console ${name}`, type, () => bytes)
}

const unbuiltPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The console is not built</title></head>
<body>
<h1>The console is not built</h1>
<p>npm start builds it in a few seconds: reload this page. If it stays away, the log says why.</p>
<p>An installation without development dependencies cannot build it. Run <code>npm ci</code> and
<code>npm run build -w packages/console</code> where they are installed, and copy <code>packages/console/dist</code>.</p>
<p>Until then, the operator's API at <code>/admin/api</code> works as always.</p>
</body>
</html>
`
