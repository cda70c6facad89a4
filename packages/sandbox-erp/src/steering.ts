import { type ErpDocument, mostAmount } from '@trade-gateway/connector'
import type { SteeredClock } from './clock.ts'
import type { Faults } from './faults/faults.ts'
import type { FaultPlan } from './faults/plan.ts'
import { fundsOf } from './ledger/accounts.ts'
import { documentOf as documentOfSale, payIn } from './ledger/sales.ts'
import { rowOf, type StockRow, writeRow } from './movements.ts'
import type { Desk } from './orders/desk.ts'
import { documentOf, documentsAfter, type Stored, updateDocument } from './orders/documents.ts'
import { applyDue, applyDueOf, shipOrder } from './orders/progress.ts'
import { saleOf } from './orders/sale.ts'
import { endOrder } from './orders/void.ts'

/** What was asked of the sandbox cannot be; the message says why. */
export class CannotSteer extends Error {
  readonly kind: 'not found' | 'conflict' | 'malformed'

  constructor(kind: CannotSteer['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** A document in the list of all, as reconciliation needs it. */
export interface ListedDocument
  extends Pick<
    ErpDocument,
    'reference' | 'number' | 'kind' | 'order_type' | 'status' | 'status_raw' | 'lines' | 'costs'
  > {
  /** Ascending in the order of creation. */
  readonly id: number
  /** 0; above that a duplicate, in an ERP that does not notice that a reference comes again. */
  readonly copy: number
  readonly client_order_number: string | null
}

/** The sums of each warehouse, withdrawn SKUs included, and the rows of which something is held. */
export interface StockTotals {
  readonly warehouses: readonly {
    readonly warehouse_code: string
    readonly rows: number
    readonly on_hand: number
    readonly held: number
  }[]
  readonly held_rows: readonly Pick<StockRow, 'warehouse_code' | 'sku' | 'on_hand' | 'held'>[]
  /** Whether there are more held rows than were listed. */
  readonly more: boolean
}

export const mostListedDocuments = 1_000
const mostHeldRows = 5_000
const mostPayment = 10 ** 13
const mostAdvanceSeconds = 400 * 24 * 60 * 60
const msPerSecond = 1000

/** What the sandbox can be told that a real ERP hears from its own people or from the world. Every method throws `CannotSteer`. */
export class Steering {
  readonly #desk: Desk
  readonly #clock: SteeredClock
  readonly #faults: Faults

  constructor(desk: Desk, clock: SteeredClock, faults: Faults) {
    this.#desk = desk
    this.#clock = clock
    this.#faults = faults
  }

  /** Replaces the plan by which writes go wrong; `{}` ends it. Throws a `ZodError` for what is no plan. */
  setFaults(plan: FaultPlan): void {
    this.#faults.set(plan)
  }

  get faults(): { plan: FaultPlan; shown: Readonly<Record<string, number>> } {
    return { plan: this.#faults.plan, shown: this.#faults.shown }
  }

  /** Sets the ERP's clock forward, applies what became due (in bounded turns), and answers the time. */
  advance(seconds: number): string {
    if (!(seconds >= 0 && seconds <= mostAdvanceSeconds)) {
      throw new CannotSteer('malformed', `The clock is set forward by 0 to ${mostAdvanceSeconds} seconds.`)
    }
    this.#clock.advance(seconds * msPerSecond)
    applyDue(this.#desk)
    return new Date(this.#clock.now()).toISOString()
  }

  /** Lets an open order leave the house now. */
  ship(reference: string): ErpDocument {
    const stored = this.#openOrder(reference)
    return this.#desk.store.transaction(() => shipOrder(this.#desk, stored, this.#clock.now()))
  }

  /** Stops an open drop-ship order on its way out. */
  intercept(reference: string): ErpDocument {
    const stored = this.#openOrder(reference)
    if (stored.document.order_type !== 'dropship') {
      throw new CannotSteer(
        'conflict',
        `${reference} is a wholesale order: only drop-ship orders are intercepted.`,
      )
    }
    return this.#desk.store.transaction(() => endOrder(this.#desk, stored, true))
  }

  /** Books the payment of an order that was not paid yet: its link was followed, or its total transferred. */
  payOrder(reference: string): ErpDocument {
    applyDueOf(this.#desk, reference)
    const stored = documentOf(this.#desk.store, reference)
    if (stored?.document.kind !== 'order')
      throw new CannotSteer('not found', `There is no order ${reference}.`)
    const { document } = stored
    const isOver = document.status === 'cancelled' || document.status === 'intercepted'
    if (document.paid || isOver)
      throw new CannotSteer(
        'conflict',
        `${reference} is ${isOver ? document.status : 'paid'}: nothing is owed for it.`,
      )
    return this.#desk.store.transaction(() => {
      const sale = saleOf(stored)
      payIn(this.#desk, sale, sale.costs.total, {
        type: 'payment',
        document: documentOfSale(sale),
        description: `Payment for order ${document.number}`,
      })
      const paid = { ...document, paid: true }
      updateDocument(this.#desk.store, { id: stored.id, document: paid, due_at: stored.due_at })
      return paid
    })
  }

  /** Books a bank transfer of a customer. Answers its balance after it, in minor units. */
  payIn({
    customer_code,
    currency,
    amount,
  }: {
    customer_code: string
    currency: string
    amount: number
  }): number {
    const { store } = this.#desk
    const [account] = fundsOf(store, customer_code, currency)
    if (!account) throw new CannotSteer('not found', `${customer_code} has no account in ${currency}.`)
    if (!Number.isInteger(amount) || amount < 1 || amount > mostPayment)
      throw new CannotSteer('malformed', `amount is a whole number of minor units from 1 to ${mostPayment}.`)
    const type = account.balance < 0 ? 'payment' : 'topup'
    const what = { type, document: null, description: 'Bank transfer' } as const
    return account.balance + store.transaction(() => payIn(this.#desk, account, amount, what)).amount
  }

  /** Sets what is on hand of a SKU; not below what is held. */
  setStock({
    warehouse_code,
    sku,
    on_hand,
  }: {
    warehouse_code: string
    sku: string
    on_hand: number
  }): number {
    const row = this.#rowAt(warehouse_code, sku)
    if (!Number.isInteger(on_hand) || on_hand < 0 || on_hand > mostAmount) {
      throw new CannotSteer('malformed', `on_hand is a whole number from 0 to ${mostAmount}.`)
    }
    if (on_hand < row.held) {
      throw new CannotSteer(
        'conflict',
        `${row.held} of ${sku} in ${warehouse_code} are held: on_hand is that at least.`,
      )
    }
    return this.#write({ ...row, on_hand })
  }

  /** Sets the wholesale list price of a SKU, in minor units, in every warehouse or in one. Answers how many rows changed. */
  setPrice(change: { sku: string; price_wholesale: number; warehouse_code?: string | undefined }): number {
    const { sku, price_wholesale } = change
    if (!Number.isInteger(price_wholesale) || price_wholesale < 1 || price_wholesale > mostAmount) {
      throw new CannotSteer(
        'malformed',
        `price_wholesale is a whole number of minor units from 1 to ${mostAmount}.`,
      )
    }
    const { store } = this.#desk
    return store.transaction(() => {
      const codes = store.all('select warehouse_code from warehouses order by warehouse_code')
      const rows = codes
        .map((row) => String(row.warehouse_code))
        .filter((code) => change.warehouse_code === undefined || code === change.warehouse_code)
        .flatMap((code) => rowOf(store, code, sku) ?? [])
      if (rows.length === 0) throw new CannotSteer('not found', `There is no SKU ${sku} there.`)
      for (const row of rows) {
        writeRow(store, {
          ...row,
          price_wholesale,
          price_retail: Math.max(price_wholesale, row.price_retail),
        })
      }
      return rows.length
    })
  }

  /** Every document after an id, in the order of creation, duplicates included. */
  documents(after = 0, limit = mostListedDocuments): { documents: ListedDocument[]; next: number | null } {
    if (!Number.isSafeInteger(after) || after < 0 || !(limit >= 1 && limit <= mostListedDocuments)) {
      throw new CannotSteer('malformed', `after is an id, limit 1 to ${mostListedDocuments}.`)
    }
    const listed = documentsAfter(this.#desk.store, after, limit).map(listedFrom)
    return { documents: listed, next: listed.length < limit ? null : (listed.at(-1)?.id ?? null) }
  }

  stockTotals(): StockTotals {
    const { store } = this.#desk
    const held = store.all(
      'select warehouse_code, sku, on_hand, held from stock where held <> 0 order by warehouse_code, sku limit ?',
      mostHeldRows + 1,
    )
    return {
      warehouses: store
        .all(
          `select warehouse_code, count(*) as rows, sum(on_hand) as on_hand, sum(held) as held
           from stock group by warehouse_code order by warehouse_code`,
        )
        .map((row) => ({
          warehouse_code: String(row.warehouse_code),
          rows: Number(row.rows),
          on_hand: Number(row.on_hand),
          held: Number(row.held),
        })),
      held_rows: held.slice(0, mostHeldRows).map((row) => ({
        warehouse_code: String(row.warehouse_code),
        sku: String(row.sku),
        on_hand: Number(row.on_hand),
        held: Number(row.held),
      })),
      more: held.length > mostHeldRows,
    }
  }

  #openOrder(reference: string): Stored {
    applyDueOf(this.#desk, reference)
    const stored = documentOf(this.#desk.store, reference)
    if (stored?.document.kind !== 'order')
      throw new CannotSteer('not found', `There is no order ${reference}.`)
    if (stored.document.status === 'open') return stored
    throw new CannotSteer('conflict', `${reference} is ${stored.document.status}, not open.`)
  }

  #rowAt(warehouse: string, sku: string): StockRow {
    const row = rowOf(this.#desk.store, warehouse, sku)
    if (!row) throw new CannotSteer('not found', `There is no SKU ${sku} in ${warehouse}.`)
    return row
  }

  #write(row: StockRow): number {
    return this.#desk.store.transaction(() => writeRow(this.#desk.store, row))
  }
}

function listedFrom({ id, copy, document, particulars }: Stored): ListedDocument {
  const { reference, number, kind, order_type, status, status_raw, lines, costs } = document
  const { client_order_number } = particulars
  return {
    id,
    copy,
    reference,
    number,
    kind,
    order_type,
    status,
    status_raw,
    lines,
    costs,
    client_order_number,
  }
}
