import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { erpClient } from './client.ts'
import { ConformanceFailure, type ConformanceOptions, conformance, conformanceChecks } from './conformance.ts'
import { callOperation, type Erp, isOperationId } from './erp.ts'
import { operations } from './operations.ts'
import { createBearerCheck, erpServer, readBody, sendJson } from './server.ts'
import { createInMemoryErp } from './testing/in-memory-erp.ts'

const token = 'a-token-of-the-erp'
const { erp, customer_code, credentials } = createInMemoryErp()
const right = erpServer(erp, { token })

/** Serves `listener` over HTTP and runs `look` on it. */
async function withServedErp<T>(
  listener: RequestListener,
  look: (erp: Erp, options: ConformanceOptions) => Promise<T>,
): Promise<T> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/`
  const client = erpClient(url, token)
  try {
    const now = () => Date.parse('2026-11-21T12:00:00Z')
    const http = { url, token }
    return await look(client.erp, { customer_code, credentials, http, patience_ms: 0, now })
  } finally {
    await client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
}

/** Returns the failure messages of the HTTP checks, by check id. */
async function listHttpFailures(erp: Erp, options: ConformanceOptions): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const check of conformanceChecks(options).filter(({ id }) => id.startsWith('http.'))) {
    await check.run(erp).catch((error: unknown) => {
      failures.set(check.id, error instanceof ConformanceFailure ? error.message : String(error))
    })
  }
  return failures
}

type Omission = 'json' | 'input' | 'size' | 'none'

/** Creates a connector without `erpServer` that leaves out one validation. */
function createIncompleteConnector(omission: Omission): RequestListener {
  const maxBytes = omission === 'size' ? Number.MAX_SAFE_INTEGER : 4 * 1024 * 1024
  const isAuthorised = createBearerCheck(token)
  return async (request, response) => {
    const id = request.url?.slice(1) ?? ''
    if (!isAuthorised(request.headers.authorization)) return sendJson(response, 401, {})
    if (request.method !== 'POST' || !isOperationId(id)) return sendJson(response, 404, {})
    const body = await readBody(request, maxBytes)
    if (body === 'broken off') return
    if (body === 'too large') return sendJson(response, 413, {})
    const sent = parseInput(body.bytes.toString(), omission === 'json' ? {} : undefined)
    if (sent === undefined) return sendJson(response, 400, {})
    const input = operations[id].input.safeParse(sent)
    if (!input.success) return sendJson(response, omission === 'input' ? 500 : 400, {})
    sendJson(response, 200, await callOperation(erp, id, input.data))
  }
}

function parseInput(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

const described = { ok: { name: 'In memory' } }
let isDown = false

const mutants: Record<string, RequestListener> = {
  'http.no_token': (request, response) => {
    request.headers.authorization ??= `Bearer ${token}`
    right(request, response)
  },
  'http.wrong_token': (request, response) => {
    const given = request.headers.authorization
    if (given?.startsWith(`Bearer ${token}`)) request.headers.authorization = `Bearer ${token}`
    right(request, response)
  },
  'http.unknown_operation': (request, response) => {
    const isKnown = isOperationId(request.url?.slice(1) ?? '')
    if (isKnown) return right(request, response)
    request.resume()
    sendJson(response, 200, { ok: {} })
  },
  'http.method': (request, response) =>
    request.method === 'GET' ? sendJson(response, 200, described) : right(request, response),
  'http.not_json': createIncompleteConnector('json'),
  'http.malformed': createIncompleteConnector('input'),
  'http.oversized': createIncompleteConnector('size'),
  'http.broken_off': (request, response) => {
    request.once('error', () => {
      isDown = true
    })
    if (isDown) sendJson(response, 500, { failed: 'out of order' })
    else right(request, response)
  },
}

describe('conformance over HTTP', () => {
  it.each([
    ['erpServer', right],
    ['a server of its own', createIncompleteConnector('none')],
  ])('passes a correct ERP behind %s', async (_name, listener) => {
    const { results } = await withServedErp(listener, conformance)
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const looked = results.filter(({ id, outcome }) => id.startsWith('http.') && outcome === 'passed')
    expect(looked.map(({ id }) => id).toSorted()).toEqual([...Object.keys(mutants), 'http.wire'].toSorted())
  })

  it.each(Object.entries(mutants))(
    'detects its fault with %s and with no other check',
    async (id, listener) => {
      const failures = await withServedErp(listener, listHttpFailures)
      expect([...failures.keys()]).toEqual([id])
      expect(failures.get(id)).toMatch(/^Expected .+; got .+\. .+\.$/)
    },
  )

  it('detects with http.wire a response without ok', async () => {
    const removeMessage: RequestListener = (request, response) => {
      request.resume()
      sendJson(response, 200, { name: 'In memory' })
    }
    const expected = 'Expected POST /describe with the right token to return 200 and {ok}; got 200 '
    expect((await withServedErp(removeMessage, listHttpFailures)).get('http.wire')).toContain(expected)
  })
})
