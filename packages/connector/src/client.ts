import { errors, Pool } from 'undici'
import { type Answer, type CallOptions, type Erp, erpFrom, UnknownOutcome } from './erp.ts'
import { type OperationId, operations, rejectionReasons } from './operations.ts'

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
    const { statusCode, body } = await pool
      .request({
        path: `${prefix}/${id}`,
        method: 'POST',
        headers,
        body: JSON.stringify(input),
        signal: options.signal ?? null,
      })
      .catch((error) => {
        throw unknownFrom(id, error)
      })
    const text = await body.text().catch((error) => {
      throw unknownFrom(id, error)
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
  if (isObject(body) && isObject(body.rejected)) {
    const reason = rejectionReasons.find((known) => isObject(body.rejected) && body.rejected.reason === known)
    if (reason) return { rejected: { reason, message: String(body.rejected.message ?? '') } }
  }
  if (!isObject(body) || !('ok' in body)) {
    throw new UnknownOutcome('malformed', `${id}: the ERP's answer is neither ok nor rejected.`)
  }
  const output = operations[id].output.safeParse(body.ok)
  if (!output.success) {
    throw new UnknownOutcome(
      'malformed',
      `${id}: the ERP's answer does not fit: ${output.error.message.slice(0, 1000)}`,
    )
  }
  return { ok: output.data }
}

function unknownFrom(id: OperationId, error: unknown): UnknownOutcome {
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
    (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
  if (late) return new UnknownOutcome('timeout', `${id}: the ERP did not answer in time.`, { cause: error })
  return new UnknownOutcome('unreachable', `${id}: the connection to the ERP broke.`, { cause: error })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
