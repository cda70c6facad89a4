import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type OperationId, operations, TradeGateway } from '../src/index.ts'
import { methods } from './methods.ts'

const contract = JSON.parse(readFileSync(new URL('../../../contract/openapi.json', import.meta.url), 'utf8'))

/** Lists the endpoints of the contract: id, method and path. */
function listEndpoints() {
  return Object.entries<Record<string, { operationId: string }>>(contract.paths)
    .filter(([path]) => path.startsWith('/api/v1/'))
    .flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, { operationId }]) => ({
        id: operationId as OperationId,
        method: method.toUpperCase(),
        path,
      })),
    )
}

interface Seen {
  readonly method: string
  readonly path: string
  readonly key: string | null
  readonly authorization: string | null
}

async function recordCalls(work: (client: TradeGateway) => Promise<unknown>): Promise<Seen[]> {
  const seen: Seen[] = []
  const client = new TradeGateway({
    baseUrl: 'http://gateway.example',
    auth: { clientId: 'id', clientSecret: 'secret' },
    async fetch(input, init) {
      const headers = new Headers(init?.headers)
      const [key, authorization] = [headers.get('idempotency-key'), headers.get('authorization')]
      seen.push({ method: init?.method ?? '', path: new URL(String(input)).pathname, key, authorization })
      return Response.json({ data: { access_token: 'token', expires_in: 3600 }, has_more: false })
    },
  })
  await work(client).catch(() => {})
  return seen
}

describe('the methods of the client', () => {
  it('are one for each endpoint of the contract', () => {
    const ids = listEndpoints().map(({ id }) => id)
    expect(Object.keys(methods).toSorted()).toEqual(ids.toSorted())
    expect(Object.keys(operations).toSorted()).toEqual(ids.toSorted())
  })

  it.each(listEndpoints())(
    '$id calls $method $path, with a key only if it writes',
    async ({ id, method, path }) => {
      const last = (await recordCalls(methods[id])).at(-1)
      expect(last?.method).toBe(method)
      expect(last?.path).toMatch(new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`))
      const isPublic = operations[id].path.includes('/errors') || id === 'auth.token'
      expect(last?.key === null).toBe(method === 'GET' || isPublic)
      expect(last?.authorization === null).toBe(isPublic)
    },
  )
})
