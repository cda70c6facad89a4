import { appendFileSync } from 'node:fs'
import { callAny, type Erp, erpFrom, operations } from '@trade-gateway/connector'

/**
 * With TEST_READ_ONLY=<file> every gateway of the suite runs with WRITES_ENABLED=0, and what reaches the ERP is noted
 * in the file: `write` for each write, `refused` for each READ_ONLY_MODE. The suite's own expectations do not hold
 * then; that not one write is noted does (`.ci/read-only.sh`).
 */
const file = process.env.TEST_READ_ONLY || undefined

/** Settings that a gateway under test has whatever the test says. */
export const forcedSettings: Readonly<Record<string, string>> =
  file === undefined ? {} : { WRITES_ENABLED: '0' }

export function note(word: 'write' | 'read' | 'refused', what: string) {
  if (file !== undefined) appendFileSync(file, `${word} ${what}\n`)
}

/** The ERP itself, behind whatever a test puts before it. */
export function noted(erp: Erp): Erp {
  if (file === undefined) return erp
  return erpFrom((id, input, options) => {
    note(operations[id].kind, id)
    return callAny(erp, id, input, options)
  })
}
