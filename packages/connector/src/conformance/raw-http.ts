/** Sends HTTP requests that `erpClient` would never send, such as malformed ones. */
import { type ClientRequest, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { shorten } from './call.ts'
import { ConformanceFailure } from './check.ts'

export interface ServedErp {
  readonly url: string
  readonly token: string
}

export interface RawRequest {
  readonly path: string
  readonly method?: string
  readonly authorization?: string
  readonly body?: string
}

export interface RawResponse {
  /** 0 if the connection was closed without a response. */
  readonly status: number
  readonly body: unknown
}

const responseTimeoutMs = 10_000

export function describeResponse({ status, body }: RawResponse): string {
  if (status === 0) return `no response: ${shorten(String(body))}`
  return `${status} ${shorten(typeof body === 'string' ? body : JSON.stringify(body))}`
}

export async function sendRaw(served: ServedErp, sent: RawRequest): Promise<RawResponse> {
  const authorization = sent.authorization ?? `Bearer ${served.token}`
  try {
    const response = await fetch(toUrl(served, sent.path), {
      method: sent.method ?? 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization === '' ? {} : { authorization }),
      },
      ...(sent.body === undefined ? {} : { body: sent.body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(responseTimeoutMs),
    })
    return { status: response.status, body: parseBody(await response.text()) }
  } catch (error) {
    if (error instanceof TypeError) return { status: 0, body: error.cause ?? error.message }
    throw new ConformanceFailure(
      {
        expected: `a response to ${sent.method ?? 'POST'} /${sent.path} within ${responseTimeoutMs} ms`,
        actual: shorten(String(error)),
        remedy: 'Refuse invalid requests at once.',
      },
      { cause: error },
    )
  }
}

function toUrl({ url }: ServedErp, path: string): string {
  return `${url.replace(/\/$/, '')}/${path}`
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Sends half of a body and closes the connection. */
export async function abortRequest(served: ServedErp): Promise<void> {
  const location = new URL(toUrl(served, 'describe'))
  const start = location.protocol === 'https:' ? secureRequest : plainRequest
  await new Promise<void>((resolve) => {
    const request: ClientRequest = start(location, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-length': 100 },
      timeout: responseTimeoutMs,
    })
    request.on('error', () => resolve())
    request.on('timeout', () => request.destroy())
    request.on('close', () => resolve())
    request.write('{', () => request.destroy())
  })
}
