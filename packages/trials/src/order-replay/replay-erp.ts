/** What a replay needs of an ERP. Each ERP that can be replayed has one `ErpKind`, in a file of its own. */
import type { CatalogueRow } from '../../../sandbox-erp/src/catalogue/from-orders.ts'
import type { WholesaleOrder } from './invoices.ts'
import type { ErpClass } from './options.ts'

/** A document in the ERP's own records, with amounts in minor units. */
export interface ErpRecord {
  readonly id: number
  readonly copy: number
  readonly reference: string
  readonly kind: 'hold' | 'order'
  readonly status: string
  readonly status_raw: string
  readonly client_order_number: string | null
  readonly lines: readonly {
    readonly sku: string
    readonly quantity: number
    readonly quantity_allocated: number
    readonly quantity_shipped: number
    readonly allocations: readonly { readonly warehouse_code: string; readonly quantity: number }[]
  }[]
  readonly costs: { readonly total: number } | null
}

/** The quantity on hand of each SKU, by warehouse. */
export type StockByWarehouse = ReadonlyMap<string, ReadonlyMap<string, number>>

/** The figures of a SKU in a warehouse. */
export interface Figures {
  readonly on_hand: number
  readonly available: number
}

/** What a fault does to a process: it takes it away and brings it back. */
export interface Blow {
  readonly name: string
  kill(): Promise<void>
  /** Resolves when the process is ready again. */
  start(): Promise<void>
}

/** A process that faults kill and restart, or stop for a while. */
export interface Victim extends Blow {
  /** Stops it with SIGSTOP: its connections stay open, and it does nothing until `thaw`. */
  freeze(): void
  thaw(): void
}

/** Called with the name of a step of a write that was just taken. The write goes on when it resolves. */
export type StepListener = (step: string) => Promise<void>

/** The faults that an ERP injects by itself. */
export interface ErpFaults {
  /** Installs the faults of a seed. Each restart of the ERP ends them. */
  install(seed: number): Promise<void>
  remove(): Promise<void>
  /** Returns the number of faults since the start of the ERP, by code. */
  count(): Promise<Record<string, number>>
}

/** A running ERP. Its records are read directly, without the gateway. */
export interface ReplayErp {
  /** The connector to which the gateway sends its requests. */
  readonly upstream: { readonly url: string; readonly token: string }
  readonly account: { readonly username: string; readonly password: string }
  readonly customer_code: string
  /** The stock at the start of every SKU that the ERP has, also of those that nobody orders. */
  readonly opening: StockByWarehouse
  /** The processes that are the ERP, among them its database. */
  readonly victims: readonly Victim[]
  /** Undefined for an ERP that injects no faults. */
  readonly faults: ErpFaults | undefined
  /** Sets who is told of each step. Absent for an ERP whose writes have no named steps. */
  readonly onStep?: (listener: StepListener) => void
  /** A signal that is aborted if a process of the ERP exits on its own. */
  readonly ended: AbortSignal
  /** Reads all documents, including duplicates of a reference. */
  readDocuments(): Promise<ErpRecord[]>
  /** Reads the figures of each SKU of a warehouse. */
  readSnapshot(warehouse_code: string): Promise<Map<string, Figures>>
  /** Reads the customer's balance in minor units; a debt is negative. Undefined if it is not compared. */
  readBalance(): Promise<number | undefined>
  /** Lists what the ERP is left with that a person has to look at, as sentences. */
  listLeftovers(): Promise<string[]>
  /** Ships and bills everything. `onShare` is called with the share that is done, from 0 to 1. */
  shipAll(onShare: (share: number, text: string) => void): Promise<void>
  /** Stops all processes and removes what they have stored. */
  stop(): Promise<void>
}

export interface ErpStart {
  /** An empty directory for this replay. */
  readonly directory: string
  readonly orders: readonly WholesaleOrder[]
  /** The goods of the whole file. */
  readonly rows: readonly CatalogueRow[]
  readonly erp_class: ErpClass
  readonly report: (line: string) => void
}

/** An ERP that can be replayed. */
export interface ErpKind {
  /** The warehouses whose stock is compared. */
  readonly warehouses: readonly string[]
  /** The maximum number of lines of an order. */
  readonly max_lines: number
  /** The gateway and each process of the ERP are killed once for this number of orders. */
  readonly orders_per_kill: number
  /** The same for SIGSTOP, after which a process continues. Undefined if none is stopped. */
  readonly orders_per_stop: number | undefined
  /** Whether the ERP keeps accounts, so that the statement is compared. */
  readonly has_ledger: boolean
  /** What is not compared or done, as sentences for the summary. */
  readonly limits: readonly string[]
  /** Starts the ERP with twice the ordered goods in stock. Throws `ProcessFailed`. */
  start(start: ErpStart, signal: AbortSignal): Promise<ReplayErp>
}
