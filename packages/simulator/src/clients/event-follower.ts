import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { GatewayClient } from './gateway-client.ts'

/** An event as the checker judges it. */
export interface ReadEvent {
  readonly event_id: string
  readonly type: string
  readonly subject: string
  readonly version: number
}

/** An event in a page of the feed or in the body of a webhook. */
interface Sent {
  readonly event_id: string
  readonly type: string
  readonly data: {
    readonly client_order_number?: string | null
    readonly warehouse_code?: string | null
    readonly version?: number | null
  }
}

interface FollowerParts {
  readonly client: GatewayClient
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  /** The event after which it begins. */
  readonly since: string | undefined
}

const maxPauseMs = 300
const maxTries = 60
const pageSize = 100

export function toReadEvent({ event_id, type, data }: Sent): ReadEvent {
  const subject = data.warehouse_code ?? data.client_order_number ?? ''
  return { event_id, type, subject, version: data.version ?? 0 }
}

/** A client that reads the feed of events, page by page. */
export class EventFollower {
  readonly #parts: FollowerParts
  #since: string | undefined
  readonly events: ReadEvent[] = []

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#since = parts.since
  }

  /** The last event that it has read. */
  get since(): string | undefined {
    return this.#since
  }

  async follow(isOver: () => boolean): Promise<void> {
    const { scheduler, random } = this.#parts
    while (!isOver()) {
      await this.#readPage()
      await scheduler.sleep(random.integer(20, maxPauseMs))
    }
  }

  /** Reads the feed to its end. */
  async catchUp(): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      if ((await this.#readPage()) === 'end') return
      await this.#parts.scheduler.sleep(maxPauseMs)
    }
  }

  async #readPage(): Promise<'end' | 'more' | 'lost'> {
    const since = this.#since === undefined ? '' : `&since=${this.#since}`
    const query = `page_size=${pageSize}${since}`
    const reply = await this.#parts.client.request({ method: 'GET', path: '/api/v1/events', query })
    // The database was replaced by an older one that does not have the event.
    if (reply?.code === 'NOT_FOUND') this.#since = this.#parts.since
    if (reply?.status !== 200) return 'lost'
    const { data, has_more } = reply.json as { data: Sent[]; has_more: boolean }
    this.events.push(...data.map(toReadEvent))
    this.#since = data.at(-1)?.event_id ?? this.#since
    return has_more ? 'more' : 'end'
  }
}
