/** Paths that no HTTP client would send: below the API, the pages, the operator's API and the legacy paths. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestGateway, type TestGateway } from './harness.ts'
import {
  buildRequest,
  type Conversation,
  createInsider,
  expectAnswer,
  expectHealthy,
  type Insider,
  type RawCase,
  readError,
} from './raw-tcp.ts'

let house: TestGateway
let who: Insider
const heapBefore = process.memoryUsage().heapUsed

beforeAll(async () => {
  house = await openTestGateway()
  who = await createInsider(house)
})
afterAll(() => house.close())

const bearer = 'Authorization: Bearer {token}'
const buildCase = (line: string, headers: readonly string[] = [bearer]) => ({
  bytes: buildRequest(line, headers),
})

const malformed: readonly (readonly [name: string, path: string])[] = [
  ['a dot segment on the contract', '/api/v1/../v1/me'],
  ['a single dot on the contract', '/api/v1/./me'],
  ['a dot segment at the end', '/api/v1/me/..'],
  ['an encoded dot segment', '/api/v1/%2e%2e/v1/me'],
  ['an encoded dot segment in capitals', '/api/v1/%2E%2E/v1/me'],
  ['a half-encoded dot segment', '/api/v1/.%2e/v1/me'],
  ['an encoded single dot', '/api/v1/%2e/me'],
  ['a dot segment of an encoded slash', '/api/v1/..%2fv1/me'],
  ['an empty segment on the contract', '/api/v1//me'],
  ['a trailing slash on the contract', '/api/v1/me/'],
  ['the root of the contract with a slash', '/api/v1/'],
  ['two trailing slashes', '/api/v1/me//'],
  ['a NUL', '/api/v1/me%00'],
  ['a NUL as a segment', '/api/v1/%00/me'],
  ['a NUL behind an unknown path', '/api/v1/nope/%00'],
  ['a dot segment behind an unknown path', '/api/v1/nope/../me'],
  ['a byte that is no UTF-8', '/api/v1/%ff'],
  ['a byte that is no UTF-8 behind an unknown path', '/api/v1/nope/nope/%ff'],
  ['an overlong slash', '/api/v1/..%c0%afme'],
  ['an encoded surrogate', '/api/v1/products/%ed%a0%80'],
  ['half of a character', '/api/v1/products/%e2%82'],
  ['a lone percent sign', '/api/v1/products/%'],
  ['a percent sign with one digit', '/api/v1/products/%4'],
  ['a percent sign with letters', '/api/v1/products/%zz'],
  ['a backslash in a segment', '/api/v1/products/a\\b'],
  ['a backslash after the version', '/api/v1/me\\'],
  ['an encoded backslash', '/api/v1/products/a%5cb'],
  ['an encoded slash in a segment', '/api/v1/products/a%2fb'],
  ['an encoded slash for a warehouse', '/api/v1/warehouses/AU%2F..%2FCN/stock'],
  ['backslashes instead of slashes', '/api\\v1\\me'],
  ['an encoded backslash in the first segment', '/api%5cv1%5cme'],
  ['an encoded NUL in the first segment', '/api%00/stock'],
  ['two slashes in front', '//api/v1/me'],
  ['two slashes and a host', '//other.example/livez'],
  ['two slashes in front of a legacy path', '//Api/stock'],
  ['a dot segment into the contract', '/pages/../api/v1/me'],
  ['a dot segment into the operator’s door', '/pages/../admin/api/channels'],
  ['a dot segment on a page', '/errors/../livez'],
  ['an encoded dot segment on a page', '/errors/%2e%2e/livez'],
  ['dot segments to a file', '/../../../../etc/passwd'],
  ['encoded dot segments to a file', '/%2e%2e/%2e%2e/%2e%2e/etc/passwd'],
  ['a backslash on a page', '/errors\\NOT_FOUND'],
  ['a NUL on a page', '/errors/NOT_FOUND%00.md'],
  ['a byte that is no UTF-8 on a page', '/errors/%ff'],
  ['a lone percent sign on a page', '/errors/%'],
  ['an encoded slash on a page', '/errors%2fNOT_FOUND'],
  ['an empty segment on a page', '/errors//NOT_FOUND'],
  ['a dot segment out of the operator’s door', '/admin/api/../../livez'],
  ['a trailing slash at the operator’s door', '/admin/api/channels/'],
  ['an encoded slash at the operator’s door', '/admin/api%2fchannels'],
  ['a NUL at the operator’s door', '/admin/api/channels/%00'],
]

const unknown: readonly (readonly [name: string, path: string])[] = [
  ['an unknown path of the contract', '/api/v1/nope'],
  ['the root of the contract', '/api/v1'],
  ['a trailing dot', '/api/v1/me.'],
  ['upper case', '/api/v1/ME'],
  ['a trailing space', '/api/v1/me%20'],
  ['a path parameter', '/api/v1/me;jsessionid=1'],
  ['three dots', '/api/v1/.../me'],
  ['a percent sign encoded twice', '/api/v1/%252e%252e/me'],
  ['an invisible character', '/api/v1/me%E2%80%8B'],
  ['a file extension', '/api/v1/me.json'],
  ['a deep path', `/api/v1${'/a'.repeat(40)}`],
  ['an unknown page', '/nope'],
  ['an unknown error page', '/errors/NOPE'],
  ['an error page in lower case', '/errors/not_found'],
  ['a key of every object as an error page', '/errors/constructor'],
  ['an unknown page with a slash', '/nope/'],
  ['a file of the repository', '/package.json'],
  ['a hidden file', '/.env'],
  ['a page in upper case', '/LIVEZ'],
  ['a first segment encoded twice', '/%2561pi/stock'],
  ['a first segment that only begins like a legacy one', '/apis/stock'],
  ['a legacy segment with a parameter', '/api;x/stock'],
  ['full-width letters', '/%EF%BD%81%EF%BD%90%EF%BD%89/stock'],
  ['the root of the operator’s door', '/admin/api'],
  ['an unknown path at the operator’s door', '/admin/api/nope'],
  ['the operator’s door in upper case', '/Admin/api/channels'],
  ['the operator’s door in an encoding', '/%61dmin/api/channels'],
  ['the operator’s door in another encoding', '/admin/%61pi/channels'],
  ['an unknown well-known document', '/.well-known/security'],
]

const legacy: readonly (readonly [path: string, replacement: readonly [string, string]])[] = [
  ['/api', ['GET', '/reference']],
  ['/api/', ['GET', '/reference']],
  ['/api?x=1', ['GET', '/reference']],
  ['/Api', ['GET', '/reference']],
  ['/API/', ['GET', '/reference']],
  ['/Api/Stock/List', ['GET', '/api/v1/warehouses/{warehouse_code}/stock']],
  ['/api/stock/list/', ['GET', '/api/v1/warehouses/{warehouse_code}/stock']],
  ['/aPI/Order/Create', ['POST', '/api/v1/orders']],
  ['/%61pi/stock/query', ['GET', '/api/v1/warehouses/{warehouse_code}/stock']],
  ['/%41%50%49/balance', ['GET', '/api/v1/balances']],
  ['/Api%2fbalance', ['GET', '/api/v1/balances']],
  ['/Api//balance', ['GET', '/api/v1/balances']],
  ['/%61pi/stock', ['GET', '/reference']],
  ['/API/V1/me', ['GET', '/reference']],
  ['/api/V1/me', ['GET', '/reference']],
  ['/Api/v1/me', ['GET', '/reference']],
  ['/api/v1%2fme', ['GET', '/reference']],
  ['/api%2fv1%2fme', ['GET', '/reference']],
  ['/%61pi/v1/me', ['GET', '/reference']],
  ['/api/%761/me', ['GET', '/reference']],
  ['/api/v1%20/me', ['GET', '/reference']],
  ['/api/v1.0/me', ['GET', '/reference']],
  ['/api/v10/me', ['GET', '/reference']],
  ['/api/v2/x', ['GET', '/reference']],
  ['/api/v1\\me', ['GET', '/reference']],
  ['/api//v1/me', ['GET', '/reference']],
  ['/Api/../livez', ['GET', '/reference']],
  ['/Api/%00', ['GET', '/reference']],
  ['/Api/%ff', ['GET', '/reference']],
  ['/%41pi/%ff', ['GET', '/reference']],
  ['/Api/%0d%0aX-Injected:%201', ['GET', '/reference']],
  ['/api/__proto__', ['GET', '/reference']],
]

describe('a malformed path is refused before it can mean two things', () => {
  it.each(malformed)('%s: %s', async (_name, path) => {
    await expectAnswer(house, who, {
      name: path,
      ...buildCase(`GET ${path}`),
      status: 400,
      code: 'BAD_REQUEST',
    })
  })
})

describe('an unknown path is 404, whoever asks', () => {
  it.each(unknown)('%s: %s', async (_name, path) => {
    await expectAnswer(house, who, {
      name: path,
      ...buildCase(`GET ${path}`, []),
      status: 404,
      code: 'BAD_REQUEST',
    })
  })
})

describe('a legacy path is gone, and says what replaces it', () => {
  const gone = {
    status: 410,
    code: 'ENDPOINT_GONE',
    answers: { link: /^<\/[\w/-]+>; rel="successor-version"$/ },
  }
  const readReplacement = (said: Conversation) => readError(said.answers[0])?.replacement

  it.each(legacy)('%s', async (path, [method, to]) => {
    const said = await expectAnswer(house, who, { name: path, ...buildCase(`GET ${path}`, []), ...gone })
    expect(readReplacement(said)).toEqual({ method, path: to })
  })

  it('and a path that never was is not called retired', async () => {
    const readMessage = async (path: string) => {
      const said = await expectAnswer(house, who, { name: path, ...buildCase(`GET ${path}`, []), ...gone })
      return readError(said.answers[0])?.message
    }
    expect(await readMessage('/api/v2/x')).toBe(
      'There is no /api/v2/x. Every path of the API begins with /api/v1; GET /reference lists them.',
    )
    expect(await readMessage('/api/balance')).toContain('was retired')
  })

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    'with %s, before any token or body is looked at',
    async (method) => {
      const headers = ['Authorization: Basic x', 'Content-Type: text/plain', 'Content-Length: 1']
      const bytes = buildRequest(`${method} /Api/Order/Create`, headers, '?')
      const said = await expectAnswer(house, who, { name: method, bytes, ...gone })
      expect(readReplacement(said)).toEqual({ method: 'POST', path: '/api/v1/orders' })
    },
  )

  it.each([
    ['an encoding that the gateway does not read', '/Api/Order/Create', ['Content-Encoding: gzip']],
    ['two hosts', '/Api/Order/Create', ['Host: other.example']],
    ['two types', '/Api/Order/Create', ['Content-Type: a/b', 'Content-Type: c/d']],
    ['an expectation that nobody meets', '/Api/Order/Create', ['Expect: wonders']],
    ['a query of 9,000 characters', `/Api/Order/Create?token=${'a'.repeat(9_000)}`, []],
  ])('with %s', async (name, path, headers) => {
    const bytes = buildRequest(`POST ${path}`, [...headers, 'Content-Length: 1'], '?')
    const said = await expectAnswer(house, who, { name, bytes, ...gone })
    expect(readReplacement(said)).toEqual({ method: 'POST', path: '/api/v1/orders' })
  })

  it('at any depth', async () => {
    const path = `/Api/${'a/'.repeat(2_000)}${'/'.repeat(2_000)}x`
    await expectAnswer(house, who, { name: 'deep', ...buildCase(`GET ${path}`, []), ...gone })
  })

  it('with HEAD, without a body', async () => {
    const head = { head: true, untilClosed: true }
    await expectAnswer(house, who, {
      name: 'HEAD',
      ...buildCase('HEAD /Api', ['Connection: close']),
      ...gone,
      send: head,
    })
  })
})

const wrongMethods: readonly (readonly [line: string, allow: string])[] = [
  ['POST /api/v1/me', 'GET, HEAD'],
  ['DELETE /api/v1/warehouses', 'GET, HEAD'],
  ['OPTIONS /api/v1/warehouses/AUSYD1/stock', 'GET, HEAD'],
  ['GET /api/v1/auth/token', 'POST'],
  ['HEAD /api/v1/auth/token', 'POST'],
  ['OPTIONS /api/v1/auth/token', 'POST'],
  ['PUT /api/v1/plan-requests', 'POST, GET, HEAD'],
  ['TRACE /api/v1/plan-requests', 'POST, GET, HEAD'],
  ['PUT /admin/api/channels', 'POST, GET, HEAD'],
  ['OPTIONS /admin/api/channels/ch-1', 'GET, HEAD, PATCH, DELETE'],
  ['POST /', 'GET, HEAD'],
  ['DELETE /errors/NOT_FOUND', 'GET, HEAD'],
  ['OPTIONS /openapi.json', 'GET, HEAD'],
  ['POST /nope', 'GET, HEAD'],
]

describe('a method that a path does not have is 405 and names those it has', () => {
  it.each(wrongMethods)('%s allows %s', async (line, allow) => {
    const head = line.startsWith('HEAD')
    await expectAnswer(house, who, {
      name: line,
      ...buildCase(line, ['Connection: close']),
      status: 405,
      code: 'BAD_REQUEST',
      answers: { allow: new RegExp(`^${allow}$`) },
      send: { head, untilClosed: true },
    })
  })
})

describe('HEAD answers what GET would, without a body', () => {
  const heads: readonly (readonly [path: string, status: number])[] = [
    ['/api/v1/errors', 200],
    ['/api/v1/me', 200],
    ['/api/v1/warehouses/AUSYD1/stock', 200],
    ['/api/v1/nope', 404],
    ['/api/v1/products/nope', 404],
    ['/livez', 200],
    ['/errors', 200],
    ['/nope', 404],
    ['/errors/../x', 400],
  ]
  it.each(heads)('%s: %d', async (path, status) => {
    await expectAnswer(house, who, {
      name: path,
      ...buildCase(`HEAD ${path}`, [bearer, 'Connection: close']),
      status,
      send: { head: true, untilClosed: true },
    })
  })
})

describe('nothing that is echoed becomes a header', () => {
  const paths: RawCase[] = [
    { name: 'of a page', ...buildCase('GET /%0d%0aX-Injected:%201'), status: 404, code: 'BAD_REQUEST' },
    {
      name: 'of an error page',
      ...buildCase('GET /errors/%0d%0aSet-Cookie:a=b'),
      status: 404,
      code: 'BAD_REQUEST',
    },
    { name: 'of a language', ...buildCase('GET /errors?lang=%0d%0aX-Injected:1'), status: 200 },
    {
      name: 'of the contract',
      ...buildCase('GET /api/v1/%0d%0aX-Injected:1'),
      status: 404,
      code: 'BAD_REQUEST',
    },
    {
      name: 'of a warehouse',
      ...buildCase('GET /api/v1/warehouses/AU%0d%0aX-Injected:1/stock'),
      status: 404,
      code: 'WAREHOUSE_UNKNOWN',
      param: 'warehouse_code',
    },
    {
      name: 'of a style',
      ...buildCase('GET /api/v1/products/%0d%0aX-Injected:1'),
      status: 404,
      code: 'NOT_FOUND',
      param: 'product_code',
    },
    {
      name: 'of an unknown parameter',
      ...buildCase('GET /api/v1/me?a%0d%0aX-Injected:1=2'),
      status: 422,
      code: 'VALIDATION_FAILED',
      param: 'aX-Injected:1',
    },
  ]
  it.each(paths)('line ends in the path $name', async (each) => void (await expectAnswer(house, who, each)))

  const refusedIds: readonly (readonly [name: string, id: string])[] = [
    ['too short', 'seven77'],
    ['too long', 'a'.repeat(129)],
    ['with a space', 'abcd efgh'],
    ['with encoded line ends', 'abcdefgh%0d%0aX-Injected:1'],
    ['with markup', '<script>alert(1)</script>'],
    ['with a quote', 'abcdefgh"'],
    ['beyond ASCII', 'abcdefgh\xe9'],
    ['with a comma', 'abcdefgh,ijklmnop'],
    ['with a slash', '../../../../etc/passwd'],
    ['empty', ''],
    ['with a line end and a header', 'abcdefgh ijkl\r\nX-Injected: 1'],
  ]
  it.each(
    ['/api/v1/me', '/nope', '/Api/x'].flatMap((path) => refusedIds.map((each) => [path, ...each] as const)),
  )('%s replaces an X-Request-Id %s', async (path, _name, id) => {
    const { answers } = await expectAnswer(house, who, {
      name: path,
      ...buildCase(`GET ${path}`, [`X-Request-Id: ${id}`]),
      ...(path === '/nope' ? { status: 404, code: 'BAD_REQUEST' } : {}),
      ...(path === '/Api/x' ? { status: 410, code: 'ENDPOINT_GONE' } : {}),
      ...(path === '/api/v1/me' ? { status: 401, code: 'AUTH_MISSING_TOKEN' } : {}),
    } as RawCase)
    expect(answers[0]?.headers.get('x-request-id')?.[0]).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
  })

  it.each(['/api/v1/errors', '/livez', '/openapi.json', '/.well-known/jwks.json'])(
    '%s keeps an X-Request-Id that fits',
    async (path) => {
      for (const id of ['a-b_c.D8', 'x'.repeat(128)]) {
        const answers = { 'x-request-id': new RegExp(`^${id}$`) }
        await expectAnswer(house, who, {
          name: path,
          ...buildCase(`GET ${path}`, [`X-Request-Id: ${id}`]),
          status: 200,
          answers,
        })
      }
    },
  )
})

describe('the gateway', () => {
  it('lives, serves and holds on to nothing after all of this', () => expectHealthy(house, who, heapBefore))
})
