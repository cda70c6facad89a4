/**
 * If TEST_READ_ONLY is the path of a file, every gateway of the suite runs with WRITES_ENABLED=0. One line is appended
 * to the file for each operation that reaches the ERP (`write` or `read`) and for each refusal with READ_ONLY_MODE
 * (`refused`). The suite's own expectations then fail; `.ci/read-only.sh` only checks that no write was recorded.
 */

import { appendFileSync } from 'node:fs'
import { callOperation, createErp, type Erp, operations } from '@trade-gateway/connector'

const file = process.env.TEST_READ_ONLY || undefined

/** Settings that override those of every test. */
export const forcedSettings: Readonly<Record<string, string>> =
  file === undefined ? {} : { WRITES_ENABLED: '0' }

export function appendLine(word: 'write' | 'read' | 'refused', what: string) {
  if (file !== undefined) appendFileSync(file, `${word} ${what}\n`)
}

/**
 * Records every operation that reaches the ERP. Must be the innermost wrapper, so that a call that a test's own wrapper
 * intercepts is not recorded.
 */
export function recordOperations(erp: Erp): Erp {
  if (file === undefined) return erp
  return createErp((id, input, options) => {
    appendLine(operations[id].kind, id)
    return callOperation(erp, id, input, options)
  })
}
