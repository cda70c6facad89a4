/** One seed: several gateways on one database, an ERP and clients, with crashes at commits, until all is quiet again. */

import { createChannel } from '@trade-gateway/gateway/access/channels'
import { readConfig } from '@trade-gateway/gateway/config'
import { migrate } from '@trade-gateway/gateway/store/migrate'
import { leastHashCost, openSandboxErp, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import { Client } from './client.ts'
import { linkErp } from './erp-link.ts'
import { type FaultName, plantFaults } from './faults.ts'
import type { HistoryEntry } from './history/entry.ts'
import { judge } from './judge.ts'
import { useMachine } from './platform.ts'
import { SimulatedProcess, type Surroundings } from './process.ts'
import { SeededRandom } from './random.ts'
import { Scheduler, worldStart } from './scheduler.ts'
import { SharedDatabase } from './shared-database.ts'

export interface WorldOptions {
  readonly seed: number
  readonly faults: readonly FaultName[]
  /** The number of crashes after which none follows; by default the seed decides. */
  readonly maxCrashes?: number
}

export interface Outcome {
  readonly history: readonly HistoryEntry[]
  readonly violations: readonly string[]
  readonly crashes: number
  readonly elapsedMs: number
}

const channel = {
  ...{ name: 'Channel', plan: 'full', warehouse_allowlist: [], customer_code: 'CUST-HARBOUR' },
  ...{
    points_per_minute: 1_000_000,
    wholesale_enabled: true,
    dropship_enabled: true,
    webhooks_enabled: true,
  },
}
const account = {
  ...{ account_id: 'acc_1', username: 'buyer@test.example', password: 'right-password-1', name: 'Buyer' },
  customer_code: 'CUST-HARBOUR',
}
const clients = 2
const skusOnSale = 3
/** Scarce goods first, so that clients compete for them. */
const onSale = `select sku from stock where sku = 'SBX-SHORT-3' or (sku not like 'SBX-%' and withdrawn = 0 and on_hand > 0)
  group by sku order by sum(on_hand), sku limit ?`
const busyMs = 9_000
/** Longer than the longest time in which a write of unknown outcome is settled. */
const maxQuietMs = 60_000
const quietMs = 1_000
const maxSkewMs = 2_000
const never = Number.POSITIVE_INFINITY

/** Runs the world of a seed. The same seed gives the same history. */
export async function runWorld(options: WorldOptions): Promise<Outcome> {
  const scheduler = new Scheduler(options.seed)
  useMachine(scheduler)
  const world = new World(options, scheduler)
  try {
    let isOver = false
    const fail = (error: unknown) => {
      scheduler.fault = error
    }
    world.live().then(() => {
      isOver = true
    }, fail)
    await scheduler.run(() => isOver, never)
    if (scheduler.fault !== undefined) throw scheduler.fault
    if (!isOver) throw new Error('Nothing is left to happen, but the world is not over.')
    return world.end()
  } finally {
    world.close()
    useMachine(undefined)
  }
}

class World {
  readonly #options: WorldOptions
  readonly #scheduler: Scheduler
  readonly #random: SeededRandom
  readonly #surroundings: Surroundings
  readonly #history: HistoryEntry[] = []
  readonly #slots: SimulatedProcess[] = []
  readonly #clients: Client[] = []
  #erp: SandboxErp | undefined
  #crashes = 0
  #starts = 0
  #isBusy = false

  constructor(options: WorldOptions, scheduler: Scheduler) {
    this.#options = options
    this.#scheduler = scheduler
    this.#random = new SeededRandom(options.seed, 'plan')
    this.#surroundings = {
      scheduler,
      database: new SharedDatabase(scheduler),
      seed: options.seed,
      locks: new Map(),
      processes: new Set(),
      config: readConfig({
        SECRETS_KEY: '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42',
      }),
      linkErp: (process) => this.#linkErp(process as SimulatedProcess),
    }
  }

  async live(): Promise<void> {
    await this.#openErp()
    const first = this.#createProcess()
    await this.#scheduler.runAs(first, () => migrate(first.createStore()))
    await first.start()
    if (!first.gateway) throw new Error('The first process has not started.')
    const acting = { gateway: first.gateway }
    await this.#scheduler.runAs(first, () => createChannel(acting as never, 'channel-1', channel))
    await this.#keepAlive(0, first)
    for (let slot = 1; slot < this.#random.integer(1, 3); slot++) await this.#begin(slot)
    await this.#scheduler.sleep(2_000)
    this.#isBusy = true
    const working = Array.from({ length: clients }, (_, at) => this.#createClient(`client-${at + 1}`)).map(
      (each) => each.work(() => !this.#isBusy),
    )
    for (const process of this.#slots) this.#planCrash(process)
    await this.#scheduler.sleep(busyMs)
    this.#isBusy = false
    await Promise.all(working)
    await this.#settleDown()
  }

  /** Waits until no write has an unknown outcome any more, and then a little longer. */
  async #settleDown(): Promise<void> {
    const { database } = this.#surroundings
    const isOpen = () => database.read('select 1 from intents').length > 0
    for (let waited = 0; waited < maxQuietMs && isOpen(); waited += quietMs)
      await this.#scheduler.sleep(quietMs)
    await this.#scheduler.sleep(quietMs)
  }

  end(): Outcome {
    const documents = this.#erp?.steering.listDocuments(0).documents ?? []
    const { database } = this.#surroundings
    const known = this.#clients.flatMap((client) => client.known)
    const books = this.#requireErp().store
    return {
      history: this.#history,
      violations: judge({ books, documents, database, known }),
      crashes: this.#crashes,
      elapsedMs: this.#scheduler.elapsedMs,
    }
  }

  close() {
    for (const process of this.#surroundings.processes) process.crash()
    this.#surroundings.database.close()
    this.#erp?.close()
  }

  async #openErp() {
    const today = '2026-11-21'
    this.#erp = await openSandboxErp({
      path: ':memory:',
      catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 1, today }),
      catalogue_id: 'simulation',
      clock: { now: () => worldStart + Math.floor(this.#scheduler.elapsedMs) },
      accounts: [account],
      hashCost: leastHashCost,
      handoverMs: never,
      shippingMs: never,
    })
  }

  #requireErp(): SandboxErp {
    if (!this.#erp) throw new Error('The ERP has not started.')
    return this.#erp
  }

  #linkErp(process: SimulatedProcess) {
    const erp = this.#requireErp()
    const { scheduler, database } = this.#surroundings
    const random = new SeededRandom(this.#options.seed, `link ${process.name}`)
    const linked = linkErp({ scheduler, random, process, erp: erp.erp, isBad: () => this.#isBusy })
    return plantFaults(linked, this.#options.faults, { scheduler, database, books: erp.store })
  }

  #createProcess() {
    this.#starts += 1
    const skew = this.#random.integer(-maxSkewMs, maxSkewMs)
    return new SimulatedProcess(this.#surroundings, `gateway-${this.#starts}`, skew)
  }

  /** Starts a process in a slot, and again after each crash. */
  async #begin(slot: number): Promise<void> {
    const process = this.#createProcess()
    if (this.#isBusy) this.#planCrash(process)
    const started = process.start().then(() => true)
    if (!(await Promise.race([started, process.ended]))) return this.#restart(slot)
    await this.#keepAlive(slot, process)
  }

  async #keepAlive(slot: number, process: SimulatedProcess): Promise<void> {
    this.#slots[slot] = process
    void process.ended.then(() => this.#restart(slot))
  }

  async #restart(slot: number): Promise<void> {
    this.#crashes += 1
    const client = `slot-${slot + 1}`
    this.#record({ client, id: this.#crashes, type: 'observed', operation: 'process.crashed' })
    await this.#scheduler.sleep(this.#random.integer(20, 500))
    await this.#begin(slot)
  }

  #planCrash(process: SimulatedProcess) {
    const { maxCrashes = 10 } = this.#options
    if (this.#crashes >= maxCrashes) return
    process.plan = {
      commit: this.#random.integer(1, 60),
      side: this.#random.chance(0.5) ? 'before' : 'after',
    }
    if (!this.#isBusy) process.plan = undefined
  }

  #createClient(name: string): Client {
    const skus = this.#requireErp()
      .store.all(onSale, skusOnSale)
      .map(({ sku }) => String(sku))
    const { username, password } = account
    const client = new Client({
      name,
      scheduler: this.#scheduler,
      random: new SeededRandom(this.#options.seed, name),
      skus,
      credentials: { grant_type: 'password', username, password },
      record: (entry) => this.#record(entry),
      pickProcess: () => this.#random.pick(this.#slots),
    })
    this.#clients.push(client)
    return client
  }

  #record(entry: Omit<HistoryEntry, 'at'>) {
    this.#history.push({ at: Math.floor(this.#scheduler.elapsedMs), ...entry })
  }
}
