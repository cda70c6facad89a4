/** Everything that works while the faults happen: buyers, a holder, followers, and the ERP's own movements. */
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { JudgedHistory } from '../judged-history.ts'
import { ErpControls } from '../order-replay/erp-controls.ts'
import { EventFollower } from '../order-replay/event-follower.ts'
import { FollowedStock } from '../order-replay/followed-stock.ts'
import { warehouses } from '../order-replay/opening-stock.ts'
import type { Entry } from '../order-replay/place-order.ts'
import { recordOrders } from '../order-replay/recorded-orders.ts'
import { readShipping } from '../order-replay/replay-system.ts'
import { Buyers } from './buyers.ts'
import type { FaultTimes } from './fault-times.ts'
import { Holder } from './holder.ts'
import type { Installation } from './installation.ts'
import { Mover } from './mover.ts'

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
  readonly history: Pick<JudgedHistory, 'recorder' | 'isRecorded'>
}

interface LoadParts {
  readonly buyers: Buyers
  readonly holder: Holder
  readonly mover: Mover
}

export class Load {
  readonly #parts: LoadParts
  readonly stock: FollowedStock
  readonly eventFollower: EventFollower
  readonly #failed = new AbortController()
  /** Ends the requests of buyers that still wait when their time is over. */
  readonly #ended: AbortController
  #following: Promise<unknown> = Promise.resolve()
  #isOver = false

  private constructor(
    parts: LoadParts & { readonly ended: AbortController },
    followers: { readonly stock: FollowedStock; readonly events: EventFollower },
  ) {
    this.#parts = parts
    this.#ended = parts.ended
    this.stock = followers.stock
    this.eventFollower = followers.events
  }

  /** Starts the clients. They work until `stop`, or until `signal` is aborted. */
  static async start(plan: LoadPlan, signal: AbortSignal): Promise<Load> {
    const { installation, times, buyers, seed } = plan
    const { recorder: history } = plan.history
    const ended = new AbortController()
    const watch = {
      onResponse: times.recordWait.bind(times),
      onRefusals: times.recordRefusals.bind(times),
      signal: AbortSignal.any([signal, ended.signal]),
    }
    const client = installation.createClient(installation.urls, watch)
    const reader = installation.createClient(installation.allUrls, watch)
    const shipping = await readShipping(client)
    const databaseUrl = installation.postgres.url
    const stock = await FollowedStock.begin({
      client: reader,
      warehouses,
      history: plan.history,
      databaseUrl,
    })
    const load = new Load(
      {
        buyers: new Buyers({
          client: recordOrders(client, history),
          shipping,
          buyers,
          random: new Random(seed, 3),
        }),
        holder: new Holder({ client, random: new Random(seed, 5), history }),
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

  /** The number of holds of which a client was told. */
  get holds(): number {
    return this.#parts.holder.holds
  }

  get mover(): Mover {
    return this.#parts.mover
  }

  #start() {
    const { buyers, holder, mover } = this.#parts
    const onFailure = (error: unknown) => this.#failed.abort(error)
    buyers.start(onFailure)
    holder.start(onFailure)
    mover.start(onFailure)
    const isOver = () => this.#isOver
    const following = [...this.stock.followers, this.eventFollower].map((each) => each.followUntil(isOver))
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

  /** Stops buyers, holds and movements. Returns the outcome of each order. The followers go on. */
  async stopBuying(): Promise<Entry[]> {
    const { buyers, holder, mover } = this.#parts
    const [entries] = await Promise.all([buyers.stop(unknownMs), holder.stop(unknownMs), mover.stop()])
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
