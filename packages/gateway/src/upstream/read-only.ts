import { callOperation, createErp, type Erp, operations } from '@trade-gateway/connector'
import type { WriteSwitch } from './write-switch.ts'

/**
 * Refuses writes in read-only mode and during a pause, after the pipeline's check: a write never reaches the ERP,
 * whichever code sends it and however long it has waited.
 */
export function refuseWrites(erp: Erp, writes: Pick<WriteSwitch, 'requireOpen'>): Erp {
  return createErp(async (id, input, options) => {
    if (operations[id].kind === 'write') writes.requireOpen()
    return callOperation(erp, id, input, options)
  })
}
