/**
 * Clients that follow the stock while orders are placed. What they read is part of the history, and on PostgreSQL what
 * each transaction committed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Follower } from '../follower.ts'
import type { JudgedHistory } from '../judged-history.ts'
import { proveCopy } from '../proof.ts'
import type { Buyer } from './buyer.ts'
import type { EventFollower } from './event-follower.ts'
import { type Books, createFinding, type Finding } from './finding.ts'
import { recordStockReads, recordStockWrites, watchStockWrites } from './recorded-stock.ts'
import { StockFollower } from './stock-follower.ts'

/** Two, so that two clients have a copy of the same version. */
const followersPerWarehouse = 2
/** Longer than a change of stock waits for its event. */
const announceMs = 60_000
const pauseMs = 200
/** How often a follower's copy is compared, at most. */
const maxComparisons = 3

interface StockPlan {
  readonly client: Pick<Buyer, 'read'>
  readonly warehouses: readonly string[]
  readonly history: Pick<JudgedHistory, 'recorder' | 'isRecorded'>
  /** The database of the gateway, if it is on PostgreSQL. */
  readonly databaseUrl: string | undefined
}

/** The stock of a trial, as clients follow it and as the database commits it. */
export class FollowedStock {
  readonly followers: readonly StockFollower[]
  readonly #plan: StockPlan
  /** The version of each warehouse that a copy had at first, which the feed of events may not know. */
  readonly #first = new Map<string, number>()
  /** The newest version of each warehouse that was committed, or that a copy changed to. */
  readonly #newest = new Map<string, number>()

  private constructor(plan: StockPlan) {
    const { client, warehouses, history } = plan
    const states = new Map<string, string>()
    this.#plan = plan
    this.followers = warehouses.flatMap((code) =>
      Array.from({ length: followersPerWarehouse }, (_, number) => {
        const name = `follower ${number + 1}`
        const onCopy = (version: number, state: string) => {
          history.recorder.observe(name, 'stock.copy', { warehouse_code: code, version, state })
          this.#noteCopy(code, version)
        }
        const reads = { history: history.recorder, name: `${name} of ${code}`, code }
        return new StockFollower(recordStockReads(client, reads), code, { states, onCopy })
      }),
    )
  }

  /** Has the database note its commits from now on, and returns the followers, which read nothing yet. */
  static async begin(plan: StockPlan): Promise<FollowedStock> {
    if (plan.databaseUrl !== undefined && plan.history.isRecorded) await watchStockWrites(plan.databaseUrl)
    return new FollowedStock(plan)
  }

  /** The number of times that a copy was compared with the checksum of its version. */
  get proofs(): number {
    return this.followers.reduce((sum, { proofs }) => sum + proofs, 0)
  }

  /**
   * Lets the followers read to the end of the feed, and compares their copies with a new pull, the checksums and the
   * books. Nothing but holds may change any more.
   */
  async compareCopies(books: Books): Promise<Finding[]> {
    const findings: Finding[] = []
    for (const follower of this.followers) findings.push(...(await this.#compareCopy(follower, books)))
    return findings
  }

  async #compareCopy(follower: StockFollower, { erp }: Books): Promise<Finding[]> {
    const { client } = this.#plan
    const { code } = follower
    const expected = new Map([...(erp.stock.get(code) ?? [])].map(([sku, { on_hand }]) => [sku, on_hand]))
    let examples: readonly string[] = []
    // A hold that expires between the reads makes them differ once. A change that was missed differs each time.
    for (let tries = 0; tries === 0 || (examples.length > 0 && tries < maxComparisons); tries++) {
      await follower.catchUp()
      const fresh = new Follower({ get: (path) => client.read(path) }, code)
      examples = (await proveCopy(follower.copy, fresh, expected)).examples
    }
    return [...follower.findings, ...examples.map((story) => createFinding('missed', code, story))]
  }

  /**
   * Records the commits of stock. `isChanged` tells whether stock has changed: then there must be some, because without
   * writers no read can contradict them.
   */
  async recordCommits(isChanged: boolean): Promise<Finding[]> {
    const { databaseUrl, history } = this.#plan
    if (databaseUrl === undefined || !history.isRecorded) return []
    const rows = await recordStockWrites(history.recorder, databaseUrl)
    for (const { warehouse_code, version } of rows) this.#noteNewest(warehouse_code, version)
    if (rows.length > 0 || !isChanged) return []
    return [createFinding('impossible', 'the history', 'the stock changed, and the database noted no commit')]
  }

  /**
   * Waits until the feed of events announces the newest recorded version of each warehouse, but not for ever: the history
   * shows whether it does.
   */
  async waitUntilAnnounced(feed: EventFollower): Promise<void> {
    const { history, warehouses } = this.#plan
    const isAnnounced = (code: string) =>
      !this.#newest.has(code) ||
      feed.events.some(
        ({ data }) => data.warehouse_code === code && (data.version ?? 0) >= (this.#newest.get(code) ?? 0),
      )
    for (const until = performance.now() + announceMs; performance.now() < until; await wait(pauseMs)) {
      await feed.catchUp()
      if (warehouses.every(isAnnounced)) break
    }
    for (const warehouse_code of warehouses)
      history.recorder.observe('feed', 'stock.announced', { warehouse_code })
  }

  #noteCopy(code: string, version: number) {
    const first = this.#first.get(code) ?? version
    this.#first.set(code, first)
    if (version > first) this.#noteNewest(code, version)
  }

  #noteNewest(code: string, version: number) {
    this.#newest.set(code, Math.max(version, this.#newest.get(code) ?? 0))
  }
}
