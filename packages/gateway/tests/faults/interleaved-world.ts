/**
 * Two gateways on one database, an ERP and its clients in one process, controlled by a script. Each step does one
 * thing, and anything else can happen between two responses of the ERP. A gateway updates its copy of the stock in
 * memory only when the script says so, like a slow process. The guarantees are checked after each response and at the
 * end.
 */

import { LRUCache } from 'lru-cache'
import { GatewayError } from '../../src/contract/errors.ts'
import type { Gateway } from '../../src/gateway.ts'
import { beginEpoch } from '../../src/snapshot/epoch.ts'
import { HighWater } from '../../src/snapshot/high-water.ts'
import { StockMirror } from '../../src/snapshot/stock-mirror.ts'
import { findSku } from '../../src/snapshot/stock-snapshot.ts'
import { recordVersionsAndAdvanceHorizons } from '../../src/stock/history.ts'
import { rereadSkus } from '../../src/stock/reread.ts'
import type { Store } from '../../src/store/store.ts'
import { TestClock, testStart } from '../harness.ts'
import { syncStock } from '../sync-stock.ts'
import { Abandoned, Gate } from './gate.ts'
import { ModelClient, readProof } from './model-client.ts'
import { ModelErp, realWarehouses, views } from './model-erp.ts'
import { Promises } from './promises.ts'

export interface WorldOptions {
  /** Whether the ERP numbers its stock changes. */
  readonly hasSeq: boolean
  /** Whether clients start before the warehouses have been read for the first time. */
  readonly unfilled: boolean
  /** The number of clients, from one to four. The first two follow a warehouse each, the others a view each. */
  readonly clients: number
  /** The initial number of SKUs of a warehouse. */
  readonly skus: number
}

const codes = [...realWarehouses, ...Object.keys(views)]
const gateways = 2
const maxKeptPages = 100
/** A read of a whole warehouse that failed is tried again after ten minutes at the latest. */
const longestPauseMs = 11 * 60_000
const eightDaysMs = 8 * 24 * 60 * 60_000
const maxTurns = 200

type Backup = Awaited<ReturnType<typeof dumpStock>>

export class World {
  readonly erp: ModelErp
  readonly #template: Gateway
  readonly #options: WorldOptions
  readonly #gate = new Gate()
  readonly #store: Store
  readonly #clock = new TestClock(testStart)
  /** For each process, the newest versions that it has sent. They are stored outside the database and survive it. */
  readonly #highWater = Array.from({ length: gateways }, () => new HighWater(undefined))
  readonly #gateways: Gateway[] = []
  readonly #clients: readonly ModelClient[]
  readonly #promises: Promises
  #backup: Backup | undefined
  #hasFailedOver = false

  /** Takes the database from `template`, and every part that has nothing to do with stock. */
  constructor(template: Gateway, options: WorldOptions) {
    this.#template = template
    this.#options = options
    // Only on PostgreSQL does a gateway expect other processes, so this store pretends to be one. The SQL is the same.
    this.#store = { ...template.store, kind: 'postgres', isShared: true }
    this.erp = new ModelErp(template.erp, this.#gate, options)
    this.#clients = codes.slice(0, options.clients).map((code) => new ModelClient(code))
    this.#promises = new Promises(this.#store, this.erp)
  }

  async open(): Promise<void> {
    await putBack(this.#store, { warehouses: [], stock: [], history: [] })
    for (let owner = 0; owner < gateways; owner++) this.#gateways.push(this.#createProcess(owner))
    if (this.#options.unfilled) return
    await syncStock(this.pickGateway(0))
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
  }

  async close(): Promise<void> {
    for (let owner = 0; owner < gateways; owner++) await this.#gate.abandon(owner)
  }

  /** Finishes all work. Then compares the copy of every client, and a new read of the stock, with the ERP. */
  async finish(): Promise<void> {
    for (let turn = 0; turn < maxTurns && (await this.#gate.release(0)); turn++);
    for (let turn = 0; turn < 2 * gateways; turn++) {
      this.#clock.advance(longestPauseMs)
      await syncStock(this.pickGateway(turn))
    }
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
    for (const client of this.#clients) {
      await this.#catchUp(client, this.pickGateway(1))
      this.#promises.checkEqualsErp(client.code, client.rows, 'the client')
    }
    for (const code of codes) {
      const fresh = new ModelClient(code)
      for (const gateway of this.#gateways) this.#promises.checkState(readProof(gateway, code))
      await fresh.startPull(this.pickGateway(0), undefined)
      this.#promises.checkEqualsErp(code, fresh.rows, 'a fresh pull')
    }
  }

  pickGateway(choice: number): Gateway {
    return pickItem(this.#gateways, choice)
  }

  pickClient(choice: number): ModelClient {
    return pickItem(this.#clients, choice)
  }

  /** Picks some SKUs of a warehouse, not always adjacent. */
  pickSkus(warehouse: number, from: number, count: number): string[] {
    const all = this.erp.listSkus(pickItem(realWarehouses, warehouse))
    return [...new Set(Array.from({ length: count }, (_, index) => pickItem(all, from + index * 5)))]
  }

  change(warehouse: number, from: number, count: number, how: Parameters<ModelErp['change']>[2]): void {
    for (const sku of this.pickSkus(warehouse, from, count))
      this.erp.change(pickItem(realWarehouses, warehouse), sku, how)
  }

  /**
   * Reads SKUs again during a sync, as an order does with the SKUs that it changed. SKUs that are not stored yet are
   * left out. Does nothing if the ERP has no counter: nothing would then show which of two responses is older, so such
   * reads would have to queue.
   */
  async reread(choice: number, warehouse: number, skus: readonly string[]): Promise<void> {
    const code = pickItem(realWarehouses, warehouse)
    const snapshot = this.pickGateway(choice).mirror.stock.snapshot(code)
    const stored = skus.filter((sku) => snapshot && findSku(snapshot, sku))
    if (!this.#options.hasSeq || stored.length === 0) return
    await this.start(choice, 'reread', (gateway) => rereadSkus(gateway, { warehouse_code: code }, stored))
  }

  /** Starts a task in a process, unless a task of the same kind is running there. */
  async start(choice: number, kind: string, work: (gateway: Gateway) => Promise<void>): Promise<void> {
    const owner = choice % gateways
    if (this.#gate.hasTask(owner, kind)) return
    await this.#gate.start(owner, kind, () =>
      work(this.pickGateway(owner)).catch((error: unknown) => {
        // A task may fail if the database is restored meanwhile; the next task of its kind repairs that.
        if (!this.#hasFailedOver || error instanceof Abandoned) throw error
      }),
    )
  }

  release(choice: number, toItsEnd: boolean): Promise<unknown> {
    return toItsEnd ? this.#gate.finish(choice) : this.#gate.release(choice)
  }

  startPull(client: number, gateway: number, pageSize: number | undefined): Promise<void> {
    return ignoreUpstreamErrors(async () => {
      const proof = await this.pickClient(client).startPull(this.pickGateway(gateway), pageSize)
      if (proof) this.#promises.checkState(proof)
    })
  }

  /** Reads the client's next page: of its full read (pull) if one is running, otherwise of the change feed. */
  readPage(client: number, gateway: number, size: number, points: number): Promise<void> {
    return ignoreUpstreamErrors(async () => {
      const reader = this.pickClient(client)
      if (reader.isPulling) await reader.pullPage(this.pickGateway(gateway))
      else await this.#readFeedPage(reader, this.pickGateway(gateway), size, points)
    })
  }

  checkChecksum(client: number, gateway: number): Promise<void> {
    return ignoreUpstreamErrors(() =>
      this.#promises.checkState(readProof(this.pickGateway(gateway), this.pickClient(client).code)),
    )
  }

  /**
   * Advances the clock a little between any two steps, so that the history that begins after a restore has a later
   * time.
   */
  tick(): void {
    this.#clock.advance(1)
  }

  /** Advances the clock by eight days. Before and after, records the versions and drops those that are too old. */
  async advancePastExpiry(): Promise<void> {
    await recordVersionsAndAdvanceHorizons(this.pickGateway(0))
    this.#clock.advance(eightDaysMs)
    await recordVersionsAndAdvanceHorizons(this.pickGateway(0))
  }

  async keepBackup(): Promise<void> {
    this.#backup = await dumpStock(this.#store)
  }

  /** Stops every process, restores the database, and starts every process again. */
  async restore(): Promise<void> {
    for (let owner = 0; owner < gateways; owner++) await this.#gate.abandon(owner)
    if (this.#backup) await putBack(this.#store, this.#backup)
    for (let owner = 0; owner < gateways; owner++) await this.restart(owner)
  }

  /** Restores the database while the processes keep running. */
  async restoreWhileRunning(): Promise<void> {
    this.#hasFailedOver = true
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
    if (this.#backup) await putBack(this.#store, this.#backup)
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
  }

  /** Restores the ERP from its backup. The ERP is stopped for that, so responses in transit are lost. */
  async restoreErp(): Promise<void> {
    for (let owner = 0; owner < gateways; owner++) await this.#gate.abandon(owner)
    this.erp.restore()
  }

  /** Ends a process in the middle of its work and starts it again. */
  async restart(choice: number): Promise<void> {
    const owner = choice % gateways
    await this.#gate.abandon(owner)
    this.#gateways[owner] = this.#createProcess(owner)
    await this.pickGateway(owner).mirror.stock.follow()
  }

  /** Creates a process as it is after its start, before it has read anything. */
  #createProcess(owner: number): Gateway {
    const [store, clock] = [this.#store, this.#clock]
    const { log, memory } = this.#template
    const beginNewEpoch = (above: number) => beginEpoch({ store, clock, log }, above)
    const stock = new StockMirror(store, pickItem(this.#highWater, owner), beginNewEpoch)
    return {
      ...this.#template,
      store,
      config: { ...this.#template.config, views },
      clock,
      erp: this.erp.erp,
      mirror: { ...this.#template.mirror, stock },
      // A version of one world has other rows in the next.
      memory: { ...memory, pages: new LRUCache({ max: maxKeptPages }) },
      // Nothing runs unless the script says so.
      nudge: () => {},
    }
  }

  async #catchUp(client: ModelClient, gateway: Gateway): Promise<void> {
    const [size, points] = [7, 60]
    for (let turn = 0; turn < maxTurns; turn++) {
      if (client.isPulling) await client.pullPage(gateway)
      else if (client.cursor === undefined) await client.startPull(gateway, undefined)
      else if (await this.#readFeedPage(client, gateway, size, points)) return
    }
    throw new Error(`A client of ${client.code} does not catch up.`)
  }

  /** Returns whether the page was the last one. */
  async #readFeedPage(client: ModelClient, gateway: Gateway, size: number, points: number): Promise<boolean> {
    const since = client.cursor
    const answer = await client.readFeedPage(gateway, size, points)
    if (answer.needs_full_sync)
      await this.#promises.checkFullSync(client.code, since, answer.full_sync_reason)
    else if (!answer.has_more) this.#promises.checkCopy(client, answer)
    return !answer.needs_full_sync && !answer.has_more
  }
}

/**
 * Runs a read. Ignores `UPSTREAM_ERROR`, with which it may fail until its warehouse has been read for the first time.
 */
async function ignoreUpstreamErrors(read: () => unknown): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'UPSTREAM_ERROR')) throw error
  }
}

/** Reads all tables that concern stock. */
async function dumpStock({ db }: Store) {
  return {
    warehouses: await db.selectFrom('warehouses').selectAll().execute(),
    stock: await db.selectFrom('stock').selectAll().execute(),
    history: await db.selectFrom('stock_history').selectAll().execute(),
  }
}

async function putBack({ db }: Store, backup: Backup): Promise<void> {
  await db.deleteFrom('stock').execute()
  await db.deleteFrom('warehouses').execute()
  await db.deleteFrom('stock_history').execute()
  if (backup.warehouses.length > 0) await db.insertInto('warehouses').values(backup.warehouses).execute()
  if (backup.stock.length > 0) await db.insertInto('stock').values(backup.stock).execute()
  if (backup.history.length > 0) await db.insertInto('stock_history').values(backup.history).execute()
}

/** Picks an item by a number; the list is not empty. */
function pickItem<Item>(list: readonly Item[], choice: number): Item {
  const [item] = list.slice(choice % list.length)
  if (item === undefined) throw new RangeError('There is nothing to choose from.')
  return item
}
