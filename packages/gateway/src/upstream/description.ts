import { accepted, type Capabilities, type Erp, type Output, within } from '@trade-gateway/connector'
import type { Clock } from '../kernel/clock.ts'

/** What the connected ERP says of itself, asked anew now and then: it may come back as another version. */
const freshMs = 60_000
const describeTimeoutMs = 5_000

export class Description {
  readonly #erp: Erp
  readonly #clock: Clock
  #known: Output<'describe'> | undefined
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(erp: Erp, clock: Clock) {
    this.#erp = erp
    this.#clock = clock
  }

  /** Whether the ERP is the built-in sandbox; false until it was asked once. */
  get isSandbox(): boolean {
    return this.#known?.sandbox ?? false
  }

  /** What the ERP can do. Throws where it was never reached. */
  async capabilities(): Promise<Capabilities> {
    const now = this.#clock.monotonic()
    if (!this.#known || now - this.#askedAt >= freshMs) {
      this.#known = accepted(await this.#erp.describe({}, within(describeTimeoutMs)))
      this.#askedAt = now
    }
    return this.#known.capabilities
  }
}
