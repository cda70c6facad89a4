/**
 * Numbers the stock figures of an ERP that has no counter of its own (`stock_seq: false`). Two responses may overtake
 * each other, in one process or in several whose clocks differ. So each request that returns figures takes the next
 * number from the database before it is sent, and its figures carry the number as their counter. Of two figures of a
 * SKU, the one that was requested later wins.
 *
 * Then no figure stays out of date. The ERP hints at every change, and the hint has its SKUs requested again. That
 * request has a higher number than each one whose response may be from before the change. Whichever response comes last,
 * the figure of a request after the change is kept.
 *
 * The numbers are negative, so that they are never compared with the counter of an ERP that begins to have one.
 */

import {
  callOperation,
  createErp,
  type Erp,
  type ErpResult,
  type OperationId,
  type Output,
  ok,
  operations,
  type StockFigure,
} from '@trade-gateway/connector'
import { settleWithin } from '../store/patience.ts'
import type { Store } from '../store/store.ts'

const counterName = 'stock figures'
const firstNumber = Number.MIN_SAFE_INTEGER
/** The longest time that a write waits for its number before it is sent. Settlement relies on this limit. */
export const maxNumberWaitMs = 500

/** Whether the counter of a figure is a number of the gateway, not the ERP's. */
export const isFigureNumber = (seq: number): boolean => seq < 0

type StockRead = Output<'stock.read'> | Output<'stock.snapshot'>
type StockWrite = Output<'hold' | 'release' | 'submit' | 'void'>

const withFigures: ReadonlySet<OperationId> = new Set([
  ...(['stock.read', 'stock.snapshot'] as const),
  ...(['hold', 'release', 'submit', 'void'] as const),
])

interface Surroundings {
  readonly store: Pick<Store, 'db'>
  /** Whether the figures have the ERP's counter; undefined as long as that is not known. */
  hasCounter(): boolean | undefined
}

/** Returns an ERP whose figures all have a counter. */
export function numberFigures(erp: Erp, { store, hasCounter }: Surroundings): Erp {
  return createErp(async (id, input, options) => {
    if (!withFigures.has(id) || hasCounter() === true) return callOperation(erp, id, input, options)
    const taking = takeNumber(store)
    if (operations[id].kind === 'read')
      return numberResult(await taking, await callOperation(erp, id, input, options))
    // A write has an intent already, and does not fail for its figures: the ERP's hints bring them.
    const number = await settleWithin(taking, maxNumberWaitMs).catch(() => undefined)
    return numberResult(number, await callOperation(erp, id, input, options))
  })
}

async function takeNumber({ db }: Pick<Store, 'db'>): Promise<number> {
  const { value } = await db
    .insertInto('counters')
    .values({ name: counterName, value: 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb('counters.value', '+', 1) })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return firstNumber + value
}

/** Numbers the figures that have no counter. Without a number, a write has no figures. */
function numberResult(number: number | undefined, result: ErpResult<unknown>): ErpResult<unknown> {
  if (!('ok' in result)) return result
  // The cast holds because only operations with figures come here.
  const output = result.ok as StockRead | StockWrite
  if (number === undefined) return ok({ ...output, figures: [] })
  if ('figures' in output) {
    const figures = output.figures.map((each) => ({ ...each, rows: numberRows(number, each.rows) }))
    return ok({ ...output, figures })
  }
  return ok({ ...output, rows: numberRows(number, output.rows), stock_seq: output.stock_seq ?? number })
}

const numberRows = (number: number, rows: readonly StockFigure[]) =>
  rows.map((row) => (row.stock_seq === null ? { ...row, stock_seq: number } : row))
