/** The gateway processes of a world: each slot has one, which is replaced after a crash. */
import { markRestored } from '@trade-gateway/gateway/store/restores'
import { findStorageTrouble } from '@trade-gateway/gateway/store/trouble'
import type { Fault, WorldPlan } from './plan.ts'
import { SimulatedProcess, type Surroundings } from './process.ts'
import { SeededRandom } from './random.ts'
import { lostAnswers } from './shared-database.ts'

interface FleetParts {
  readonly surroundings: Surroundings
  readonly random: SeededRandom
  readonly plan: WorldPlan
  /** Whether an operator says that a database was restored. Only a planted fault does not. */
  readonly isRestoreMarked: boolean
  isBusy(): boolean
  /** Whether connections to the database break. */
  isLinkBad(): boolean
}

const maxDownMs = 300
const shareOfLostAnswers = 0.15
const shareOfLostStatements = 0.01

export class Fleet {
  readonly #parts: FleetParts
  readonly #slots: SimulatedProcess[] = []
  readonly #crashes: ReadonlyMap<number, Extract<Fault, { kind: 'crash' }>>
  #starts = 0
  #isDown = false
  /** The number of crashes at commits so far. */
  crashes = 0
  /** When a process stood still at last, in milliseconds since the world began. */
  #pausedUntil = Number.NEGATIVE_INFINITY

  constructor(parts: FleetParts) {
    this.#parts = parts
    const crashes = parts.plan.faults.filter((fault) => fault.kind === 'crash')
    this.#crashes = new Map(crashes.map((fault) => [fault.start, fault]))
  }

  /** Starts a process in every slot. */
  async start(): Promise<void> {
    for (const slot of this.#parts.plan.processes.keys()) await this.#begin(slot)
  }

  /** Returns the process that a load balancer chooses. */
  pick(): SimulatedProcess | undefined {
    return this.#slots.length === 0 ? undefined : this.#parts.random.pick(this.#slots)
  }

  hasPausedSince(elapsedMs: number): boolean {
    return this.#pausedUntil >= elapsedMs
  }

  /** Lets a process stand still, with its locks and its transaction. */
  pause(slot: number, ms: number) {
    const process = this.#slots[slot]
    if (!process) return
    process.pausedUntil = this.#parts.surroundings.scheduler.elapsedMs + ms
    this.#pausedUntil = Math.max(this.#pausedUntil, process.pausedUntil)
  }

  turnClock(slot: number, ms: number) {
    const process = this.#slots[slot]
    if (process) process.skewMs += ms
  }

  /** Ends the session in which a process holds its locks. */
  loseLocks(slot: number) {
    this.#slots[slot]?.loseLocks()
  }

  /** Ends a process as its operator does. */
  async restart(slot: number): Promise<void> {
    const process = this.#slots[slot]
    if (!process?.gateway) return
    await Promise.race([process.stop(), process.ended])
    process.crash()
  }

  /** Ends all processes, replaces the database by an older copy, and starts them again. */
  async restore(copy: Uint8Array, takenAt: number, onRestored: () => void): Promise<void> {
    const { surroundings, isRestoreMarked } = this.#parts
    const { database, scheduler, processes } = surroundings
    this.#isDown = true
    for (const process of processes) process.crash()
    database.restore(copy)
    onRestored()
    database.isFull = false
    const operator = new SimulatedProcess(surroundings, `operator-${this.#starts}`, 0)
    if (isRestoreMarked)
      await scheduler.runAs(operator, () => markRestored(operator.createStore().db, takenAt))
    operator.crash()
    this.#isDown = false
  }

  /** Starts a process in a slot, and another one after its end. */
  async #begin(slot: number): Promise<void> {
    const { surroundings, plan, isBusy, isLinkBad } = this.#parts
    this.#starts += 1
    const process = new SimulatedProcess(surroundings, `gateway-${this.#starts}`, plan.processes[slot] ?? 0)
    const crash = this.#crashes.get(this.#starts)
    let commits = 0
    process.drawCommitFate = () => {
      if (isBusy()) commits += 1
      if (!isBusy() || crash?.commit !== commits) return undefined
      this.crashes += 1
      return crash.side
    }
    const link = new SeededRandom(plan.seed, `database link ${this.#starts}`)
    process.drawLostAnswer = () =>
      isLinkBad() && link.chance(shareOfLostAnswers) ? link.pick(lostAnswers) : undefined
    process.drawLostStatement = () => isLinkBad() && link.chance(shareOfLostStatements)
    void process.ended.then(() => this.#replace(slot))
    this.#slots[slot] = process
    const started = process.start().catch((error: unknown) => {
      // The program ends with an error, and its supervisor starts it again.
      if (findStorageTrouble(error) === undefined) surroundings.scheduler.fault = error
      process.crash()
    })
    await Promise.race([started, process.ended])
  }

  async #replace(slot: number): Promise<void> {
    const { surroundings, random } = this.#parts
    do await surroundings.scheduler.sleep(random.integer(20, maxDownMs))
    while (this.#isDown)
    await this.#begin(slot)
  }
}
