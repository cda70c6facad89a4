import type { Result, TradeGateway } from '@trade-gateway/sdk'
import { CommandError } from '../failures.ts'
import { wait } from '../wait.ts'
import type { StockRow } from './formats.ts'

/** More pages than the feed of a warehouse has. */
const maxSteps = 1_000_000
/** How long, and how often, to wait for a process of the gateway that is behind another one. */
const [behindMs, maxTimesBehind] = [200, 150] as const

type Changes = Result<'stock.changes'>

/** A download that has not the rows of the gateway. It cannot be continued. */
export class UnprovenCopy extends CommandError {
  override readonly name = 'UnprovenCopy'

  constructor(message: string) {
    super(message, { hint: 'Begin the download again, without --resume.' })
  }
}

export interface DownloadedVersions {
  /** The version of the first page. */
  readonly version: number
  /** The newest version of a page. A process of the gateway that is behind it cannot prove the rows. */
  readonly newest: number
}

/** Which rows a download has, so that none comes twice and the gateway’s checksum proves that none is missing. */
export class Copy {
  readonly #computeChecksum: (rows: Iterable<StockRow>) => string
  /** The share of each SKU in the checksum, which is their sum. */
  readonly #shares = new Map<string, bigint>()

  private constructor(computeChecksum: (rows: Iterable<StockRow>) => string) {
    this.#computeChecksum = computeChecksum
  }

  static async open(): Promise<Copy> {
    const { computeChecksum } = await import('@trade-gateway/sdk/mirror')
    return new Copy(computeChecksum)
  }

  /** Adds rows, and returns those that were not there. */
  add(rows: readonly StockRow[]): StockRow[] {
    const fresh = rows.filter(({ sku }) => !this.#shares.has(sku))
    for (const row of fresh) this.#put(row)
    return fresh
  }

  /**
   * Follows the changes since the first page to their end, and compares. Throws `UnprovenCopy` if a row is missing, is another
   * one, or is one too many.
   */
  async prove(
    client: TradeGateway,
    warehouse: string,
    { version, newest: told }: DownloadedVersions,
    options: { readonly signal: AbortSignal },
  ): Promise<void> {
    let [place, newest, timesBehind] = [version, told, 0]
    for (let step = 0; step < maxSteps; step++) {
      const changes = await client.stock.changes(warehouse, { since: place }, options)
      this.#apply(warehouse, changes)
      place = changes.version
      newest = Math.max(newest, changes.latest)
      if (changes.has_more) continue
      if (place >= newest) return this.#compare(warehouse, changes)
      timesBehind += 1
      if (timesBehind > maxTimesBehind) break
      await wait(behindMs, options.signal)
    }
    throw new UnprovenCopy(`The changes of ${warehouse} end at ${place}, although ${newest} was told.`)
  }

  #put(row: StockRow): void {
    this.#shares.set(row.sku, BigInt(`0x${this.#computeChecksum([row])}`))
  }

  #apply(warehouse: string, { data, needs_full_sync, full_sync_reason, since }: Changes): void {
    if (needs_full_sync)
      throw new UnprovenCopy(
        `The changes of ${warehouse} cannot be followed from ${since} (${full_sync_reason}).`,
      )
    for (const row of data)
      if (row.removed) this.#shares.delete(row.sku)
      else this.#put(row)
  }

  #compare(warehouse: string, { row_count, checksum }: Changes): void {
    const { size } = this.#shares
    if (row_count !== undefined && row_count !== size)
      throw new UnprovenCopy(`${warehouse} has ${row_count} rows, and ${size} were downloaded.`)
    if (checksum !== undefined && BigInt(`0x${checksum}`) !== this.#sumUp())
      throw new UnprovenCopy(`The rows of ${warehouse} do not have the checksum of the gateway.`)
  }

  #sumUp(): bigint {
    let sum = 0n
    for (const share of this.#shares.values()) sum += share
    return BigInt.asUintN(128, sum)
  }
}
