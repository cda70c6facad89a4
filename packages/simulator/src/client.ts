/** A channel that places drop-ship orders, and retries each with the same key until it knows the outcome. */

import type { Call } from '@trade-gateway/gateway/contract/call'
import type { HistoryEntry } from './history/entry.ts'
import type { SimulatedProcess } from './process.ts'
import type { SeededRandom } from './random.ts'
import type { Scheduler } from './scheduler.ts'

export interface ClientParts {
  readonly name: string
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly skus: readonly string[]
  readonly credentials: Readonly<Record<string, string>>
  readonly record: (entry: Omit<HistoryEntry, 'at'>) => void
  pickProcess(): SimulatedProcess | undefined
}

/** What a client knows of an order in the end. */
export interface Knowledge {
  readonly order: string
  outcome: 'ok' | 'refused' | 'unknown'
}

interface Reply {
  readonly status: number
  readonly code: string
  readonly json: { readonly data?: { readonly access_token?: string; readonly dropship_order_id?: string } }
}

const recipient = {
  ...{ name: 'Alex Lee', phone: '+61 2 5550 1234', address: '1 Example Street', city: 'Sydney' },
  ...{ state: 'NSW', postal_code: '2000', country_code: 'AU' },
}
const maxTries = 12
const maxPauseMs = 1_500
/** Refusals that say nothing about the order itself, so the client tries again. */
const passing = new Set(['IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED', 'AUTH_EXPIRED', 'AUTH_INVALID_TOKEN'])

export class Client {
  readonly known: Knowledge[] = []
  readonly #parts: ClientParts
  #token: string | undefined
  #numbers = 0
  #calls = 0

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  /** Places orders, one after another, until `isOver`. */
  async work(isOver: () => boolean): Promise<void> {
    const { scheduler, random } = this.#parts
    while (!isOver()) {
      await this.#placeOrder()
      await scheduler.sleep(random.integer(10, 400))
    }
  }

  async #placeOrder(): Promise<void> {
    const { name, random, skus } = this.#parts
    this.#numbers += 1
    const order = `${name}-${this.#numbers}`
    const [sku, quantity] = [random.pick(skus), random.integer(1, 3)]
    const body = { sku, quantity, recipient: { ...recipient, phone: order }, client_order_number: order }
    const input = { order, lines: [{ sku, quantity }] }
    let dropship_order_id: string | undefined
    if (random.chance(0.5)) {
      const held = await this.#try(
        'hold.place',
        input,
        'POST',
        '/api/v1/dropship-orders/allocation-preview',
        body,
      )
      dropship_order_id = held?.json.data?.dropship_order_id
      if (dropship_order_id !== undefined && random.chance(0.4)) {
        await this.#try(
          'hold.release',
          { order },
          'DELETE',
          `/api/v1/dropship-orders/${dropship_order_id}/allocation`,
        )
        return
      }
    }
    const knowledge: Knowledge = { order, outcome: 'unknown' }
    this.known.push(knowledge)
    const more = dropship_order_id === undefined ? {} : { dropship_order_id }
    const reply = await this.#try('order.submit', input, 'POST', '/api/v1/dropship-orders/submit', {
      ...body,
      ...more,
    })
    if (reply) knowledge.outcome = reply.status < 300 ? 'ok' : 'refused'
  }

  /** Sends a call with one key until its outcome is known. Returns undefined if it never is. */
  async #try(operation: string, input: object, method: string, path: string, body?: object) {
    const { name, scheduler, random, record } = this.#parts
    this.#calls += 1
    const id = this.#calls
    const key = `${name}-key-${id}`
    record({ client: name, id, type: 'invoke', operation, input })
    for (let tries = 0; tries < maxTries; tries++) {
      const reply = await this.#sendSigned(method, path, body, key)
      if (reply && reply.status < 300) {
        record({ client: name, id, type: 'ok', operation })
        return reply
      }
      if (reply && reply.status < 500 && !passing.has(reply.code)) {
        record({ client: name, id, type: 'refused', operation, output: { code: reply.code } })
        return reply
      }
      if (reply?.code.startsWith('AUTH_')) this.#token = undefined
      await scheduler.sleep(random.integer(50, maxPauseMs))
    }
    record({ client: name, id, type: 'unknown', operation })
    return undefined
  }

  async #sendSigned(method: string, path: string, body: object | undefined, key: string) {
    if (this.#token === undefined) {
      const signedIn = await this.#send('POST', '/api/v1/auth/token', this.#parts.credentials, {})
      this.#token = signedIn?.json.data?.access_token
    }
    if (this.#token === undefined) return undefined
    return this.#send(method, path, body, {
      authorization: [`Bearer ${this.#token}`],
      'idempotency-key': [key],
    })
  }

  /** Sends one call to one process. Returns undefined if no response arrives. */
  async #send(method: string, path: string, body: object | undefined, headers: Record<string, string[]>) {
    const { scheduler, random, pickProcess } = this.#parts
    await scheduler.sleep(random.integer(1, 20))
    const process = pickProcess()
    const pipeline = process?.pipeline
    if (!process || !pipeline) return undefined
    const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body))
    const all: Record<string, string[]> = { ...headers }
    if (body)
      Object.assign(all, { 'content-type': ['application/json'], 'content-length': [String(bytes.length)] })
    const call: Call = {
      ...{
        method,
        path,
        rawQuery: '',
        requestId: `req-${scheduler.elapsedMs}`,
        language: 'en',
        address: undefined,
      },
      header: (name) => all[name] ?? [],
      body: async () => bytes,
      params: {},
    }
    const answer = await Promise.race([scheduler.runAs(process, () => pipeline(call)), process.ended])
    if (!answer) return undefined
    await scheduler.sleep(random.integer(1, 20))
    const json = typeof answer.body === 'string' ? JSON.parse(answer.body) : {}
    const reply: Reply = { status: answer.status, code: String(json.error?.code ?? ''), json }
    return reply
  }
}
