/**
 * Injects faults into a replay. An ERP that can do so fails by a seeded plan, and the replay kills the gateway and each
 * process of the ERP, or stops them for a while, at random times drawn from the seed. A time is a number of responses to the clients, so that a kill
 * can hit any step of an order; each order counts for as many, so that the retries of one do not bring the kills of the
 * others forward. If the writes of the ERP have named steps, the kill follows the next step whose turn it is.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Random } from '../../../sandbox-erp/src/catalogue/random.ts'
import type { Tally } from '../tally.ts'
import type { Blow, ErpFaults, ReplayErp } from './replay-erp.ts'
import { StepTurns } from './step-turns.ts'

const responsesPerOrder = 3
const maxDelayMs = 25
/**
 * The number of seeds that are reserved for one replay. Each start of the ERP takes another seed, because it would
 * repeat the same faults with the same one.
 */
const startsPerSeed = 100_000

/** Draws the times of one blow as numbers of responses, in ascending order: at least one. */
export function drawBlowTimes(
  { orders, orders_per_blow }: { readonly orders: number; readonly orders_per_blow: number },
  random: Random,
): number[] {
  const blows = Math.max(1, Math.round(orders / orders_per_blow))
  const answers = orders * responsesPerOrder
  return Array.from({ length: blows }, () => random.drawInteger(1, answers)).toSorted(
    (one, other) => one - other,
  )
}

interface Targets {
  readonly gateway: Blow
  readonly erp: Pick<ReplayErp, 'faults' | 'onStep'> & { readonly victims: readonly Blow[] }
  /** Further blows, from which a process comes back with what it had in memory. */
  readonly stops?: { readonly blows: readonly Blow[]; readonly orders_per_blow: number } | undefined
}

interface InjectionPlan {
  readonly seed: number
  /** The number of orders. */
  readonly orders: number
  readonly orders_per_kill: number
}

/** A blow with the numbers of responses at which it falls. */
interface Condemned {
  readonly victim: Blow
  readonly moments: number[]
  /** Whether the ERP's own faults end with it. */
  readonly endsFaults: boolean
}

/** The injector of a replay's faults, which are injected only between `begin` and `end`. */
export class FaultInjector {
  /** The number of kills of each process, and of the times for which it was stopped. */
  readonly kills: Record<string, number>
  /** The number of injected faults by code. */
  readonly faults: Tally = new Map()
  readonly #erpFaults: ErpFaults | undefined
  readonly #seed: number
  readonly #random: Random
  readonly #condemned: readonly Condemned[]
  readonly #failed = new AbortController()
  /** The processes that are killed after a step; undefined if the writes have no named steps. */
  readonly #due: Condemned[] | undefined
  readonly #turns = new StepTurns()
  #busy: Promise<void> = Promise.resolve()
  #answers = 0
  #orders = 0
  #erpKills = 0
  #isOver = true
  #isRestarting = false

  constructor({ gateway, erp, stops }: Targets, plan: InjectionPlan) {
    const { seed, orders, orders_per_kill } = plan
    this.#erpFaults = erp.faults
    this.#seed = seed
    this.#random = new Random(seed, 3)
    const orders_per_blow = orders_per_kill
    const groups = [
      { blows: [gateway], orders_per_blow, endsFaults: false },
      { blows: erp.victims, orders_per_blow, endsFaults: true },
      ...(stops ? [{ ...stops, endsFaults: false }] : []),
    ]
    // Each blow has a stream of random numbers of its own.
    let stream = 4
    this.#condemned = groups.flatMap(({ blows, endsFaults, ...group }) =>
      blows.map((victim) => {
        const moments = drawBlowTimes({ orders, ...group }, new Random(seed, stream++))
        return { victim, moments, endsFaults }
      }),
    )
    this.kills = Object.fromEntries(this.#condemned.map(({ victim }) => [victim.name, 0]))
    if (erp.onStep) this.#due = []
    erp.onStep?.((step) => this.#takeStep(step))
  }

  /** The number of kills of each process after each named step. */
  get killsAfterSteps(): StepTurns['kills'] {
    return this.#turns.kills
  }

  /** A signal that is aborted if a process does not restart. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  async begin(): Promise<void> {
    this.#isOver = false
    await this.#installFaults()
  }

  /**
   * Counts a response and schedules the kills that are due at it. The caller reports each response. Those during a restart
   * are not counted, and neither are more than an order has: they are mostly retries.
   */
  countResponse(): void {
    const isRetry = this.#answers >= (this.#orders + 1) * responsesPerOrder
    if (!isRetry) this.#advance(this.#answers + 1)
  }

  /** Counts an order that has ended. The caller reports each, with the number of those that have ended. */
  countOrder(ended: number): void {
    this.#orders = ended
    this.#advance(Math.max(this.#answers, ended * responsesPerOrder))
  }

  #advance(answers: number): void {
    if (this.#isOver || this.#isRestarting) return
    this.#answers = answers
    for (const condemned of this.#condemned)
      while (removeIfReached(condemned.moments, answers)) {
        if (this.#due) this.#due.push(condemned)
        else this.#scheduleKill(condemned, this.#random.drawInteger(0, maxDelayMs))
      }
  }

  /** Stops all faults and waits until every process runs again. */
  async end(): Promise<void> {
    this.#isOver = true
    await this.#busy
    this.#failed.signal.throwIfAborted()
    await this.#recordFaults()
    await this.#erpFaults?.remove()
  }

  /** One kill waits until the process of the one before it runs again: a connector may need its ERP to start. */
  #scheduleKill(condemned: Condemned, delayMs: number, onKilled = () => {}) {
    this.#busy = this.#busy
      .then(() => wait(delayMs))
      .then(() => (this.#isOver ? undefined : this.#kill(condemned, onKilled)))
      .catch((error: unknown) => this.#failed.abort(error))
      .finally(onKilled)
  }

  /** Kills the process whose turn it is after a step. Resolves when it has ended: the write goes on without it. */
  async #takeStep(step: string): Promise<void> {
    const due = this.#due ?? []
    if (this.#isOver || this.#isRestarting) return
    const at = due.findIndex(({ victim }) => this.#turns.take(victim.name, step))
    const [condemned] = at < 0 ? [] : due.splice(at, 1)
    if (!condemned) return
    this.#isRestarting = true
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#scheduleKill(condemned, 0, resolve)
    await promise
  }

  async #kill({ victim, endsFaults }: Condemned, onKilled: () => void) {
    if (endsFaults) await this.#recordFaults()
    this.#isRestarting = true
    await victim.kill()
    onKilled()
    this.kills[victim.name] = (this.kills[victim.name] ?? 0) + 1
    await victim.start()
    this.#isRestarting = false
    if (!endsFaults) return
    this.#erpKills += 1
    await this.#installFaults()
  }

  async #installFaults(): Promise<void> {
    await this.#erpFaults?.install(this.#seed * startsPerSeed + this.#erpKills)
  }

  /** Adds the ERP's fault counts, which start at zero with each start of the ERP. */
  async #recordFaults() {
    for (const [fault, times] of Object.entries((await this.#erpFaults?.count()) ?? {}))
      this.faults.set(fault, (this.faults.get(fault) ?? 0) + times)
  }
}

function removeIfReached(moments: number[], answers: number): boolean {
  if (moments[0] === undefined || moments[0] > answers) return false
  moments.shift()
  return true
}
