import { randomBytes } from 'node:crypto'
import {
  type Answer,
  type Capabilities,
  callAny,
  type Erp,
  erpFrom,
  ok,
  rejected,
  type StockFigure,
  withoutLedger,
} from '@trade-gateway/connector'
import { type Account, keepAccounts, signIn } from './accounts.ts'
import type { Catalogue } from './catalogue/catalogue.ts'
import { type Clock, SteeredClock, systemClock } from './clock.ts'
import { addresses, sellable, shippingMethods } from './customers.ts'
import { Faults } from './faults/faults.ts'
import type { FaultPlan } from './faults/plan.ts'
import { bookHistory } from './ledger/history.ts'
import { Stamps } from './ledger/stamps.ts'
import { statementOperations } from './ledger/statements.ts'
import type { Desk } from './orders/desk.ts'
import { orderOperations } from './orders/orders.ts'
import { applyDue } from './orders/progress.ts'
import { warehousesOf } from './orders/request.ts'
import { productsChanged, productsRead, productsSnapshot } from './products.ts'
import { seed } from './seed.ts'
import { Steering } from './steering.ts'
import { stockChanged, stockRead, stockSnapshot } from './stock.ts'
import { Store } from './store.ts'

export { sandboxCustomers } from './seed.ts'
export { CannotSteer, type ListedDocument, Steering, type StockTotals } from './steering.ts'
export type { Account, Clock, FaultPlan }

/** What the sandbox ERP can do unless told to play a poorer one. */
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
}

const usualHandoverMs = 120_000
const usualShippingMs = 300_000
const dayMs = 24 * 60 * 60 * 1000

export interface SandboxErpOptions {
  /** Where the database is; `:memory:` keeps nothing. */
  readonly path: string
  /** What an empty database is filled with. */
  readonly catalogue: () => Catalogue | Promise<Catalogue>
  /** Names the catalogue (its seed or its file's hash): a database filled from another one is refused. */
  readonly catalogue_id: string
  /** The seed of the statements that a new database begins with; default 1. */
  readonly seed?: number
  readonly accounts: readonly Account[]
  readonly clock?: Clock
  readonly capabilities?: Partial<Capabilities>
  /** How long after its submit an order is handed over to the warehouse; default 120 s, Infinity: never by itself. */
  readonly handoverMs?: number
  /** How long after its submit an order leaves the warehouse; default 300 s, Infinity: never by itself. */
  readonly shippingMs?: number
}

export interface SandboxErp {
  readonly erp: Erp
  readonly store: Store
  /** The ERP's time: the clock that it was opened with, and what it was set forward by. */
  readonly clock: Clock
  /** What the sandbox can be told: faults, time, stock, prices, shipping; and all its documents. */
  readonly steering: Steering
  /**
   * Applies what became due by itself, a bounded turn of it: expiries, hand-overs, shipping. Every operation does so
   * first. Answers how many documents it moved.
   */
  applyDue(): number
  close(): void
}

/** The database belongs to another catalogue than the one asked for. */
export class OtherCatalogue extends Error {}

/**
 * Opens the sandbox ERP: an `Erp` over its own database, deterministic from catalogue and clock. Throws
 * `OtherCatalogue` where the database was filled from another catalogue.
 */
export async function openSandboxErp(options: SandboxErpOptions): Promise<SandboxErp> {
  const capabilities = { ...fullCapabilities, ...options.capabilities }
  const store = new Store(options.path)
  const clock = new SteeredClock(store, options.clock ?? systemClock)
  const faults = new Faults(capabilities.max_request_ms)
  const epoch = await fill(store, options, clock)
  await keepAccounts(store, options.accounts)
  openLedger(store, options, clock)
  const desk: Desk = {
    store,
    clock,
    stamps: new Stamps(clock, newestBooking(store)),
    capabilities,
    epoch,
    handoverMs: options.handoverMs ?? usualHandoverMs,
    shippingMs: options.shippingMs ?? usualShippingMs,
    lookupLagMs: () =>
      faults.plan.lookup_lag_ms ?? (capabilities.lookup === 'eventual' ? capabilities.lookup_lag_ms : 0),
  }

  const orders = orderOperations(desk)
  const operations: Erp = {
    ...orders,
    ...(capabilities.ledger ? statementOperations(desk) : withoutLedger),
    describe: async () => ok({ name: 'Trade Gateway sandbox ERP', sandbox: true, capabilities }),
    warehouses: async () => ok({ warehouses: warehousesOf(store) }),
    'stock.snapshot': async (input) => withoutSeq(capabilities, stockSnapshot(store, input)),
    'stock.read': async (input) => withoutSeq(capabilities, stockRead(store, input)),
    'stock.changed': async (input) => withoutHints(capabilities, stockChanged(store, epoch, input), input),
    'products.snapshot': async (input) => productsSnapshot(store, input),
    'products.read': async (input) => productsRead(store, input),
    'products.changed': async (input) =>
      withoutHints(capabilities, productsChanged(store, epoch, input), input),
    'documents.changed': async (input) =>
      withoutHints(capabilities, await orders['documents.changed'](input), input),
    shipping_methods: async () => shippingMethods(store),
    addresses: async (input) => addresses(store, input),
    sellable: async (input) => sellable(store, input),
    sign_in: async (input) =>
      capabilities.sign_in
        ? signIn(store, clock, input)
        : rejected('not_supported', 'This ERP has no accounts.'),
  }
  const upToDate = erpFrom((id, input, callOptions) => {
    applyDue(desk)
    return callAny(operations, id, input, callOptions)
  })
  return {
    erp: faults.wrap(upToDate),
    store,
    clock,
    steering: new Steering(desk, clock, faults),
    applyDue: () => applyDue(desk),
    close: () => {
      faults.close()
      store.close()
    },
  }
}

/**
 * Fills a new database and answers the epoch of the change cursors. Each opening has its own epoch: a database
 * that was restored from a backup has run back, and a cursor from before must ask for everything.
 */
async function fill(store: Store, options: SandboxErpOptions, clock: Clock): Promise<string> {
  const filled = store.one("select value from meta where key = 'catalogue_id'")?.value
  if (filled === undefined) {
    const catalogue = await options.catalogue()
    seed(store, catalogue, new Date(clock.now()).toISOString().slice(0, 10), options.catalogue_id)
  } else if (filled !== options.catalogue_id) {
    throw new OtherCatalogue(
      `This database was filled from ${filled}, not from ${options.catalogue_id}. Choose another data directory, or remove it to start afresh.`,
    )
  }
  return randomBytes(6).toString('hex')
}

/** Begins the books with their history, once. */
function openLedger(store: Store, { seed = 1 }: SandboxErpOptions, clock: Clock) {
  if (store.one('select 1 from ledger_accounts')) return
  const midnight = Math.floor(clock.now() / dayMs) * dayMs
  store.transaction(() => bookHistory(store, midnight, seed))
}

function newestBooking(store: Store): number {
  return Number(store.one('select max(updated_at) as newest from ledger_accounts')?.newest ?? 0)
}

/** An ERP that is told to have no counters hides them. */
function withoutSeq<T extends { rows: StockFigure[]; stock_seq: number | null }>(
  capabilities: Capabilities,
  answer: Answer<T>,
): Answer<T> {
  if (capabilities.stock_seq || !('ok' in answer)) return answer
  const rows = answer.ok.rows.map((row) => ({ ...row, stock_seq: null }))
  return { ok: { ...answer.ok, rows, stock_seq: null } }
}

/** An ERP that is told that it cannot tell changes asks for everything. */
function withoutHints<T extends { everything: boolean }>(
  capabilities: Capabilities,
  answer: Answer<T>,
  { cursor }: { readonly cursor: string | null },
): Answer<T> {
  if (capabilities.changes !== 'none' || cursor === null || !('ok' in answer)) return answer
  return { ok: { ...answer.ok, everything: true } }
}
