/** How the gateway builds the operators' console and serves it at `/admin`. */

import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCreating, nameKind } from '../../console/src/pages/doubt/kind.ts'
import { en } from '../../console/src/texts/en.ts'
import { adminCatalogue } from '../src/catalogue.ts'
import { jsonLog } from '../src/kernel/log.ts'
import { registerConsoleRoutes } from '../src/pages/console.ts'
import type { PageVariables } from '../src/pages/respond.ts'
import { hashSource, startConsoleBuild } from '../src/start/console.ts'
import { writes } from '../src/writes.ts'
import { openTestGateway, type TestGateway } from './harness.ts'

let house: TestGateway
let directory: string

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'trade-gateway-console-'))
  // Builds only if the files of the console have changed since the last build.
  await startConsoleBuild(jsonLog('error')).done
  house = await openTestGateway()
})
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true })
  await house.close()
})

async function get(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${house.url}${path}`, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const readNonce = (policy: string | null) => /'nonce-([\w-]{22})'/.exec(policy ?? '')?.[1]

describe('/admin', () => {
  it('is the same page at every address of the console, under a policy that lets in no inline script', async () => {
    for (const path of ['/admin', '/admin/', '/admin/channels/a.b', '/admin/requests?code=INTERNAL']) {
      const { status, headers, text } = await get(path)
      expect([status, headers.get('content-type')], path).toEqual([200, 'text/html; charset=UTF-8'])
      expect(headers.get('cache-control'), path).toBe('no-store')
      expect(headers.get('x-api-version'), path).toBe('1.4.0')
      expect(headers.get('x-request-id'), path).toMatch(/^req_/)
      const nonce = readNonce(headers.get('content-security-policy'))
      expect(headers.get('content-security-policy'), path).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'; font-src 'self'`,
      )
      expect(text, path).toContain(`<meta property="csp-nonce" nonce="${nonce}">`)
      expect(text, path).not.toMatch(/__[A-Z_]+__|<style|style="|<script(?![^>]* src=)/)
    }
  })

  it('says in every language that it requires JavaScript', async () => {
    const [, inside = ''] = /<noscript>([\s\S]*?)<\/noscript>/.exec((await get('/admin')).text) ?? []
    expect(inside.match(/<p(?: lang="\w+")?>(?=[^<]*JavaScript)/g)).toEqual([
      '<p>',
      '<p lang="zh">',
      '<p lang="ko">',
    ])
  })

  it('has another nonce in each response', async () => {
    const nonces = await Promise.all(
      [1, 2, 3].map(async () => readNonce((await get('/admin')).headers.get('content-security-policy'))),
    )
    expect(new Set(nonces).size).toBe(3)
  })

  it('serves its files compressed and for good, because their names change with their content', async () => {
    const { text } = await get('/admin')
    const files = [...text.matchAll(/(?:src|href)="(\/admin\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(files.length).toBeGreaterThan(1)
    for (const path of files) {
      const { status, headers, text: content } = await get(path, { 'accept-encoding': 'gzip' })
      const isSmall = Buffer.byteLength(content) < 1024
      expect([status, headers.get('content-encoding')], path).toEqual([200, isSmall ? null : 'gzip'])
      expect(headers.get('content-type'), path).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
      expect(headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable')
    }
  })

  it.each(['/admin/assets/none.js', '/admin/assets/index.html', '/admin/assets/..%2findex.html'])(
    'has no file at %s',
    async (path) => {
      const { status, headers } = await get(path)
      expect([status < 500, status >= 400, headers.get('content-type')]).toEqual([
        true,
        true,
        'application/json; charset=utf-8',
      ])
    },
  )

  it('leaves the operator’s API and its document as they are', async () => {
    expect((await get('/admin/api/channels')).status).toBe(401)
    expect((await get('/admin/api')).headers.get('content-type')).toContain('application/json')
    expect((await get('/admin/openapi.json')).headers.get('content-type')).toContain('application/json')
  })

  it('says whether there is an admin token at all, so that a first visit can explain how to set one', async () => {
    expect((await get('/admin')).text).toContain('<meta name="admin-token" content="set">')
    const disabled = await openTestGateway({ settings: { ADMIN_TOKEN: '' } })
    const response = await fetch(`${disabled.url}/admin`)
    expect(await response.text()).toContain('<meta name="admin-token" content="unset">')
    await disabled.close()
  })

  it('without a build, is a page that says how to build it', async () => {
    const app = new Hono<PageVariables>()
    registerConsoleRoutes(app, house.gateway, join(directory, 'nothing'))
    const response = await app.request('/admin')
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('npm run build -w packages/console')
  })
})

describe('the reads that the console repeats by itself', () => {
  const source = join(import.meta.dirname, '../../console/src')
  const repeated = globSync('**/*.{ts,tsx}', { cwd: source })
    .flatMap((path) => readFileSync(join(source, path), 'utf8').split('useRead(').slice(1))
    .map(takeArguments)
    .filter((read) => read.includes('everyMs'))
    .map((read) => /'([^']+)'/.exec(read)?.[1])

  it.each([...new Set(repeated)])('%s is recorded once an hour, and not each time', (path) => {
    const read = adminCatalogue.find((endpoint) => endpoint.method === 'GET' && endpoint.path === path)
    expect(read?.polled).toBe(true)
  })
})

describe('the build of the console', () => {
  it('is due again when a file of its source changes, and not when a test does', () => {
    const folder = join(directory, 'source')
    mkdirSync(join(folder, 'src'), { recursive: true })
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return hashSource(folder)
    }
    const first = write('src/main.tsx', 'one')
    expect(write('src/main.test.ts', 'a test')).toBe(first)
    expect(write('src/main.tsx', 'two')).not.toBe(first)
    expect(write('src/main.tsx', 'one')).toBe(first)
    expect(write('index.html', '')).not.toBe(first)
  })

  it('is left to an installation that has Vite', async () => {
    const folder = join(directory, 'bare')
    mkdirSync(join(folder, 'src'), { recursive: true })
    await startConsoleBuild(jsonLog('silent'), folder).done
    expect(readdirSync(folder)).toEqual(['src'])
  })

  it('is left out of a package without its source, whatever Vite the user has', async () => {
    const folder = join(directory, 'packed')
    const vite = join(folder, 'node_modules/vite')
    mkdirSync(join(vite, 'bin'), { recursive: true })
    writeFileSync(join(vite, 'package.json'), '{}')
    writeFileSync(join(vite, 'bin/vite.js'), `require('node:fs').mkdirSync(process.argv[4])`)
    await startConsoleBuild(jsonLog('silent'), folder).done
    expect(readdirSync(folder)).toEqual(['node_modules'])
  })
})

/** Takes the arguments of a call from the text after its opening bracket. */
function takeArguments(text: string): string {
  let depth = 1
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1
    if (depth === 0) return text.slice(0, index)
  }
  return text
}

describe('the kinds of writes in the console', () => {
  const name = (kind: string) => nameKind(kind, (key) => en[key])
  /** A hold and an order as the ERP has them before anything ends them. */
  const live = [
    { kind: 'hold', status: 'held' },
    { kind: 'order', status: 'open' },
  ]

  it('have names in words, but one of a newer gateway', () => {
    for (const { kind } of writes) expect(name(kind)).toMatch(/^[a-z-]+ [a-z -]+$/)
    expect(name('order.split')).toBe('order.split')
  })

  it('create a document exactly if they are done once the ERP has a live one', () => {
    for (const write of writes) {
      const isDone = live.some((document) => Reflect.apply(write.isDone, write, [document]))
      expect(isCreating(write.kind), write.kind).toBe(isDone)
    }
  })
})
