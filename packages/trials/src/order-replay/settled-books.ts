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
  const hasFollowed = (orders: readonly GatewayOrder[]) =>
    orders.every(
      ({ client_order_number, in_doubt, status_raw, lines }) =>
        in_doubt ||
        !shipped.has(client_order_number) ||
        (status_raw === shipped.get(client_order_number) &&
          lines.every(({ quantity_allocated, quantity_shipped }) => quantity_shipped === quantity_allocated)),
    )
  const orders = await pollOrdersUntil(buyer, { timeoutMs: followTimeoutMs, isReached: hasFollowed }, signal)
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

interface OrdersGoal {
  readonly timeoutMs: number
  readonly isReached: (orders: readonly GatewayOrder[]) => boolean
}

/** Polls the gateway's orders and returns them when the goal is reached or the time is up. */
export async function pollOrdersUntil(
  buyer: Buyer,
  { timeoutMs, isReached }: OrdersGoal,
  signal: AbortSignal,
): Promise<GatewayOrder[]> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const orders = await readGatewayOrders(buyer)
    if (isReached(orders) || performance.now() > until) return orders
    await wait(pollMs, undefined, { signal })
  }
}
