/** Calls of an ERP over HTTP as they may come from anyone, rather than from `erpClient`. */
import { type ClientRequest, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { shortly } from './ask.ts'
import { ConformanceFailure } from './check.ts'

export interface Served {
  readonly url: string
  readonly token: string
}

export interface Sent {
  readonly path: string
  readonly method?: string
  readonly authorization?: string
  readonly body?: string
}

export interface Came {
  /** 0 where the connection was closed without an answer. */
  readonly status: number
  readonly body: unknown
}

const answerTimeoutMs = 10_000

export function described({ status, body }: Came): string {
  if (status === 0) return `no answer: ${shortly(String(body))}`
  return `${status} ${shortly(typeof body === 'string' ? body : JSON.stringify(body))}`
}

export async function send(served: Served, sent: Sent): Promise<Came> {
  const authorization = sent.authorization ?? `Bearer ${served.token}`
  try {
    const response = await fetch(locationOf(served, sent.path), {
      method: sent.method ?? 'POST',
      headers: {
        'content-type': 'application/json',
        ...(authorization === '' ? {} : { authorization }),
      },
      ...(sent.body === undefined ? {} : { body: sent.body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
    })
    return { status: response.status, body: parsed(await response.text()) }
  } catch (error) {
    if (error instanceof TypeError) return { status: 0, body: error.cause ?? error.message }
    throw new ConformanceFailure(
      {
        expected: `an answer to ${sent.method ?? 'POST'} /${sent.path} within ${answerTimeoutMs} ms`,
        came: shortly(String(error)),
        remedy: 'Answer at once what is refused.',
      },
      { cause: error },
    )
  }
}

function locationOf({ url }: Served, path: string): string {
  return `${url.replace(/\/$/, '')}/${path}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Sends half a body and closes the connection. */
export async function breakOff(served: Served): Promise<void> {
  const location = new URL(locationOf(served, 'describe'))
  const start = location.protocol === 'https:' ? secureRequest : plainRequest
  await new Promise<void>((resolve) => {
    const request: ClientRequest = start(location, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-length': 100 },
      timeout: answerTimeoutMs,
    })
    request.on('error', () => resolve())
    request.on('timeout', () => request.destroy())
    request.on('close', () => resolve())
    request.write('{', () => request.destroy())
  })
}
