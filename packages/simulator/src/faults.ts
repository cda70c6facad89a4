/** Faults that are planted to prove that the simulator finds their kind. Each wraps what the gateway gets. */

import { callOperation, createErp, type Erp, UnknownOutcome } from '@trade-gateway/connector'
import type { Scheduler } from './scheduler.ts'
import type { SharedDatabase } from './shared-database.ts'

export const faultNames = ['key-freed-in-doubt', 'retry-after-rejected', 'lost-update-in-release'] as const
export type FaultName = (typeof faultNames)[number]

/** The ERP's own database. */
export interface Books {
  all(sql: string): Record<string, unknown>[]
  run(sql: string, ...values: (string | number)[]): number
}

export interface Planting {
  readonly scheduler: Scheduler
  readonly database: SharedDatabase
  readonly books: Books
}

const retryMs = 400
const heldRows = 'select warehouse_code, sku, held from stock where held > 0'
const overwrite = 'update stock set held = ? where warehouse_code = ? and sku = ?'

/** Plants faults into the ERP as a process sees it. */
export function plantFaults(erp: Erp, names: readonly FaultName[], planting: Planting): Erp {
  const { scheduler, database, books } = planting
  return createErp(async (id, input, options) => {
    const call = () => callOperation(erp, id, input, options)
    const isOverwritten = names.includes('lost-update-in-release') && id === 'release'
    const before = isOverwritten ? books.all(heldRows) : []
    const result = await call().catch((error: unknown) => {
      if (names.includes('key-freed-in-doubt') && id === 'submit' && error instanceof UnknownOutcome)
        database.read('delete from idempotency_keys returning scope')
      throw error
    })
    for (const { warehouse_code, sku, held } of before)
      books.run(overwrite, Number(held), String(warehouse_code), String(sku))
    if (names.includes('retry-after-rejected') && id === 'submit' && 'rejected' in result)
      scheduler.setTimer(() => void call().catch(() => {}), retryMs)
    return result
  })
}
