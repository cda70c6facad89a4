import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { bearerCheck, bodyOf, say } from '@trade-gateway/connector'
import { z } from 'zod'
import type { SandboxErp } from './erp.ts'
import { faultPlan } from './faults/plan.ts'
import { applyMovementsCsv, MalformedMovements, mostMovementBytes } from './movements-csv.ts'
import { CannotSteer, mostListedDocuments, type Steering } from './steering.ts'

/** Where the controls stand, beside the operations of the connector. */
export const controlsPrefix = '/sandbox/'

interface ControlOptions {
  /** The bearer token that callers must send. */
  readonly token: string
  /** Told of every failure; the caller only hears that it failed. */
  readonly onFailure: (operation: string, error: unknown) => void
}

interface Control {
  readonly run: (steering: Steering, input: unknown) => unknown
}

const mostBodyBytes = 64 * 1024
const statusOf = { 'not found': 404, conflict: 409, malformed: 400 } as const
const word = z.string().min(1).max(64)
const page = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(mostListedDocuments).default(mostListedDocuments),
})

const payment = z.union([
  z.strictObject({ reference: word }),
  z.strictObject({ customer_code: word, currency: word, amount: z.int() }),
])

/** By method and path: what is done with the body, or with the query of a GET. */
const controls: Readonly<Record<string, Control>> = {
  'POST /sandbox/faults': control(faultPlan, (steering, plan, sent) => {
    steering.setFaults(isEmpty(sent) ? {} : plan)
    return steering.faults
  }),
  'GET /sandbox/faults': control(z.strictObject({}), (steering) => steering.faults),
  'POST /sandbox/clock': control(z.strictObject({ advance_seconds: z.number() }), (steering, input) => ({
    now: steering.advance(input.advance_seconds),
  })),
  'POST /sandbox/ship': control(z.strictObject({ reference: word }), (steering, input) => ({
    document: steering.ship(input.reference),
  })),
  'POST /sandbox/intercept': control(z.strictObject({ reference: word }), (steering, input) => ({
    document: steering.intercept(input.reference),
  })),
  'POST /sandbox/pay': control(payment, (steering, input) =>
    'reference' in input
      ? { document: steering.payOrder(input.reference) }
      : { balance: steering.payIn(input) },
  ),
  'POST /sandbox/stock': control(
    z.strictObject({ warehouse_code: word, sku: word, on_hand: z.int() }),
    (steering, input) => ({ stock_seq: steering.setStock(input) }),
  ),
  'POST /sandbox/price': control(
    z.strictObject({ sku: word, price_wholesale: z.int(), warehouse_code: word.optional() }),
    (steering, input) => ({ rows: steering.setPrice(input) }),
  ),
  'GET /sandbox/documents': control(page, (steering, { after, limit }) => steering.documents(after, limit)),
  'GET /sandbox/stock-totals': control(z.strictObject({}), (steering) => steering.stockTotals()),
}

const movements = 'POST /sandbox/movements'

/**
 * What the sandbox ERP can be told that a real ERP hears from its own people, with the bearer token of the connector.
 * `POST /sandbox/movements` takes `text/csv` and answers 200 `{applied, left_out, stock_seq}` once the movements are
 * on disk. The others take JSON, or a query, and answer JSON: `faults`, `clock`, `ship`, `intercept`, `pay`,
 * `stock`, `price`, `documents`, `stock-totals`; see `Steering`. 400 for a malformed request, 401, 404, 409 for what cannot be
 * now, 413, 415, 500.
 */
export function sandboxControls(sandbox: SandboxErp, options: ControlOptions): RequestListener {
  const isAuthorised = bearerCheck(options.token)
  return (request, response) => {
    if (!isAuthorised(request.headers.authorization)) {
      return say(response, 401, { failed: 'Send Authorization: Bearer and the token of the sandbox ERP.' })
    }
    answer(sandbox, request, response).catch((error: unknown) => {
      options.onFailure(request.url ?? '', error)
      say(response, 500, { failed: 'This could not be done; nothing was changed.' })
    })
  }
}

async function answer(sandbox: SandboxErp, request: IncomingMessage, response: ServerResponse) {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const asked = `${request.method} ${path}`
  if (asked === movements) return move(sandbox, request, response)
  const found = Object.hasOwn(controls, asked) ? controls[asked] : undefined
  if (!found) {
    const known = [movements, ...Object.keys(controls)].join(', ')
    return say(response, 404, { failed: `The sandbox ERP has ${known}.` })
  }
  const body = await bodyOf(request, mostBodyBytes)
  if (body === 'broken off') return
  if (body === 'too large')
    return say(response, 413, { failed: `A body has at most ${mostBodyBytes} bytes.` })
  const input = request.method === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : jsonOf(body.bytes)
  try {
    say(response, 200, found.run(sandbox.steering, input))
  } catch (error) {
    if (error instanceof z.ZodError) return say(response, 400, { failed: z.prettifyError(error) })
    if (!(error instanceof CannotSteer)) throw error
    say(response, statusOf[error.kind], { failed: error.message })
  }
}

/** A control that is run with what its schema makes of the input. */
function control<Schema extends z.ZodType>(
  schema: Schema,
  work: (steering: Steering, input: z.output<Schema>, sent: unknown) => unknown,
): Control {
  return { run: (steering, sent) => work(steering, schema.parse(sent), sent) }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Undefined for what is no JSON, which no schema takes. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

async function move({ store }: SandboxErp, request: IncomingMessage, response: ServerResponse) {
  if (!/^text\/csv\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return say(response, 415, { failed: 'Movements are sent as Content-Type: text/csv.' })
  }
  const body = await bodyOf(request, mostMovementBytes)
  if (body === 'broken off') return
  if (body === 'too large') {
    return say(response, 413, { failed: `A CSV of movements has at most ${mostMovementBytes} bytes.` })
  }
  try {
    say(response, 200, applyMovementsCsv(store, body.bytes))
  } catch (error) {
    if (!(error instanceof MalformedMovements)) throw error
    say(response, 400, { failed: error.message })
  }
}
