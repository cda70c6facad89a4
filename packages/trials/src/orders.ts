import { stat } from 'node:fs/promises'
import {
  type CatalogueOfOrders,
  createCatalogueFromOrders,
} from '../../sandbox-erp/src/catalogue/from-orders.ts'
import { type OrderLine, readOrderLines } from '../../sandbox-erp/src/catalogue/order-lines.ts'
import { getMonth, Months } from './months.ts'
import { type SaleKind, type SaleMovement, toMovement } from './sales.ts'
import { addToTally, type Tally } from './tally.ts'

const linesPerProgress = 2_000

/** The contents of a file of order lines. */
export interface Orders {
  readonly catalogue: CatalogueOfOrders
  readonly months: Months
  /** Invalid lines by reason. */
  readonly invalid: Tally
}

/** The error for a month that cannot be replayed. Its message lists the months that can. */
export class NoSuchMonth extends Error {
  override readonly name = 'NoSuchMonth'
}

interface OrderListeners {
  readonly onLines: (share: number, lines: number) => void
  readonly onLine?: (line: OrderLine) => void
}

/**
 * Reads a file of order lines once, in constant memory. Returns the catalogue of all goods and the lines of each month.
 * `listeners.onLines` receives the share of the file that was read and the number of lines from time to time;
 * `listeners.onLine` receives each line.
 */
export async function readOrders(
  path: string,
  { onLines, onLine }: OrderListeners,
  signal: AbortSignal,
): Promise<Orders> {
  const months = new Months()
  const invalid: Tally = new Map()
  async function* readLines(): AsyncGenerator<OrderLine> {
    let [bytes, seen, size] = [0, 0, Number.POSITIVE_INFINITY]
    const onBytes = (read: number) => {
      bytes = read
    }
    const onInvalid = ({ reason }: { readonly reason: string }) => addToTally(invalid, reason)
    for await (const line of readOrderLines(path, { onInvalid, onBytes })) {
      if (seen === 0) size = (await stat(path)).size
      seen += 1
      if (seen % linesPerProgress === 0) onLines(bytes / size, seen)
      signal.throwIfAborted()
      months.add(line.invoice_date)
      onLine?.(line)
      yield line
    }
  }
  const catalogue = await createCatalogueFromOrders(readLines())
  return { catalogue, months, invalid }
}

/** Returns the requested month, or the first complete one. Throws `NoSuchMonth`. */
export function chooseMonth(months: Months, wanted: string | undefined): string {
  const month = wanted ?? months.firstWhole
  if (month !== undefined && months.countLines(month) > 0) return month
  const known = months.all.join(', ') || 'no month at all'
  throw new NoSuchMonth(
    wanted === undefined
      ? `No month of the file is complete. Choose one with --month; the file has ${known}.`
      : `The file has no lines of ${wanted}; it has ${known}.`,
  )
}

/** The number of order lines in a month, by what they do to the stock. */
export interface SalesTally {
  lines: number
  readonly kinds: Tally<SaleKind>
  /** Lines that are not stock movements, by reason. */
  readonly not_moved: Tally
}

/** Yields the movements of a month in file order and counts them in `tally`. */
export async function* readSales(
  path: string,
  { month, isGoods }: { month: string; isGoods: (sku: string) => boolean },
  tally: SalesTally,
): AsyncGenerator<SaleMovement> {
  for await (const line of readOrderLines(path)) {
    if (getMonth(line.invoice_date) !== month) continue
    tally.lines += 1
    const movement = toMovement(line, isGoods)
    if (typeof movement === 'string') {
      addToTally(tally.not_moved, movement)
    } else {
      addToTally(tally.kinds, movement.kind)
      yield movement
    }
  }
}
