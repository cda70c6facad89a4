import { readEpoch } from '../../src/snapshot/epoch.ts'
import type { Store } from '../../src/store/store.ts'
import type { FeedAnswer, ModelClient, Proof } from './model-client.ts'
import type { ModelErp } from './model-erp.ts'
import { computeChecksum } from './rows.ts'

/** The guarantees that must always hold. Each check throws an error that says what failed. */
export class Promises {
  readonly #states = new Map<string, string>()
  readonly #store: Store
  readonly #erp: ModelErp

  constructor(store: Store, erp: ModelErp) {
    this.#store = store
    this.#erp = erp
  }

  /** Checks that a version has the same state in every process and at any time. */
  checkState({ warehouse_code, version, row_count, checksum }: Proof): void {
    const key = `${warehouse_code}@${version}`
    const state = `${row_count} ${checksum}`
    const before = this.#states.get(key)
    if (before !== undefined && before !== state)
      throw new Error(`${key} stood for ${before} and for ${state}.`)
    this.#states.set(key, state)
  }

  /** Checks, after the last page of the feed, that the client's copy has the checksum that the page states. */
  checkCopy(client: ModelClient, { version, row_count = 0, checksum = '' }: FeedAnswer): void {
    this.checkState({ warehouse_code: client.code, version, row_count, checksum })
    if (!client.canCompareAt(version)) return
    const own = { row_count: client.rows.size, checksum: computeChecksum(client.rows.values()) }
    if (own.row_count === row_count && own.checksum === checksum) return
    throw new Error(
      `A client of ${client.code} differs at ${version}: ${JSON.stringify({ own, row_count, checksum })}`,
    )
  }

  /** Checks that a full sync is required only if the database shows that the cursor cannot be followed. */
  async checkFullSync(code: string, since: number | undefined, reason: string | undefined): Promise<void> {
    const { version, horizon } = await this.#store.db
      .selectFrom('warehouses')
      .select(['version', 'horizon'])
      .where('warehouse_code', '=', code)
      .executeTakeFirstOrThrow()
    const isNeeded =
      since === undefined
        ? reason === 'no_cursor'
        : (reason === 'other_epoch' && readEpoch(since) !== readEpoch(version)) ||
          (reason === 'ahead' && since > version) ||
          (reason === 'expired' && since < horizon)
    if (isNeeded) return
    throw new Error(`A full sync of ${code} was asked for without need: ${since}, ${reason}, at ${version}.`)
  }

  /** Checks that a copy equals the ERP at the end. */
  checkEqualsErp(code: string, rows: ModelClient['rows'], whose: string): void {
    const truth = this.#erp.computeExpected(code)
    const differing = [...truth].filter(([sku, { quantity, price }]) => {
      const row = rows.get(sku)
      return row?.quantity_on_hand !== quantity || Math.round(row.price_wholesale * 100) !== price
    })
    if (differing.length === 0 && truth.size === rows.size) return
    const has = differing.map(([sku]) => rows.get(sku))
    throw new Error(
      `${whose} of ${code} ends with ${rows.size} rows, the ERP with ${truth.size}; it should have ` +
        `${JSON.stringify(differing)}, and has ${JSON.stringify(has)}`,
    )
  }
}
