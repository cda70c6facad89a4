import { FullSyncRequiredError, GatewayError } from '../errors/errors.ts'
import type { Call } from '../transport/call.ts'
import type { CallOptions } from '../transport/options.ts'
import { planDelay } from '../transport/retry.ts'
import { wait } from '../wait.ts'
import type { Calls, ListPage } from './calls.ts'
import type { Pages } from './pages.ts'
import type { Data, Filters, Query, Result, Row } from './shapes.ts'

/** The largest page, which costs as much as the smallest. */
const pageSize = 1_000
const defaultFollowMs = 5_000

/** How {@link Stock.follow} reads. */
export interface FollowOptions extends CallOptions {
  /** The version to follow from: the `version` of a pull or of an earlier page. */
  readonly since: number
  /** How long to wait after everything was read. Default 5 seconds. */
  readonly intervalMs?: number
  /** How long to wait out failures that may pass, such as a gateway that is away. Default: for as long as they last. */
  readonly giveUpMs?: number | undefined
}

/** The warehouses that the channel may use. */
export class Warehouses {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists the warehouses and the views over several of them.
   *
   * @see `/reference/warehouses.list`
   */
  list(options?: CallOptions): Call<Data<'warehouses.list'>> {
    return this.#calls.read('warehouses.list', {}, options)
  }
}

/** Stock of a warehouse. To keep a copy, use `StockMirror` of `@trade-gateway/sdk/mirror`. */
export class Stock {
  readonly #calls: Calls

  constructor(calls: Calls) {
    this.#calls = calls
  }

  /**
   * Lists the rows of a warehouse by SKU, in pages of 1000 for 5 points each; by `sku` or `product_code` for 1
   * point.
   * Throws `WAREHOUSE_UNKNOWN`, `WAREHOUSE_DENIED` and `NOT_FOUND` with reason `sku_unknown`.
   *
   * @see `/reference/stock.list`
   */
  list(
    warehouse_code: string,
    filters: Filters<'stock.list'> = {},
    options?: CallOptions,
  ): Pages<Row<'stock.list'>, ListPage<'stock.list'>> {
    const { page_size = pageSize } = filters
    return this.#calls.list('stock.list', { ...filters, page_size }, (row) => row.sku, {
      values: { warehouse_code },
      options,
    })
  }

  /**
   * Reads one page of the stock, such as one that an interrupted pull has not read yet.
   *
   * @see `/reference/stock.list`
   */
  page(
    warehouse_code: string,
    query: Query<'stock.list'>,
    options?: CallOptions,
  ): Call<Result<'stock.list'>> {
    return this.#calls.readWhole('stock.list', { warehouse_code }, query, options)
  }

  /**
   * Reads one page of the change feed. Without `since`, and where a full sync is required, `needs_full_sync` is
   * true.
   * Throws `WAREHOUSE_UNKNOWN` and `WAREHOUSE_DENIED`.
   *
   * @see `/reference/stock.changes`
   */
  changes(
    warehouse_code: string,
    query?: Query<'stock.changes'>,
    options?: CallOptions,
  ): Call<Result<'stock.changes'>> {
    return this.#calls.readWhole('stock.changes', { warehouse_code }, query, options)
  }

  /**
   * Reads the checksum of a warehouse, by which a copy is verified. 5 points.
   *
   * @see `/reference/stock.checksum`
   */
  checksum(warehouse_code: string, options?: CallOptions): Call<Data<'stock.checksum'>> {
    return this.#calls.read('stock.checksum', { warehouse_code }, options)
  }

  /**
   * Follows the change feed until `signal` ends it, and yields each page that has rows. Waits out failures that may pass.
   * Throws `FullSyncRequiredError` if the feed asks for a full sync: pull, and follow from there, as `StockMirror` does.
   */
  async *follow(
    warehouse_code: string,
    { since, intervalMs = defaultFollowMs, giveUpMs = Number.POSITIVE_INFINITY, ...options }: FollowOptions,
  ): AsyncGenerator<Result<'stock.changes'>, void, undefined> {
    const { signal } = options
    let version = since
    let [failures, waitedMs] = [0, 0]
    while (!signal?.aborted) {
      const page = await this.changes(warehouse_code, { since: version }, options).catch((error: unknown) => {
        if (error instanceof GatewayError && error.retryable && waitedMs < giveUpMs) return error
        throw error
      })
      if (page instanceof GatewayError) {
        const delayMs = planDelay(page, failures++, Math.random) ?? 0
        waitedMs += delayMs
        await wait(delayMs, signal)
        continue
      }
      failures = 0
      waitedMs = 0
      if (page.needs_full_sync) throw describeFullSync(warehouse_code, version, page.full_sync_reason)
      version = page.version
      if (page.data.length > 0) yield page
      if (!page.has_more) await wait(intervalMs, signal)
    }
  }
}

function describeFullSync(
  warehouse: string,
  version: number,
  reason: string | undefined,
): FullSyncRequiredError {
  return new FullSyncRequiredError({
    code: 'FULL_SYNC_REQUIRED',
    message: `The change feed of ${warehouse} cannot be followed from version ${version} (${reason}). Read all stock again, and follow from its version.`,
    details: { reason },
    retryable: false,
  })
}
