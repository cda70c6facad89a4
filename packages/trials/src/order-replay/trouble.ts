/**
 * What goes wrong in a replay with faults: the ERP fails by a seeded plan, and gateway and ERP are killed at moments
 * drawn from the seed, each named by how many answers the clients have had, so that they fall anywhere in an order.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { Tally } from '../tally.ts'
import type { ErpDesk } from './erp-desk.ts'
import type { Supervised } from './supervised.ts'
import type { ErpClass } from './wanted.ts'

/** So many orders for each kill of the gateway, and of the ERP. */
const ordersPerKill = 400
const answersPerOrder = 3
const mostDelayMs = 25
/** The n-th start of an ERP of a seed has a plan of its own; otherwise each would begin with the same faults. */
const startsPerSeed = 100_000

/**
 * The plan of faults. A request that a network delivers twice is made twice by an ERP that does not notice, whatever
 * the gateway does; so that fault is for an ERP that does. What arrives late is seen by look-ups before the ERP's
 * `max_request_ms` is over, as it promises.
 */
export function faultPlanFor(erp_class: ErpClass, seed: number) {
  return {
    seed,
    before: 0.02,
    after_commit: 0.02,
    cut: 0.02,
    hang: 0.003,
    hang_after_commit: 0.004,
    slow: 0.03,
    duplicate: erp_class === 'dedupe' ? 0.02 : 0,
    late: 0.003,
    slow_ms: 300,
    late_ms: 1_000,
    lookup_lag_ms: 1_000,
  }
}

/** After how many answers each kill comes, ascending. */
export function momentsFor(orders: number, random: Random): number[] {
  const kills = Math.max(1, Math.round(orders / ordersPerKill))
  const answers = orders * answersPerOrder
  return Array.from({ length: kills }, () => random.whole(1, answers)).toSorted((one, other) => one - other)
}

interface Victims {
  readonly gateway: Supervised
  readonly erp: Supervised
  readonly desk: ErpDesk
}

/** Trouble for a number of orders; nothing goes wrong before `begin` and after `end`. */
export class Trouble {
  readonly kills = { gateway: 0, erp: 0 }
  /** How many faults the ERP had, by what they were. */
  readonly faults: Tally = new Map()
  readonly #victims: Victims
  readonly #erp_class: ErpClass
  readonly #seed: number
  readonly #random: Random
  readonly #moments: { readonly gateway: number[]; readonly erp: number[] }
  readonly #failed = new AbortController()
  #busy: Promise<void> = Promise.resolve()
  #answers = 0
  #isOver = true

  constructor(victims: Victims, erp_class: ErpClass, seed: number, orders: number) {
    this.#victims = victims
    this.#erp_class = erp_class
    this.#seed = seed
    this.#random = new Random(seed, 3)
    this.#moments = {
      gateway: momentsFor(orders, new Random(seed, 4)),
      erp: momentsFor(orders, new Random(seed, 5)),
    }
  }

  /** Aborted where a process did not come back. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  async begin(): Promise<void> {
    this.#isOver = false
    await this.#plan()
  }

  /** To be told of every answer. */
  answered(): void {
    this.#answers += 1
    if (this.#isOver) return
    const { gateway, erp } = this.#moments
    if (isReached(gateway, this.#answers)) this.#next(() => this.#killGateway())
    if (isReached(erp, this.#answers)) this.#next(() => this.#killErp())
  }

  /** Ends all trouble: everything runs, nothing fails. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#busy
    this.#failed.signal.throwIfAborted()
    await this.#note()
    await this.#victims.desk.setFaults({})
  }

  #next(kill: () => Promise<void>) {
    const delay = this.#random.whole(0, mostDelayMs)
    this.#busy = this.#busy
      .then(() => wait(delay))
      .then(() => (this.#isOver ? undefined : kill()))
      .catch((error: unknown) => this.#failed.abort(error))
  }

  async #killGateway() {
    await this.#victims.gateway.kill()
    this.kills.gateway += 1
    await this.#victims.gateway.start()
  }

  async #killErp() {
    await this.#note()
    await this.#victims.erp.kill()
    this.kills.erp += 1
    await this.#victims.erp.start()
    await this.#plan()
  }

  #plan(): Promise<void> {
    const seed = this.#seed * startsPerSeed + this.kills.erp
    return this.#victims.desk.setFaults(faultPlanFor(this.#erp_class, seed))
  }

  /** The ERP counts from its start on. */
  async #note() {
    for (const [fault, times] of Object.entries(await this.#victims.desk.faultsShown()))
      this.faults.set(fault, (this.faults.get(fault) ?? 0) + times)
  }
}

function isReached(moments: number[], answers: number): boolean {
  if (moments[0] === undefined || moments[0] > answers) return false
  moments.shift()
  return true
}
