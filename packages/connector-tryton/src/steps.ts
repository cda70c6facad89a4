/**
 * A write takes several calls of Tryton. Each runs inside the deadline of its request, so that nothing takes effect
 * after `max_request_ms`: no call begins after `maxStartMs`, and none takes longer than `maxCallMs`.
 */
import type { Environment } from './environment.ts'
import { isFailure, TrytonFailure } from './failures.ts'
import { maxCallMs } from './rpc.ts'

/** The time after which a request begins no further call, in milliseconds. */
export const maxStartMs = 25_000
/** The time after which a request no longer takes effect. */
export const maxRequestMs = maxStartMs + maxCallMs
const firstPauseMs = 10
const maxPauseMs = 250

/** The time limit of one request. */
export class Deadline {
  readonly #environment: Environment
  readonly #until: number

  constructor(environment: Environment, ms = maxStartMs) {
    this.#environment = environment
    this.#until = environment.elapsed() + ms
  }

  /** Throws if no further call may begin. What was begun is found again by its reference. */
  require(what: string): void {
    if (this.#environment.elapsed() < this.#until) return
    throw new TrytonFailure(
      'unknown',
      what,
      `not begun, because the request took longer than ${maxStartMs} ms`,
    )
  }

  /**
   * Runs a step, and again while another transaction holds a lock. The pauses grow and are random, because those who
   * collided once would collide again.
   */
  async run<T>(what: string, step: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      this.require(what)
      try {
        return await step()
      } catch (error) {
        if (!isFailure(error, 'locked')) throw error
        const ms = Math.min(maxPauseMs, firstPauseMs * 2 ** tries) * (0.5 + this.#environment.random())
        await this.#environment.pause(ms)
      }
    }
  }
}

/** The names of the steps, in the order in which an order passes them, for tests that cut a request after one of them. */
export const stepNames = [
  'cover.create',
  'cover.assign',
  'recipient.create',
  'sale.create',
  'sale.quote',
  'sale.confirm',
  'sale.draft',
  'shipment.locate',
  'shipment.assign',
  'cover.cancel',
  'hold.mark',
  'hold.cancel',
  'hold.create',
  'hold.assign',
  'void.shipments',
  'void.invoices',
  'void.handled',
] as const
export type StepName = (typeof stepNames)[number]
