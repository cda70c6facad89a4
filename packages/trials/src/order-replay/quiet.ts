/** The quiet after the placing, in which the gateway catches up with the ERP. */
import { setTimeout as wait } from 'node:timers/promises'
import { type ShownOrder, shownOrders, shownShelf } from './books.ts'
import type { Buyer } from './buyer.ts'
import type { ErpDesk } from './erp-desk.ts'
import type { Books } from './finding.ts'
import { type Shelves, warehouses } from './opening.ts'
import type { Entry } from './placing.ts'
import { copyFindings } from './reconcile-stock.ts'

const followTimeoutMs = 300_000
const pollMs = 1_000

/** Reads all books, again and again until they agree or time is up: the gateway follows the ERP by polling. */
export async function quietBooks(
  opening: Shelves,
  buyer: Buyer,
  desk: ErpDesk,
  entries: readonly Entry[],
  signal: AbortSignal,
): Promise<Books> {
  const documents = await desk.documents()
  const stock = await shelvesOf((code) => desk.shelf(code))
  const shipped = new Set(
    documents.filter(({ status }) => status === 'shipped').map((each) => each.client_order_number),
  )
  const hasFollowed = (orders: readonly ShownOrder[]) =>
    orders.every(
      ({ client_order_number, in_doubt, lines }) =>
        in_doubt ||
        !shipped.has(client_order_number) ||
        lines.every(({ quantity_allocated, quantity_shipped }) => quantity_shipped === quantity_allocated),
    )
  const orders = await shownUntil(buyer, followTimeoutMs, signal, hasFollowed)
  const until = performance.now() + followTimeoutMs
  for (;;) {
    const copy = await shelvesOf((code) => shownShelf(buyer, code))
    const books = { opening, entries, gateway: { orders, stock: copy }, erp: { documents, stock } }
    if (copyFindings(books).length === 0 || performance.now() > until) return books
    await wait(pollMs, undefined, { signal })
  }
}

async function shelvesOf<Shelf>(
  read: (warehouse_code: string) => Promise<Shelf>,
): Promise<Map<string, Shelf>> {
  const shelves = new Map<string, Shelf>()
  for (const code of warehouses) shelves.set(code, await read(code))
  return shelves
}

/** All orders that the gateway shows, as soon as they are as wanted, or when time is up. */
export async function shownUntil(
  buyer: Buyer,
  timeoutMs: number,
  signal: AbortSignal,
  isReached: (orders: readonly ShownOrder[]) => boolean,
): Promise<ShownOrder[]> {
  const until = performance.now() + timeoutMs
  for (;;) {
    const orders = await shownOrders(buyer)
    if (isReached(orders) || performance.now() > until) return orders
    await wait(pollMs, undefined, { signal })
  }
}
