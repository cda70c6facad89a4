/** Ways to break an ERP on purpose, so that each check of the suite can be shown to find its fault. */
import { type Answer, type Erp, ok } from '../erp.ts'
import type { Capabilities, Input, OperationId, Output } from '../operations.ts'

/** Makes a faulty ERP of a right one; the second one is a right ERP that is at work. */
export type Mutant = (erp: Erp, atWork: Erp) => Erp

/** The same ERP, where the accepted answers of one operation are changed on their way out. */
export function changed<Id extends OperationId>(
  erp: Erp,
  id: Id,
  change: (output: Output<Id>, input: Input<Id>) => Output<Id>,
): Erp {
  return replaced(erp, id, async (input, run) => {
    const answer = await run(input)
    return 'ok' in answer ? ok(change(answer.ok, input)) : answer
  })
}

/** The same ERP, where one operation is another. */
export function replaced<Id extends OperationId>(
  erp: Erp,
  id: Id,
  other: (input: Input<Id>, run: Erp[Id], signal?: AbortSignal) => Promise<Answer<Output<Id>>>,
): Erp {
  const run: Erp[Id] = erp[id]
  return {
    ...erp,
    [id]: (input: Input<Id>, call?: { signal?: AbortSignal }) => other(input, run, call?.signal),
  }
}

export function describedAs(erp: Erp, capabilities: Partial<Capabilities>): Erp {
  return changed(erp, 'describe', (output) => ({
    ...output,
    capabilities: { ...output.capabilities, ...capabilities },
  }))
}

export function once<Row extends { sku: string }>(rows: Row[], change: (row: Row) => Partial<Row>): Row[] {
  return rows.map((row, index) => (index === 0 ? { ...row, ...change(row) } : row))
}

export function everySecond(keys: string[]): string[] {
  return keys.filter((_, index) => index % 2 === 0)
}

/** The same ERP, which cannot tell what changed and says so. */
export function tellingNothing(erp: Erp): Erp {
  const stock = changed(describedAs(erp, { changes: 'none' }), 'stock.changed', (hints, { cursor }) => ({
    ...hints,
    everything: cursor !== null,
  }))
  const products = changed(stock, 'products.changed', (hints, { cursor }) => ({
    ...hints,
    everything: cursor !== null,
  }))
  return changed(products, 'documents.changed', (hints, { cursor }) => ({
    ...hints,
    everything: cursor !== null,
  }))
}
