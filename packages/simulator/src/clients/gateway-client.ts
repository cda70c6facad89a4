/** A client of the gateway and its network: messages are delayed, and while the network is bad, lost, doubled and late. */
import type { Call } from '@trade-gateway/gateway/contract/call'
import { parseBody } from '@trade-gateway/gateway/pipeline/in-process'
import type { SimulatedProcess } from '../process.ts'
import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'

export interface ClientParts {
  readonly name: string
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly credentials: Readonly<Record<string, string>>
  pickProcess(): SimulatedProcess | undefined
  /** Whether the network to the gateway is bad. */
  isBad(): boolean
}

export interface Request {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly body?: object
  readonly key?: string
  /**
   * Called when the network makes a copy of the request. What it returns is called with the reply to the copy, which the
   * client never sees.
   */
  readonly beginCopy?: () => (reply: Reply | undefined) => void
}

export interface Reply {
  readonly status: number
  /** The code of the error; empty for a success. */
  readonly code: string
  readonly json: unknown
}

/** How often what happens to a request while the network is bad. */
const chances = { lostRequest: 0.06, lostResponse: 0.08, doubled: 0.08 } as const
const maxDelayMs = 15
const maxLateMs = 600
/** Longer than a gateway takes for anything. */
const timeoutMs = 40_000

export class GatewayClient {
  readonly #parts: ClientParts
  #token: string | undefined

  constructor(parts: ClientParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name
  }

  /** Sends a request once, with a token. Returns undefined if no response arrives. */
  async request(request: Request): Promise<Reply | undefined> {
    const token = this.#token ?? (await this.signIn())
    if (token === undefined) return undefined
    const reply = await this.send(request, token)
    // The token may have ended, or the process does not know it yet. The next request gets a new one.
    if (reply?.code.startsWith('AUTH_') && this.#token === token) this.#token = undefined
    return reply
  }

  /** Gets a new token. Returns undefined if no response arrives. */
  async signIn(): Promise<string | undefined> {
    const { credentials } = this.#parts
    const reply = await this.send({ method: 'POST', path: '/api/v1/auth/token', body: credentials })
    const { access_token } = readData<{ access_token?: string }>(reply)
    this.#token = access_token
    return access_token
  }

  /** Sends a request once to one process. Returns undefined if no response arrives. */
  async send(request: Request, token?: string): Promise<Reply | undefined> {
    const { scheduler, random, isBad, pickProcess } = this.#parts
    const happens = (chance: number) => isBad() && random.chance(chance)
    await scheduler.sleep(random.integer(1, happens(0.1) ? maxLateMs : maxDelayMs))
    if (happens(chances.lostRequest)) return undefined
    if (happens(chances.doubled)) {
      const late = random.integer(0, maxLateMs)
      const endCopy = request.beginCopy?.()
      scheduler.setTimer(() => void this.#deliver(pickProcess(), request, token).then(endCopy), late)
    }
    const reply = await this.#deliver(pickProcess(), request, token)
    await scheduler.sleep(random.integer(1, maxDelayMs))
    return happens(chances.lostResponse) ? undefined : reply
  }

  async #deliver(process: SimulatedProcess | undefined, request: Request, token: string | undefined) {
    const { scheduler } = this.#parts
    const pipeline = process?.pipeline
    if (!process || !pipeline) return undefined
    const over = scheduler.sleep(timeoutMs)
    const call = buildCall(request, `req-${Math.floor(scheduler.elapsedMs * 1000)}`, token)
    const response = await Promise.race([scheduler.runAs(process, () => pipeline(call)), process.ended, over])
    if (!response) return undefined
    const json = parseBody(response)
    const { error } = json as { error?: { code?: string } }
    return { status: response.status, code: error?.code ?? '', json }
  }
}

/** Returns the `data` of a reply, whose fields the caller knows from the documentation. */
export function readData<Data extends object>(reply: Reply | undefined): Partial<Data> {
  const { data } = (reply?.json ?? {}) as { data?: Partial<Data> }
  return data ?? {}
}

function buildCall(request: Request, requestId: string, token: string | undefined): Call {
  const { method, path, query = '', body, key } = request
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body))
  const headers: Record<string, string[]> = {
    ...(token === undefined ? {} : { authorization: [`Bearer ${token}`] }),
    ...(key === undefined ? {} : { 'idempotency-key': [key] }),
    ...(body === undefined
      ? {}
      : { 'content-type': ['application/json'], 'content-length': [String(bytes.length)] }),
  }
  return {
    ...{ method, path, rawQuery: query, requestId, language: 'en', address: undefined, params: {} },
    header: (name) => headers[name] ?? [],
    body: async () => bytes,
  }
}
