import { randomBytes } from 'node:crypto'
import {
  type Capabilities,
  callOperation,
  createErp,
  type Erp,
  type ErpResult,
  maxLines,
  ok,
  rejected,
  type StockFigure,
  withoutLedger,
} from '@trade-gateway/connector'
import { type Account, type HashCost, recommendedHashCost, signIn, storeAccounts } from './accounts.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { AdjustableClock, type Clock, systemClock } from './clock.ts'
import { readAddresses, readSellable, readShippingMethods } from './customers.ts'
import { Faults } from './faults/faults.ts'
import type { FaultPlan } from './faults/plan.ts'
import { BookingClock } from './ledger/booking-clock.ts'
import { bookHistory } from './ledger/history.ts'
import { createStatementOperations } from './ledger/statements.ts'
import type { OrderContext } from './orders/context.ts'
import { createOrderOperations } from './orders/orders.ts'
import { applyDueChanges } from './orders/progress.ts'
import { readWarehouses } from './orders/request.ts'
import { readChangedProductCodes, readProductPage, readProducts } from './products.ts'
import { seedDatabase } from './seed.ts'
import { Steering } from './steering.ts'
import { readStock, readStockHints, readStockPage } from './stock.ts'
import { Store } from './store.ts'

export { leastHashCost } from './accounts.ts'
export { sandboxCustomers } from './seed.ts'
export { type ListedDocument, Steering, SteeringError, type StockTotals } from './steering.ts'
export type { Account, Clock, FaultPlan }

/** The capabilities of the sandbox ERP by default. Tests restrict them to simulate a weaker ERP. */
export const fullCapabilities: Capabilities = {
  dedupes_by_reference: true,
  lookup: 'strong',
  lookup_lag_ms: 0,
  max_request_ms: 10_000,
  changes: 'poll',
  stock_seq: true,
  holds: 'expiring',
  serialise: 'nothing',
  ledger: true,
  sign_in: true,
  settles: true,
  hint_lag_ms: 0,
  allocates_from: 'many',
  max_lines: maxLines,
}

const defaultHandoverMs = 120_000
const defaultShippingMs = 300_000
const dayMs = 24 * 60 * 60 * 1000

export interface SandboxErpOptions {
  /** The path of the database; `:memory:` keeps nothing. */
  readonly path: string
  /** A database that `Store.serialize` returned, for `:memory:`; it starts with everything in it. */
  readonly contents?: Uint8Array
  /** Returns the goods for an empty database. */
  readonly catalogue: () => Catalogue | Promise<Catalogue>
  /** Identifies the catalogue (its seed or its file's hash). A database with another catalogue is refused. */
  readonly catalogue_id: string
  /** The seed of the simulated past orders and payments in a new database; default 1. */
  readonly seed?: number
  readonly accounts: readonly Account[]
  /** What the hash of a password costs, the same at each start with one database; default `recommendedHashCost`. */
  readonly hashCost?: HashCost
  readonly clock?: Clock
  readonly capabilities?: Partial<Capabilities>
  /** The time from an order's submit to its hand-over to the warehouse; default 120 s. Infinity disables it. */
  readonly handoverMs?: number
  /** The time from an order's submit to its shipping; default 300 s. Infinity disables it. */
  readonly shippingMs?: number
}

export interface SandboxErp {
  readonly erp: Erp
  readonly store: Store
  /** The ERP's clock: the given clock plus the time by which it was set forward. */
  readonly clock: Clock
  /** Controls of the sandbox: faults, time, stock, prices, shipping, and the list of all documents. */
  readonly steering: Steering
  /**
   * Applies due changes (expiries, hand-overs, shipping, bills, refunds) up to a limit. Every operation calls this
   * first. Returns the number of changes.
   */
  applyDueChanges(): number
  close(): void
}

/** Thrown if the database was filled from a catalogue other than the given one. */
export class CatalogueMismatch extends Error {}

/**
 * Opens the sandbox ERP: an `Erp` on its own database, deterministic for a given catalogue and clock. Throws
 * `CatalogueMismatch` if the database was filled from another catalogue.
 */
export async function openSandboxErp(options: SandboxErpOptions): Promise<SandboxErp> {
  const capabilities = { ...fullCapabilities, ...options.capabilities }
  const store = new Store(options.path, options.contents)
  const clock = new AdjustableClock(store, options.clock ?? systemClock)
  const faults = new Faults(capabilities.max_request_ms)
  const epoch = await fillDatabase(store, options, clock)
  const hashCost = options.hashCost ?? recommendedHashCost
  await storeAccounts(store, options.accounts, hashCost)
  bookHistoryOnce(store, options, clock)
  const context: OrderContext = {
    store,
    clock,
    bookingClock: new BookingClock(clock, readNewestBookingTime(store)),
    capabilities,
    epoch,
    handoverMs: options.handoverMs ?? defaultHandoverMs,
    shippingMs: options.shippingMs ?? defaultShippingMs,
    lookupLagMs: () =>
      faults.plan.lookup_lag_ms ?? (capabilities.lookup === 'eventual' ? capabilities.lookup_lag_ms : 0),
  }

  const operations = createOperations(context, hashCost)
  const currentErp = createErp((id, input, callOptions) => {
    applyDueChanges(context)
    return callOperation(operations, id, input, callOptions)
  })
  return {
    erp: faults.wrap(currentErp),
    store,
    clock,
    steering: new Steering(context, clock, faults),
    applyDueChanges: () => applyDueChanges(context),
    close: () => {
      faults.close()
      store.close()
    },
  }
}

function createOperations(context: OrderContext, hashCost: HashCost): Erp {
  const { store, clock, capabilities, epoch } = context
  const orders = createOrderOperations(context)
  return {
    ...orders,
    ...(capabilities.ledger ? createStatementOperations(context) : withoutLedger),
    describe: async () => ok({ name: 'Trade Gateway sandbox ERP', sandbox: true, capabilities }),
    warehouses: async () => ok({ warehouses: readWarehouses(store) }),
    'stock.snapshot': async (input) => hideStockSeq(capabilities, readStockPage(store, input)),
    'stock.read': async (input) => hideStockSeq(capabilities, readStock(store, input)),
    'stock.changed': async (input) => hideHints(capabilities, readStockHints(store, epoch, input), input),
    'products.snapshot': async (input) => readProductPage(store, input),
    'products.read': async (input) => readProducts(store, input),
    'products.changed': async (input) =>
      hideHints(capabilities, readChangedProductCodes(store, epoch, input), input),
    'documents.changed': async (input) =>
      hideHints(capabilities, await orders['documents.changed'](input), input),
    shipping_methods: async () => readShippingMethods(store),
    addresses: async (input) => readAddresses(store, input),
    sellable: async (input) => readSellable(store, input),
    sign_in: async (input) =>
      capabilities.sign_in
        ? signIn(store, clock, input, hashCost)
        : rejected('not_supported', 'This ERP has no accounts.'),
  }
}

/**
 * Fills a new database. Returns the epoch: a random id of this start, which is a part of every change cursor. A cursor
 * with another epoch returns everything, because the database may have been restored from a backup.
 */
async function fillDatabase(store: Store, options: SandboxErpOptions, clock: Clock): Promise<string> {
  const filled = store.one("select value from meta where key = 'catalogue_id'")?.value
  if (filled === undefined) {
    const catalogue = await options.catalogue()
    const today = new Date(clock.now()).toISOString().slice(0, 10)
    seedDatabase(store, catalogue, { today, catalogueId: options.catalogue_id })
  } else if (filled !== options.catalogue_id) {
    throw new CatalogueMismatch(
      `This database was filled from ${filled}, not from ${options.catalogue_id}. Choose another data directory, or remove this one to start with an empty database.`,
    )
  }
  return randomBytes(6).toString('hex')
}

/** Books the simulated orders and payments of the past, unless the ledger has accounts already. */
function bookHistoryOnce(store: Store, { seed = 1 }: SandboxErpOptions, clock: Clock) {
  if (store.one('select 1 from ledger_accounts')) return
  const midnight = Math.floor(clock.now() / dayMs) * dayMs
  store.transaction(() => bookHistory(store, midnight, seed))
}

function readNewestBookingTime(store: Store): number {
  return Number(store.one('select max(updated_at) as newest from ledger_accounts')?.newest ?? 0)
}

/** Removes the counters if the ERP is configured without `stock_seq`. */
function hideStockSeq<T extends { rows: StockFigure[]; stock_seq: number | null }>(
  capabilities: Capabilities,
  result: ErpResult<T>,
): ErpResult<T> {
  if (capabilities.stock_seq || !('ok' in result)) return result
  const rows = result.ok.rows.map((row) => ({ ...row, stock_seq: null }))
  return { ok: { ...result.ok, rows, stock_seq: null } }
}

/** Sets `everything` in the result for a cursor if the ERP is configured with `changes: none`. */
function hideHints<T extends { everything: boolean }>(
  capabilities: Capabilities,
  result: ErpResult<T>,
  { cursor }: { readonly cursor: string | null },
): ErpResult<T> {
  if (capabilities.changes !== 'none' || cursor === null || !('ok' in result)) return result
  return { ok: { ...result.ok, everything: true } }
}
