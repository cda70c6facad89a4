/** Lets the faults of a plan happen at their times, while the world is busy. */
import { type ReadEvent, toReadEvent } from './clients/event-follower.ts'
import type { Fleet } from './fleet.ts'
import type { HistoryRecorder } from './history/recorder.ts'
import type { Fault, WorldPlan } from './plan.ts'
import { SimulatedProcess, type Surroundings } from './process.ts'

/** Those with a number and those that have none yet. */
const allEvents = `select event_id, type, data from events
  union all select event_id, type, data from outbox order by event_id`

/** For how long a preview holds stock. */
const holdMs = 15 * 60_000

/** The faults that last, and that others ask for. */
type LastingFault =
  | 'bad network to the ERP'
  | 'bad network to clients'
  | 'bad network to the database'
  | 'ERP away'

interface CalamityParts {
  readonly plan: WorldPlan
  readonly surroundings: Surroundings
  readonly fleet: Fleet
  readonly recorder: HistoryRecorder
  /** Called when an older copy has replaced the database, before any process uses it. */
  onRestore(): void
}

export class Calamities {
  readonly #parts: CalamityParts
  /** When the busy time began, in milliseconds since the world began; undefined before and after it. */
  #busySince: number | undefined
  /** The events that the database had before a restore and not after it; undefined without a restore. */
  lostEvents: readonly ReadEvent[] | undefined

  constructor(parts: CalamityParts) {
    this.#parts = parts
  }

  get isBusy(): boolean {
    return this.#busySince !== undefined
  }

  /** Begins the busy time. The promise ends with the last fault that has a time. */
  async begin(): Promise<void> {
    const { plan, surroundings } = this.#parts
    this.#busySince = surroundings.scheduler.elapsedMs
    await Promise.all(plan.faults.map((fault) => this.#inflict(fault)))
  }

  end() {
    this.#busySince = undefined
  }

  isDuring(kind: LastingFault): boolean {
    return this.#parts.plan.faults.some((fault) => fault.kind === kind && this.#isNow(fault))
  }

  /** Returns how a receiver behaves now; undefined if it is well. */
  findMood(receiver: number) {
    const found = this.#parts.plan.faults
      .filter((fault) => fault.kind === 'receiver')
      .find((fault) => fault.receiver === receiver && this.#isNow(fault))
    return found?.mood
  }

  #isNow({ at, ms }: { readonly at: number; readonly ms: number }): boolean {
    if (this.#busySince === undefined) return false
    const since = this.#parts.surroundings.scheduler.elapsedMs - this.#busySince
    return since >= at && since < at + ms
  }

  /** Lets a fault happen at its time. Crashes belong to the fleet, and other parts ask for faults that last. */
  async #inflict(fault: Fault): Promise<void> {
    const { surroundings, fleet } = this.#parts
    const { scheduler, database } = surroundings
    if (fault.kind === 'crash') return
    if (fault.kind === 'restore') return this.#restore(fault)
    await scheduler.sleep(fault.at)
    if (fault.kind === 'restart') await fleet.restart(fault.slot)
    else if (fault.kind === 'pause') fleet.pause(fault.slot, fault.ms)
    else if (fault.kind === 'clock') fleet.turnClock(fault.slot, fault.by)
    else if (fault.kind === 'database clock') this.#turnDatabaseClock(fault.by)
    else if (fault.kind === 'lost locks') fleet.loseLocks(fault.slot)
    else if (fault.kind === 'full disk') {
      database.isFull = true
      await scheduler.sleep(fault.ms)
      database.isFull = false
    }
  }

  #turnDatabaseClock(by: number) {
    // By a clock that is that far ahead, holds end early.
    if (by >= holdMs) this.#parts.recorder.observe('world', 'time.jumped', {})
    this.#parts.surroundings.database.aheadMs += by
  }

  async #restore({ takenAt, at }: Extract<Fault, { kind: 'restore' }>): Promise<void> {
    const { surroundings, fleet } = this.#parts
    const { scheduler, database } = surroundings
    await scheduler.sleep(takenAt)
    const { time } = database
    const operator = new SimulatedProcess(surroundings, 'backup', 0)
    const copy = await database.copy(operator)
    operator.crash()
    await scheduler.sleep(at - takenAt)
    const before = this.#listEvents()
    await fleet.restore(copy, time, () => this.#parts.onRestore())
    const kept = new Set(this.#listEvents().map(({ event_id }) => event_id))
    this.lostEvents = before.filter(({ event_id }) => !kept.has(event_id))
  }

  #listEvents(): ReadEvent[] {
    return this.#parts.surroundings.database
      .read(allEvents)
      .map(({ event_id, type, data }) =>
        toReadEvent({ event_id: String(event_id), type: String(type), data: JSON.parse(String(data)) }),
      )
  }
}
