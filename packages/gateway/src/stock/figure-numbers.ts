/**
 * Numbers for the stock figures of an ERP that has no counter of its own (`stock_seq: false`). Two responses may overtake
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

import { type Output, type StockFigure, unwrap, withTimeout } from '@trade-gateway/connector'
import type { Gateway } from '../gateway.ts'

const counterName = 'stock figures'
const firstNumber = Number.MIN_SAFE_INTEGER

/** Whether the counter of a figure is a number of the gateway, not the ERP's. */
export const isFigureNumber = (seq: number): boolean => seq < 0

/**
 * Takes the next number; undefined if the ERP's figures have a counter. A number is at least the time in milliseconds. So
 * numbers that a database has lost, because it was replaced by an older one, are not given twice.
 */
export async function takeFigureNumber({
  store,
  upstream,
  clock,
}: Pick<Gateway, 'store' | 'upstream' | 'clock'>): Promise<number | undefined> {
  if (upstream.known?.stock_seq === true) return undefined
  const now = clock.now()
  const { value } = await store.db
    .insertInto('counters')
    .values({ name: counterName, value: now })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({
        value: eb
          .case()
          .when('counters.value', '>=', now)
          .then(eb('counters.value', '+', 1))
          .else(now)
          .end(),
      })),
    )
    .returning('value')
    .executeTakeFirstOrThrow()
  return firstNumber + value
}

/** Gives a number to the figures that have no counter. */
export function numberFigures(rows: StockFigure[], number: number | undefined): StockFigure[] {
  if (number === undefined) return rows
  return rows.map((row) => (row.stock_seq === null ? { ...row, stock_seq: number } : row))
}

/** Reads figures of SKUs, each with a counter. */
export async function readNumberedFigures(
  gateway: Gateway,
  input: { readonly warehouse_code: string; readonly skus: string[] },
  timeoutMs: number,
): Promise<Output<'stock.read'>> {
  const number = await takeFigureNumber(gateway)
  const output = unwrap(await gateway.erp['stock.read'](input, withTimeout(timeoutMs)))
  return { rows: numberFigures(output.rows, number), stock_seq: output.stock_seq ?? number ?? null }
}
