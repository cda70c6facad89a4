import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { bearerCheck, bodyOf, say } from '@trade-gateway/connector'
import { applyMovementsCsv, MalformedMovements, mostMovementBytes } from './movements-csv.ts'
import type { Store } from './store.ts'

/** Where the controls stand, beside the operations of the connector. */
export const controlsPrefix = '/sandbox/'

interface ControlOptions {
  /** The bearer token that callers must send. */
  readonly token: string
  /** Told of every failure; the caller only hears that it failed. */
  readonly onFailure: (operation: string, error: unknown) => void
}

/**
 * What the sandbox ERP can be told that a real ERP hears from its own people, with the bearer token of the
 * connector: `POST /sandbox/movements` takes `text/csv` and answers 200 `{applied, left_out, stock_seq}` once the
 * movements are on disk; 400 for malformed CSV, 401, 404, 413, 415, 500.
 */
export function sandboxControls(store: Store, options: ControlOptions): RequestListener {
  const isAuthorised = bearerCheck(options.token)
  return (request, response) => {
    if (!isAuthorised(request.headers.authorization)) {
      return say(response, 401, { failed: 'Send Authorization: Bearer and the token of the sandbox ERP.' })
    }
    if (request.method !== 'POST' || request.url !== '/sandbox/movements') {
      return say(response, 404, { failed: 'The sandbox ERP has POST /sandbox/movements.' })
    }
    move(store, request, response).catch((error: unknown) => {
      options.onFailure(request.url ?? '', error)
      say(response, 500, { failed: 'The movements could not be stored; none was applied.' })
    })
  }
}

async function move(store: Store, request: IncomingMessage, response: ServerResponse) {
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
