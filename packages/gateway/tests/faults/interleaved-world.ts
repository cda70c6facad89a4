import { GatewayError } from '../../src/contract/errors.ts'
import type { Gateway } from '../../src/gateway.ts'
import { beginEpoch } from '../../src/stock/epoch.ts'
import { HighWater } from '../../src/stock/high-water.ts'
import { keepHistory } from '../../src/stock/history.ts'
import { StockMirror } from '../../src/stock/mirror.ts'
import { find } from '../../src/stock/shelf.ts'
import { rereadSkus, syncStock } from '../../src/stock/sync.ts'
import type { Store } from '../../src/store/store.ts'
import { TestClock, testStart } from '../harness.ts'
import { Abandoned, Gate } from './gate.ts'
import { ModelClient, proofOf } from './model-client.ts'
import { ModelErp, realWarehouses, views } from './model-erp.ts'
import { Promises } from './promises.ts'

/**
 * Two gateways over one database, an ERP and its clients, in one process and in the hands of a script: each step
 * does one thing, and between any two answers of the ERP anything else can happen. A gateway's mirror moves only when
 * the script says so, as that of a process that lags. After each answer, and at the end, the promises are checked.
 */
export interface WorldOptions {
  /** Whether the ERP counts its changes. */
  readonly hasSeq: boolean
  /** Whether the clients come before the first fill is over. */
  readonly unfilled: boolean
  /** Clients at work, one to four: of either warehouse, then of the views. */
  readonly clients: number
  /** SKUs that a warehouse begins with. */
  readonly skus: number
}

const codes = [...realWarehouses, ...Object.keys(views)]
const gateways = 2
const eightDaysMs = 8 * 24 * 60 * 60_000
const mostTurns = 200

type Backup = Awaited<ReturnType<typeof dump>>

export class World {
  readonly erp: ModelErp
  readonly #template: Gateway
  readonly #options: WorldOptions
  readonly #gate = new Gate()
  readonly #store: Store
  readonly #clock = new TestClock(testStart)
  /** What each process keeps outside of the database, so that it outlives the process. */
  readonly #highWater = Array.from({ length: gateways }, () => new HighWater(undefined))
  readonly #gateways: Gateway[] = []
  readonly #clients: readonly ModelClient[]
  readonly #promises: Promises
  #backup: Backup | undefined
  #hasFailedOver = false

  /** Takes a gateway's database for itself, and of the gateway what stock has nothing to do with. */
  constructor(template: Gateway, options: WorldOptions) {
    this.#template = template
    this.#options = options
    // A gateway takes only PostgreSQL for a database that other processes use too; the statements are the same.
    this.#store = { ...template.store, kind: 'postgres' }
    this.erp = new ModelErp(template.erp, this.#gate, options)
    this.#clients = codes.slice(0, options.clients).map((code) => new ModelClient(code))
    this.#promises = new Promises(this.#store, this.erp)
  }

  async open(): Promise<void> {
    await putBack(this.#store, { warehouses: [], stock: [], history: [] })
    for (let owner = 0; owner < gateways; owner++) this.#gateways.push(this.#process(owner))
    if (this.#options.unfilled) return
    await syncStock(this.gateway(0))
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
  }

  async close(): Promise<void> {
    for (let owner = 0; owner < gateways; owner++) await this.#gate.abandon(owner)
  }

  /** Lets everything come to rest, and holds every client and a fresh pull against the ERP. */
  async finish(): Promise<void> {
    for (let turn = 0; turn < mostTurns && (await this.#gate.release(0)); turn++);
    for (let turn = 0; turn < 2 * gateways; turn++) await syncStock(this.gateway(turn))
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
    for (const client of this.#clients) {
      await this.#catchUp(client, this.gateway(1))
      this.#promises.equalsErp(client.code, client.rows, 'the client')
    }
    for (const code of codes) {
      const fresh = new ModelClient(code)
      for (const gateway of this.#gateways) this.#promises.note(proofOf(gateway, code))
      await fresh.startPull(this.gateway(0), undefined)
      this.#promises.equalsErp(code, fresh.rows, 'a fresh pull')
    }
  }

  gateway(choice: number): Gateway {
    return at(this.#gateways, choice)
  }

  client(choice: number): ModelClient {
    return at(this.#clients, choice)
  }

  /** Some SKUs of a warehouse, not always neighbours. */
  skus(warehouse: number, from: number, count: number): string[] {
    const all = this.erp.skus(at(realWarehouses, warehouse))
    return [...new Set(Array.from({ length: count }, (_, index) => at(all, from + index * 5)))]
  }

  change(warehouse: number, from: number, count: number, how: Parameters<ModelErp['change']>[2]): void {
    for (const sku of this.skus(warehouse, from, count))
      this.erp.change(at(realWarehouses, warehouse), sku, how)
  }

  /**
   * Reads SKUs again beside the sync, as an order does for what it touched: SKUs that are stored, or it could not have
   * touched them. Without a counter nothing tells the older of two answers, and such reads must queue.
   */
  async reread(choice: number, warehouse: number, skus: readonly string[]): Promise<void> {
    const code = at(realWarehouses, warehouse)
    const shelf = this.gateway(choice).mirror.stock.shelf(code)
    const stored = skus.filter((sku) => shelf && find(shelf, sku))
    if (!this.#options.hasSeq || stored.length === 0) return
    await this.start(choice, 'reread', (gateway) => rereadSkus(gateway, code, stored))
  }

  /** Starts a task in a process, unless one of its kind is under way there. */
  async start(choice: number, kind: string, work: (gateway: Gateway) => Promise<void>): Promise<void> {
    const owner = choice % gateways
    if (this.#gate.has(owner, kind)) return
    await this.#gate.start(owner, kind, () =>
      work(this.gateway(owner)).catch((error: unknown) => {
        // A turn may fail over a database that ran back under it; the next one makes it good.
        if (!this.#hasFailedOver || error instanceof Abandoned) throw error
      }),
    )
  }

  release(choice: number, toItsEnd: boolean): Promise<unknown> {
    return toItsEnd ? this.#gate.finish(choice) : this.#gate.release(choice)
  }

  pull(client: number, gateway: number, pageSize: number | undefined): Promise<void> {
    return answered(async () => {
      const proof = await this.client(client).startPull(this.gateway(gateway), pageSize)
      if (proof) this.#promises.note(proof)
    })
  }

  /** The client's next page: of its pull, or of the feed. */
  page(client: number, gateway: number, size: number, points: number): Promise<void> {
    return answered(async () => {
      const reader = this.client(client)
      if (reader.isPulling) await reader.pullPage(this.gateway(gateway))
      else await this.#feedPage(reader, this.gateway(gateway), size, points)
    })
  }

  checksum(client: number, gateway: number): Promise<void> {
    return answered(() => this.#promises.note(proofOf(this.gateway(gateway), this.client(client).code)))
  }

  /** Time never stands still between two steps: a database that is made anew is later than the one before. */
  tick(): void {
    this.#clock.advance(1)
  }

  /** More than a week passes. */
  async expire(): Promise<void> {
    await keepHistory(this.gateway(0))
    this.#clock.advance(eightDaysMs)
    await keepHistory(this.gateway(0))
  }

  async keepBackup(): Promise<void> {
    this.#backup = await dump(this.#store)
  }

  /** Every process is stopped, the database is put back, every process starts again. */
  async restore(): Promise<void> {
    for (let owner = 0; owner < gateways; owner++) await this.#gate.abandon(owner)
    if (this.#backup) await putBack(this.#store, this.#backup)
    for (let owner = 0; owner < gateways; owner++) await this.restart(owner)
  }

  /** The database runs back under processes that live on, in the middle of what they do. */
  async failOver(): Promise<void> {
    this.#hasFailedOver = true
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
    if (this.#backup) await putBack(this.#store, this.#backup)
    for (const gateway of this.#gateways) await gateway.mirror.stock.follow()
  }

  /** The ERP was stopped meanwhile, so the answers on their way are lost. */
  async restoreErp(): Promise<void> {
    for (let owner = 0; owner < gateways; owner++) await this.#gate.abandon(owner)
    this.erp.restore()
  }

  /** A process ends in the middle of what it does, and starts again. */
  async restart(choice: number): Promise<void> {
    const owner = choice % gateways
    await this.#gate.abandon(owner)
    this.#gateways[owner] = this.#process(owner)
    await this.gateway(owner).mirror.stock.follow()
  }

  /** A process as it is after its start, before it has read anything. */
  #process(owner: number): Gateway {
    const [store, clock] = [this.#store, this.#clock]
    const { log } = this.#template
    const restored = (above: number) => beginEpoch({ store, clock, log }, above)
    const stock = new StockMirror(store, at(this.#highWater, owner), restored)
    return {
      ...this.#template,
      store,
      config: { ...this.#template.config, views },
      clock,
      erp: this.erp.erp,
      mirror: { ...this.#template.mirror, stock },
      // Nobody moves but by the script.
      nudge: () => {},
    }
  }

  async #catchUp(client: ModelClient, gateway: Gateway): Promise<void> {
    const [size, points] = [7, 60]
    for (let turn = 0; turn < mostTurns; turn++) {
      if (client.isPulling) await client.pullPage(gateway)
      else if (client.cursor === undefined) await client.startPull(gateway, undefined)
      else if (await this.#feedPage(client, gateway, size, points)) return
    }
    throw new Error(`A client of ${client.code} does not catch up.`)
  }

  /** Answers whether the page was the last one. */
  async #feedPage(client: ModelClient, gateway: Gateway, size: number, points: number): Promise<boolean> {
    const since = client.cursor
    const answer = await client.feedPage(gateway, size, points)
    if (answer.needs_full_sync) await this.#promises.needed(client.code, since, answer.full_sync_reason)
    else if (!answer.has_more) this.#promises.proved(client, answer)
    return !answer.needs_full_sync && !answer.has_more
  }
}

/** Until a warehouse was filled once, its reads say so. */
async function answered(read: () => unknown): Promise<void> {
  try {
    await read()
  } catch (error) {
    if (!(error instanceof GatewayError && error.code === 'UPSTREAM_ERROR')) throw error
  }
}

/** All of the database that stock lives in. */
async function dump({ db }: Store) {
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

/** The item that a number chooses from a list, which is not empty. */
function at<Item>(list: readonly Item[], choice: number): Item {
  const [item] = list.slice(choice % list.length)
  if (item === undefined) throw new RangeError('There is nothing to choose from.')
  return item
}
