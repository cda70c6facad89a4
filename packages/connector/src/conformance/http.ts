import { z } from 'zod'
import { operationIds } from '../erp.ts'
import { type OperationId, operations } from '../operations.ts'
import { shortly } from './ask.ts'
import { type Check, ConformanceFailure, skip } from './check.ts'
import { breakOff, type Came, described, type Sent, type Served, send } from './raw.ts'

/** An ERP may notice a closed connection only after its next answer. */
const timesBrokenOff = 5
const oversizedBytes = 5 * 1024 * 1024

/** Checks of the wire: what is not a right call is refused, and the ERP goes on answering. */
export function httpChecks(http: Served | undefined): Check[] {
  const check = (id: string, states: string, run: (served: Served) => Promise<void>): Check => ({
    id: `http.${id}`,
    states,
    async run() {
      if (!http) return skip('The ERP is not looked at over HTTP (http).')
      await run(http)
      await requireAnswer(http)
      return undefined
    },
  })
  return [
    check('wire', 'A right call is answered with 200 and {ok} as JSON.', requireAnswer),
    check('no_token', 'A call without a token is refused with 401.', (served) =>
      requireStatus(served, { path: 'describe', body: '{}' }, [401, 403], 'Compare the bearer token first.'),
    ),
    check('wrong_token', 'A call with a wrong token is refused with 401.', async (served) => {
      for (const authorization of wrongTokens(served.token)) {
        const sent = { path: 'describe', authorization, body: '{}' }
        await requireStatus(served, sent, [401, 403], 'Compare the whole token, in constant time.')
      }
    }),
    check('unknown_operation', 'An operation that does not exist is refused with 404.', async (served) => {
      for (const path of ['no.such.operation', '__proto__', 'toString', '']) {
        await requireRefusal(served, { path, body: '{}' }, 'Answer 404 to what is not in the table.')
      }
    }),
    check('method', 'A GET is refused.', (served) =>
      requireRefusal(served, { path: 'describe', method: 'GET' }, 'Answer 404 or 405: operations are POST.'),
    ),
    check('not_json', 'A body that is not JSON is refused with 400.', async (served) => {
      for (const body of ['', '{', 'warehouse_code=X', '\u0000', '{"a":1}}']) {
        await requireRefusal(served, { path: 'warehouses', body }, 'Answer 400 where JSON.parse fails.')
      }
    }),
    check('malformed', 'Input that does not fit its operation is refused with 400.', refuseMalformed),
    check('oversized', 'A body over 4 MiB is refused and does not use up the memory.', (served) => {
      const body = JSON.stringify({ padding: 'x'.repeat(oversizedBytes) })
      return requireRefusal(served, { path: 'describe', body }, 'Answer 413 and stop collecting.')
    }),
    check('broken_off', 'A caller that hangs up in the middle of a request does no harm.', async (served) => {
      for (let time = 0; time < timesBrokenOff; time++) {
        await breakOff(served)
        await requireAnswer(served)
      }
    }),
  ]
}

function wrongTokens(token: string): string[] {
  return [
    'Bearer wrong',
    `Bearer ${token}x`,
    `Bearer ${token.slice(0, -1)}`,
    'Bearer',
    `Basic ${Buffer.from(`:${token}`).toString('base64')}`,
    token,
  ]
}

const malformed: readonly unknown[] = [
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

async function refuseMalformed(served: Served): Promise<void> {
  const cases = operationIds.flatMap((id) => malformedFor(id).map((input) => ({ id, input })))
  for (const { id, input } of cases) {
    const sent = { path: id, body: JSON.stringify(input) }
    const came = await send(served, sent)
    if (isClientError(came.status) || isInvalidField(came)) continue
    throw new ConformanceFailure({
      expected: `${id} with ${shortly(JSON.stringify(input))} to be refused with 400`,
      came: described(came),
      remedy: 'Check the input against the schema of the operation before the ERP sees it.',
    })
  }
}

function malformedFor(id: OperationId): unknown[] {
  return malformed.filter((input) => !operations[id].input.safeParse(input).success)
}

const invalidField = z.object({ rejected: z.object({ reason: z.literal('invalid_field') }) })

function isInvalidField({ status, body }: Came): boolean {
  return status === 200 && invalidField.safeParse(body).success
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500
}

/** Any 4xx, or a connection that is closed in the caller's face. */
async function requireRefusal(served: Served, sent: Sent, remedy: string): Promise<void> {
  const came = await send(served, sent)
  if (came.status === 0 || isClientError(came.status)) return
  throw unrefused(sent, '4xx', came, remedy)
}

async function requireStatus(
  served: Served,
  sent: Sent,
  statuses: readonly number[],
  remedy: string,
): Promise<void> {
  const came = await send(served, { authorization: '', ...sent })
  if (!statuses.includes(came.status)) throw unrefused(sent, statuses.join(' or '), came, remedy)
}

function unrefused(sent: Sent, status: string, came: Came, remedy: string): ConformanceFailure {
  const { method = 'POST', path, body = '' } = sent
  return new ConformanceFailure({
    expected: `${method} /${path} with ${JSON.stringify(body.slice(0, 40))} to be refused with ${status}`,
    came: described(came),
    remedy,
  })
}

const okAnswer = z.object({ ok: z.object({}) })

async function requireAnswer(served: Served): Promise<void> {
  const came = await send(served, { path: 'describe', body: '{}' })
  if (came.status === 200 && okAnswer.safeParse(came.body).success) return
  throw new ConformanceFailure({
    expected: 'POST /describe with the right token to be answered with 200 and {ok}',
    came: described(came),
    remedy: 'Whatever comes in, the next call must find the ERP at work.',
  })
}
