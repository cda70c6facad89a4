/** One world: gateways on one database, an ERP, clients and receivers, and faults, until all is quiet again. */

import type { SandboxErp } from '@trade-gateway/sandbox-erp'
import { Calamities } from './calamities.ts'
import { buyDropship } from './clients/dropship-buyer.ts'
import { EventFollower } from './clients/event-follower.ts'
import { GatewayClient } from './clients/gateway-client.ts'
import { readAllOrders } from './clients/order-reader.ts'
import type { BuyerParts } from './clients/orders.ts'
import { Receiver } from './clients/receiver.ts'
import { revokeTokens } from './clients/revoker.ts'
import { workAtErp } from './clients/staff.ts'
import { StockFollower } from './clients/stock-follower.ts'
import { moveStock } from './clients/stock-mover.ts'
import { buyWholesale } from './clients/wholesale-buyer.ts'
import { linkErp } from './erp-link.ts'
import { Fleet } from './fleet.ts'
import { HistoryRecorder } from './history/recorder.ts'
import { type Judgement, judge, recordOpening } from './judge.ts'
import { config, type Opening, openErp, prepareOpening, toReceiverUrl } from './opening.ts'
import { busyMs, type ClientPlan, receivers, type WorldPlan } from './plan.ts'
import { type PlantedName, plantFaults, plantIntoDatabase, plantIntoGateway } from './planted.ts'
import { useMachine } from './platform.ts'
import type { Surroundings } from './process.ts'
import { SeededRandom } from './random.ts'
import { runToEnd } from './run-to-end.ts'
import { Scheduler } from './scheduler.ts'
import { SharedDatabase } from './shared-database.ts'
import { StockWrites } from './stock-writes.ts'

export interface Outcome {
  /** The history as JSON lines; of a world that broke down, what was recorded until then. */
  readonly history: string
  readonly violations: readonly string[]
  readonly crashes: number
  /** How much there was to judge; undefined if the world broke down, so that nothing was judged. */
  readonly counts: Judgement['counts'] | undefined
}

/** Scarce goods first, so that clients compete for them. */
const onSale = `select sku from stock where sku = 'SBX-SHORT-3' or (sku not like 'SBX-%' and withdrawn = 0 and on_hand > 0)
  group by sku order by sum(on_hand), sku limit ?`
const skusOnSale = 3
const warehouses = ['AUSYD1', 'AUSYD2', 'AU'] as const
/** Longer than the longest time in which a write of unknown outcome is settled. */
const maxQuietMs = 60_000
const quietMs = 500
/** Longer than any hold lasts, and than a failed webhook waits. */
const jumpMs = 3_600_000
const maxJumps = 10
const unsettled = `select 1 from intents union all select 1 from holds where status = 'reserved'
  union all select 1 from outbox union all select 1 from webhook_deliveries where status = 'pending' limit 1`
/** When the newest turns of the syncs that have ended began: of each warehouse, and of the documents. */
const syncTurns = `select warehouse_code as name, synced_at from warehouses where kind = 'warehouse'
  union all select name, synced_at from document_sync order by 1`
/** One that may have begun before, and one that began later. */
const turnsToAwait = 2
const maxSyncMs = 30_000
/** The views of a company's warehouses have events of their own, which no channel gets. */
const newestEvent = `select event_id from events where number is not null
  and (warehouse_code is null or warehouse_code in (select warehouse_code from warehouses where kind = 'warehouse'))
  order by number desc limit 1`
const afterJumpMs = 2_000

/** Runs the world of a plan. The same plan gives the same history. A world that breaks down breaks a promise. */
export async function runWorld(plan: WorldPlan, planted: readonly PlantedName[] = []): Promise<Outcome> {
  const opening = await prepareOpening(receivers)
  const scheduler = new Scheduler(plan.seed, opening.elapsedMs)
  useMachine(scheduler)
  try {
    const world = new World({ plan, planted, opening, scheduler })
    const [live, close] = [() => world.live(), () => world.close()]
    return await runToEnd(scheduler, live, close).catch((error: unknown) => world.describeBreakdown(error))
  } finally {
    useMachine(undefined)
  }
}

interface WorldParts {
  readonly plan: WorldPlan
  readonly planted: readonly PlantedName[]
  readonly opening: Opening
  readonly scheduler: Scheduler
}

class World {
  readonly #parts: WorldParts
  readonly #lines: string[] = []
  readonly #recorder: HistoryRecorder
  readonly #surroundings: Surroundings
  readonly #fleet: Fleet
  readonly #calamities: Calamities
  readonly #stockWrites: StockWrites
  readonly #receivers: readonly Receiver[]
  readonly #stockFollowers: StockFollower[] = []
  readonly #eventFollowers: EventFollower[] = []
  readonly #complaints: string[] = []
  /** What to do once the gateway must know what the staff of the ERP has done. */
  readonly #followed: (() => void)[] = []
  #erp: SandboxErp | undefined

  constructor(parts: WorldParts) {
    this.#parts = parts
    const { plan, planted, opening, scheduler } = parts
    const sink = { write: (text: string) => void this.#lines.push(text), close: () => {} }
    this.#recorder = new HistoryRecorder(sink, () => scheduler.elapsedMs)
    const database = new SharedDatabase(scheduler, opening.gateway)
    this.#stockWrites = new StockWrites(database)
    plantIntoDatabase(planted, database, scheduler)
    this.#surroundings = {
      ...{ scheduler, database, config, seed: plan.seed, locks: new Map(), processes: new Set() },
      linkErp: (process) => this.#linkErp(process),
      post: (request) => this.#post(request),
      plantInto: (gateway) => plantIntoGateway(planted, gateway),
    }
    this.#fleet = new Fleet({
      ...{ surroundings: this.#surroundings, plan, random: new SeededRandom(plan.seed, 'fleet') },
      isBusy: () => this.#calamities.isBusy,
      isLinkBad: () => this.#calamities.isDuring('bad network to the database'),
      isRestoreMarked: !planted.includes('cursor-ahead-of-restore'),
    })
    this.#calamities = new Calamities({
      ...{ plan, surroundings: this.#surroundings, fleet: this.#fleet, recorder: this.#recorder },
      onRestore: () => this.#stockWrites.forgetLost(),
    })
    this.#receivers = Array.from({ length: receivers }, (_, receiver) => {
      const random = new SeededRandom(plan.seed, `receiver ${receiver}`)
      return new Receiver({ scheduler, random, mood: () => this.#calamities.findMood(receiver) })
    })
  }

  async live(): Promise<Outcome> {
    const { plan, scheduler, opening } = this.#parts
    this.#erp = await openErp(scheduler, {
      contents: opening.erp,
      hasCounter: plan.hasCounter,
      erpClass: plan.erpClass,
    })
    const skus = this.#erp.store.all(onSale, skusOnSale).map(({ sku }) => String(sku))
    recordOpening(this.#recorder, this.#erp.store, skus)
    const announcedBefore = this.#readMarks()
    await this.#fleet.start()
    const faults = this.#calamities.begin()
    const all = Promise.all([...plan.clients.map((client) => this.#work(client, skus)), faults])
    all.catch((error: unknown) => {
      scheduler.fault ??= error
    })
    await scheduler.sleep(busyMs)
    this.#calamities.end()
    await all
    await this.#settleDown()
    await this.#awaitSync()
    for (const act of this.#followed) act()
    const reader = this.#createClient('reader', opening.channel)
    const isRestored = this.#calamities.lostEvents !== undefined
    if (!(await readAllOrders({ ...this.#toParts('reader'), client: reader }, isRestored)))
      this.#complain('The lists of orders could not be read.')
    const { lastEvent } = opening
    const feed = new EventFollower({ ...this.#toParts('reader'), client: reader, since: lastEvent })
    const copies = this.#openCopies(reader)
    await this.#catchUp([...this.#eventFollowers, feed], [...this.#stockFollowers, ...copies])
    const judgement = judge({
      ...{ erp: this.#erp, database: this.#surroundings.database, skus, recorder: this.#recorder },
      ...{ complaints: this.#complaints, copies: [...this.#stockFollowers, ...copies], lines: this.#lines },
      ...{ stockWrites: this.#stockWrites, lostEvents: this.#calamities.lostEvents },
      ...{ announcedBefore, lastEvent, events: feed.events },
      inboxes: [
        ...this.#eventFollowers.map(({ events }) => ({ events, ordered: true })),
        ...this.#receivers.map(({ events }) => ({ events, ordered: false })),
      ],
    })
    return { history: this.#lines.join(''), crashes: this.#fleet.crashes, ...judgement }
  }

  /** Returns the outcome of a world that broke down, with what it has recorded and what clients have seen until then. */
  describeBreakdown(error: unknown): Outcome {
    this.#recorder.flush()
    const story = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const violations = [`The world broke down: ${story}`, ...this.#complaints]
    return {
      ...{ history: this.#lines.join(''), crashes: this.#fleet.crashes },
      ...{ violations, counts: undefined },
    }
  }

  close() {
    for (const process of this.#surroundings.processes) process.crash()
    this.#surroundings.database.close()
    this.#erp?.close()
  }

  /**
   * Waits until every write is settled, every hold has ended and every webhook is delivered. All clocks jump meanwhile,
   * so that holds expire and failed webhooks are due.
   */
  async #settleDown(): Promise<void> {
    const { scheduler } = this.#parts
    const { database } = this.#surroundings
    const isOpen = () => database.read('select 1 from intents limit 1').length > 0
    for (let waited = 0; waited < maxQuietMs && isOpen(); waited += quietMs) await scheduler.sleep(quietMs)
    this.#recorder.observe('world', 'time.jumped', {})
    for (let jumps = 0; jumps === 0 || (jumps < maxJumps && this.#isWaiting()); jumps++) {
      scheduler.shiftMs += jumpMs
      await scheduler.sleep(afterJumpMs)
    }
  }

  /** Reads the version of each warehouse that was announced last. */
  #readMarks(): ReadonlyMap<string, number> {
    const rows = this.#surroundings.database.read('select warehouse_code, version from stock_marks')
    return new Map(rows.map(({ warehouse_code, version }) => [String(warehouse_code), Number(version)]))
  }

  #isWaiting(): boolean {
    return this.#surroundings.database.read(unsettled).length > 0
  }

  /**
   * Waits until the stock of every warehouse and the documents were synced from now on. A process that has just begun takes the leases of
   * one that crashed only after some seconds.
   */
  async #awaitSync(): Promise<void> {
    const { database } = this.#surroundings
    const readTurns = () => database.read(syncTurns).map(({ synced_at }) => Number(synced_at))
    const seen = readTurns().map((turn) => new Set([turn]))
    const isSynced = () => seen.every((turns) => turns.size > turnsToAwait)
    for (let waited = 0; waited < maxSyncMs && !isSynced(); waited += quietMs) {
      await this.#parts.scheduler.sleep(quietMs)
      for (const [sync, turn] of readTurns().entries()) seen[sync]?.add(turn)
    }
  }

  /** Lets all followers read to the end, until nothing has come meanwhile: stock announces a change some seconds later. */
  async #catchUp(
    eventFollowers: readonly EventFollower[],
    stockFollowers: readonly StockFollower[],
  ): Promise<void> {
    const { database } = this.#surroundings
    await this.#awaitSync()
    for (let tries = 0; tries < maxJumps; tries++) {
      for (const follower of [...stockFollowers, ...eventFollowers]) await follower.catchUp()
      const newest = database.read(newestEvent)[0]?.event_id
      const isRead = eventFollowers.every(({ since }) => newest === undefined || since === newest)
      if (isRead && !this.#isWaiting()) return
      await this.#parts.scheduler.sleep(afterJumpMs)
    }
    this.#complain('The followers never reached the end.')
  }

  /** Opens a copy of every warehouse, which the judge compares with the ERP. */
  #openCopies(client: GatewayClient): StockFollower[] {
    const complain = (sentence: string) => this.#complain(sentence)
    return warehouses.map(
      (warehouse) =>
        new StockFollower({ ...this.#toParts(`copy of ${warehouse}`), client, warehouse, complain }),
    )
  }

  #complain(sentence: string) {
    this.#complaints.push(sentence)
  }

  /** Lets a client work until it ends or must end. */
  #work({ name, kind, rounds }: ClientPlan, skus: readonly string[]): Promise<void> {
    const { opening, plan } = this.#parts
    const isBuyer = kind === 'dropship buyer' || kind === 'wholesale buyer'
    const client = this.#createClient(name, isBuyer ? opening.account : opening.channel)
    const isOver = () => !this.#calamities.isBusy
    const parts: BuyerParts = { ...this.#toParts(name), client, skus, rounds, isOver }
    const complain = (sentence: string) => this.#complain(sentence)
    if (kind === 'dropship buyer') return buyDropship(parts)
    if (kind === 'wholesale buyer') return buyWholesale(parts)
    if (kind === 'stock mover') return moveStock({ ...parts, name, erp: this.#requireErp() })
    if (kind === 'staff') {
      const whenFollowed = (act: () => void) => void this.#followed.push(act)
      const mayIntercept = !plan.faults.some((fault) => fault.kind === 'restore')
      return workAtErp({ ...parts, name, erp: this.#requireErp(), mayIntercept, whenFollowed })
    }
    if (kind === 'revoker') {
      const hasPausedSince = (elapsedMs: number) => this.#fleet.hasPausedSince(elapsedMs)
      return revokeTokens({ ...parts, complain, hasPausedSince })
    }
    if (kind === 'event follower') {
      const follower = new EventFollower({ ...parts, since: opening.lastEvent })
      this.#eventFollowers.push(follower)
      return follower.follow(isOver)
    }
    const warehouse = new SeededRandom(plan.seed, `warehouse of ${name}`).pick(warehouses)
    const follower = new StockFollower({ ...parts, warehouse, complain })
    this.#stockFollowers.push(follower)
    return follower.follow(isOver)
  }

  #linkErp(process: Parameters<Surroundings['linkErp']>[0]) {
    const { scheduler, plan, planted } = this.#parts
    const { database } = this.#surroundings
    const erp = this.#requireErp()
    const random = new SeededRandom(plan.seed, `link ${process.name}`)
    const isBad = () => this.#calamities.isDuring('bad network to the ERP')
    const isAway = () => this.#calamities.isDuring('ERP away')
    const dedupes = plan.erpClass === 'dedupes'
    const linked = linkErp({ scheduler, random, process, erp: erp.erp, dedupes, isBad, isAway })
    return plantFaults(linked, planted, { scheduler, database, books: erp.store })
  }

  #requireErp(): SandboxErp {
    if (!this.#erp) throw new Error('The ERP has not started.')
    return this.#erp
  }

  #post(request: Parameters<Surroundings['post']>[0]): ReturnType<Surroundings['post']> {
    const receiver = this.#receivers.find((_, number) => request.url === toReceiverUrl(number))
    if (!receiver) throw new Error(`There is no receiver ${request.url}.`)
    return receiver.post(request)
  }

  #createClient(name: string, credentials: Readonly<Record<string, string>>): GatewayClient {
    const isBad = () => this.#calamities.isDuring('bad network to clients')
    const pickProcess = () => this.#fleet.pick()
    return new GatewayClient({ ...this.#toParts(name), name, credentials, isBad, pickProcess })
  }

  /** What every client gets. */
  #toParts(name: string) {
    const { scheduler, plan } = this.#parts
    return { scheduler, recorder: this.#recorder, random: new SeededRandom(plan.seed, name) }
  }
}
