/** Sends the writes of a buyer: each with one key until its outcome is known, and records both. */
import type { ClientOperation, OperationInput } from '../history/operations.ts'
import type { HistoryRecorder } from '../history/recorder.ts'
import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { GatewayClient, Reply, Request } from './gateway-client.ts'

export interface BuyerParts {
  readonly client: GatewayClient
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly recorder: HistoryRecorder
  /** The SKUs that it buys. */
  readonly skus: readonly string[]
  /** The number of orders that it places, at most. */
  readonly rounds: number
  /** Whether it must end. */
  isOver(): boolean
}

const maxTries = 12
const maxPauseMs = 900
/** Refusals that say nothing about the write itself, so the client tries again. */
const passing = new Set(['IDEMPOTENCY_IN_PROGRESS', 'RATE_LIMITED', 'AUTH_EXPIRED', 'AUTH_INVALID_TOKEN'])

interface Write<Name extends ClientOperation> extends Request {
  readonly operation?: Name
  readonly input?: OperationInput<Name>
  /** Whether a success did what the operation says; a preview of too much holds nothing. */
  readonly isDone?: (reply: Reply) => boolean
}

export class OrderWriter {
  readonly #parts: BuyerParts
  #keys = 0

  constructor(parts: BuyerParts) {
    this.#parts = parts
  }

  /** Returns the final reply, or undefined if the outcome stays unknown. */
  async write<Name extends ClientOperation>(write: Write<Name>): Promise<Reply | undefined> {
    const { client, scheduler, random, recorder } = this.#parts
    const { operation, input, isDone = () => true, ...request } = write
    this.#keys += 1
    const key = `${client.name}-key-${this.#keys}`
    const begin = () => {
      const end = operation && recorder.begin(client.name, operation, input)
      return (reply: Reply | undefined, kind: Kind) => {
        if (reply && kind === 'ok' && isDone(reply)) end?.({ type: 'ok' })
        else
          end?.({
            type: kind === 'ok' || kind === 'refused' ? 'refused' : 'unknown',
            output: readReason(reply),
          })
      }
    }
    // A definite failure frees the key, so a copy that arrives after it may do what the first request could not.
    const beginCopy = () => {
      const endCopy = begin()
      return (reply: Reply | undefined) => endCopy(reply, reply ? classify(reply, 0) : 'unknown')
    }
    const end = begin()
    for (let tries = 0; tries < maxTries; tries++) {
      const reply = await client.request({ ...request, key, beginCopy })
      const kind = reply ? classify(reply, tries) : 'again'
      if (kind !== 'again') {
        end(reply, kind)
        return kind === 'unknown' ? undefined : reply
      }
      await scheduler.sleep(random.integer(30, maxPauseMs))
    }
    end(undefined, 'unknown')
    return undefined
  }
}

/** Reads why a reply refuses: the ERP's reason, or else the code. */
function readReason(reply: Reply | undefined): string | undefined {
  const { error }: { error?: { reason?: string } } = Object(reply?.json)
  return error?.reason ?? reply?.code
}

type Kind = 'ok' | 'refused' | 'unknown' | 'again'

function classify({ status, code }: Reply, tries: number): Kind {
  if (status < 300) return 'ok'
  if (status >= 500 || passing.has(code)) return 'again'
  // An earlier try may have taken effect, before the database was replaced by an older one without the document.
  return code === 'NOT_FOUND' && tries > 0 ? 'unknown' : 'refused'
}
