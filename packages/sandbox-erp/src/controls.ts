import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createBearerCheck, readBody, sendJson } from '@trade-gateway/connector'
import { z } from 'zod'
import type { SandboxErp } from './erp.ts'
import { faultPlan } from './faults/plan.ts'
import { applyMovementsCsv, MalformedMovements, maxMovementBytes } from './movements-csv.ts'
import { maxListedDocuments, type Steering, SteeringError } from './steering.ts'

/** The path prefix of the controls; the connector's operations have paths without it. */
export const controlsPrefix = '/sandbox/'

interface ControlOptions {
  /** The bearer token that callers must send. */
  readonly token: string
  /** Called for every exception. The caller only learns that the request failed. */
  readonly onFailure: (operation: string, error: unknown) => void
}

interface Control {
  readonly run: (steering: Steering, input: unknown) => unknown
}

const maxBodyBytes = 64 * 1024
const statusByKind = { 'not found': 404, conflict: 409, malformed: 400 } as const
const word = z.string().min(1).max(64)
const page = z.strictObject({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(maxListedDocuments).default(maxListedDocuments),
})

const payment = z.union([
  z.strictObject({ reference: word }),
  z.strictObject({ customer_code: word, currency: word, amount: z.int() }),
])

/** The controls by method and path. The input is the body, or the query of a GET. */
const controls: Readonly<Record<string, Control>> = {
  'POST /sandbox/faults': defineControl(faultPlan, (steering, plan, sent) => {
    steering.setFaults(isEmpty(sent) ? {} : plan)
    return steering.faults
  }),
  'GET /sandbox/faults': defineControl(z.strictObject({}), (steering) => steering.faults),
  'POST /sandbox/clock': defineControl(
    z.strictObject({ advance_seconds: z.number() }),
    (steering, input) => ({
      now: steering.advance(input.advance_seconds),
    }),
  ),
  'POST /sandbox/ship': defineControl(z.strictObject({ reference: word }), (steering, input) => ({
    document: steering.ship(input.reference),
  })),
  'POST /sandbox/intercept': defineControl(z.strictObject({ reference: word }), (steering, input) => ({
    document: steering.intercept(input.reference),
  })),
  'POST /sandbox/pay': defineControl(payment, (steering, input) =>
    'reference' in input
      ? { document: steering.payOrder(input.reference) }
      : { balance: steering.payIn(input) },
  ),
  'POST /sandbox/stock': defineControl(
    z.strictObject({ warehouse_code: word, sku: word, on_hand: z.int() }),
    (steering, input) => ({ stock_seq: steering.setStock(input) }),
  ),
  'POST /sandbox/price': defineControl(
    z.strictObject({ sku: word, price_wholesale: z.int(), warehouse_code: word.optional() }),
    (steering, input) => ({ rows: steering.setPrice(input) }),
  ),
  'GET /sandbox/documents': defineControl(page, (steering, { after, limit }) =>
    steering.listDocuments(after, limit),
  ),
  'GET /sandbox/stock-totals': defineControl(z.strictObject({}), (steering) => steering.readStockTotals()),
}

const movementsControl = 'POST /sandbox/movements'

/**
 * Serves the controls of the sandbox: actions that the staff of a real ERP would perform. They require the connector's
 * bearer token. `POST /sandbox/movements` takes `text/csv` and returns 200 `{applied, left_out, stock_seq}` when the
 * movements are on disk. The others take JSON or a query and return JSON: `faults`, `clock`, `ship`, `intercept`,
 * `pay`, `stock`, `price`, `documents`, `stock-totals` (see `Steering`). Errors: 400 for a malformed request, 401, 404,
 * 409 if the state does not allow the action, 413, 415, 500.
 */
export function createSandboxControls(sandbox: SandboxErp, options: ControlOptions): RequestListener {
  const isAuthorised = createBearerCheck(options.token)
  return (request, response) => {
    if (!isAuthorised(request.headers.authorization)) {
      return sendJson(response, 401, {
        failed: 'Send Authorization: Bearer and the token of the sandbox ERP.',
      })
    }
    handleControl(sandbox, request, response).catch((error: unknown) => {
      options.onFailure(request.url ?? '', error)
      sendJson(response, 500, { failed: 'This could not be done; nothing was changed.' })
    })
  }
}

async function handleControl(sandbox: SandboxErp, request: IncomingMessage, response: ServerResponse) {
  const [path = '', query = ''] = (request.url ?? '').split('?')
  const route = `${request.method} ${path}`
  if (route === movementsControl) return handleMovements(sandbox, request, response)
  const control = Object.hasOwn(controls, route) ? controls[route] : undefined
  if (!control) {
    const known = [movementsControl, ...Object.keys(controls)].join(', ')
    return sendJson(response, 404, { failed: `The sandbox ERP has ${known}.` })
  }
  const body = await readBody(request, maxBodyBytes)
  if (body === 'broken off') return
  if (body === 'too large')
    return sendJson(response, 413, { failed: `A body has at most ${maxBodyBytes} bytes.` })
  const input =
    request.method === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : parseJson(body.bytes)
  try {
    sendJson(response, 200, control.run(sandbox.steering, input))
  } catch (error) {
    if (error instanceof z.ZodError) return sendJson(response, 400, { failed: z.prettifyError(error) })
    if (!(error instanceof SteeringError)) throw error
    sendJson(response, statusByKind[error.kind], { failed: error.message })
  }
}

/** Defines a control that receives the output of its schema. */
function defineControl<Schema extends z.ZodType>(
  schema: Schema,
  work: (steering: Steering, input: z.output<Schema>, sent: unknown) => unknown,
): Control {
  return { run: (steering, sent) => work(steering, schema.parse(sent), sent) }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Returns undefined for invalid JSON, which every schema rejects. */
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

async function handleMovements({ store }: SandboxErp, request: IncomingMessage, response: ServerResponse) {
  if (!/^text\/csv\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    return sendJson(response, 415, { failed: 'Movements are sent as Content-Type: text/csv.' })
  }
  const body = await readBody(request, maxMovementBytes)
  if (body === 'broken off') return
  if (body === 'too large') {
    return sendJson(response, 413, { failed: `A CSV of movements has at most ${maxMovementBytes} bytes.` })
  }
  try {
    sendJson(response, 200, applyMovementsCsv(store, body.bytes))
  } catch (error) {
    if (!(error instanceof MalformedMovements)) throw error
    sendJson(response, 400, { failed: error.message })
  }
}
