/**
 * A write takes several calls of Medusa. Each runs inside the deadline of its request, so that nothing takes effect
 * after `max_request_ms`: no call begins after `maxStartMs`, and none takes longer than `maxCallMs`.
 */
import { UnknownOutcome } from '@trade-gateway/connector'
import type { Environment } from './environment.ts'
import { isFailure } from './failures.ts'
import { maxCallMs } from './http.ts'

/** The time after which a request begins no further call, in milliseconds. */
const maxStartMs = 25_000
/** The time after which a request no longer takes effect. */
export const maxRequestMs = maxStartMs + maxCallMs
/** The number of references of unknown outcome that are remembered. */
const maxUnsettled = 10_000

/** The steps of writes in their order, for tests that cut a write after one of them. */
export const stepNames = [
  'hold.reserve',
  'hold.end',
  'hold.revive',
  'hold.delete',
  'intent.create',
  'intent.delete',
  'draft.create',
  'draft.record',
  'draft.delete',
  'draft.convert',
  'surplus.delete',
  'order.cancel',
  'fence.create',
] as const
export type StepName = (typeof stepNames)[number]

/** Called after each step. A test throws here, as if the process had been killed at this moment. */
export type StepHook = (step: StepName, reference: string) => void

/** The steps of one write. */
export class Steps {
  readonly #environment: Environment
  readonly #until: number
  readonly #hook: StepHook | undefined
  readonly reference: string

  constructor(environment: Environment, reference: string, hook?: StepHook) {
    this.#environment = environment
    this.#until = environment.elapsed() + maxStartMs
    this.#hook = hook
    this.reference = reference
  }

  /** Runs one call that changes something. Throws if none may begin any more. */
  async run<T>(name: StepName, step: () => Promise<T>): Promise<T> {
    if (this.#environment.elapsed() >= this.#until)
      throw new UnknownOutcome('timeout', `${name} was not begun, because the request took too long.`)
    const result = await step()
    this.#hook?.(name, this.reference)
    return result
  }
}

/** Remembers when a call under a reference ended without a result, so that its effect may still come. */
export class Unsettled {
  readonly #environment: Environment
  readonly #until = new Map<string, number>()

  constructor(environment: Environment) {
    this.#environment = environment
  }

  /** Runs a write, and remembers its reference if Medusa did not say what became of a call. */
  async watch<T>(reference: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (isFailure(error, 'unknown', 'unexpected')) {
        if (this.#until.size >= maxUnsettled) this.#until.clear()
        this.#until.set(reference, this.#environment.elapsed() + maxRequestMs)
      }
      throw error
    }
  }

  /** Throws if a call under the reference may still take effect. */
  requireOver(reference: string): void {
    const until = this.#until.get(reference)
    if (until === undefined) return
    if (this.#environment.elapsed() < until)
      throw new UnknownOutcome('failed', `A call under ${reference} may still take effect in Medusa.`)
    this.#until.delete(reference)
  }
}
