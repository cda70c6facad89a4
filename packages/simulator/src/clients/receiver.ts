import type { Sender } from '@trade-gateway/gateway/webhooks/egress'
import type { Fault } from '../plan.ts'
import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import { type ReadEvent, toReadEvent } from './event-follower.ts'

interface ReceiverParts {
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  /** How it behaves now; undefined if it is well. */
  mood(): Extract<Fault, { kind: 'receiver' }>['mood'] | undefined
}

const maxDelayMs = 20
const failing = 0.6
/** Longer than the gateway waits for a receiver. */
const lateMs = 20_000

/** A receiver of webhooks with an inbox. While it is not well, it may keep an event and fail to say so. */
export class Receiver {
  readonly #parts: ReceiverParts
  readonly events: ReadEvent[] = []

  constructor(parts: ReceiverParts) {
    this.#parts = parts
  }

  async post({ body, timeoutMs }: Parameters<Sender['post']>[0]): ReturnType<Sender['post']> {
    const { scheduler, random, mood } = this.#parts
    await scheduler.sleep(random.integer(1, maxDelayMs))
    const now = mood()
    if (now === 'down') return { status: undefined, error: 'connection', excerpt: null }
    if (now === 'failing' && random.chance(failing)) return { status: 500, error: 'status', excerpt: null }
    this.events.push(toReadEvent(JSON.parse(Buffer.from(body).toString())))
    if (now === 'late' && lateMs > timeoutMs) {
      await scheduler.sleep(timeoutMs)
      return { status: undefined, error: 'timeout', excerpt: null }
    }
    await scheduler.sleep(random.integer(1, maxDelayMs))
    if (now !== undefined && random.chance(failing))
      return { status: undefined, error: 'connection', excerpt: null }
    return { status: 204, error: undefined, excerpt: null }
  }
}
