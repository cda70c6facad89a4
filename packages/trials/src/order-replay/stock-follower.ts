/**
 * Clients that follow the change feed, with each request at another process. After each last page a follower's copy
 * must have the checksum that the page has, so a missed change shows at once.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { FeedBroken, Follower, type Proof, type StockRow } from '../follower.ts'
import type { Buyer } from './buyer.ts'
import type { Finding } from './finding.ts'

const pauseMs = 100
/** How often the whole stock is read after a wrong copy: often enough to reach every process. */
const looks = 8
/** How often a process that is behind another one is waited for. */
const maxTimesBehind = 100
/** The number of rows that a finding tells. */
const maxToldRows = 10

/** What followers share. */
interface StockWatch {
  /** The state of each version, over all followers. */
  readonly states: Map<string, string>
  /** Called with the version of a copy and a digest of its rows, whenever the feed has nothing more. */
  readonly onCopy?: (version: number, state: string) => void
}

/** A follower of the stock of one warehouse. */
export class StockFollower {
  readonly findings: Finding[] = []
  readonly code: string
  readonly #client: Pick<Buyer, 'read'>
  readonly #follower: Follower
  readonly #watch: StockWatch
  proofs = 0

  constructor(client: Pick<Buyer, 'read'>, code: string, watch: StockWatch) {
    this.code = code
    this.#client = client
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
    for (let behind = 0; behind < maxTimesBehind; ) {
      if (await this.#applyNextPage()) continue
      if (!this.#follower.isBehind) return
      behind += 1
      await wait(pauseMs)
    }
  }

  async #applyNextPage(): Promise<boolean> {
    const before = this.#follower.pulls
    try {
      const hasMore = await this.#follower.applyNextPage()
      if (this.#follower.pulls > before) this.#report('resynced', 'the feed required a full sync')
      await this.#checkProof()
      return hasMore
    } catch (error) {
      if (!(error instanceof FeedBroken)) throw error
      this.#report('ran_back', error.message)
      return false
    }
  }

  async #checkProof(): Promise<void> {
    const { proof } = this.#follower
    if (!proof) return
    this.proofs += 1
    const checksum = this.#follower.computeChecksum()
    const state = `${proof.row_count} ${proof.checksum}`
    const version = `${this.code}@${proof.version}`
    if (proof.checksum !== checksum || proof.row_count !== this.#follower.rows.size)
      await this.#reportWrongCopy(proof)
    this.#watch.onCopy?.(proof.version, `${this.#follower.rows.size} ${checksum}`)
    const known = this.#watch.states.get(version) ?? state
    if (known !== state) this.#report('missed', `version ${proof.version} has two states`)
    this.#watch.states.set(version, state)
  }

  /** Reports a wrong copy with the pages that led to it, and what the processes have instead, one after another. */
  async #reportWrongCopy({ version }: Proof): Promise<void> {
    const { rows, newest } = this.#follower
    const before = new Map(rows)
    const told = [`pages ${JSON.stringify(newest)}`]
    for (let look = 1; look <= looks; look++) {
      const fresh = new Follower({ get: (path) => this.#client.read(path) }, this.code)
      await fresh.pull()
      told.push(`look ${look} at version ${fresh.cursor}: ${describeDifferences(before, fresh.rows)}`)
    }
    this.#report(
      'missed',
      `at version ${version} the copy is not the state that the feed names; ${told.join('; ')}`,
    )
  }

  #report(kind: Finding['kind'], story: string): void {
    this.findings.push({ kind, subject: this.code, story })
  }
}

function describeDifferences(
  copy: ReadonlyMap<string, StockRow>,
  found: ReadonlyMap<string, StockRow>,
): string {
  const differing = [...found.values()].filter(({ sku, version }) => copy.get(sku)?.version !== version)
  const told = differing.map(
    ({ sku, version, quantity_available }) =>
      `${sku} ${copy.get(sku)?.version}=${copy.get(sku)?.quantity_available} -> ${version}=${quantity_available}`,
  )
  return told.slice(0, maxToldRows).join(', ')
}
