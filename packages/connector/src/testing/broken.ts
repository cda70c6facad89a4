/**
 * Wraps a correct ERP so that it has one fault. The tests prove with it that each check of the suite detects its fault.
 */
import { callOperation, createErp, type Erp, type ErpResult, ok } from '../erp.ts'
import type { Capabilities, Input, OperationId, Output } from '../operations.ts'

/**
 * A function that creates a faulty ERP from a correct one. `atWork` is a correct ERP whose data change with every call.
 */
export type Mutant = (erp: Erp, atWork: Erp) => Erp

/** Returns the same ERP with the successful results of one operation changed. */
export function changeOutput<Id extends OperationId>(
  erp: Erp,
  id: Id,
  change: (output: Output<Id>, input: Input<Id>) => Output<Id>,
): Erp {
  return replaceOperation(erp, id, async (input, run) => {
    const result = await run(input)
    return 'ok' in result ? ok(change(result.ok, input)) : result
  })
}

/** Returns the same ERP with one operation replaced. */
export function replaceOperation<Id extends OperationId>(
  erp: Erp,
  id: Id,
  other: (input: Input<Id>, run: Erp[Id], signal?: AbortSignal) => Promise<ErpResult<Output<Id>>>,
): Erp {
  const run: Erp[Id] = erp[id]
  return {
    ...erp,
    [id]: (input: Input<Id>, call?: { signal?: AbortSignal }) => other(input, run, call?.signal),
  }
}

/** Returns the same ERP with another code for one of its things, in every input and result. */
export function renameCode(erp: Erp, code: string, other: string): Erp {
  const replace = (value: object, from: string, to: string) =>
    JSON.parse(JSON.stringify(value).replaceAll(JSON.stringify(from), JSON.stringify(to)))
  return createErp(async (id, input, options) =>
    replace(await callOperation(erp, id, replace({ input }, other, code).input, options), code, other),
  )
}

export function changeCapabilities(erp: Erp, capabilities: Partial<Capabilities>): Erp {
  return changeOutput(erp, 'describe', (output) => ({
    ...output,
    capabilities: { ...output.capabilities, ...capabilities },
  }))
}

export function changeFirstRow<Row extends { sku: string }>(
  rows: Row[],
  change: (row: Row) => Partial<Row>,
): Row[] {
  return rows.map((row, index) => (index === 0 ? { ...row, ...change(row) } : row))
}

/** Returns the same ERP, declaring that it cannot report changes. */
export function removeHints(erp: Erp): Erp {
  const stock = changeOutput(
    changeCapabilities(erp, { changes: 'none' }),
    'stock.changed',
    (hints, { cursor }) => ({
      ...hints,
      everything: cursor !== null,
    }),
  )
  const products = changeOutput(stock, 'products.changed', (hints, { cursor }) => ({
    ...hints,
    everything: cursor !== null,
  }))
  return changeOutput(products, 'documents.changed', (hints, { cursor }) => ({
    ...hints,
    everything: cursor !== null,
  }))
}
