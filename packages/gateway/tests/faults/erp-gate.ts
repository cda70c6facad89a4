import { callOperation, createErp, type Erp, operations, UnknownOutcome } from '@trade-gateway/connector'
import type { TestClock } from '../harness.ts'
import type { SeededRandom } from './dice.ts'

/**
 * What can happen to a write to the ERP: it may be lost, delayed or sent twice, or the process may crash. A delayed
 * write still arrives within the time that the ERP promises.
 */
export const fates = ['fine', 'not sent', 'fails before', 'fails after', 'late', 'twice', 'crash'] as const
export type Fate = (typeof fates)[number]

/** Thrown in a process that has ended, so that its pending work never continues. */
export class Crashed extends Error {}

interface Late {
  readonly due: number
  readonly deliver: () => Promise<unknown>
}

export interface GateOptions {
  readonly clock: TestClock
  readonly dice: SeededRandom
  readonly fates: readonly Fate[]
  readonly maxRequestMs: number
}

/** Wraps an ERP. Each call waits before it reaches the ERP and again before its response, until it is released. */
export class ErpGate {
  readonly erp: Erp
  readonly #inner: Erp
  #options: GateOptions | undefined
  readonly #waiting: (() => void)[] = []
  #lates: Late[] = []
  #isOpen = true

  constructor(inner: Erp) {
    this.#inner = inner
    this.erp = createErp((id, input, callOptions) => {
      const deliver = () => callOperation(inner, id, input, callOptions)
      if (this.#isOpen) return deliver()
      return operations[id].kind === 'write' ? this.#write(deliver) : this.#read(deliver)
    })
  }

  /** Makes calls wait from now on. Random choices decide what happens to writes. */
  close(options: GateOptions) {
    this.#options = options
    this.#isOpen = false
  }

  /** Makes calls pass at once from now on. No call may be waiting. */
  open() {
    this.#isOpen = true
  }

  get #readOptions(): GateOptions {
    if (!this.#options) throw new Error('The gate was never closed.')
    return this.#options
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Releases one waiting call. */
  release(choice: number) {
    const [go] = this.#waiting.splice(choice % this.#waiting.length, 1)
    go?.()
  }

  /** Advances the clock. Delayed calls arrive when their time has come. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#readOptions
    const target = clock.now() + ms
    for (;;) {
      const next = this.#lates.filter(({ due }) => due <= target).sort((a, b) => a.due - b.due)[0]
      if (!next) break
      this.#lates = this.#lates.filter((late) => late !== next)
      clock.advance(Math.max(0, next.due - clock.now()))
      await next.deliver().catch(() => {})
    }
    clock.advance(target - clock.now())
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  async #read<T>(deliver: () => Promise<T>): Promise<T> {
    await this.#wait()
    const answer = await deliver()
    await this.#wait()
    return answer
  }

  async #write<T>(deliver: () => Promise<T>): Promise<T> {
    const { clock, dice, maxRequestMs, fates } = this.#readOptions
    const fate = dice.pick(fates)
    const sentAt = clock.now()
    await this.#wait()
    if (fate === 'not sent') throw new UnknownOutcome('unreachable', 'It never left.', { sent: false })
    if (fate === 'fails before') throw new UnknownOutcome('failed', 'It failed before it did anything.')
    if (fate === 'crash' && dice.drawBoolean(0.5)) throw new Crashed('before the ERP had it')
    if (fate === 'late') {
      this.#lates.push({ due: sentAt + dice.drawInteger(0, maxRequestMs - 1), deliver })
      throw new UnknownOutcome('timeout', 'It takes too long.')
    }
    const first = await deliver()
    const answer = fate === 'twice' ? await deliver() : first
    await this.#wait()
    if (fate === 'fails after') throw new UnknownOutcome('failed', 'Its answer was lost.')
    if (fate === 'crash') throw new Crashed('after the ERP had it')
    return answer
  }

  /** Whether a call that nobody waits for any more will still arrive at the ERP. */
  get hasLateCalls(): boolean {
    return this.#lates.length > 0
  }

  get inner(): Erp {
    return this.#inner
  }
}
