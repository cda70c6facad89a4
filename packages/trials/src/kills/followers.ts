/**
 * Clients that follow the change feed and the events, with each request at another process. After each last page a
 * follower's copy must have the checksum that the page has, so a missed change shows at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { FeedBroken, Follower } from '../follower.ts'
import type { Buyer } from '../order-replay/buyer.ts'
import type { KillFinding } from './finding.ts'

const pauseMs = 100
const eventsPerPage = 200

const eventPage = z.object({
  data: z.array(
    z.object({
      event_id: z.string(),
      type: z.string(),
      data: z.object({
        client_order_number: z.string().nullish(),
        warehouse_code: z.string().nullish(),
        version: z.int().nullish(),
      }),
    }),
  ),
  has_more: z.boolean(),
})

export type FeedEvent = z.infer<typeof eventPage>['data'][number]

/** What followers share. */
interface StockWatch {
  /** The state of each version, over all followers. */
  readonly states: Map<string, string>
  /** Called with the version of a copy and a digest of its rows, whenever the feed has nothing more. */
  readonly onCopy?: (version: number, state: string) => void
}

/** A follower of the stock of one warehouse. */
export class StockFollower {
  readonly findings: KillFinding[] = []
  readonly code: string
  readonly #follower: Follower
  readonly #watch: StockWatch
  proofs = 0

  constructor(client: Pick<Buyer, 'read'>, code: string, watch: StockWatch) {
    this.code = code
    this.#follower = new Follower({ get: (path) => client.read(path) }, code)
    this.#watch = watch
  }

  get copy(): Follower {
    return this.#follower
  }

  async followUntil(isOver: () => boolean): Promise<void> {
    await this.#follower.pull()
    while (!isOver()) {
      if (!(await this.#applyNextPage())) await wait(pauseMs)
    }
  }

  /** Reads the feed to its end. */
  async catchUp(): Promise<void> {
    while (await this.#applyNextPage());
  }

  async #applyNextPage(): Promise<boolean> {
    const before = this.#follower.pulls
    try {
      const hasMore = await this.#follower.applyNextPage()
      if (this.#follower.pulls > before) this.#report('resynced', 'the feed required a full sync')
      this.#checkProof()
      return hasMore
    } catch (error) {
      if (!(error instanceof FeedBroken)) throw error
      this.#report('ran_back', error.message)
      return false
    }
  }

  #checkProof(): void {
    const { proof } = this.#follower
    if (!proof) return
    this.proofs += 1
    const checksum = this.#follower.computeChecksum()
    const state = `${proof.row_count} ${proof.checksum}`
    const version = `${this.code}@${proof.version}`
    if (proof.checksum !== checksum || proof.row_count !== this.#follower.rows.size)
      this.#report('missed', `at version ${proof.version} the copy is not the state that the feed names`)
    this.#watch.onCopy?.(proof.version, `${this.#follower.rows.size} ${checksum}`)
    const known = this.#watch.states.get(version) ?? state
    if (known !== state) this.#report('missed', `version ${proof.version} has two states`)
    this.#watch.states.set(version, state)
  }

  #report(kind: KillFinding['kind'], story: string): void {
    this.findings.push({ kind, subject: this.code, story })
  }
}

/** A follower of the events. */
export class EventFollower {
  readonly #client: Pick<Buyer, 'read'>
  readonly events: FeedEvent[] = []

  constructor(client: Pick<Buyer, 'read'>) {
    this.#client = client
  }

  async followUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (!(await this.#readNextPage())) await wait(pauseMs)
    }
  }

  /** Reads the events to the last one. */
  async catchUp(): Promise<void> {
    while (await this.#readNextPage());
  }

  async #readNextPage(): Promise<boolean> {
    const last = this.events.at(-1)
    const since = last === undefined ? '' : `&since=${last.event_id}`
    const page = eventPage.parse(await this.#client.read(`/api/v1/events?page_size=${eventsPerPage}${since}`))
    this.events.push(...page.data)
    return page.has_more
  }
}
