/**
 * Tests the MCP transport and `tools/list`: what clients of every protocol revision rely on before they call a tool.
 */

import { getEncoding } from 'js-tiktoken'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { languages } from '../src/contract/language.ts'
import { apiVersion } from '../src/contract/version.ts'
import { storeRequests } from '../src/requests/record.ts'
import { buildModernRequest, connectAgent, postToMcp, revisions } from './agent.ts'
import {
  adminToken,
  call,
  createWorld,
  type LooseJson,
  openTestGateway,
  signInBuyer,
  type TestGateway,
} from './harness.ts'

let house: TestGateway
let token: string

beforeAll(async () => {
  house = await openTestGateway({
    settings: { MCP_ALLOWED_ORIGINS: 'https://agents.example', HOST: '0.0.0.0' },
  })
  token = (await createWorld(house)).token
})
afterAll(() => house.close())

const names = [
  'check_stock',
  'find_products',
  'get_statement',
  'quote_order',
  'place_order',
  'cancel_order',
  'quote_dropship',
  'place_dropship',
  'release_dropship',
  'list_endpoints',
  'call_endpoint',
]

describe('every revision in use', () => {
  it.each(revisions)('%s lists exactly the eleven actions', async (revision) => {
    const { client } = await connectAgent(house, token, { revision })
    expect(client.getNegotiatedProtocolVersion()).toBe(revision)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(names)
    expect(client.getServerVersion()).toMatchObject({ name: 'trade-gateway', title: 'Trade Gateway' })
    await client.close()
  })

  it('answers a revision that it does not know with one that it does', async () => {
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
    }
    const headers = { accept: 'application/json, text/event-stream' }
    const { text, headers: seen } = await postToMcp(house, { token, headers, body })
    expect(text).toContain('"protocolVersion":"2025-11-25"')
    expect(seen.get('mcp-session-id')).toBeNull()
    expect(seen.get('x-accel-buffering')).toBe('no')
  })

  it('says which revisions it speaks to a client that asks for a newer one', async () => {
    const { headers, body } = buildModernRequest('tools/list')
    const meta = { ...body.params._meta, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' }
    const newer = await postToMcp(house, {
      token,
      headers: { ...headers, 'mcp-protocol-version': '2099-01-01' },
      body: { ...body, params: { _meta: meta } },
    })
    expect(newer.status).toBe(400)
    expect(newer.json.error.data.supported).toEqual(['2026-07-28'])
  })
})

describe('a batch of an old revision', () => {
  const headers = { accept: 'application/json, text/event-stream' }
  const callTool = (id: unknown, name = 'list_endpoints', _meta: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: {}, _meta },
  })
  const send = (body: unknown) => postToMcp(house, { token, headers, body })

  it('is answered, each request under its id', async () => {
    const { status, text } = await send([
      callTool(1),
      callTool('1'),
      { jsonrpc: '2.0', id: 2, method: 'ping' },
    ])
    expect(status).toBe(200)
    for (const id of ['1', '"1"', '2']) expect(text).toContain(`"id":${id}`)
  })

  it.each<[string, unknown[]]>([
    ['one id twice', [callTool(1), { jsonrpc: '2.0', id: 1, method: 'ping' }]],
    ['51 messages', Array.from({ length: 51 }, (_each, id) => callTool(id))],
    [
      'a request and its cancellation',
      [callTool(1), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    ],
  ])('with %s is refused at once', async (_what, messages) => {
    const { status, json } = await send(messages)
    expect([status, json.error.code]).toEqual([400, -32600])
  })
})

describe('the list of tools', () => {
  const readToolList = async (headers: Record<string, string> = {}) => {
    const request = buildModernRequest('tools/list')
    return postToMcp(house, { token, ...request, headers: { ...request.headers, ...headers } })
  }

  it('costs at most 3,500 tokens and 16 KB, in every language', async () => {
    const encoding = getEncoding('o200k_base')
    for (const language of languages) {
      const { text } = await readToolList({ 'accept-language': language })
      expect(encoding.encode(text).length, language).toBeLessThanOrEqual(3_500)
      expect(Buffer.byteLength(text), language).toBeLessThanOrEqual(16 * 1024)
    }
  })

  it('is the same, byte by byte, whoever asks', async () => {
    const other = (await createWorld(house, { plan: 'reader' })).token
    const request = buildModernRequest('tools/list')
    const [first, second, third] = [
      await readToolList(),
      await readToolList(),
      await postToMcp(house, { token: other, ...request }),
    ]
    expect(second.text).toBe(first.text)
    expect(third.text).toBe(first.text)
    expect(first.json.result).toMatchObject({ cacheScope: 'private' })
    expect(first.json.result.nextCursor).toBeUndefined()
  })

  it('says of each action what a client and a model need, and refers nowhere', async () => {
    const { json, text } = await readToolList()
    expect(text).not.toContain('$ref')
    for (const tool of json.result.tools) {
      expect(tool.description.split(/\s+/).length, tool.name).toBeLessThanOrEqual(80)
      expect(tool.title.length).toBeGreaterThan(3)
      // Settings decide how long something lasts.
      expect(tool.description, tool.name).not.toMatch(/\d+ (seconds|minutes|hours)/)
      expect(tool.inputSchema.type).toBe('object')
      expect(tool.outputSchema.type).toBe('object')
      expect(Object.keys(tool.annotations).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ])
      for (const [name, field] of listFields(tool.inputSchema)) {
        expect(field.description, `${tool.name} ${name}`).toMatch(/\S/)
      }
    }
  })

  it('marks what reads, and what cannot be taken back', async () => {
    const { json } = await readToolList()
    const listMarkedTools = (hint: string) =>
      json.result.tools
        .filter((tool: LooseJson) => tool.annotations[hint])
        .map((tool: LooseJson) => tool.name)
    expect(listMarkedTools('readOnlyHint')).toEqual([
      'check_stock',
      'find_products',
      'get_statement',
      'list_endpoints',
    ])
    const commits = ['place_order', 'cancel_order', 'place_dropship', 'release_dropship', 'call_endpoint']
    expect(listMarkedTools('destructiveHint')).toEqual(commits)
    const creating = ['quote_order', 'call_endpoint']
    expect(listMarkedTools('idempotentHint')).toEqual(names.filter((name) => !creating.includes(name)))
    expect(listMarkedTools('openWorldHint')).toEqual([])
  })

  it('has its titles in the language of the reader', async () => {
    const listTitles = async (language: string) =>
      (await readToolList({ 'accept-language': language })).json.result.tools.map(
        (tool: LooseJson) => tool.title,
      )
    expect((await listTitles('zh'))[0]).toBe('查库存')
    expect((await listTitles('ko'))[0]).toBe('재고 확인')
  })

  it('says its language, and that caches must tell the languages apart, as every answer does', async () => {
    const headers = { 'accept-language': 'ko' }
    const list = buildModernRequest('tools/list')
    const lacking = { ...list, body: { ...list.body, method: 'no/such' } }
    for (const { headers: own, body } of [list, lacking, { headers: list.headers, body: '{' }]) {
      const answer = await postToMcp(house, { token, headers: { ...own, ...headers }, body })
      expect(answer.headers.get('content-language')).toBe('ko')
      expect(answer.headers.get('vary')).toContain('Accept-Language')
    }
  })
})

/** Lists every field of an input, nested fields included. */
function listFields(schema: LooseJson, path = ''): [string, LooseJson][] {
  return Object.entries<LooseJson>(schema.properties ?? {}).flatMap(([name, field]) => [
    [`${path}${name}`, field],
    ...listFields(field.items ?? field, `${path}${name}.`),
  ])
}

describe('before the protocol', () => {
  const request = buildModernRequest('tools/list')

  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'])(
    '%s is not allowed, POST is',
    async (method) => {
      const answer = await fetch(`${house.url}/mcp`, {
        method,
        headers: { authorization: `Bearer ${token}` },
      })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')).toBe('POST')
      expect(answer.headers.get('x-api-version')).toBe(apiVersion)
      if (method !== 'HEAD') expect(await answer.text()).toContain('"code":"BAD_REQUEST"')
    },
  )

  it('wants a bearer token on every request, and says so as the API does', async () => {
    const missing = await postToMcp(house, request)
    expect(missing.status).toBe(401)
    expect(missing.headers.get('www-authenticate')).toBe('Bearer realm="trade-gateway"')
    expect(missing.json.error).toMatchObject({
      code: 'AUTH_MISSING_TOKEN',
      doc_url: '/errors/AUTH_MISSING_TOKEN',
    })
    expect(missing.json.error.request_id).toBe(missing.headers.get('x-request-id'))
    const wrong = await postToMcp(house, { ...request, token: 'a.b.c' })
    expect(wrong.json.error.code).toBe('AUTH_INVALID_TOKEN')
    const inQuery = await postToMcp(house, request, `/mcp?token=${token}`)
    expect(inQuery.json.error.code).toBe('AUTH_MISSING_TOKEN')
    expect(inQuery.text).not.toContain(token)
  })

  it('refuses pages of other origins, before it looks at the token', async () => {
    const sendFromOrigin = (origin: string) =>
      postToMcp(house, { ...request, token, headers: { ...request.headers, origin } })
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost:3000',
      'https://agents.example.evil.com',
    ]) {
      const answer = await sendFromOrigin(origin)
      expect(answer.status, origin).toBe(403)
      expect(answer.json.error.code).toBe('BAD_REQUEST')
    }
    expect((await sendFromOrigin('https://agents.example')).status).toBe(200)
    const open = await openTestGateway({ unfilled: true })
    const { token: own } = await createWorld(open)
    const local = await postToMcp(open, {
      ...request,
      token: own,
      headers: { ...request.headers, origin: 'http://localhost:6274' },
    })
    expect(local.status).toBe(200)
    await open.close()
  })

  it('reads no body that is too large, not JSON, or doubtful', async () => {
    const large = await postToMcp(house, {
      token,
      headers: request.headers,
      raw: `"${'x'.repeat(300 * 1024)}"`,
    })
    expect([large.status, large.json.error.code]).toEqual([413, 'BAD_REQUEST'])
    const form = await postToMcp(house, {
      token,
      headers: { ...request.headers, 'content-type': 'text/plain' },
    })
    expect([form.status, form.json.error.code]).toEqual([415, 'BAD_REQUEST'])
    for (const raw of ['{', '', '{"a":1,"a":2}', '[['.repeat(40)]) {
      const broken = await postToMcp(house, { token, headers: request.headers, raw })
      expect([broken.status, broken.json.error.code], raw).toEqual([400, -32700])
    }
    const nothing = await postToMcp(house, { token, headers: request.headers, body: { hello: 'world' } })
    expect([nothing.status, nothing.json.error.code]).toEqual([400, -32600])
  })

  it('refuses what it does not know as the protocol does', async () => {
    const unknown = await postToMcp(house, { token, ...buildModernRequest('subscriptions/listen') })
    expect([unknown.status, unknown.json.error.code]).toEqual([404, -32601])
    const unread = await postToMcp(house, {
      token,
      headers: { accept: 'application/json' },
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    })
    expect([unread.status, unread.json.error.code]).toEqual([406, -32000])
  })

  it('keeps a request id that was sent, in the answer and in the result', async () => {
    const called = buildModernRequest('tools/call', { name: 'list_endpoints', arguments: { group: 'me' } })
    const headers = { ...called.headers, 'x-request-id': 'my-own-id-1' }
    const answer = await postToMcp(house, { token, ...called, headers })
    expect(answer.headers.get('x-request-id')).toBe('my-own-id-1')
    expect(answer.json.result.structuredContent.request_id).toBe('my-own-id-1')
  })

  it('offers no OAuth, and says so in JSON', async () => {
    for (const path of [
      'oauth-authorization-server',
      'oauth-protected-resource',
      'oauth-protected-resource/mcp',
    ]) {
      const answer = await call(house, 'GET', `/.well-known/${path}`, { headers: { accept: 'text/html' } })
      expect(answer.status).toBe(404)
      expect(answer.json.error.code).toBe('BAD_REQUEST')
    }
  })
})

describe('header and body', () => {
  const headerMismatch = -32020
  const called = buildModernRequest('tools/call', { name: 'list_endpoints', arguments: {} })

  it.each([
    ['mcp-method', 'tools/list'],
    ['mcp-name', 'place_order'],
    ['mcp-protocol-version', '2025-11-25'],
  ])('that disagree on %s are refused', async (name, value) => {
    const answer = await postToMcp(house, { token, ...called, headers: { ...called.headers, [name]: value } })
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(headerMismatch)
  })

  it.each(['mcp-method', 'mcp-name', 'mcp-protocol-version'])('need %s', async (name) => {
    const headers = Object.fromEntries(Object.entries(called.headers).filter(([each]) => each !== name))
    const answer = await postToMcp(house, { token, ...called, headers })
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe(headerMismatch)
  })
})

describe('a tool that cannot be called', () => {
  it('is a protocol error where there never was one', async () => {
    const answer = await postToMcp(house, {
      token,
      ...buildModernRequest('tools/call', { name: 'make_coffee', arguments: {} }),
    })
    expect(answer.json.error).toMatchObject({ code: -32602 })
    expect(answer.json.error.message).toContain('make_coffee')
    expect(answer.json.result).toBeUndefined()
  })

  it.each([
    ['stock_list', 'check_stock'],
    ['order_create', 'quote_order'],
    ['order_submit', 'place_order'],
    ['order_void', 'cancel_order'],
    ['dropship_preview', 'quote_dropship'],
    ['dropship_submit', 'place_dropship'],
    ['dropship_release', 'release_dropship'],
    ['product_list', 'find_products'],
    ['balance_list', 'get_statement'],
    ['reservation_create', 'call_endpoint (POST /api/v1/reservations)'],
    ['me_get', 'call_endpoint (GET /api/v1/me)'],
  ])('was called %s and answers with its new name', async (former, now) => {
    const agent = await connectAgent(house, token)
    const refusal = await agent.expectRefusal(former)
    expect(refusal).toMatch(/^ENDPOINT_GONE: /)
    expect(refusal).toContain(`Call ${now}.`)
    // The refusal that agents read does not contain this field.
    expect(refusal).not.toContain('error.replacement')
  })

  it.each([
    ['check_stock', { skus: 'SBX-1' }, 'skus'],
    ['check_stock', { skus: Array.from({ length: 51 }, (_, at) => `S${at}`) }, 'skus'],
    ['check_stock', { limit: 0, warehouse_code: 'AUSYD1' }, 'limit'],
    ['check_stock', {}, 'skus'],
    ['check_stock', { skus: ['A'], nonsense: 1 }, 'nonsense'],
    ['find_products', {}, 'query'],
    ['find_products', { query: 'x', page_size: 51 }, 'page_size'],
    ['get_statement', { start_date: 'yesterday', end_date: '2026-11-01' }, 'start_date'],
    ['get_statement', { start_date: '2026-11-01' }, 'end_date'],
    ['quote_order', { lines: [] }, 'lines'],
    ['quote_order', { lines: [{ sku: 'A', quantity: 1.5 }] }, 'lines[0].quantity'],
    ['place_order', { quote_id: 'q' }, 'confirm_total'],
    ['place_order', { quote_id: 'q', confirm_total: '10' }, 'confirm_total'],
    ['place_dropship', { confirm_total: 1 }, 'quote_id'],
    ['quote_dropship', { sku: 'A', quantity: 1 }, 'recipient'],
    ['release_dropship', {}, 'dropship_order_id'],
    ['call_endpoint', { method: 'TRACE', path: '/api/v1/me' }, 'method'],
    ['call_endpoint', { method: 'GET', path: '/api/v1/me', body: 'text' }, 'body'],
  ])('%s with bad arguments is a result that a model can read: %j', async (name, input, param) => {
    const agent = await connectAgent(house, await signInBuyer(house))
    const refusal = await agent.expectRefusal(name, input)
    expect(refusal).toMatch(
      /^VALIDATION_FAILED: \S.* request_id: req_\w+\. doc_url: \/errors\/VALIDATION_FAILED$/,
    )
    expect(refusal).toContain(`param: ${param}.`)
  })

  it('requires the rights of the token before it reads the arguments', async () => {
    const reader = await connectAgent(house, (await createWorld(house, { plan: 'reader' })).token)
    const writing = ['quote_order', 'place_order', 'quote_dropship', 'place_dropship', 'release_dropship']
    for (const name of [...writing, 'get_statement']) {
      const refusal = await reader.expectRefusal(name)
      expect(refusal, name).toMatch(
        /^SCOPE_DENIED: .*`error\.required_plan`.* required_plan: (trader|full)\./,
      )
      // Support looks the refusal up by the id that it names.
      const [, id] = / request_id: (\S+)\./.exec(refusal) ?? []
      await storeRequests(house.gateway)
      const found = await call(house, 'GET', `/admin/api/requests/${id}`, { admin: adminToken })
      expect([found.status, found.json.data?.requests[0].code], name).toEqual([200, 'SCOPE_DENIED'])
    }
    for (const input of [{ order_id: 'ord_1' }, { dropship_order_id: 'dso_1' }])
      expect(await reader.expectRefusal('cancel_order', input)).toMatch(/^SCOPE_DENIED: /)
    const channel = await connectAgent(house, token)
    const forged = { quote_id: 'q', confirm_total: 1 }
    for (const name of writing.slice(0, -1)) {
      for (const input of [{}, forged])
        expect(await channel.expectRefusal(name, input), name).toMatch(/^OMS_LOGIN_REQUIRED: /)
    }
  })

  it('speaks the language of the reader', async () => {
    const agent = await connectAgent(house, token, { headers: { 'accept-language': 'ko' } })
    expect(await agent.expectRefusal('stock_list')).toContain('이름이 바뀌었습니다')
  })
})

describe('resources', () => {
  it('tell who asks, where stock lies and what a code means, with the rights of the token', async () => {
    const { client } = await connectAgent(house, token)
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toEqual(['tgw://me', 'tgw://warehouses'])
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'tgw://errors/{code}',
      'tgw://statements/{list}/{start_date}/{end_date}.csv',
    ])
    const readText = async (uri: string) => {
      const [content] = (await client.readResource({ uri })).contents
      return JSON.parse(content && 'text' in content ? content.text : '{}').data
    }
    expect((await readText('tgw://me')).channel.plan).toBe('full')
    expect((await readText('tgw://warehouses')).map((each: LooseJson) => each.warehouse_code)).toContain(
      'AUSYD1',
    )
    expect((await readText('tgw://errors/RATE_LIMITED')).http_status).toBe(429)
    for (const uri of ['tgw://errors/NONSENSE', 'tgw://orders', 'file:///etc/passwd', 'tgw://errors/../me']) {
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
    }
  })

  it('are refused with the stable code, what to do and the envelope', async () => {
    const points = 60
    const { token: poor } = await createWorld(house, { points_per_minute: points })
    const { client } = await connectAgent(house, poor)
    const read = () => client.readResource({ uri: 'tgw://warehouses' }).catch((error: unknown) => error)
    const replies: unknown[] = []
    for (let at = 0; at <= points; at++) replies.push(await read())
    expect(replies[0]).toHaveProperty('contents')
    expect(replies.at(-1)).toMatchObject({
      code: -32_010,
      message: expect.stringMatching(/RATE_LIMITED: .* retry_after: \d+ s\. request_id: req_/),
      data: { code: 'RATE_LIMITED', request_id: expect.stringMatching(/^req_/) },
    })
  })

  it.each([
    ['initialize', { uri: 'tgw://me' }, /protocolVersion/],
    ['resources/read', {}, /uri/],
    ['tools/list', { cursor: 5 }, /cursor/],
    ['resources/list', { cursor: 5 }, /cursor/],
  ])(
    'and requests without their parameters, or with others, are the caller’s fault: %s',
    async (method, params, told) => {
      const body = { jsonrpc: '2.0', id: 1, method, params }
      const headers = {
        accept: 'application/json, text/event-stream',
        ...(method === 'initialize' ? {} : { 'mcp-protocol-version': '2025-11-25' }),
      }
      const { text } = await postToMcp(house, { token, headers, body })
      expect(text).toContain('"code":-32602')
      expect(text).toMatch(told)
    },
  )
})
