/** The receiver of webhooks as a process that is killed and restarted, and what it has received over all starts. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { StartedProcess } from '../child-process.ts'
import { SupervisedProcess } from '../supervised-process.ts'

const processFile = join(import.meta.dirname, 'receiver-process.ts')
const startTimeoutMs = 60_000

/** The first message to the process. */
export interface ReceiverStart {
  readonly port: number
  /** The file to which it appends a line for each delivery before it responds. */
  readonly file: string
  readonly secret: string
}

const received = z.object({
  event_id: z.string(),
  type: z.string(),
  /** The warehouse of `stock.changed`, or the client's number of an order. */
  subject: z.string(),
  /** The version of `stock.changed`; 0 for an order. */
  version: z.number(),
  genuine: z.boolean(),
})

/** A delivery that the receiver has confirmed. */
export type Received = z.infer<typeof received>

export interface Receiver {
  readonly process: SupervisedProcess
  /** Reads all confirmed deliveries in the order of their arrival. */
  readDeliveries(): Promise<Received[]>
}

/** Starts the receiver. Throws `ProcessFailed`. */
export async function startReceiver(start: ReceiverStart): Promise<Receiver> {
  const name = 'The receiver'
  const supervised = new SupervisedProcess(name, () => {
    const child = new StartedProcess({ name, args: [processFile], env: {}, message: start })
    return { child, ready: child.waitForMessage({ timeoutMs: startTimeoutMs }) }
  })
  await supervised.start()
  return {
    process: supervised,
    async readDeliveries() {
      const text = existsSync(start.file) ? await readFile(start.file, 'utf8') : ''
      // A kill may leave the last line of a start unfinished. Its delivery was not confirmed.
      return text.split('\n').flatMap((line) => {
        try {
          return line === '' ? [] : [received.parse(JSON.parse(line))]
        } catch {
          return []
        }
      })
    },
  }
}
