import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly token: string | undefined
  readonly idempotencyKey: string | undefined
}

/** What a fake gateway answers; undefined for a 503, after which the client tries again. */
export type Answer = (request: FakeRequest) => object | undefined

/** A gateway that answers with what a test says, and a home folder. The token of a user is `token-of-USER`. */
export async function openFakeGateway(answer: Answer, headers: Readonly<Record<string, string>> = {}) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.setHeaders(new Headers({ ...headers, 'content-type': 'application/json' }))
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://localhost')
    if (path.endsWith('/auth/token')) {
      const { username } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      const data = { access_token: `token-of-${username}`, token_type: 'Bearer', expires_in: 3600 }
      return response.end(JSON.stringify({ data }))
    }
    const token = request.headers.authorization?.replace('Bearer ', '')
    const idempotencyKey = [request.headers['idempotency-key']].flat()[0]
    const found = answer({ method: request.method ?? '', path, query, token, idempotencyKey })
    if (found) return response.end(JSON.stringify(found))
    const error = { code: 'UPSTREAM_ERROR', message: 'Try again.', request_id: 'req_1', retryable: true }
    response.writeHead(503).end(JSON.stringify({ error }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const folder = mkdtempSync(join(tmpdir(), 'tgw-fake-'))
  return {
    url,
    folder,
    env: {
      HOME: folder,
      TGW_KEYCHAIN: 'off',
      TGW_BASE_URL: url,
      TGW_USERNAME: 'buyer',
      TGW_PASSWORD: 'secret',
    },
    async close() {
      rmSync(folder, { recursive: true, force: true })
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type FakeGateway = Awaited<ReturnType<typeof openFakeGateway>>
