import { createServer, type RequestListener } from 'node:http'
import { describe, expect, it } from 'vitest'
import { erpClient } from './client.ts'
import { inMemoryErp } from './conformance/in-memory-erp.ts'
import { ConformanceFailure, type ConformanceOptions, conformance, conformanceChecks } from './conformance.ts'
import { callAny, type Erp, isOperationId } from './erp.ts'
import { operations } from './operations.ts'
import { bearerCheck, bodyOf, erpServer, say } from './server.ts'

const token = 'a-token-of-the-erp'
const { erp, customer_code, credentials } = inMemoryErp()
const right = erpServer(erp, { token })

/** What `look` finds of an ERP behind `listener`. */
async function behind<T>(
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

/** The messages of the checks of the wire that fail, by id. */
async function wireFailures(erp: Erp, options: ConformanceOptions): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const check of conformanceChecks(options).filter(({ id }) => id.startsWith('http.'))) {
    await check.run(erp).catch((error: unknown) => {
      failures.set(check.id, error instanceof ConformanceFailure ? error.message : String(error))
    })
  }
  return failures
}

type Carelessness = 'json' | 'input' | 'size' | 'none'

/** A connector that does without `erpServer`, and is careless in one thing. */
function handmade(carelessness: Carelessness): RequestListener {
  const mostBytes = carelessness === 'size' ? Number.MAX_SAFE_INTEGER : 4 * 1024 * 1024
  const isAuthorised = bearerCheck(token)
  return async (request, response) => {
    const id = request.url?.slice(1) ?? ''
    if (!isAuthorised(request.headers.authorization)) return say(response, 401, {})
    if (request.method !== 'POST' || !isOperationId(id)) return say(response, 404, {})
    const body = await bodyOf(request, mostBytes)
    if (body === 'broken off') return
    if (body === 'too large') return say(response, 413, {})
    const sent = parsed(body.bytes.toString(), carelessness === 'json' ? {} : undefined)
    if (sent === undefined) return say(response, 400, {})
    const input = operations[id].input.safeParse(sent)
    if (!input.success) return say(response, carelessness === 'input' ? 500 : 400, {})
    say(response, 200, await callAny(erp, id, input.data))
  }
}

function parsed(text: string, otherwise: unknown): unknown {
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
    say(response, 200, { ok: {} })
  },
  'http.method': (request, response) =>
    request.method === 'GET' ? say(response, 200, described) : right(request, response),
  'http.not_json': handmade('json'),
  'http.malformed': handmade('input'),
  'http.oversized': handmade('size'),
  'http.broken_off': (request, response) => {
    request.once('error', () => {
      isDown = true
    })
    if (isDown) say(response, 500, { failed: 'out of order' })
    else right(request, response)
  },
}

describe('conformance over HTTP', () => {
  it.each([
    ['erpServer', right],
    ['a server of its own', handmade('none')],
  ])('passes a right ERP behind %s', async (_name, listener) => {
    const { results } = await behind(listener, conformance)
    expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const looked = results.filter(({ id, outcome }) => id.startsWith('http.') && outcome === 'passed')
    expect(looked.map(({ id }) => id).toSorted()).toEqual([...Object.keys(mutants), 'http.wire'].toSorted())
  })

  it.each(Object.entries(mutants))(
    'finds by %s, and by nothing else, what it is there for',
    async (id, listener) => {
      const failures = await behind(listener, wireFailures)
      expect([...failures.keys()]).toEqual([id])
      expect(failures.get(id)).toMatch(/^Expected .+; came .+\. .+\.$/)
    },
  )

  it('finds by http.wire an ERP that does not say ok', async () => {
    const wordless: RequestListener = (request, response) => {
      request.resume()
      say(response, 200, { name: 'In memory' })
    }
    const expected =
      'Expected POST /describe with the right token to be answered with 200 and {ok}; came 200 '
    expect((await behind(wordless, wireFailures)).get('http.wire')).toContain(expected)
  })
})
