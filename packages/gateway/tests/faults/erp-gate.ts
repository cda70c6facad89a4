import { callAny, type Erp, erpFrom, operations, UnknownOutcome } from '@trade-gateway/connector'
import type { TestClock } from '../harness.ts'
import type { Dice } from './dice.ts'

/**
 * Stands between a gateway and its ERP. Every call waits before it is delivered and before its answer is, until it is
 * let go on; and a write may meet a fate. A call that is delivered late is delivered within the time that the ERP
 * promises, and never after it.
 */
export const fates = ['fine', 'not sent', 'fails before', 'fails after', 'late', 'twice', 'crash'] as const
export type Fate = (typeof fates)[number]

/** The process is gone: whatever it was about to do is not done. */
export class Crashed extends Error {}

interface Late {
  readonly due: number
  readonly deliver: () => Promise<unknown>
}

export interface GateOptions {
  readonly clock: TestClock
  readonly dice: Dice
  readonly fates: readonly Fate[]
  readonly maxRequestMs: number
}

export class ErpGate {
  readonly erp: Erp
  readonly #inner: Erp
  #options: GateOptions | undefined
  readonly #waiting: (() => void)[] = []
  #lates: Late[] = []
  #isOpen = true

  constructor(inner: Erp) {
    this.#inner = inner
    this.erp = erpFrom((id, input, callOptions) => {
      const deliver = () => callAny(inner, id, input, callOptions)
      if (this.#isOpen) return deliver()
      return operations[id].kind === 'write' ? this.#write(deliver) : this.#read(deliver)
    })
  }

  /** From now on calls wait, and writes meet what the dice say. */
  close(options: GateOptions) {
    this.#options = options
    this.#isOpen = false
  }

  /** From now on calls pass at once; nothing may wait any more. */
  open() {
    this.#isOpen = true
  }

  get #how(): GateOptions {
    if (!this.#options) throw new Error('The gate was never closed.')
    return this.#options
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Lets one waiting call go on. */
  release(choice: number) {
    const [go] = this.#waiting.splice(choice % this.#waiting.length, 1)
    go?.()
  }

  /** Lets time pass; what is late arrives at its time. */
  async advance(ms: number): Promise<void> {
    const { clock } = this.#how
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
    const { clock, dice, maxRequestMs, fates } = this.#how
    const fate = dice.pick(fates)
    const sentAt = clock.now()
    await this.#wait()
    if (fate === 'not sent') throw new UnknownOutcome('unreachable', 'It never left.', { sent: false })
    if (fate === 'fails before') throw new UnknownOutcome('failed', 'It failed before it did anything.')
    if (fate === 'crash' && dice.chance(0.5)) throw new Crashed('before the ERP had it')
    if (fate === 'late') {
      this.#lates.push({ due: sentAt + dice.whole(0, maxRequestMs - 1), deliver })
      throw new UnknownOutcome('timeout', 'It takes too long.')
    }
    const first = await deliver()
    const answer = fate === 'twice' ? await deliver() : first
    await this.#wait()
    if (fate === 'fails after') throw new UnknownOutcome('failed', 'Its answer was lost.')
    if (fate === 'crash') throw new Crashed('after the ERP had it')
    return answer
  }

  /** Whether a call was given up and is still to arrive. */
  get isAnythingLate(): boolean {
    return this.#lates.length > 0
  }

  get inner(): Erp {
    return this.#inner
  }
}
