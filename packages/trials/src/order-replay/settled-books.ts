/**
 * Reads the records of the gateway and the ERP after all orders were placed, when the gateway has read the ERP's
 * changes.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Buyer } from './buyer.ts'
import type { Books } from './finding.ts'
import { type GatewayOrder, readGatewayOrders, readGatewaySnapshot } from './gateway-orders.ts'
import { compareStockWithCopy } from './reconcile-stock.ts'
import type { ReplayErp } from './replay-erp.ts'

const followTimeoutMs = 300_000
const pollMs = 1_000

interface BookKeepers {
  readonly buyer: Buyer
  readonly erp: Pick<ReplayErp, 'readDocuments' | 'readSnapshot'>
  readonly warehouses: readonly string[]
}

/**
 * Reads the ERP's records once and the gateway's repeatedly, until they agree or the time is up, because the gateway
 * follows the ERP by polling.
 */
export async function readSettledBooks(
  { buyer, erp, warehouses }: BookKeepers,
  { opening, entries }: Pick<Books, 'opening' | 'entries'>,
  signal: AbortSignal,
): Promise<Books> {
  const documents = await erp.readDocuments()
  const stock = await readSnapshots(warehouses, (code) => erp.readSnapshot(code))
  const shipped = new Map(
    documents
      .filter(({ status }) => status === 'shipped')
      .map((each) => [each.client_order_number, each.status_raw]),
  )
  const isBehind = ({ client_order_number, in_doubt, status_raw, lines }: GatewayOrder) =>
    !in_doubt &&
    shipped.has(client_order_number) &&
    (status_raw !== shipped.get(client_order_number) ||
      lines.some(({ quantity_allocated, quantity_shipped }) => quantity_shipped !== quantity_allocated))
  const orders = await pollOrdersWhile(
    buyer,
    { isOpen: isBehind, maxMs: followTimeoutMs, isRenewed: true },
    signal,
  )
  const until = performance.now() + followTimeoutMs
  for (;;) {
    const copy = await readSnapshots(warehouses, (code) => readGatewaySnapshot(buyer, code))
    const books = { opening, entries, gateway: { orders, stock: copy }, erp: { documents, stock } }
    if (compareStockWithCopy(books).length === 0 || performance.now() > until) return books
    await wait(pollMs, undefined, { signal })
  }
}

async function readSnapshots<Snapshot>(
  warehouses: readonly string[],
  read: (warehouse_code: string) => Promise<Snapshot>,
): Promise<Map<string, Snapshot>> {
  const snapshots = new Map<string, Snapshot>()
  for (const code of warehouses) snapshots.set(code, await read(code))
  return snapshots
}

interface Wanted {
  /** Whether something is still to happen to an order. */
  readonly isOpen: (order: GatewayOrder) => boolean
  readonly maxMs: number
  /** Whether the time begins anew whenever fewer orders are open: how long all of them take depends on their number. */
  readonly isRenewed?: boolean
}

/** Polls the gateway's orders while some are open and the time is not up, and returns them. */
export async function pollOrdersWhile(
  buyer: Buyer,
  { isOpen, maxMs, isRenewed = false }: Wanted,
  signal: AbortSignal,
): Promise<GatewayOrder[]> {
  let [fewest, since] = [Number.POSITIVE_INFINITY, performance.now()]
  for (;;) {
    const orders = await readGatewayOrders(buyer)
    const open = orders.filter(isOpen).length
    if (isRenewed && open < fewest) [fewest, since] = [open, performance.now()]
    if (open === 0 || performance.now() > since + maxMs) return orders
    await wait(pollMs, undefined, { signal })
  }
}
