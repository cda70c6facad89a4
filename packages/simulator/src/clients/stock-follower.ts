/**
 * A client that keeps a copy of a warehouse's stock. It pulls everything once and then follows the feed of changes. After
 * each last page its copy must have the checksum that the page has.
 */
import { computeChecksum } from '@trade-gateway/sdk/mirror'
import type { HistoryRecorder } from '../history/recorder.ts'
import type { SeededRandom } from '../random.ts'
import type { Scheduler } from '../scheduler.ts'
import type { GatewayClient } from './gateway-client.ts'

type Row = Parameters<typeof computeChecksum>[0] extends Iterable<infer Each> ? Each : never

interface Page {
  readonly data: readonly (Row & { readonly removed?: true })[]
  readonly version: number
  readonly has_more: boolean
  readonly needs_full_sync?: boolean
  readonly row_count?: number
  readonly checksum?: string
}

interface FollowerParts {
  readonly client: GatewayClient
  readonly scheduler: Scheduler
  readonly random: SeededRandom
  readonly recorder: HistoryRecorder
  readonly warehouse: string
  complain(sentence: string): void
}

const maxPauseMs = 300
const maxTries = 60

export class StockFollower {
  readonly #parts: FollowerParts
  readonly #path: string
  readonly #rows = new Map<string, Row>()
  #version: number | undefined
  /** A client that is told to pull everything again begins anew: a restored database may show it older rows at first. */
  #pulls = 0

  constructor(parts: FollowerParts) {
    this.#parts = parts
    this.#path = `/api/v1/warehouses/${parts.warehouse}/stock`
  }

  get warehouse(): string {
    return this.#parts.warehouse
  }

  get rows(): ReadonlyMap<string, Row> {
    return this.#rows
  }

  async follow(isOver: () => boolean): Promise<void> {
    const { scheduler, random } = this.#parts
    while (!isOver()) {
      await this.#readPage()
      await scheduler.sleep(random.integer(20, maxPauseMs))
    }
  }

  /** Reads the feed to its end. */
  async catchUp(): Promise<void> {
    const { scheduler, complain } = this.#parts
    for (let tries = 0; tries < maxTries; tries++) {
      if ((await this.#readPage()) === 'proven') return
      await scheduler.sleep(maxPauseMs)
    }
    complain(`${this.#parts.client.name} never reached the end of the feed.`)
  }

  /** Pulls everything, or reads one page of the feed. `proven` says that the copy equals the source. */
  async #readPage(): Promise<'proven' | 'more' | 'lost'> {
    const isPull = this.#version === undefined
    if (isPull) this.#pulls += 1
    const { client, recorder, warehouse } = this.#parts
    const end = recorder.begin(`${client.name} on ${warehouse}, pull ${this.#pulls}`, 'stock.read')
    const reply = await client.request({
      method: 'GET',
      path: isPull ? this.#path : `${this.#path}/changes`,
      ...(isPull ? {} : { query: `since=${this.#version}` }),
    })
    if (reply?.status !== 200) {
      end({ type: 'unknown' })
      return 'lost'
    }
    const page = reply.json as Page
    end({ type: 'ok', output: { rows: this.#toVersions(page) } })
    if (page.needs_full_sync) {
      this.#version = undefined
      return 'more'
    }
    if (isPull) this.#rows.clear()
    else if (page.version < (this.#version ?? 0)) this.#complain(`went back to ${page.version}`)
    for (const { removed, ...row } of page.data) {
      if (removed) this.#rows.delete(row.sku)
      else this.#rows.set(row.sku, row)
    }
    this.#version = page.version
    return page.has_more || page.checksum === undefined ? 'more' : this.#prove(page)
  }

  /** Returns the rows of a page with their versions, as the checker judges them. */
  #toVersions({ data }: Page) {
    const { warehouse: warehouse_code } = this.#parts
    return data
      .filter(({ removed }) => !removed)
      .map(({ sku, version, quantity_available: quantity }) => ({ warehouse_code, sku, version, quantity }))
  }

  #prove({ version, row_count, checksum }: Page): 'proven' {
    const { client, recorder, warehouse } = this.#parts
    const own = computeChecksum(this.#rows.values())
    if (own !== checksum || row_count !== this.#rows.size)
      this.#complain(`has another checksum than the feed at ${version}`)
    recorder.observe(client.name, 'stock.copy', { warehouse_code: warehouse, version, state: own })
    return 'proven'
  }

  #complain(story: string) {
    const { client, warehouse, complain } = this.#parts
    complain(`The copy of ${warehouse} at ${client.name} ${story}; it was at ${this.#version}.`)
  }
}
