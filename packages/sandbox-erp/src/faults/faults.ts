/**
 * An ERP that goes wrong on demand, in process as behind HTTP. Three things say how: the fault that a call carries, a
 * magic SKU in an order, and a random plan for all writes; the first of them that is there decides. The ERP stays
 * honest all the same: nothing takes effect later than its `max_request_ms`.
 */
import {
  type Answer,
  type CallOptions,
  CutConnection,
  callAny,
  type Erp,
  erpFrom,
  type OperationId,
  operations,
  rejected,
  UnknownOutcome,
} from '@trade-gateway/connector'
import { type Fault, faultFrom, MalformedFault } from './fault.ts'
import { type FaultPlan, PlannedFaults } from './plan.ts'

/** A fault that was asked for. */
export class InjectedFault extends UnknownOutcome {}

const usualSlowMs = 2_000
const usualLateMs = 1_000
/** A call without a signal would otherwise hang for ever. */
const mostHangMs = 60_000
const mostCounted = 10_000

/** What an order of a magic SKU meets; the first time only, so that it can be settled. */
const triggers: Readonly<Record<string, string>> = {
  'SBX-TIMEOUT': 'UPSTREAM_TIMEOUT;after=commit;times=1',
  'SBX-REJECT': 'UPSTREAM_REJECTED',
  'SBX-SLOW-8': 'SLOW;delay=8000;times=1',
}

/** The faults of one ERP. */
export class Faults {
  readonly #mostDelayMs: number
  /** How often a fault struck, by its text and the document or operation that it struck. */
  readonly #struck = new Map<string, number>()
  readonly #shown = new Map<string, number>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #planned: PlannedFaults | undefined

  /** Nothing takes effect later than `maxRequestMs` after it was sent. */
  constructor(maxRequestMs: number) {
    this.#mostDelayMs = maxRequestMs
  }

  /** Replaces the plan; an empty one ends it. Throws a `ZodError` for what is none. */
  set(plan: FaultPlan): void {
    this.#planned = Object.keys(plan).length === 0 ? undefined : new PlannedFaults(plan)
  }

  get plan(): FaultPlan {
    return this.#planned?.plan ?? {}
  }

  /** How many faults there were, by what they were. */
  get shown(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#shown)
  }

  /** The same ERP, going wrong. */
  wrap(erp: Erp): Erp {
    return erpFrom(async (id, input, options = {}) => {
      const deliver = () => callAny(erp, id, input, options.signal ? { signal: options.signal } : {})
      try {
        const fault = this.#faultOf(id, input, options)
        return fault ? await this.#act(fault, deliver, options.signal) : await deliver()
      } catch (error) {
        if (error instanceof MalformedFault) return rejected('invalid_field', error.message)
        throw error
      }
    })
  }

  /** Forgets what was still to be delivered. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #faultOf(id: OperationId, input: unknown, { fault }: CallOptions): Fault | undefined {
    const text = fault ?? (id === 'submit' ? triggerIn(input) : undefined)
    const drawn = text === undefined && operations[id].kind === 'write' ? this.#planned?.next() : undefined
    const found = text === undefined ? drawn : faultFrom(text)
    if (!found || (text !== undefined && !this.#isLeft(found, `${text} ${referenceIn(input) ?? id}`)))
      return undefined
    const name = found.isAfterCommit ? `${found.code};after=commit` : found.code
    this.#shown.set(name, (this.#shown.get(name) ?? 0) + 1)
    return found
  }

  /** Counted for each fault text and document: the retries of one request share a count, other requests have theirs. */
  #isLeft({ times }: Fault, key: string): boolean {
    if (times === null) return true
    const struck = this.#struck.get(key) ?? 0
    if (struck >= times) return false
    this.#struck.delete(key)
    this.#struck.set(key, struck + 1)
    const [oldest] = this.#struck.keys()
    if (this.#struck.size > mostCounted && oldest !== undefined) this.#struck.delete(oldest)
    return true
  }

  async #act(
    { code, isAfterCommit, delay_ms }: Fault,
    deliver: () => Promise<Answer<unknown>>,
    signal: AbortSignal | undefined,
  ): Promise<Answer<unknown>> {
    switch (code) {
      case 'UPSTREAM_ERROR':
        if (isAfterCommit) await deliver()
        throw new InjectedFault('failed', 'The sandbox ERP failed, as it was asked to.')
      case 'UPSTREAM_TIMEOUT':
        if (isAfterCommit) await deliver()
        return this.#hang(signal)
      case 'UPSTREAM_REJECTED':
        return rejected('invalid_state', 'The sandbox ERP refuses, as it was asked to.')
      case 'SLOW':
        await this.#after(delay_ms ?? usualSlowMs)
        return deliver()
      case 'CUT':
        throw new CutConnection(await deliver())
      case 'DUPLICATE':
        await deliver()
        return deliver()
      case 'LATE':
        // Whatever becomes of it then, nobody waits for it.
        void this.#after(delay_ms ?? usualLateMs)
          .then(deliver)
          .catch(() => {})
        return this.#hang(signal)
    }
  }

  /** Resolves after a while; after `close` never. */
  #after(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          this.#timers.delete(timer)
          resolve()
        },
        Math.min(ms, this.#mostDelayMs),
      )
      this.#timers.add(timer)
    })
  }

  /** Answers nothing until the caller gives up. */
  #hang(signal: AbortSignal | undefined): Promise<never> {
    return new Promise((_resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer)
        reject(new InjectedFault('timeout', 'The sandbox ERP never answered, as it was asked to.'))
      }
      const timer = setTimeout(giveUp, mostHangMs).unref()
      if (signal?.aborted) giveUp()
      else signal?.addEventListener('abort', giveUp, { once: true })
    })
  }
}

function referenceIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !('reference' in input)) return undefined
  return String(input.reference)
}

function triggerIn(input: unknown): string | undefined {
  const lines = typeof input === 'object' && input !== null && 'lines' in input ? input.lines : []
  if (!Array.isArray(lines)) return undefined
  const skus: unknown[] = lines.map((line: unknown) =>
    typeof line === 'object' && line !== null && 'sku' in line ? line.sku : undefined,
  )
  const magic = skus.find((sku) => typeof sku === 'string' && Object.hasOwn(triggers, sku))
  return typeof magic === 'string' ? triggers[magic] : undefined
}
