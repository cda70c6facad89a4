/**
 * Which responses show that the ERP itself responds. A connector returns some of them without its ERP: its description,
 * the warehouses of its settings, the hints of an ERP that reports no changes, and that an operation is not supported.
 * While the ERP is away, such a response must neither end the outage nor close the circuit (decision 96).
 */

import type { ErpResult, OperationId } from '@trade-gateway/connector'

const fromMemory: ReadonlySet<OperationId> = new Set(['describe', 'warehouses'])
const hints: ReadonlySet<OperationId> = new Set(['stock.changed', 'products.changed', 'documents.changed'])

/** Whether a response shows that the ERP responds. */
export function isProof(id: OperationId, input: unknown, result: ErpResult<unknown>): boolean {
  if (fromMemory.has(id)) return false
  if ('rejected' in result) return result.rejected.reason !== 'not_supported'
  // An ERP that reports no changes is asked without a cursor, and requests with one that everything is read.
  if (hints.has(id)) return readField(input, 'cursor') !== null && readField(result.ok, 'everything') !== true
  // A connector for an ERP without shipping methods returns an empty list.
  const methods = readField(result.ok, 'shipping_methods')
  return !(Array.isArray(methods) && methods.length === 0)
}

function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
