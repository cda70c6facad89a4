import { type ErpDocument, maxAmount } from '@trade-gateway/connector'
import type { AdjustableClock } from './clock.ts'
import type { Faults } from './faults/faults.ts'
import type { FaultPlan } from './faults/plan.ts'
import { readFunds } from './ledger/accounts.ts'
import { bookPayment, toEntryDocument } from './ledger/sales.ts'
import { readStockRow, type StockRow, writeStockRow } from './movements.ts'
import type { OrderContext } from './orders/context.ts'
import { findDocument, listDocumentsAfter, type StoredDocument, updateDocument } from './orders/documents.ts'
import { applyDueChanges, applyDueChangesTo, shipOrder } from './orders/progress.ts'
import { toSale } from './orders/sale.ts'
import { endOrder } from './orders/void.ts'

/** The error for an action that the sandbox cannot perform. Its message says why. */
export class SteeringError extends Error {
  readonly kind: 'not found' | 'conflict' | 'malformed'

  constructor(kind: SteeringError['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** A document in the list of all documents, with the fields that the order replay compares. */
export interface ListedDocument
  extends Pick<
    ErpDocument,
    'reference' | 'number' | 'kind' | 'order_type' | 'status' | 'status_raw' | 'lines' | 'costs'
  > {
  /** Ascending in order of creation. */
  readonly id: number
  /** 0, or higher for a duplicate if the ERP does not detect repeated references. */
  readonly copy: number
  readonly client_order_number: string | null
}

/** The sums of each warehouse, including withdrawn SKUs, and all rows with held units. */
export interface StockTotals {
  readonly warehouses: readonly {
    readonly warehouse_code: string
    readonly rows: number
    readonly on_hand: number
    readonly held: number
  }[]
  readonly held_rows: readonly Pick<StockRow, 'warehouse_code' | 'sku' | 'on_hand' | 'held'>[]
  /** Whether there are more held rows than listed. */
  readonly more: boolean
}

export const maxListedDocuments = 1_000
const maxHeldRows = 5_000
const maxPayment = 10 ** 13
const maxAdvanceSeconds = 400 * 24 * 60 * 60
const msPerSecond = 1000

/**
 * The controls of the sandbox: actions that the staff of a real ERP or the outside world would perform. Every method
 * may throw `SteeringError`.
 */
export class Steering {
  readonly #context: OrderContext
  readonly #clock: AdjustableClock
  readonly #faults: Faults

  constructor(context: OrderContext, clock: AdjustableClock, faults: Faults) {
    this.#context = context
    this.#clock = clock
    this.#faults = faults
  }

  /** Replaces the fault plan for writes; `{}` disables it. Throws a `ZodError` if the plan is not valid. */
  setFaults(plan: FaultPlan): void {
    this.#faults.setPlan(plan)
  }

  get faults(): { plan: FaultPlan; shown: Readonly<Record<string, number>> } {
    return { plan: this.#faults.plan, shown: this.#faults.injectedCounts }
  }

  /** Sets the ERP's clock forward, applies due changes (up to a limit) and returns the time. */
  advance(seconds: number): string {
    if (!(seconds >= 0 && seconds <= maxAdvanceSeconds)) {
      throw new SteeringError(
        'malformed',
        `The clock can be set forward by 0 to ${maxAdvanceSeconds} seconds.`,
      )
    }
    this.#clock.advance(seconds * msPerSecond)
    applyDueChanges(this.#context)
    return new Date(this.#clock.now()).toISOString()
  }

  /** Ships an open order now. */
  ship(reference: string): ErpDocument {
    const stored = this.#requireOpenOrder(reference)
    return this.#context.store.transaction(() => shipOrder(this.#context, stored, this.#clock.now()))
  }

  /** Intercepts an open drop-ship order. */
  intercept(reference: string): ErpDocument {
    const stored = this.#requireOpenOrder(reference)
    if (stored.document.order_type !== 'dropship') {
      throw new SteeringError(
        'conflict',
        `${reference} is a wholesale order: only drop-ship orders can be intercepted.`,
      )
    }
    return this.#context.store.transaction(() => endOrder(this.#context, stored, true))
  }

  /** Books the payment of an unpaid order, by its payment link or by bank transfer. */
  payOrder(reference: string): ErpDocument {
    applyDueChangesTo(this.#context, reference)
    const stored = findDocument(this.#context.store, reference)
    if (stored?.document.kind !== 'order')
      throw new SteeringError('not found', `There is no order ${reference}.`)
    const { document } = stored
    const isOver = document.status === 'cancelled' || document.status === 'intercepted'
    if (document.paid || isOver)
      throw new SteeringError(
        'conflict',
        `${reference} is ${isOver ? document.status : 'paid'}: no payment is due.`,
      )
    return this.#context.store.transaction(() => {
      const sale = toSale(stored)
      bookPayment(this.#context, sale, {
        amount: sale.costs.total,
        type: 'payment',
        document: toEntryDocument(sale),
        description: `Payment for order ${document.number}`,
      })
      const paid = { ...document, paid: true }
      updateDocument(this.#context.store, { id: stored.id, document: paid, due_at: stored.due_at })
      return paid
    })
  }

  /** Books a bank transfer of a customer. Returns the balance after it, in minor units. */
  payIn({
    customer_code,
    currency,
    amount,
  }: {
    customer_code: string
    currency: string
    amount: number
  }): number {
    const { store } = this.#context
    const [account] = readFunds(store, customer_code, currency)
    if (!account) throw new SteeringError('not found', `${customer_code} has no account in ${currency}.`)
    if (!Number.isInteger(amount) || amount < 1 || amount > maxPayment)
      throw new SteeringError(
        'malformed',
        `amount must be a whole number of minor units from 1 to ${maxPayment}.`,
      )
    const type = account.balance < 0 ? 'payment' : 'topup'
    const payment = { amount, type, document: null, description: 'Bank transfer' } as const
    return account.balance + store.transaction(() => bookPayment(this.#context, account, payment)).amount
  }

  /** Sets the quantity on hand of a SKU, which must not be below the held quantity. Returns the warehouse's counter. */
  setStock({
    warehouse_code,
    sku,
    on_hand,
  }: {
    warehouse_code: string
    sku: string
    on_hand: number
  }): number {
    const row = this.#requireRow(warehouse_code, sku)
    if (!Number.isInteger(on_hand) || on_hand < 0 || on_hand > maxAmount) {
      throw new SteeringError('malformed', `on_hand must be a whole number from 0 to ${maxAmount}.`)
    }
    if (on_hand < row.held) {
      throw new SteeringError(
        'conflict',
        `${row.held} of ${sku} in ${warehouse_code} are held: on_hand must be at least that.`,
      )
    }
    return this.#write({ ...row, on_hand })
  }

  /**
   * Sets the wholesale list price of a SKU, in minor units, in all warehouses or in one. Returns the number of changed
   * rows.
   */
  setPrice(change: { sku: string; price_wholesale: number; warehouse_code?: string | undefined }): number {
    const { sku, price_wholesale } = change
    if (!Number.isInteger(price_wholesale) || price_wholesale < 1 || price_wholesale > maxAmount) {
      throw new SteeringError(
        'malformed',
        `price_wholesale must be a whole number of minor units from 1 to ${maxAmount}.`,
      )
    }
    const { store } = this.#context
    return store.transaction(() => {
      const codes = store.all('select warehouse_code from warehouses order by warehouse_code')
      const rows = codes
        .map((row) => String(row.warehouse_code))
        .filter((code) => change.warehouse_code === undefined || code === change.warehouse_code)
        .flatMap((code) => readStockRow(store, code, sku) ?? [])
      if (rows.length === 0)
        throw new SteeringError('not found', `There is no SKU ${sku} in these warehouses.`)
      for (const row of rows) {
        writeStockRow(store, {
          ...row,
          price_wholesale,
          price_retail: Math.max(price_wholesale, row.price_retail),
        })
      }
      return rows.length
    })
  }

  /** Lists the documents after an id in order of creation, including duplicates. */
  listDocuments(after = 0, limit = maxListedDocuments): { documents: ListedDocument[]; next: number | null } {
    if (!Number.isSafeInteger(after) || after < 0 || !(limit >= 1 && limit <= maxListedDocuments)) {
      throw new SteeringError('malformed', `after must be an id, and limit 1 to ${maxListedDocuments}.`)
    }
    const listed = listDocumentsAfter(this.#context.store, after, limit).map(toListedDocument)
    return { documents: listed, next: listed.length < limit ? null : (listed.at(-1)?.id ?? null) }
  }

  readStockTotals(): StockTotals {
    const { store } = this.#context
    const held = store.all(
      'select warehouse_code, sku, on_hand, held from stock where held <> 0 order by warehouse_code, sku limit ?',
      maxHeldRows + 1,
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
      held_rows: held.slice(0, maxHeldRows).map((row) => ({
        warehouse_code: String(row.warehouse_code),
        sku: String(row.sku),
        on_hand: Number(row.on_hand),
        held: Number(row.held),
      })),
      more: held.length > maxHeldRows,
    }
  }

  #requireOpenOrder(reference: string): StoredDocument {
    applyDueChangesTo(this.#context, reference)
    const stored = findDocument(this.#context.store, reference)
    if (stored?.document.kind !== 'order')
      throw new SteeringError('not found', `There is no order ${reference}.`)
    if (stored.document.status === 'open') return stored
    throw new SteeringError('conflict', `${reference} is ${stored.document.status}, not open.`)
  }

  #requireRow(warehouse: string, sku: string): StockRow {
    const row = readStockRow(this.#context.store, warehouse, sku)
    if (!row) throw new SteeringError('not found', `There is no SKU ${sku} in ${warehouse}.`)
    return row
  }

  #write(row: StockRow): number {
    return this.#context.store.transaction(() => writeStockRow(this.#context.store, row))
  }
}

function toListedDocument({ id, copy, document, particulars }: StoredDocument): ListedDocument {
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
