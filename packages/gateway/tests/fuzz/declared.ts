/** Checks responses against the declaration of the endpoint that was called. */
import { adminCatalogue, catalogue, sandboxCatalogue } from '../../src/catalogue.ts'
import { listColumns } from '../../src/contract/csv.ts'
import { isErrorCode } from '../../src/contract/error-table.ts'
import type { Endpoint } from '../../src/endpoint.ts'
import { Router } from '../../src/pipeline/router.ts'
import { listErrorCodes } from '../../src/projections/openapi.ts'
import { type RawResponse, readText } from './responses.ts'
import { requireThat } from './target.ts'

const router = new Router<Endpoint>()
for (const endpoint of [...catalogue, ...adminCatalogue, ...sandboxCatalogue]) router.add(endpoint, endpoint)

function findEndpoint(method: string, path: string): Endpoint | undefined {
  try {
    return router.match(method, path).route
  } catch {
    return undefined
  }
}

/** Requires that a failure has a code of the endpoint, and a success its result. Other paths may respond as they like. */
export function requireDeclared(sent: { method: string; path: string }, response: RawResponse): void {
  const { status, headers, body } = response
  const endpoint = findEndpoint(sent.method, sent.path.split('?')[0] ?? '')
  if (!endpoint || sent.method === 'HEAD' || status === 304 || body === undefined) return
  const text = readText(response)
  const story = `${sent.method} ${sent.path} → ${status} ${text.slice(0, 600)}`
  const [type = ''] = headers.get('content-type')?.join().split(';') ?? []
  if (status >= 400) {
    const { code } = JSON.parse(text).error
    const isDeclared =
      code === 'ENDPOINT_GONE' || (isErrorCode(code) && listErrorCodes(endpoint).includes(code))
    requireThat(isDeclared, `${endpoint.id} does not declare ${code}: ${story}`)
  } else if (endpoint.streamed) {
    requireThat(endpoint.streamed.includes(type), `${endpoint.id} does not stream ${type}: ${story}`)
  } else if (type === 'text/csv') {
    const isList = endpoint.csv && text.startsWith(`${listColumns(endpoint).join(',')}\r\n`)
    requireThat(isList === true, `${endpoint.id} has no such CSV: ${story}`)
  } else {
    const { error } = endpoint.result.safeParse(JSON.parse(text))
    requireThat(
      error === undefined,
      `the result does not fit ${endpoint.id}: ${error?.message.slice(0, 600)} ${story}`,
    )
  }
}
