/**
 * Collects the operations on counters of one turn of the event loop, and sends them to the server in one script call. A
 * cluster gets one call for each key, because the keys of a script must be in one slot; the client sends these together.
 */

import { type CounterMode, counterScript, repliesPerOperation } from './counter-script.ts'
import type { Valkey } from './valkey.ts'

/** The largest number of operations of one script call, which the server runs without a pause. */
const maxOperations = 128

/** The server's response to an operation. */
export interface Decision {
  /** The points that were taken; -1 if the operation was refused. */
  readonly taken: number
  readonly total: number
  /** Whole seconds until a refused operation would succeed. */
  readonly retryAfter: number
  readonly resetSeconds: number
  /** When the server's window began, which identifies it. */
  readonly began: number
}

export interface Operation {
  readonly key: string
  readonly mode: CounterMode
  readonly points: number
  readonly limit: number
  /** Points that were spent while the server was away, which are added before. */
  readonly missed: number
  decide(decision: Decision): void
  /** Called instead of `decide` if the server is away. */
  fail(): void
}

export class Batch {
  readonly #valkey: Valkey
  /** Returns the time for tests; empty for the server's own. */
  readonly #readTime: () => string
  #operations: Operation[] = []

  constructor(valkey: Valkey, readTime = () => '') {
    this.#valkey = valkey
    this.#readTime = readTime
  }

  /** Adds an operation to the call that is sent after this turn of the event loop. */
  add(operation: Operation): void {
    if (this.#operations.push(operation) === 1) setImmediate(() => this.#send())
  }

  #send() {
    const operations = this.#operations
    this.#operations = []
    for (const group of groupOperations(operations, this.#valkey.isCluster)) this.#run(group)
  }

  #run(group: readonly Operation[]) {
    const keys = group.map(({ key }) => key)
    const values = [this.#readTime()]
    for (const { mode, points, limit, missed } of group)
      values.push(mode, String(points), String(limit), String(missed))
    this.#valkey.run(counterScript, keys, values).then(
      (reply) => decideAll(group, reply),
      () => {
        for (const operation of group) operation.fail()
      },
    )
  }
}

function groupOperations(operations: readonly Operation[], isCluster: boolean): Operation[][] {
  const groups = new Map<string, Operation[]>()
  operations.forEach((operation, index) => {
    const name = isCluster ? operation.key : String(Math.floor(index / maxOperations))
    const group = groups.get(name)
    if (group) group.push(operation)
    else groups.set(name, [operation])
  })
  return [...groups.values()]
}

function decideAll(group: readonly Operation[], reply: unknown) {
  const numbers: readonly unknown[] = Array.isArray(reply) ? reply : []
  group.forEach((operation, index) => {
    const at = index * repliesPerOperation
    operation.decide({
      taken: Number(numbers[at]),
      total: Number(numbers[at + 1]),
      retryAfter: Number(numbers[at + 2]),
      resetSeconds: Number(numbers[at + 3]),
      began: Number(numbers[at + 4]),
    })
  })
}
