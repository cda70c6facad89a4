/**
 * Injects faults into a replay. The ERP fails by a seeded plan, and the replay kills the gateway and the ERP at random
 * times drawn from the seed. A time is a number of responses to the clients, so that a kill can hit any step of an
 * order.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { Tally } from '../tally.ts'
import type { ErpControls } from './erp-controls.ts'
import type { ErpClass } from './options.ts'
import type { SupervisedProcess } from './supervised-process.ts'

/** The gateway and the ERP are each killed once for this number of orders. */
const ordersPerKill = 400
const responsesPerOrder = 3
const maxDelayMs = 25
/**
 * The number of seeds that are reserved for one replay. Each start of the ERP takes another seed, because it would
 * repeat the same faults with the same one.
 */
const startsPerSeed = 100_000

/**
 * Creates the fault plan. Only an ERP that detects repeated references gets duplicated requests; any other ERP would
 * execute both, whatever the gateway does. Late requests take effect within the `max_request_ms` that the ERP declares.
 */
export function createFaultPlan(erp_class: ErpClass, seed: number) {
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

/** Draws the kill times as numbers of responses, in ascending order. */
export function drawKillTimes(orders: number, random: Random): number[] {
  const kills = Math.max(1, Math.round(orders / ordersPerKill))
  const answers = orders * responsesPerOrder
  return Array.from({ length: kills }, () => random.drawInteger(1, answers)).toSorted(
    (one, other) => one - other,
  )
}

interface Victims {
  readonly gateway: SupervisedProcess
  readonly erp: SupervisedProcess
  readonly erpControls: ErpControls
}

interface InjectionPlan {
  readonly erp_class: ErpClass
  readonly seed: number
  /** The number of orders. */
  readonly orders: number
}

/** The injector of a replay's faults, which are injected only between `begin` and `end`. */
export class FaultInjector {
  readonly kills = { gateway: 0, erp: 0 }
  /** The number of injected faults by code. */
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

  constructor(victims: Victims, { erp_class, seed, orders }: InjectionPlan) {
    this.#victims = victims
    this.#erp_class = erp_class
    this.#seed = seed
    this.#random = new Random(seed, 3)
    this.#moments = {
      gateway: drawKillTimes(orders, new Random(seed, 4)),
      erp: drawKillTimes(orders, new Random(seed, 5)),
    }
  }

  /** A signal that is aborted if a process does not restart. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  async begin(): Promise<void> {
    this.#isOver = false
    await this.#installFaultPlan()
  }

  /** Counts a response and schedules the kills that are due at it. The caller reports each response. */
  countResponse(): void {
    this.#answers += 1
    if (this.#isOver) return
    const { gateway, erp } = this.#moments
    if (removeIfReached(gateway, this.#answers)) this.#scheduleKill(() => this.#killGateway())
    if (removeIfReached(erp, this.#answers)) this.#scheduleKill(() => this.#killErp())
  }

  /** Stops all faults and waits until every process runs again. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#busy
    this.#failed.signal.throwIfAborted()
    await this.#recordFaults()
    await this.#victims.erpControls.setFaults({})
  }

  #scheduleKill(kill: () => Promise<void>) {
    const delay = this.#random.drawInteger(0, maxDelayMs)
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
    await this.#recordFaults()
    await this.#victims.erp.kill()
    this.kills.erp += 1
    await this.#victims.erp.start()
    await this.#installFaultPlan()
  }

  #installFaultPlan(): Promise<void> {
    const seed = this.#seed * startsPerSeed + this.kills.erp
    return this.#victims.erpControls.setFaults(createFaultPlan(this.#erp_class, seed))
  }

  /** Adds the ERP's fault counts, which start at zero with each start of the ERP. */
  async #recordFaults() {
    for (const [fault, times] of Object.entries(await this.#victims.erpControls.countFaults()))
      this.faults.set(fault, (this.faults.get(fault) ?? 0) + times)
  }
}

function removeIfReached(moments: number[], answers: number): boolean {
  if (moments[0] === undefined || moments[0] > answers) return false
  moments.shift()
  return true
}
