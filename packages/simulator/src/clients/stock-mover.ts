import type { SandboxErp } from '@trade-gateway/sandbox-erp'
import type { HistoryRecorder } from '../history/recorder.ts'
import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'

interface MoverParts {
  readonly name: string
  readonly erp: SandboxErp
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly recorder: HistoryRecorder
  readonly skus: readonly string[]
  readonly rounds: number
  isOver(): boolean
}

const maxUnits = 3
const maxPauseMs = 400
const rows = 'select warehouse_code, on_hand from stock where sku = ? order by warehouse_code'

/** Adds stock at the ERP without the gateway, as its staff does. */
export async function moveStock(parts: MoverParts): Promise<void> {
  const { name, erp, scheduler, random, recorder, skus, rounds, isOver } = parts
  for (let round = 0; round < rounds && !isOver(); round++) {
    const [sku, quantity] = [random.pick(skus), random.integer(1, maxUnits)]
    const row = random.pick(erp.store.all(rows, sku))
    const end = recorder.begin(name, 'erp.move', { sku, quantity })
    const on_hand = Number(row.on_hand) + quantity
    erp.steering.setStock({ warehouse_code: String(row.warehouse_code), sku, on_hand })
    end({ type: 'ok' })
    await scheduler.sleep(random.integer(20, maxPauseMs))
  }
}
