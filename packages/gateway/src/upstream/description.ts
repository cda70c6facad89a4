import { accepted, type Capabilities, type Erp, type Output, within } from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'
import type { Steer } from '../sandbox/steer.ts'

/** What the connected ERP says of itself, asked anew now and then: it may come back as another version. */
const freshMs = 60_000
const describeTimeoutMs = 5_000

export type Circuit = 'closed' | 'open' | 'half_open'

export class Description {
  readonly #erp: Erp
  readonly #clock: Clock
  readonly #circuit: () => Circuit
  /** The controls of the sandbox ERP; undefined where nobody knows its address. */
  readonly steer: Steer | undefined
  #known: Output<'describe'> | undefined
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(erp: Erp, clock: Clock, circuit: () => Circuit = () => 'closed', steer?: Steer) {
    this.steer = steer
    this.#erp = erp
    this.#circuit = circuit
    this.#clock = clock
  }

  /** Whether the ERP is the built-in sandbox; false until it was asked once. */
  get isSandbox(): boolean {
    return this.#known?.sandbox ?? false
  }

  /** What the ERP said when it was last asked. */
  get known(): Capabilities | undefined {
    return this.#known?.capabilities
  }

  get name(): string | undefined {
    return this.#known?.name
  }

  /** Whether calls are let through to the ERP. */
  get circuit(): Circuit {
    return this.#circuit()
  }

  /** What the ERP can do, by its newest answer. Throws where it was never reached. */
  async capabilities(): Promise<Capabilities> {
    const now = this.#clock.monotonic()
    if (this.#known && now - this.#askedAt < freshMs) return this.#known.capabilities
    try {
      this.#known = accepted(await this.#erp.describe({}, within(describeTimeoutMs)))
      this.#askedAt = now
    } catch (error) {
      // An ERP that is away has not become another one.
      if (!this.#known) throw error
    }
    return this.#known.capabilities
  }
}
