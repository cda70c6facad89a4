/** The connected ERP's description of itself. */

import { type Capabilities, type Erp, type Output, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'
import { isProof } from './evidence.ts'
import type { OperationFigures } from './operation-figures.ts'
import type { SandboxControl } from './steer.ts'
import type { ErpWatch } from './watch.ts'
import type { WriteSwitch } from './write-switch.ts'

/** The time after which the description is read again, because a restarted ERP may have other capabilities. */
const freshMs = 60_000
const describeTimeoutMs = 5_000
/** The longest wait for an ERP that is asked whether it responds again. */
const askAgainTimeoutMs = 5_000

/** How often an ERP that gives no hints (`changes: none`) is asked for all stock of a warehouse, and for all products. */
export const unhintedIntervalMs = 60_000

export type Circuit = 'closed' | 'open' | 'half_open'

interface Surroundings {
  readonly writes: WriteSwitch
  readonly figures: OperationFigures
  readonly circuit: () => Circuit
  readonly circuitSince: () => number
  readonly steer?: SandboxControl | undefined
  readonly watch?: ErpWatch
  readonly countLeftOut?: (() => number) | undefined
}

export class Description {
  readonly #erp: Erp
  readonly #clock: Clock
  readonly #circuit: () => Circuit
  readonly #circuitSince: () => number
  /** The controls of the sandbox ERP; undefined if its address is not known. */
  readonly steer: SandboxControl | undefined
  #known: Output<'describe'> | undefined
  #readAt = Number.NEGATIVE_INFINITY

  /** Decides whether writes may reach the ERP. */
  readonly writes: WriteSwitch
  /** What this process measured of its calls to the ERP. */
  readonly figures: OperationFigures
  /** Reports whether the ERP responds; undefined if no watch was configured. */
  readonly watch: ErpWatch | undefined
  /** Returns the number of rows of the ERP that the gateway left out, because no database can store their text. */
  readonly leftOut: () => number

  constructor(
    erp: Erp,
    clock: Clock,
    { writes, figures, circuit, circuitSince, steer, watch, countLeftOut = () => 0 }: Surroundings,
  ) {
    this.writes = writes
    this.figures = figures
    this.#circuitSince = circuitSince
    this.watch = watch
    this.leftOut = countLeftOut
    this.steer = steer
    this.#erp = erp
    this.#circuit = circuit
    this.#clock = clock
  }

  /** Whether the ERP is the built-in sandbox; false until the first description has been read. */
  get isSandbox(): boolean {
    return this.#known?.sandbox ?? false
  }

  /** The newest capabilities; undefined until the first description has been read. */
  get known(): Capabilities | undefined {
    return this.#known?.capabilities
  }

  get name(): string | undefined {
    return this.#known?.name
  }

  /** The state of the circuit breaker. */
  get circuit(): Circuit {
    return this.#circuit()
  }

  /** Since when the circuit breaker has been in its state, in epoch milliseconds. */
  get circuitSince(): number {
    return this.#circuitSince()
  }

  /** Returns the ERP's capabilities according to its newest description. Throws if the ERP has never been reached. */
  async capabilities(): Promise<Capabilities> {
    const now = this.#clock.monotonic()
    if (this.#known && now - this.#readAt < freshMs) return this.#known.capabilities
    try {
      this.#known = unwrap(await this.#erp.describe({}, withTimeout(describeTimeoutMs)))
      this.#readAt = now
    } catch (error) {
      // While the ERP does not respond, its last description still applies.
      if (!this.#known) throw error
    }
    return this.#known.capabilities
  }

  /**
   * Asks an ERP that seems away whether it responds again; one turn of the worker. A process whose jobs another one does
   * would otherwise learn it from the next call of a client only, which at night may be hours later. It asks for the
   * shipping methods, because many connectors know their description and their warehouses without asking their ERP. A
   * connector for an ERP without shipping methods knows these too, so it is asked for a product. An ERP that was restarted
   * may have another description.
   */
  async askAgain(): Promise<void> {
    const isAway = this.watch?.verdict === 'does_not_answer' || this.circuit !== 'closed'
    if (!isAway && !this.watch?.isOverdue) return
    try {
      const methods = await this.#erp.shipping_methods({}, withTimeout(askAgainTimeoutMs))
      if (!isProof('shipping_methods', {}, methods))
        await this.#erp['products.snapshot']({ after: null, limit: 1 }, withTimeout(askAgainTimeoutMs))
      await this.capabilities()
    } catch {
      // `ErpWatch` reports what comes of it.
    }
  }
}
