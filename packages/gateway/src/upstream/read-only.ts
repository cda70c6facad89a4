import { callOperation, createErp, type Erp, operations } from '@trade-gateway/connector'
import { GatewayError } from '../contract/errors.ts'

/**
 * Refuses writes in read-only mode, after the pipeline's check: a write never reaches the ERP, whichever code sends it.
 */
export function refuseWrites(erp: Erp): Erp {
  return createErp((id, input, options) => {
    if (operations[id].kind === 'write') return Promise.reject(new GatewayError('READ_ONLY_MODE'))
    return callOperation(erp, id, input, options)
  })
}
