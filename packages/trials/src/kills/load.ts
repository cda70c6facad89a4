/** Everything that works while the faults happen: buyers, followers, and the ERP's own movements. */
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { HistoryRecorder } from '../../../simulator/src/history/recorder.ts'
import { ErpControls } from '../order-replay/erp-controls.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import type { Entry } from '../order-replay/place-order.ts'
import { recordOrders } from '../order-replay/recorded-orders.ts'
import { readShipping } from '../order-replay/replay-system.ts'
import { Buyers } from './buyers.ts'
import type { FaultTimes } from './fault-times.ts'
import { EventFollower, StockFollower } from './followers.ts'
import type { Installation } from './installation.ts'
import { Mover } from './mover.ts'

const followersPerWarehouse = 2
/** The longest time in which outcomes stay unknown after the last fault. */
export const unknownMs = 60_000
/** After a fault, this many orders must get an outcome within this time. */
const [servedOrders, servedMs] = [2, 60_000] as const
const pollMs = 20

interface LoadPlan {
  readonly installation: Installation
  readonly times: FaultTimes
  readonly buyers: number
  readonly seed: number
  readonly history: HistoryRecorder
}

export class Load {
  readonly #parts: { readonly buyers: Buyers; readonly mover: Mover }
  readonly stockFollowers: readonly StockFollower[]
  readonly eventFollower: EventFollower
  readonly #failed = new AbortController()
  /** Ends the requests of buyers that still wait when their time is over. */
  readonly #ended: AbortController
  #following: Promise<unknown> = Promise.resolve()
  #isOver = false

  private constructor(
    parts: { readonly buyers: Buyers; readonly mover: Mover; readonly ended: AbortController },
    followers: { readonly stock: readonly StockFollower[]; readonly events: EventFollower },
  ) {
    this.#parts = parts
    this.#ended = parts.ended
    this.stockFollowers = followers.stock
    this.eventFollower = followers.events
  }

  /** Starts the clients. They work until `stop`, or until `signal` is aborted. */
  static async start(plan: LoadPlan, signal: AbortSignal): Promise<Load> {
    const { installation, times, buyers, seed, history } = plan
    const ended = new AbortController()
    const watch = {
      onResponse: times.recordWait.bind(times),
      onRefusals: times.recordRefusals.bind(times),
      signal: AbortSignal.any([signal, ended.signal]),
    }
    const client = installation.createClient(installation.urls, watch)
    const reader = installation.createClient(installation.allUrls, watch)
    const states = new Map<string, string>()
    const stock = warehouses.flatMap((code) =>
      Array.from({ length: followersPerWarehouse }, (_, number) => {
        const onCopy = (version: number, state: string) =>
          history.observe(`follower ${number + 1}`, 'stock.copy', { warehouse_code: code, version, state })
        return new StockFollower(reader, code, { states, onCopy })
      }),
    )
    const shipping = await readShipping(client)
    const load = new Load(
      {
        buyers: new Buyers({
          client: recordOrders(client, history),
          shipping,
          buyers,
          random: new Random(seed, 3),
        }),
        mover: new Mover(new ErpControls(installation.erp, signal), new Random(seed, 4), history),
        ended,
      },
      { stock, events: new EventFollower(reader) },
    )
    load.#start()
    return load
  }

  /** A signal that is aborted if a client gets a response that the contract does not have. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  get orders(): number {
    return this.#parts.buyers.known
  }

  get mover(): Mover {
    return this.#parts.mover
  }

  #start() {
    const { buyers, mover } = this.#parts
    const onFailure = (error: unknown) => this.#failed.abort(error)
    buyers.start(onFailure)
    mover.start(onFailure)
    const isOver = () => this.#isOver
    const following = [...this.stockFollowers, this.eventFollower].map((each) => each.followUntil(isOver))
    this.#following = Promise.all(following).catch(onFailure)
  }

  /** Waits until buyers get outcomes again. Returns false if they do not in time. */
  async isServedAgain(signal: AbortSignal): Promise<boolean> {
    const enough = this.orders + servedOrders
    for (let waited = 0; waited < servedMs; waited += pollMs) {
      if (this.orders >= enough) return true
      await wait(pollMs, undefined, { signal })
    }
    return false
  }

  /** Stops buyers and movements. Returns the outcome of each order. The followers go on. */
  async stopBuying(): Promise<Entry[]> {
    const { buyers, mover } = this.#parts
    const [entries] = await Promise.all([buyers.stop(unknownMs), mover.stop()])
    return entries
  }

  /** Stops the followers. */
  async stopFollowing(): Promise<void> {
    this.#isOver = true
    await this.#following
  }

  /** Ends every request that still waits. */
  end(): void {
    this.#isOver = true
    this.#ended.abort(new Error('The trial is over.'))
  }
}
