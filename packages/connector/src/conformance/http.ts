import { z } from 'zod'
import { operationIds } from '../erp.ts'
import { type OperationId, operations } from '../operations.ts'
import { shorten } from './call.ts'
import { type Check, ConformanceFailure, skip } from './check.ts'
import {
  abortRequest,
  describeResponse,
  type RawRequest,
  type RawResponse,
  type ServedErp,
  sendRaw,
} from './raw-http.ts'

/**
 * The number of requests whose connections are closed. One is not enough, because an ERP may notice a closed connection
 * only when it writes its next response.
 */
const brokenRequests = 5
const oversizedBytes = 5 * 1024 * 1024

/** Lists the checks of the HTTP protocol: the ERP refuses invalid requests and continues to serve valid ones. */
export function listHttpChecks(http: ServedErp | undefined): Check[] {
  const defineCheck = (id: string, states: string, run: (served: ServedErp) => Promise<void>): Check => ({
    id: `http.${id}`,
    states,
    async run() {
      if (!http) return skip('The ERP is not checked over HTTP (http).')
      await run(http)
      await requireOkResponse(http)
      return undefined
    },
  })
  return [
    defineCheck('wire', 'A correct call returns 200 and {ok} as JSON.', requireOkResponse),
    defineCheck('no_token', 'A call without a token is refused with 401.', (served) =>
      requireUnauthorized(served, '', 'Compare the bearer token first.'),
    ),
    defineCheck('wrong_token', 'A call with a wrong token is refused with 401.', requireWrongTokensRefused),
    defineCheck(
      'unknown_operation',
      'An operation that does not exist is refused with 404.',
      requireUnknownRefused,
    ),
    defineCheck('method', 'A GET is refused.', (served) =>
      requireClientError(
        served,
        { path: 'describe', method: 'GET' },
        'Return 404 or 405: operations require POST.',
      ),
    ),
    defineCheck('not_json', 'A body that is not JSON is refused with 400.', requireNotJsonRefused),
    defineCheck(
      'malformed',
      'Input that does not match the schema of the operation is refused with 400.',
      requireMalformedRefused,
    ),
    defineCheck(
      'oversized',
      'A body over 4 MiB is refused without exhausting the memory.',
      requireOversizedRefused,
    ),
    defineCheck(
      'broken_off',
      'A connection that closes in the middle of a request does no harm.',
      requireAbortsSurvived,
    ),
  ]
}

async function requireOversizedRefused(served: ServedErp): Promise<void> {
  const body = JSON.stringify({ padding: 'x'.repeat(oversizedBytes) })
  await requireClientError(served, { path: 'describe', body }, 'Return 413 and stop buffering.')
}

async function requireAbortsSurvived(served: ServedErp): Promise<void> {
  for (let time = 0; time < brokenRequests; time++) {
    await abortRequest(served)
    await requireOkResponse(served)
  }
}

async function requireUnknownRefused(served: ServedErp): Promise<void> {
  for (const path of ['no.such.operation', '__proto__', 'toString', '']) {
    await requireClientError(served, { path, body: '{}' }, 'Return 404 for paths that are not operations.')
  }
}

async function requireNotJsonRefused(served: ServedErp): Promise<void> {
  for (const body of ['', '{', 'warehouse_code=X', '\u0000', '{"a":1}}']) {
    await requireClientError(served, { path: 'warehouses', body }, 'Return 400 if JSON.parse fails.')
  }
}

async function requireWrongTokensRefused(served: ServedErp): Promise<void> {
  for (const authorization of listWrongAuthorizations(served.token)) {
    await requireUnauthorized(served, authorization, 'Compare the whole token, in constant time.')
  }
}

function listWrongAuthorizations(token: string): string[] {
  return [
    'Bearer wrong',
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    'Bearer',
    `Basic ${Buffer.from(`:${token}`).toString('base64')}`,
    token,
  ]
}

const malformedInputs: readonly unknown[] = [
  null,
  [],
  'text',
  7,
  {},
  { warehouse_code: 7, after: null, limit: 1, skus: ['A'], cursor: null, customer_code: {} },
  { warehouse_code: 'A', after: null, limit: 0 },
  { warehouse_code: 'A', after: null, limit: 2001 },
  { warehouse_code: 'A', after: null, limit: 1.5 },
  { warehouse_code: 'A', skus: [], product_codes: [] },
  { warehouse_code: 'A', skus: [null], product_codes: [7] },
  { warehouse_code: 'x'.repeat(65), skus: ['A'], cursor: '', customer_code: '' },
  { username: '', password: 'x' },
  { username: 'x'.repeat(201), password: {} },
]

async function requireMalformedRefused(served: ServedErp): Promise<void> {
  const cases = operationIds.flatMap((id) => listMalformedInputs(id).map((input) => ({ id, input })))
  for (const { id, input } of cases) {
    const sent = { path: id, body: JSON.stringify(input) }
    const response = await sendRaw(served, sent)
    if (isClientError(response.status) || isInvalidField(response)) continue
    throw new ConformanceFailure({
      expected: `${id} with ${shorten(JSON.stringify(input))} to be refused with 400`,
      actual: describeResponse(response),
      remedy: 'Validate the input with the schema of the operation before calling the ERP.',
    })
  }
}

function listMalformedInputs(id: OperationId): unknown[] {
  return malformedInputs.filter((input) => !operations[id].input.safeParse(input).success)
}

const invalidField = z.object({ rejected: z.object({ reason: z.literal('invalid_field') }) })

function isInvalidField({ status, body }: RawResponse): boolean {
  return status === 200 && invalidField.safeParse(body).success
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500
}

/** Accepts any 4xx, and also a connection that is closed without a response. */
async function requireClientError(served: ServedErp, sent: RawRequest, remedy: string): Promise<void> {
  const response = await sendRaw(served, sent)
  if (response.status === 0 || isClientError(response.status)) return
  throw createRefusalFailure(sent, response, { status: '4xx', remedy })
}

async function requireUnauthorized(served: ServedErp, authorization: string, remedy: string): Promise<void> {
  const sent = { path: 'describe', authorization, body: '{}' }
  const response = await sendRaw(served, sent)
  if (response.status === 401 || response.status === 403) return
  throw createRefusalFailure(sent, response, { status: '401 or 403', remedy })
}

function createRefusalFailure(
  { method = 'POST', path, body = '' }: RawRequest,
  response: RawResponse,
  { status, remedy }: { status: string; remedy: string },
): ConformanceFailure {
  return new ConformanceFailure({
    expected: `${method} /${path} with ${JSON.stringify(body.slice(0, 40))} to be refused with ${status}`,
    actual: describeResponse(response),
    remedy,
  })
}

const okBody = z.object({ ok: z.object({}) })

async function requireOkResponse(served: ServedErp): Promise<void> {
  const response = await sendRaw(served, { path: 'describe', body: '{}' })
  if (response.status === 200 && okBody.safeParse(response.body).success) return
  throw new ConformanceFailure({
    expected: 'POST /describe with the right token to return 200 and {ok}',
    actual: describeResponse(response),
    remedy: 'The ERP must keep serving calls after any invalid request.',
  })
}
