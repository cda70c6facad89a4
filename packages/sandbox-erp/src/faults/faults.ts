/**
 * Injects faults into an ERP, in process and over HTTP. A fault comes from the call's option, from a trigger SKU in an
 * order, or from a random plan for all writes; the first of these applies. The ERP still keeps its declared
 * `max_request_ms`: nothing takes effect later.
 */
import {
  type CallOptions,
  CutConnection,
  callOperation,
  createErp,
  type Erp,
  type ErpResult,
  type OperationId,
  operations,
  rejected,
  UnknownOutcome,
} from '@trade-gateway/connector'
import { type Fault, MalformedFault, parseFault } from './fault.ts'
import { type FaultPlan, PlannedFaults } from './plan.ts'

/** The error of an injected fault. */
export class InjectedFault extends UnknownOutcome {}

const defaultSlowMs = 2_000
const defaultLateMs = 1_000
/** The maximum time in milliseconds after which a call without a response fails, whether it has a signal or not. */
const maxHangMs = 60_000
const maxStrikes = 10_000

/**
 * The faults that are injected into a submit with one of these SKUs. `times=1` lets the gateway settle the order
 * afterwards.
 */
const triggers: Readonly<Record<string, string>> = {
  'SBX-TIMEOUT': 'UPSTREAM_TIMEOUT;after=commit;times=1',
  'SBX-REJECT': 'UPSTREAM_REJECTED',
  'SBX-SLOW-8': 'SLOW;delay=8000;times=1',
}

/** The fault injection of one ERP. */
export class Faults {
  readonly #maxDelayMs: number
  /** The number of times that each limited fault was injected, by its text and the affected reference or operation. */
  readonly #strikes = new Map<string, number>()
  readonly #injectedCounts = new Map<string, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #planned: PlannedFaults | undefined

  /** Delays are limited to `maxRequestMs`. */
  constructor(maxRequestMs: number) {
    this.#maxDelayMs = maxRequestMs
  }

  /** Replaces the plan; an empty plan disables it. Throws a `ZodError` if the plan is not valid. */
  setPlan(plan: FaultPlan): void {
    this.#planned = Object.keys(plan).length === 0 ? undefined : new PlannedFaults(plan)
  }

  get plan(): FaultPlan {
    return this.#planned?.plan ?? {}
  }

  /** The number of injected faults by code. */
  get injectedCounts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#injectedCounts)
  }

  /** Returns the same ERP with faults injected. */
  wrap(erp: Erp): Erp {
    return createErp(async (id, input, options = {}) => {
      const perform = () => callOperation(erp, id, input, options.signal ? { signal: options.signal } : {})
      try {
        const fault = this.#chooseFault(id, input, options)
        return fault ? await this.#performFault(fault, perform, options.signal) : await perform()
      } catch (error) {
        if (error instanceof MalformedFault) return rejected('invalid_field', error.message)
        throw error
      }
    })
  }

  /** Cancels delayed calls. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #chooseFault(id: OperationId, input: unknown, { fault }: CallOptions): Fault | undefined {
    const text = fault ?? (id === 'submit' ? findTriggeredFault(input) : undefined)
    const drawn =
      text === undefined && operations[id].kind === 'write' ? this.#planned?.drawFault() : undefined
    const found = text === undefined ? drawn : parseFault(text)
    if (
      !found ||
      (text !== undefined && !this.#countInjection(found, `${text} ${findReference(input) ?? id}`))
    )
      return undefined
    const name = found.isAfterCommit ? `${found.code};after=commit` : found.code
    this.#injectedCounts.set(name, (this.#injectedCounts.get(name) ?? 0) + 1)
    return found
  }

  /**
   * Counts an injection, unless the fault has reached its limit; returns whether the fault is injected. Counts by fault
   * text and reference, so that retries of one request share a count.
   */
  #countInjection({ times }: Fault, key: string): boolean {
    if (times === null) return true
    const struck = this.#strikes.get(key) ?? 0
    if (struck >= times) return false
    this.#strikes.delete(key)
    this.#strikes.set(key, struck + 1)
    const [oldest] = this.#strikes.keys()
    if (this.#strikes.size > maxStrikes && oldest !== undefined) this.#strikes.delete(oldest)
    return true
  }

  async #performFault(
    { code, isAfterCommit, delay_ms }: Fault,
    deliver: () => Promise<ErpResult<unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<ErpResult<unknown>> {
    switch (code) {
      case 'UPSTREAM_ERROR':
        if (isAfterCommit) await deliver()
        throw new InjectedFault('failed', 'The sandbox ERP failed: injected fault.')
      case 'UPSTREAM_TIMEOUT':
        if (isAfterCommit) await deliver()
        return this.#hang(signal)
      case 'UPSTREAM_REJECTED':
        return rejected('invalid_state', 'The sandbox ERP refused: injected fault.')
      case 'SLOW':
        await this.#wait(delay_ms ?? defaultSlowMs)
        return deliver()
      case 'CUT':
        throw new CutConnection(await deliver())
      case 'DUPLICATE':
        await deliver()
        return deliver()
      case 'LATE':
        // The result is ignored, because no caller waits for it.
        void this.#wait(delay_ms ?? defaultLateMs)
          .then(deliver)
          .catch(() => {})
        return this.#hang(signal)
    }
  }

  /** Waits `ms` milliseconds, at most `#maxDelayMs`. After `close` it never resolves. */
  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer)
          resolve()
        },
        Math.min(ms, this.#maxDelayMs),
      )
      this.#timers.add(timer)
    })
  }

  /** Waits until the caller aborts, at most `maxHangMs`, then throws. */
  #hang(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer)
        reject(new InjectedFault('timeout', 'The sandbox ERP did not respond: injected fault.'))
      }
      const timer = setTimeout(giveUp, maxHangMs).unref()
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
}

function findReference(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('reference' in input)) return undefined
  return String(input.reference)
}

function findTriggeredFault(input: unknown): string | undefined {
  const lines = typeof input === 'object' && input !== null && 'lines' in input ? input.lines : []
  if (!Array.isArray(lines)) return undefined
  const skus: unknown[] = lines.map((line: unknown) =>
    typeof line === 'object' && line !== null && 'sku' in line ? line.sku : undefined,
  )
  const magic = skus.find((sku) => typeof sku === 'string' && Object.hasOwn(triggers, sku))
  return typeof magic === 'string' ? triggers[magic] : undefined
}
