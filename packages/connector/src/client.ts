import { errors, Pool } from 'undici'
import { z } from 'zod'
import { shortage } from './documents.ts'
import { type Answer, type CallOptions, type Erp, erpFrom, type Rejection, UnknownOutcome } from './erp.ts'
import { type OperationId, operations, rejectionReasons } from './operations.ts'

/** Carries `CallOptions.fault`. */
export const faultHeader = 'x-sandbox-fault'
const connectTimeoutMs = 3_000
/** The longest silence allowed before and inside an answer; callers set shorter deadlines through `signal`. */
const answerTimeoutMs = 60_000
const mostConnections = 32
const mostAnswerBytes = 64 * 1024 * 1024

/** An ERP at a URL. `close` ends its connections. */
export interface ErpClient {
  readonly erp: Erp
  close(): Promise<void>
}

/**
 * An `Erp` behind `erpServer` at `url`. Every answer is parsed with the operation's schema; whatever is neither
 * `ok` nor `rejected` throws `UnknownOutcome`.
 */
export function erpClient(url: string, token: string): ErpClient {
  const base = new URL(url)
  const prefix = base.pathname.replace(/\/$/, '')
  const pool = new Pool(base.origin, {
    connections: mostConnections,
    connect: { timeout: connectTimeoutMs },
    headersTimeout: answerTimeoutMs,
    bodyTimeout: answerTimeoutMs,
    maxResponseSize: mostAnswerBytes,
    allowH2: false,
  })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function call(id: OperationId, input: unknown, options: CallOptions = {}): Promise<Answer<unknown>> {
    const signal = options.signal ?? null
    if (signal?.aborted) {
      throw new UnknownOutcome('timeout', `${id} was given up before it was sent.`, { sent: false })
    }
    const { statusCode, body } = await pool
      .request({
        path: `${prefix}/${id}`,
        method: 'POST',
        headers: options.fault === undefined ? headers : { ...headers, [faultHeader]: options.fault },
        body: JSON.stringify(input),
        signal,
      })
      .catch((error) => {
        throw unknownFrom(id, error, signal)
      })
    const text = await body.text().catch((error) => {
      throw unknownFrom(id, error, signal)
    })
    if (statusCode !== 200)
      throw new UnknownOutcome('failed', `${id}: the ERP answered ${statusCode}: ${text.slice(0, 300)}`)
    return answerOf(id, text)
  }

  return { erp: erpFrom(call), close: () => pool.destroy() }
}

function answerOf(id: OperationId, text: string): Answer<unknown> {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new UnknownOutcome('malformed', `${id}: the ERP's answer is not JSON.`, { cause })
  }
  if (!isObject(body) || 'ok' in body === 'rejected' in body) {
    throw new UnknownOutcome('malformed', `${id}: the ERP's answer is not either ok or rejected.`)
  }
  if ('rejected' in body) return { rejected: rejectionOf(id, body.rejected) }
  const output = operations[id].output.safeParse(body.ok)
  if (!output.success) {
    throw new UnknownOutcome(
      'malformed',
      `${id}: the ERP's answer does not fit: ${output.error.message.slice(0, 1000)}`,
    )
  }
  return { ok: output.data }
}

function rejectionOf(id: OperationId, said: unknown): Rejection {
  const { reason, message, shortages } = isObject(said) ? said : {}
  const known = rejectionReasons.find((one) => one === reason)
  const short = z.array(shortage).optional().safeParse(shortages)
  if (known && short.success) {
    return { reason: known, message: String(message ?? ''), ...(short.data ? { shortages: short.data } : {}) }
  }
  throw new UnknownOutcome(
    'malformed',
    `${id}: the ERP rejected for none of the reasons ${rejectionReasons.join(', ')}.`,
  )
}

/** A signal's reason may be anything, so that the error it leads to does not tell that it was the signal. */
function unknownFrom(id: OperationId, error: unknown, signal: AbortSignal | null): UnknownOutcome {
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
  if (late) return new UnknownOutcome('timeout', `${id}: the ERP did not answer in time.`, { cause: error })
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new UnknownOutcome(
      'malformed',
      `${id}: the ERP's answer is larger than ${mostAnswerBytes} bytes.`,
      {
        cause: error,
      },
    )
  }
  return new UnknownOutcome('unreachable', `${id}: the connection to the ERP broke.`, { cause: error })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
