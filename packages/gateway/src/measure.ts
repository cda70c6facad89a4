/**
 * The gauges. What the process has in memory is read when the metrics are scraped. What only the database knows is read
 * by a worker, so that scrapes, however many, cost the database nothing. If the worker cannot read, its gauges are
 * missing, because an old value would look like a current one.
 */

import { sql } from 'kysely'
import { Counter, Gauge, type Registry } from 'prom-client'
import { eventTypes, testType } from './events/outbox.ts'
import type { Gateway } from './gateway.ts'
import { loadClasses } from './kernel/load-shedder.ts'
import type { StoredValues } from './metrics/metrics.ts'
import { registerProcessMetrics } from './metrics/process.ts'
import { computeBehindSeconds } from './processes/report.ts'
import { fullSyncReasons } from './stock/feed.ts'
import { countRows, maxCountedRows } from './store/count-rows.ts'
import { maxAttempts } from './webhooks/schedule.ts'

/** The age at which values of the database are no longer shown. */
const maxStoredAgeMs = 120_000

/** Registers the gauges of a gateway, and the counters that alerts compare with an earlier value. */
export function registerGauges(gateway: Gateway) {
  registerProcessMetrics(gateway.memory.metrics.registry, () => gateway.clock.now())
  registerUpstreamGauges(gateway)
  registerProcessesGauges(gateway)
  registerStockGauges(gateway)
  registerProcessGauge(gateway)
  registerStoredGauges(gateway)
  registerLoad(gateway)
  beginCounters(gateway)
}

/** Begins counters at 0, because Prometheus sees no increase in a series that begins with its first event. */
function beginCounters({ memory: { metrics } }: Gateway) {
  for (const type of [...eventTypes, testType])
    metrics.deliveries.inc({ type, outcome: 'dead_letter', attempt: String(maxAttempts) }, 0)
  for (const reason of fullSyncReasons) if (reason !== 'no_cursor') metrics.fullSyncs.inc({ reason }, 0)
  for (const grant of ['client_credentials', 'password']) metrics.tokensIssued.inc({ grant }, 0)
}

function registerUpstreamGauges({ upstream, memory, store }: Gateway) {
  const registers = [memory.metrics.registry]
  addGauge(registers, {
    name: 'tgw_upstream_up',
    help: 'Whether the ERP responds: 1 or 0. Missing until it was called.',
    read() {
      const verdict = upstream.watch?.verdict ?? 'not_asked_yet'
      return verdict === 'not_asked_yet' ? undefined : Number(verdict === 'answers')
    },
  })
  new Gauge({
    name: 'tgw_upstream_circuit_state',
    help: 'The state of the circuit breaker: 1 for the current state, 0 for the others.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const state of ['closed', 'open', 'half_open'])
        this.set({ state }, Number(upstream.circuit === state))
    },
  })
  addGauge(registers, {
    name: 'tgw_storage_trouble',
    help: 'Whether the database does not respond or is full: 1 or 0.',
    read: () => Number(store.trouble() !== undefined),
  })
}

function registerLoad({ memory: { metrics, load } }: Gateway) {
  const registers = [metrics.registry]
  new Counter({
    name: 'tgw_requests_shed_total',
    help: 'Requests that were refused before any work, because the gateway was overloaded, by their class.',
    labelNames: ['class'],
    registers,
    collect() {
      this.reset()
      for (const kind of loadClasses) this.inc({ class: kind }, load.shed[kind])
    },
  })
  new Gauge({
    name: 'tgw_load_delay_seconds',
    help: 'The delay of the event loop, and the longest wait for a connection of the database, as last sampled.',
    labelNames: ['queue'],
    registers,
    collect() {
      this.set({ queue: 'loop' }, load.loopDelayMs / 1000)
      this.set({ queue: 'database' }, load.storeDelayMs / 1000)
    },
  })
}

function registerProcessesGauges({ valkey, memory }: Gateway) {
  const registers = [memory.metrics.registry]
  addGauge(registers, {
    name: 'tgw_processes',
    help: 'Processes on this database, as this process knows them.',
    read: () => memory.process.count,
  })
  addGauge(registers, {
    name: 'tgw_shared_counts_away',
    help: 'Whether VALKEY_URL is set and its server does not respond: 1 or 0.',
    read: () => Number(valkey?.isConnected === false),
  })
}

function registerStockGauges({ mirror: { stock }, memory, clock }: Gateway) {
  const { metrics } = memory
  const registers = [metrics.registry]
  new Gauge({
    name: 'tgw_stock_rows',
    help: 'SKUs in the snapshot of a warehouse.',
    labelNames: ['warehouse'],
    registers,
    collect() {
      this.reset()
      for (const { warehouse_code: warehouse } of stock.warehouses())
        this.set({ warehouse }, stock.snapshot(warehouse)?.liveRows ?? 0)
    },
  })
  new Gauge({
    name: 'tgw_stock_filled',
    help: 'Whether the stock of a warehouse or view has been read as a whole, so that it is served: 1 or 0.',
    labelNames: ['warehouse'],
    registers,
    collect() {
      this.reset()
      for (const { warehouse_code: warehouse, filled } of stock.warehouses())
        this.set({ warehouse }, Number(filled))
    },
  })
  new Gauge({
    name: 'tgw_stock_snapshot_age_seconds',
    help: 'Time since the stock of a warehouse was last known to equal the ERP’s.',
    labelNames: ['warehouse'],
    registers,
    collect() {
      this.reset()
      for (const { warehouse_code: warehouse, kind, synced_at } of stock.warehouses()) {
        if (kind !== 'warehouse') continue
        if (synced_at !== null) this.set({ warehouse }, Math.max(0, clock.now() - synced_at) / 1000)
      }
    },
  })
}

function registerProcessGauge(gateway: Gateway) {
  addGauge([gateway.memory.metrics.registry], {
    name: 'tgw_copies_behind_seconds',
    help: 'How long the copies of this process have been older than those of another process.',
    read: () => computeBehindSeconds(gateway),
  })
}

function registerStoredGauges({ memory: { metrics }, clock }: Gateway) {
  const registers = [metrics.registry]
  const add = (name: string, help: string, pick: (stored: StoredValues) => number) =>
    addGauge(registers, {
      name,
      help: `${help} Counted up to ${maxCountedRows}, every 15 seconds.`,
      read() {
        const { stored } = metrics
        return stored && clock.monotonic() - stored.readAt <= maxStoredAgeMs ? pick(stored) : undefined
      },
    })
  add('tgw_holds_active', 'Holds of stock that are not over.', ({ holds }) => holds)
  add('tgw_auth_locked_accounts', 'Usernames that are locked.', ({ lockedAccounts }) => lockedAccounts)
  add(
    'tgw_webhook_queue_depth',
    'Deliveries that are not over.',
    ({ waitingDeliveries }) => waitingDeliveries,
  )
  add(
    'tgw_webhook_oldest_pending_seconds',
    'How long the first queue has been due.',
    ({ oldestDeliverySeconds }) => oldestDeliverySeconds,
  )
  add('tgw_webhook_dead_letters', 'Deliveries that were given up.', ({ deadLetters }) => deadLetters)
  add('tgw_writes_open', 'Writes of unknown or open outcome.', ({ openWrites }) => openWrites)
  add(
    'tgw_writes_open_oldest_seconds',
    'How long the first open write has been open.',
    ({ oldestWriteSeconds }) => oldestWriteSeconds,
  )
}

interface SimpleGauge {
  readonly name: string
  readonly help: string
  /** Returns the value, or undefined if there is none. */
  readonly read: () => number | undefined
}

function addGauge(registers: Registry[], { name, help, read }: SimpleGauge) {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      const value = read()
      if (value === undefined) this.remove()
      else this.set(value)
    },
  })
}

/** Reads the values that only the database knows; one turn of the worker. */
export async function measureStore(gateway: Gateway): Promise<void> {
  const { memory, clock } = gateway
  if (!memory.metrics.isOn) return
  memory.metrics.stored = { ...(await readStoredValues(gateway)), readAt: clock.monotonic() }
}

async function readStoredValues({ store: { db }, clock }: Gateway): Promise<StoredValues> {
  const now = clock.now()
  const queue = await db
    .selectFrom('webhook_queues')
    .select((eb) => eb.fn.min('due_at').as('oldest'))
    .where('due_at', '<=', now)
    .executeTakeFirst()
  const write = await db
    .selectFrom('intents')
    .select((eb) => eb.fn.min('sent_at').as('oldest'))
    .executeTakeFirst()
  return {
    holds: await countRows(db, sql`holds where status = 'reserved'`),
    lockedAccounts: await countRows(
      db,
      sql`sign_in_guard where locked_until is not null and locked_until > ${now} and subject like 'username %'`,
    ),
    waitingDeliveries: await countRows(db, sql`webhook_deliveries where status = 'pending'`),
    oldestDeliverySeconds: secondsSince(queue?.oldest, now),
    deadLetters: await countRows(db, sql`webhook_deliveries where status = 'dead_letter'`),
    openWrites: await countRows(db, sql`intents`),
    oldestWriteSeconds: secondsSince(write?.oldest, now),
  }
}

function secondsSince(epochMs: number | null | undefined, now: number): number {
  return epochMs === null || epochMs === undefined ? 0 : Math.max(0, now - Number(epochMs)) / 1000
}
