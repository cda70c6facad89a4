import { type Erp, type RejectionReason, rejected } from '@trade-gateway/connector'
import type { Store } from '../src/store/store.ts'
import type { TestGateway } from './harness.ts'
import { openSecondGateway } from './trade.ts'

/**
 * A gate that lets callers pass until it is armed. Once armed, it makes the next caller wait until the test opens it.
 */
export class Gate {
  #isArmed = false
  #arrived = Promise.withResolvers<void>()
  #opened = Promise.withResolvers<void>()

  arm() {
    this.#isArmed = true
    this.#arrived = Promise.withResolvers()
    this.#opened = Promise.withResolvers()
  }

  async waitIfArmed() {
    if (!this.#isArmed) return
    this.#isArmed = false
    this.#arrived.resolve()
    await this.#opened.promise
  }

  /** Resolves when a call waits. */
  get arrived() {
    return this.#arrived.promise
  }

  open() {
    this.#opened.resolve()
  }
}

/** The point of a write at which the gateway notices that it has lost its locks. */
export type Moment =
  | 'never'
  | 'after the lock'
  | 'after the first lock'
  | 'after the intent'
  | 'in the queue'
  | 'after the queue'

/** A gateway whose locks exclude nobody, as after its connection to the database broke. */
export interface GatewayWithoutLocks {
  readonly house: TestGateway
  /** The gate at which a transaction waits before it starts. */
  readonly beforeCommit: Gate
  /** The gate at which a call waits before it reaches the ERP. */
  readonly beforeErp: Gate
  /** The names of the writes that this gateway sent to the ERP, in sequence. */
  readonly writes: string[]
  notice: Moment
  /** Why the ERP refuses this gateway's quotes; undefined if it accepts them. */
  refusal: RejectionReason | undefined
  /** Makes the gateway notice that its locks are lost. */
  noticeLoss(): void
}

/** Opens a second gateway on the same store whose locks exclude nobody. The test chooses when it notices that. */
export async function openGatewayWithoutLocks(house: TestGateway): Promise<GatewayWithoutLocks> {
  const [beforeCommit, beforeErp] = [new Gate(), new Gate()]
  const writes: string[] = []
  const held = new Set<AbortController>()
  const state: { notice: Moment; refusal: RejectionReason | undefined } = {
    notice: 'never',
    refusal: undefined,
  }
  const noticeLoss = () => {
    for (const lost of held) lost.abort()
  }
  const noticeAt = (moment: Moment) => {
    if (state.notice === moment) noticeLoss()
  }
  const { store } = house.gateway
  const losing: Store = {
    ...gateCommits(store, beforeCommit, () => noticeAt('after the intent')),
    async withLock(name, _waitMs, work) {
      const isQueue = name.startsWith('allocate ')
      if (isQueue) noticeAt('in the queue')
      const lost = new AbortController()
      if (state.notice === 'after the first lock' && held.size === 0) lost.abort()
      held.add(lost)
      if (state.notice === 'after the lock') lost.abort()
      if (isQueue && state.notice === 'after the queue') lost.abort()
      return work(lost.signal).finally(() => held.delete(lost))
    },
  }
  const erp = wrapErpWithGate(house.sandbox.erp, { gate: beforeErp, writes, refusal: () => state.refusal })
  const beside = await openSecondGateway({ ...house, gateway: { ...house.gateway, store: losing } }, {}, erp)
  return Object.assign(state, { house: beside, beforeCommit, beforeErp, writes, noticeLoss })
}

/** Wraps a store so that its transactions wait at a gate before they start. Calls `committed` after each commit. */
export function gateCommits(store: Store, gate: Gate, committed: () => void = () => {}): Store {
  return {
    ...store,
    db: wrapTransactionsWithGate(store.db, gate, committed),
    async executeAtOnce(statements) {
      await gate.waitIfArmed()
      const counts = await store.executeAtOnce(statements)
      committed()
      return counts
    },
  }
}

function wrapTransactionsWithGate(db: Store['db'], gate: Gate, committed: () => void): Store['db'] {
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<Store['db']['transaction']>['execute']>[0]) => {
      await gate.waitIfArmed()
      const result = await db.transaction().execute(work)
      committed()
      return result
    },
  })
  return new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return transaction
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

interface Watch {
  readonly gate: Gate
  readonly writes: string[]
  refusal(): RejectionReason | undefined
}

function wrapErpWithGate(erp: Erp, { gate, writes, refusal }: Watch): Erp {
  const callAfterGate = async <T>(work: () => Promise<T>): Promise<T> => {
    await gate.waitIfArmed()
    return work()
  }
  const recordAndCall = <T>(operation: string, work: () => Promise<T>): Promise<T> =>
    callAfterGate(() => {
      writes.push(operation)
      return work()
    })
  return {
    ...erp,
    quote: (input, options) =>
      callAfterGate(async () => {
        const reason = refusal()
        return reason === undefined ? erp.quote(input, options) : rejected(reason, 'As the test says.')
      }),
    sign_in: (input, options) => callAfterGate(() => erp.sign_in(input, options)),
    hold: (input, options) => recordAndCall('hold', () => erp.hold(input, options)),
    submit: (input, options) => recordAndCall('submit', () => erp.submit(input, options)),
    void: (input, options) => recordAndCall('void', () => erp.void(input, options)),
    release: (input, options) => recordAndCall('release', () => erp.release(input, options)),
  }
}
