import { GatewayError } from './errors/errors.ts'
import { OutcomeUnknownError } from './errors/outcome-unknown.ts'
import type { Calls } from './resources/calls.ts'
import type { Schemas } from './resources/shapes.ts'
import type { Call, Reply } from './transport/call.ts'
import { isConclusive } from './transport/retry.ts'
import type { ApiCall } from './transport/transport.ts'

/**
 * Finds the outcome of a write that got no usable response. The gateway keeps a key for 24 hours. Until then, the same
 * call under the same key is the way: the gateway looks the write up at the ERP, and finishes it exactly once. Later,
 * the same call would be a new order, so it is only looked up.
 */

/** How long the key surely still names the write, an hour less than the gateway keeps it. */
const keyLifeMs = 23 * 60 * 60_000
/** A write of unknown outcome is often still running, so it is asked for longer than usual. */
const maxRetries = 10

export class OutcomeRecovery {
  readonly #getCalls: () => Calls
  readonly #send: (call: ApiCall) => Promise<Reply>

  constructor(getCalls: () => Calls, send: (call: ApiCall) => Promise<Reply>) {
    this.#getCalls = getCalls
    this.#send = send
  }

  /** Returns what the call would have returned. Throws the refusal, or `OutcomeUnknownError` if it is still open. */
  async recover(call: ApiCall, unknown: GatewayError, ageMs: number): Promise<unknown> {
    let last = unknown
    if (ageMs < keyLifeMs) {
      try {
        const { body } = await this.#send({ ...call, options: { ...call.options, maxRetries } })
        return takeDocument(call, body)
      } catch (error) {
        if (!(error instanceof GatewayError) || isConclusive(error)) throw error
        last = error
      }
    }
    try {
      const found = await this.#lookUp(call)
      if (found !== undefined) return found
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      last = error
    }
    throw new OutcomeUnknownError(last, {
      attempts: last.attempts,
      idempotencyKey: call.idempotencyKey,
      recover: () => this.recover(call, last, ageMs),
    })
  }

  /** Reads the document that the key names, or that has the number of the order. */
  async #lookUp({ idempotencyKey, body, path, options }: ApiCall): Promise<unknown> {
    const calls = this.#getCalls()
    const { signal } = options
    const keys = await calls.read('idempotency_keys.list', {}, { signal }, { key: idempotencyKey ?? '' })
    const settled = keys.find(({ state, resource }) => state === 'completed' && resource)
    const resource = settled?.resource
    if (resource) return readResource(calls, resource, signal)
    const number = readOrderNumber(body)
    if (number === undefined || !path.startsWith('/api/v1/dropship-orders')) return undefined
    const { sku } = JSON.parse(body ?? '{}')
    const orders = calls.list(
      'dropship.list',
      { client_order_number: number },
      (row) => row.dropship_order_id,
      {
        options: { signal },
      },
    )
    for await (const order of orders) if (order.sku === sku && !order.in_doubt) return order
    return undefined
  }
}

const readers: Readonly<Record<string, (calls: Calls, id: string, signal?: AbortSignal) => Call<unknown>>> = {
  order: (calls, order_id, signal) => calls.read('orders.read', { order_id }, { signal }),
  dropship_order: (calls, dropship_order_id, signal) =>
    calls.read('dropship.read', { dropship_order_id }, { signal }),
  reservation: (calls, reservation_id, signal) =>
    calls.read('reservations.read', { reservation_id }, { signal }),
}

type Resource = NonNullable<Schemas['IdempotencyKey']['resource']>

async function readResource(calls: Calls, { type, id }: Resource, signal?: AbortSignal): Promise<unknown> {
  return readers[type]?.(calls, id, signal)
}

function takeDocument({ operation }: ApiCall, body: unknown): unknown {
  const isRaw = operation === undefined
  return !isRaw && typeof body === 'object' && body !== null && 'data' in body ? body.data : body
}

function readOrderNumber(body: string | undefined): string | undefined {
  const sent: unknown = JSON.parse(body ?? '{}')
  const number =
    typeof sent === 'object' && sent !== null && 'client_order_number' in sent && sent.client_order_number
  return typeof number === 'string' ? number : undefined
}
