import { callAny, type Erp, erpFrom, operations } from '@trade-gateway/connector'
import { GatewayError } from '../contract/errors.ts'

/** The second wall of read-only mode: whatever door a write comes through, it never reaches the ERP. */
export function readOnly(erp: Erp): Erp {
  return erpFrom((id, input, options) => {
    if (operations[id].kind === 'write') return Promise.reject(new GatewayError('READ_ONLY_MODE'))
    return callAny(erp, id, input, options)
  })
}
