/**
 * Tests what a browser needs before a page of another origin may call `POST /mcp` and read the response (CORS). Only the
 * origins of `MCP_ALLOWED_ORIGINS` get it. `tests/browser/mcp.test.ts` calls from a real page.
 */

import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildModernRequest, postToMcp } from './agent.ts'
import { createWorld, openTestGateway, type TestGateway } from './harness.ts'

const listed = 'https://agents.example'
const unlisted = 'http://localhost:6274'
const request = buildModernRequest('tools/list')

let house: TestGateway
let token: string

beforeAll(async () => {
  house = await openTestGateway({ unfilled: true, settings: { MCP_ALLOWED_ORIGINS: listed } })
  token = (await createWorld(house)).token
})
afterAll(() => house.close())

/** Sends the request with which a browser asks whether a page may send its call. */
const askFor = (origin: string | undefined) =>
  fetch(`${house.url}/mcp`, {
    method: 'OPTIONS',
    headers: {
      ...(origin === undefined ? {} : { origin }),
      'access-control-request-method': 'POST',
      'access-control-request-headers': [
        'authorization',
        'content-type',
        ...Object.keys(request.headers),
      ].join(),
    },
  })
const splitList = (value: string | null) => (value ?? '').toLowerCase().split(/\s*,\s*/)

it('lets pages of a listed origin send what an MCP client sends', async () => {
  const { status, headers } = await askFor(listed)
  expect(status).toBe(204)
  expect(headers.get('content-length')).toBeNull()
  expect(headers.get('access-control-allow-origin')).toBe(listed)
  expect(headers.get('access-control-allow-methods')).toBe('POST')
  expect(splitList(headers.get('access-control-allow-headers'))).toEqual(
    expect.arrayContaining(['authorization', 'content-type', ...Object.keys(request.headers)]),
  )
  expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0)
  expect(headers.get('access-control-allow-credentials')).toBeNull()
  expect(splitList(headers.get('vary'))).toContain('origin')
})

it.each([
  ['a request', {}, 200],
  ['a wrong token', { token: 'a.b.c' }, 401],
  ['another media type', { headers: { 'content-type': 'text/plain' } }, 415],
  ['a body that is not JSON', { raw: '{' }, 400],
  ['another method', { method: 'GET' }, 405],
])('shows such a page the response to %s', async (_what, sent, status) => {
  const own = 'headers' in sent ? sent.headers : {}
  const answer = await postToMcp(house, {
    token,
    ...request,
    ...sent,
    headers: { ...request.headers, ...own, origin: listed },
  })
  expect(answer.status).toBe(status)
  expectShared(answer.headers)
})

it('shows such a page that it has no points left', async () => {
  const poor = (await createWorld(house, { points_per_minute: 1 })).token
  const headers = { ...request.headers, origin: listed }
  // The first ten malformed messages of a minute are free.
  const send = () => postToMcp(house, { token: poor, headers, raw: '{' })
  for (let at = 0; at < 11; at++) expect((await send()).status).toBe(400)
  const refused = await send()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
  expectShared(refused.headers)
  expect((await askFor(listed)).status).toBe(204)
})

it('changes nothing for pages of other origins and for programs', async () => {
  for (const origin of [undefined, unlisted, 'https://agents.example.evil.com', 'null']) {
    const asked = await askFor(origin)
    expect(asked.status, origin).toBe(405)
    expectNotShared(asked.headers)
    const headers = { ...request.headers, ...(origin === undefined ? {} : { origin }) }
    expectNotShared((await postToMcp(house, { token, ...request, headers })).headers)
  }
})

function expectShared(headers: Headers) {
  expect(headers.get('access-control-allow-origin')).toBe(listed)
  expect(splitList(headers.get('access-control-expose-headers'))).toEqual(
    expect.arrayContaining(['www-authenticate', 'retry-after', 'ratelimit-remaining', 'x-request-id']),
  )
  expect(splitList(headers.get('vary'))).toContain('origin')
}

function expectNotShared(headers: Headers) {
  expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
}
