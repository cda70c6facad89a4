/** The network between a gateway process and the ERP: it delays, loses, doubles and delivers late. */

import {
  callOperation,
  createErp,
  type Erp,
  operations,
  rejected,
  UnknownOutcome,
} from '@trade-gateway/connector'
import type { SeededRandom } from './random.ts'
import type { Owner, Scheduler } from './scheduler.ts'

/**
 * How often what happens to a message, while the network is bad. Only writes are doubled, late or rejected, and an ERP
 * that does not recognise a reference gets no write twice: it would perform both, whatever the gateway does. The copy of
 * a refused write is not delivered: the reference is free for a corrected one, so the ERP would perform it (decision 077).
 */
const chances = { lostRequest: 0.04, lostResponse: 0.08, doubled: 0.05, late: 0.04, rejected: 0.04 } as const
const maxDelayMs = 30
/** Below the time after which the ERP promises that nothing takes effect any more. */
const maxLateMs = 1_600

export interface ErpLink {
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly process: Owner
  readonly erp: Erp
  /** Whether the ERP recognises a write that it gets twice. */
  readonly dedupes: boolean
  isBad(): boolean
  isAway(): boolean
}

export function linkErp(link: ErpLink): Erp {
  const { scheduler, random, process, erp } = link
  const outside: Owner = { name: 'erp', isAlive: true, skewMs: 0, pausedUntil: 0, random }
  return createErp(async (id, input, options = {}) => {
    const happens = (chance: number) => link.isBad() && random.chance(chance)
    const happensToWrite = (chance: number) => operations[id].kind === 'write' && happens(chance)
    const deliver = async () => {
      if (link.isAway()) throw new UnknownOutcome('unreachable', 'The ERP is away.', { sent: false })
      return scheduler.runAs(outside, () => callOperation(erp, id, input))
    }
    await scheduler.sleep(random.integer(1, maxDelayMs))
    if (options.signal?.aborted) throw toLoss()
    if (happensToWrite(chances.rejected))
      return rejected('invalid_state', 'The ERP cannot do this at the moment.')
    if (happens(chances.lostRequest)) throw toLoss()
    if (happensToWrite(chances.late)) {
      scheduler.runAs(outside, () =>
        scheduler.setTimer(() => void deliver().catch(() => {}), random.integer(50, maxLateMs)),
      )
      throw toLoss()
    }
    let isRefused = false
    const deliverCopy = () => {
      if (!isRefused) void deliver().catch(() => {})
    }
    if (link.dedupes && happensToWrite(chances.doubled))
      scheduler.runAs(outside, () => scheduler.setTimer(deliverCopy, random.integer(0, 500)))
    const result = await deliver()
    isRefused = 'rejected' in result
    if (!process.isAlive) return new Promise<never>(() => {})
    await scheduler.sleep(random.integer(1, maxDelayMs))
    if (link.isAway() || happens(chances.lostResponse)) throw toLoss()
    return result
  })
}

function toLoss() {
  return new UnknownOutcome('failed', 'The connection to the ERP broke.', { sent: true })
}
