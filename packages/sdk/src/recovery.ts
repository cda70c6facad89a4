import { GatewayError } from './errors/errors.ts'
import { OutcomeUnknownError, type RecoverOptions } from './errors/outcome-unknown.ts'
import type { OperationId } from './generated/operations.ts'
import type { Calls, ListPage } from './resources/calls.ts'
import type { Row } from './resources/shapes.ts'
import type { Call, Reply } from './transport/call.ts'
import { isConclusive } from './transport/retry.ts'
import { type ApiCall, type Beginning, computeAge, keyLifeMs, type OpenWrite } from './transport/transport.ts'

/**
 * Finds the outcome of a write that got no usable response. The gateway keeps a key for 24 hours. Until then, the same
 * call under the same key is the way: the gateway looks the write up at the ERP, and finishes it exactly once. Later,
 * the same call would be a new order, so it is only looked up.
 */

/** A write of unknown outcome is often still running, so it is asked for longer than usual. */
const maxRetries = 10
/** How far the clocks of two processes of the gateway may differ, with the rounding of times. */
const gatewaySkewMs = 2_000
/** How far the clock of the ERP, which says when an order was submitted, may be behind the gateway's. */
const erpSkewMs = 60_000

export interface RecoverySetting {
  readonly getCalls: () => Calls
  readonly send: (call: ApiCall, began: Beginning) => Promise<Reply>
  readonly now: () => number
}

export class OutcomeRecovery {
  readonly #setting: RecoverySetting

  constructor(setting: RecoverySetting) {
    this.#setting = setting
  }

  /** Returns what the call would have returned. Throws the refusal, or `OutcomeUnknownError` if it is still open. */
  async recover(write: OpenWrite, { signal }: RecoverOptions): Promise<unknown> {
    const { call, began } = write
    let last = write.lastFailure
    if (computeAge(began, this.#setting.now()) < keyLifeMs) {
      try {
        const repeated = { ...call, options: { ...call.options, maxRetries, signal } }
        const { body } = await this.#setting.send(repeated, began)
        return takeDocument(call, body)
      } catch (error) {
        if (!(error instanceof GatewayError) || isConclusive(error)) throw error
        last = error
      }
    }
    try {
      const found = await this.#lookUp(write, signal)
      if (found !== undefined) return found
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      last = error
    }
    throw new OutcomeUnknownError(last, {
      attempts: last.attempts,
      idempotencyKey: call.idempotencyKey,
      recover: (options) => this.recover({ call, lastFailure: last, began }, options),
    })
  }

  /**
   * Reads the document that the key names. Only if the gateway does not know the key any more, looks for the order by
   * its number: a key that is known and not completed says that the outcome is open, or that nothing was done.
   */
  async #lookUp(write: OpenWrite, signal: AbortSignal | undefined): Promise<unknown> {
    const { operation, method, path, idempotencyKey: key = '' } = write.call
    const read = operation && readers[operation]
    if (!read) return undefined
    const calls = this.#setting.getCalls()
    const keys = await calls.read('idempotency_keys.list', {}, { signal }, { key })
    // The same key may name several writes, because its scope has the method and the path, too.
    const ofWrite = keys.filter((each) => each.method === method && each.path === path)
    const settled = ofWrite.find(({ state, resource }) => state === 'completed' && resource)
    if (settled?.resource) return read(calls, settled.resource.id, signal)
    return ofWrite.length > 0 ? undefined : this.#findByNumber(write, signal)
  }

  /** Finds the drop-ship order that this write has made, by its number. */
  async #findByNumber({ call, began }: OpenWrite, signal: AbortSignal | undefined): Promise<unknown> {
    const sent = readDropship(call)
    if (!sent) return undefined
    const { client_order_number, sku } = sent
    const orders = this.#setting
      .getCalls()
      .list('dropship.list', { client_order_number }, (row) => row.dropship_order_id, {
        options: { signal },
      })
    let found: Row<'dropship.list'> | undefined
    for await (const page of orders.pages()) {
      const beganAt = toGatewayTime(page, computeAge(began, this.#setting.now()))
      const rows = page.data.filter((row) => row.sku === sku)
      // It may be this write that is in doubt, whatever became of other orders with its number.
      if (rows.some(({ in_doubt }) => in_doubt)) return undefined
      found ??= rows.find((row) => isMadeSince(row, beganAt))
    }
    return found
  }
}

/** Computes when a write began, on the clock of the gateway: the wall clock of the client may be wrong. */
function toGatewayTime({ as_of }: ListPage<'dropship.list'>, ageMs: number): number {
  return Date.parse(as_of) - ageMs
}

/**
 * Whether an order was submitted after a moment. An earlier order with the same number, such as one that was voided
 * before this one was submitted, has not changed since.
 */
function isMadeSince({ submitted_at, updated_at }: Row<'dropship.list'>, beganAt: number): boolean {
  if (submitted_at === null || Date.parse(submitted_at) < beganAt - erpSkewMs) return false
  return Date.parse(updated_at) >= beganAt - gatewaySkewMs
}

type Reader = (calls: Calls, id: string, signal: AbortSignal | undefined) => Call<unknown>

const readOrder: Reader = (calls, order_id, signal) => calls.read('orders.read', { order_id }, { signal })
const readDropshipOrder: Reader = (calls, dropship_order_id, signal) =>
  calls.read('dropship.read', { dropship_order_id }, { signal })
const readReservation: Reader = (calls, reservation_id, signal) =>
  calls.read('reservations.read', { reservation_id }, { signal })

/** The writes that return the document that their key names. A preview, for example, returns something else. */
const readers: Readonly<Partial<Record<OperationId, Reader>>> = {
  'orders.create': readOrder,
  'orders.change': readOrder,
  'orders.submit': readOrder,
  'orders.void': readOrder,
  'dropship.submit': readDropshipOrder,
  'dropship.void': readDropshipOrder,
  'dropship.release': readDropshipOrder,
  'reservations.create': readReservation,
  'reservations.cancel': readReservation,
  'reservations.confirm': readReservation,
}

function takeDocument({ operation }: ApiCall, body: unknown): unknown {
  const isRaw = operation === undefined
  return !isRaw && typeof body === 'object' && body !== null && 'data' in body ? body.data : body
}

interface SentDropship {
  readonly client_order_number: string
  readonly sku: string
}

/** Reads the number and the SKU of a submit; undefined for other writes. */
function readDropship({ operation, body }: ApiCall): SentDropship | undefined {
  const sent: unknown = operation === 'dropship.submit' && body !== undefined ? JSON.parse(body) : undefined
  return isDropship(sent) ? sent : undefined
}

function isDropship(sent: unknown): sent is SentDropship {
  if (typeof sent !== 'object' || sent === null) return false
  return 'sku' in sent && 'client_order_number' in sent && typeof sent.client_order_number === 'string'
}
