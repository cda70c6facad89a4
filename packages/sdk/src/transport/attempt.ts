import { ConnectionError, type GatewayError, UsageError } from '../errors/errors.ts'
import { createErrorFromResponse } from '../errors/from-response.ts'

/** One HTTP request, ready to be sent. */
export interface HttpRequest {
  readonly url: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | undefined
}

/** How one request ended. */
export type AttemptOutcome =
  | { readonly response: Response; readonly body: unknown; readonly error?: undefined }
  | { readonly response: Response | undefined; readonly error: GatewayError }

export interface AttemptSetting {
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** Whether the gateway’s success has the member `data`, as that of each endpoint of the contract has. */
  readonly hasData: boolean
  /** What an error says of the call. */
  readonly facts: { readonly attempts: number; readonly idempotencyKey: string | undefined }
}

/**
 * Sends one request and reads its body. Never throws because of what the network or the server does; throws the reason
 * of `signal` if the caller ended the call.
 */
export async function attempt(request: HttpRequest, setting: AttemptSetting): Promise<AttemptOutcome> {
  const { signal, timeoutMs } = setting
  // The caller may have ended the call while it waited for a token.
  signal?.throwIfAborted()
  checkHeaders(request.headers)
  // A controller and a timer of our own: AbortSignal.any and AbortSignal.timeout cost several times as much.
  const controller = new AbortController()
  let isTimedOut = false
  const timer = setTimeout(() => {
    isTimedOut = true
    controller.abort()
  }, timeoutMs)
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', stop, { once: true })
  let response: Response | undefined
  try {
    const { url, method, headers, body = null } = request
    // A followed redirect would turn a POST into a GET.
    const sent: RequestInit = { method, headers, body, signal: controller.signal, redirect: 'manual' }
    response = await setting.fetch(url, sent)
    const text = await response.text()
    if (method === 'HEAD' && response.ok) return { response, body: undefined }
    return readOutcome(response, text, setting)
  } catch (cause) {
    signal?.throwIfAborted()
    return { response, error: describeLostResponse(cause, response, { ...setting, isTimedOut }) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

/** Throws `UsageError` for a header that HTTP cannot carry: no request is sent, so nothing is open. */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]])
    } catch {
      // Without the cause: its message quotes the value, which may be the token.
      throw new UsageError(`The header ${JSON.stringify(name)} has a character that HTTP cannot send.`)
    }
  }
}

function readOutcome(response: Response, text: string, setting: AttemptSetting): AttemptOutcome {
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const body = isJson ? parseJson(text) : undefined
  if (isJson && body === undefined)
    throw new SyntaxError(`The body of ${text.length} characters is not JSON. It may have been cut.`)
  if (response.ok && isJson && (!setting.hasData || hasData(body))) return { response, body }
  const { status, headers } = response
  return { response, error: createErrorFromResponse({ status, headers, body, text }, setting.facts) }
}

function hasData(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'data' in body
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describeLostResponse(
  cause: unknown,
  response: Response | undefined,
  { isTimedOut, timeoutMs, facts }: AttemptSetting & { readonly isTimedOut: boolean },
): GatewayError {
  const common = {
    ...facts,
    status: response?.status,
    requestId: response?.headers.get('x-request-id') ?? undefined,
    retryable: true,
    cause,
  }
  if (isTimedOut)
    return new ConnectionError({
      ...common,
      code: 'TIMED_OUT',
      message: `No complete response came within ${timeoutMs} ms.`,
    })
  const what = response ? 'The response broke off or could not be decoded' : 'The connection failed'
  return new ConnectionError({
    ...common,
    code: 'CONNECTION_FAILED',
    message: `${what}: ${describeCause(cause)}`,
  })
}

/** `fetch` hides the reason of a failed connection in `cause`. */
function describeCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
