/** The staff of the ERP, which ships orders and intercepts drop-ship orders without the gateway. */
import type { ListedDocument, SandboxErp } from '@trade-gateway/sandbox-erp'
import type { HistoryRecorder } from '../history/recorder.ts'
import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'

interface StaffParts {
  readonly name: string
  readonly erp: SandboxErp
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly recorder: HistoryRecorder
  readonly rounds: number
  isOver(): boolean
  /** After a restore, an order that was stopped may be placed again (docs/en/backup.md). */
  readonly mayIntercept: boolean
  /** Calls a function when the gateway must know what the staff has done. */
  whenFollowed(act: () => void): void
}

const maxPauseMs = 900
const intercepted = 0.4

/** Ships or intercepts an order now and then. */
export async function workAtErp(parts: StaffParts): Promise<void> {
  const { erp, scheduler, random, rounds, mayIntercept, isOver } = parts
  for (let round = 0; round < rounds && !isOver(); round++) {
    await scheduler.sleep(random.integer(20, maxPauseMs))
    const orders = erp.steering.listDocuments(0).documents.filter(isOpenOrder)
    if (orders.length === 0) continue
    const order = random.pick(orders)
    const isStopped = mayIntercept && order.order_type === 'dropship' && random.chance(intercepted)
    if (isStopped) intercept(parts, order)
    else erp.steering.ship(order.reference)
  }
}

function isOpenOrder({ kind, status, client_order_number }: ListedDocument): boolean {
  return kind === 'order' && client_order_number !== null && status === 'open'
}

/** An interception ends an order as a void does. Clients see it once the gateway has followed the ERP. */
function intercept({ name, erp, recorder, whenFollowed }: StaffParts, order: ListedDocument): void {
  const end = recorder.begin(name, 'order.void', { order: order.client_order_number ?? '' })
  erp.steering.intercept(order.reference)
  whenFollowed(() => end({ type: 'ok' }))
}
