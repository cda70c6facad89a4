import { errors, Pool } from 'undici'
import { z } from 'zod'
import { shortage } from './documents.ts'
import {
  type CallOptions,
  createErp,
  type Erp,
  type ErpResult,
  InputNotAccepted,
  type Rejection,
  UnknownOutcome,
} from './erp.ts'
import { describeIssues } from './issues.ts'
import { type OperationId, operations, rejectionReasons } from './operations.ts'
import { makeStorable, type Storable } from './storable.ts'

/** The HTTP header that carries `CallOptions.fault`. */
export const faultHeader = 'x-sandbox-fault'
const connectTimeoutMs = 3_000
/**
 * The maximum time in milliseconds to wait for the response headers, and between two chunks of the body. Callers set
 * shorter deadlines with `signal`.
 */
const responseTimeoutMs = 60_000
const maxConnections = 32
const maxResponseBytes = 64 * 1024 * 1024

/** A client for an ERP at a URL. `close` closes its connections. */
export interface ErpClient {
  readonly erp: Erp
  close(): Promise<void>
  /** Returns the number of different rows that were dropped so far, because a database cannot store their text. */
  leftOut(): number
}

export interface ErpClientOptions {
  /** Called once for each row that was dropped, with the operation and the row's code. */
  readonly onLeftOut?: (id: OperationId, row: string) => void
  /** Called once for each row of which text was repaired, with the operation and the row's code. */
  readonly onRepaired?: (id: OperationId, row: string) => void
}

/**
 * The maximum number of dropped and of repaired rows that the client remembers, to report each of them once. Further
 * rows are reported every time.
 */
const maxReported = 10_000

/**
 * Creates an `Erp` that calls the ERP behind `erpServer` at `url`. Every response is parsed with the operation's
 * schema. A response that is neither `ok` nor `rejected`, or has the document of another reference, throws
 * `UnknownOutcome`.
 */
export function erpClient(
  url: string,
  token: string,
  { onLeftOut, onRepaired }: ErpClientOptions = {},
): ErpClient {
  const base = new URL(url)
  const connection: Connection = {
    pool: openPool(base.origin),
    prefix: base.pathname.replace(/\/$/, ''),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  }
  const [dropped, repaired] = [createReporter(onLeftOut), createReporter(onRepaired)]
  function report(id: OperationId, storable: Storable) {
    for (const row of storable.leftOut) dropped.report(id, row)
    for (const row of storable.repaired) repaired.report(id, row)
  }
  const erp = createErp(async (id, input, options = {}) => {
    const result = parseResult(id, await sendCall(connection, { id, input, options }), report)
    requireOwnDocument(id, input, result)
    return result
  })
  return { erp, close: () => connection.pool.destroy(), leftOut: () => dropped.count() }
}

/** Reports each row once, as long as it can remember them. */
function createReporter(onRow: ErpClientOptions['onLeftOut']) {
  const known = new Set<string>()
  return {
    report(id: OperationId, row: string) {
      const key = `${id} ${row}`
      if (known.has(key)) return
      if (known.size < maxReported) known.add(key)
      onRow?.(id, row)
    },
    count: () => known.size,
  }
}

interface Connection {
  readonly pool: Pool
  /** The path of the ERP's URL, without a slash at the end. The operation's id follows it. */
  readonly prefix: string
  readonly headers: Readonly<Record<string, string>>
}

function openPool(origin: string): Pool {
  return new Pool(origin, {
    connections: maxConnections,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: responseTimeoutMs,
    bodyTimeout: responseTimeoutMs,
    maxResponseSize: maxResponseBytes,
    allowH2: false,
  })
}

interface Call {
  readonly id: OperationId
  readonly input: unknown
  readonly options: CallOptions
}

/**
 * Sends a call and returns the body of its response. Throws `UnknownOutcome` unless the status is 200, and its
 * `InputNotAccepted` for a read with status 400.
 */
async function sendCall(
  { pool, prefix, headers }: Connection,
  { id, input, options }: Call,
): Promise<string> {
  const signal = options.signal ?? null
  if (signal?.aborted) {
    throw new UnknownOutcome('timeout', `${id} was aborted before it was sent.`, { sent: false })
  }
  const fault = options.fault === undefined ? {} : { [faultHeader]: options.fault }
  const { traceparent } = options
  const trace = traceparent === undefined ? {} : { traceparent }
  try {
    const { statusCode, body } = await pool.request({
      path: `${prefix}/${id}`,
      method: 'POST',
      headers: { ...headers, ...fault, ...trace },
      body: JSON.stringify(input),
      signal,
    })
    const text = await body.text()
    if (statusCode === 200) return text
    if (statusCode === 400 && operations[id].kind === 'read') throw new InputNotAccepted(id)
    // The error does not quote the body, which may contain secrets that must not be logged.
    throw new UnknownOutcome('failed', `${id}: the ERP responded with status ${statusCode}.`)
  } catch (error) {
    throw error instanceof UnknownOutcome ? error : toUnknownOutcome(id, error, signal)
  }
}

type Report = (id: OperationId, storable: Storable) => void

function parseResult(id: OperationId, text: string, report: Report): ErpResult<unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The error of JSON.parse is not used as the cause, because it quotes a part of the body.
    throw new UnknownOutcome('malformed', `${id}: the ERP's response is not JSON.`)
  }
  if (!isObject(body) || 'ok' in body === 'rejected' in body) {
    throw new UnknownOutcome('malformed', `${id}: the ERP's response is neither ok nor rejected.`)
  }
  if ('rejected' in body) return { rejected: parseRejection(id, body.rejected) }
  const storable = makeStorable(text, body.ok)
  report(id, storable)
  if (storable.isBroken)
    throw new UnknownOutcome(
      'malformed',
      `${id}: a code of the ERP's response contains NUL or a lone surrogate.`,
    )
  const output = operations[id].output.safeParse(storable.body)
  if (!output.success) {
    throw new UnknownOutcome(
      'malformed',
      `${id}: the ERP's response does not match the schema: ${describeIssues(output.error)}.`,
    )
  }
  return { ok: output.data }
}

/**
 * Requires that a document is the one that the call names. Any other one, such as the late response to another call, says
 * nothing about this call.
 */
function requireOwnDocument(id: OperationId, input: unknown, result: ErpResult<unknown>): void {
  const { document } = 'ok' in result && isObject(result.ok) ? result.ok : {}
  const [asked, given] = [readReference(input), readReference(document)]
  if (asked === undefined || given === undefined || asked === given) return
  throw new UnknownOutcome(
    'malformed',
    `${id}: the ERP's response has the document ${given} and not ${asked}.`,
  )
}

function readReference(value: unknown): unknown {
  return isObject(value) ? value.reference : undefined
}

function parseRejection(id: OperationId, value: unknown): Rejection {
  const { reason, message, shortages } = isObject(value) ? value : {}
  const known = rejectionReasons.find((one) => one === reason)
  const short = z.array(shortage).optional().safeParse(shortages)
  if (known && short.success) {
    // Not String(): what an ERP sends may be an object that cannot become a text.
    const said = typeof message === 'string' ? message : ''
    return { reason: known, message: said, ...(short.data ? { shortages: short.data } : {}) }
  }
  throw new UnknownOutcome(
    'malformed',
    `${id}: the ERP's reason for the refusal is none of ${rejectionReasons.join(', ')}.`,
  )
}

/**
 * Converts an error of a call. Checks the signal too, because it can be aborted with any reason: the error alone does
 * not show that the call timed out.
 */
function toUnknownOutcome(id: OperationId, error: unknown, signal: AbortSignal | null): UnknownOutcome {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND' || error instanceof errors.ConnectTimeoutError) {
    return new UnknownOutcome('unreachable', `${id}: the ERP cannot be reached.`, {
      sent: false,
      cause: error,
    })
  }
  const late =
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError ||
    signal?.aborted === true
  if (late) return new UnknownOutcome('timeout', `${id}: the ERP did not respond in time.`, { cause: error })
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new UnknownOutcome(
      'malformed',
      `${id}: the ERP's response is larger than ${maxResponseBytes} bytes.`,
      {
        cause: error,
      },
    )
  }
  const name = typeof code === 'string' ? ` (${code})` : ''
  return new UnknownOutcome('unreachable', `${id}: the connection to the ERP broke${name}.`, { cause: error })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
