import { stat } from 'node:fs/promises'
import { type CatalogueOfOrders, catalogueFromOrders } from '../../sandbox-erp/src/catalogue/from-orders.ts'
import { type OrderLine, readOrderLines } from '../../sandbox-erp/src/catalogue/order-lines.ts'
import { Months, monthOf } from './months.ts'
import { movementOf, type SaleKind, type SaleMovement } from './sales.ts'
import { count, type Tally } from './tally.ts'

const linesPerProgress = 2_000

/** What a file of order lines holds. */
export interface Orders {
  readonly catalogue: CatalogueOfOrders
  readonly months: Months
  /** Lines that are no order lines, by reason. */
  readonly invalid: Tally
}

/** The month cannot be replayed; the message says which can. */
export class NoSuchMonth extends Error {
  override readonly name = 'NoSuchMonth'
}

/**
 * Reads a file of order lines once, in constant memory: into the catalogue that could have served them all, and into
 * what its months hold. `onLines` is told now and then which share of the file is read, and how many lines; `onLine`
 * is shown each of them.
 */
export async function readOrders(
  path: string,
  signal: AbortSignal,
  onLines: (share: number, lines: number) => void,
  onLine: (line: OrderLine) => void = () => {},
): Promise<Orders> {
  const months = new Months()
  const invalid: Tally = new Map()
  async function* lines(): AsyncGenerator<OrderLine> {
    let [bytes, seen, size] = [0, 0, Number.POSITIVE_INFINITY]
    const onBytes = (read: number) => {
      bytes = read
    }
    const onInvalid = ({ reason }: { readonly reason: string }) => count(invalid, reason)
    for await (const line of readOrderLines(path, { onInvalid, onBytes })) {
      if (seen === 0) size = (await stat(path)).size
      seen += 1
      if (seen % linesPerProgress === 0) onLines(bytes / size, seen)
      signal.throwIfAborted()
      months.add(line.invoice_date)
      onLine(line)
      yield line
    }
  }
  const catalogue = await catalogueFromOrders(lines())
  return { catalogue, months, invalid }
}

/** The month that is asked for, or the first whole one. Throws `NoSuchMonth`. */
export function chosenMonth(months: Months, wanted: string | undefined): string {
  const month = wanted ?? months.firstWhole
  if (month !== undefined && months.linesIn(month) > 0) return month
  const known = months.all.join(', ') || 'no month at all'
  throw new NoSuchMonth(
    wanted === undefined
      ? `No month of the file is whole. Name one with --month; it has ${known}.`
      : `The file has no lines of ${wanted}; it has ${known}.`,
  )
}

/** What the lines of a month became. */
export interface SalesTally {
  lines: number
  readonly kinds: Tally<SaleKind>
  /** Lines that are no movement, by reason. */
  readonly not_moved: Tally
}

/** The movements of a month in the order of the file, counted in `tally` as they are read. */
export async function* salesOf(
  path: string,
  month: string,
  isGoods: (sku: string) => boolean,
  tally: SalesTally,
): AsyncGenerator<SaleMovement> {
  for await (const line of readOrderLines(path)) {
    if (monthOf(line.invoice_date) !== month) continue
    tally.lines += 1
    const movement = movementOf(line, isGoods)
    if (typeof movement === 'string') {
      count(tally.not_moved, movement)
    } else {
      count(tally.kinds, movement.kind)
      yield movement
    }
  }
}
