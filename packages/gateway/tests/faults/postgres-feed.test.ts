/**
 * Eight connections write one company's stock directly, in two warehouses that are in the same view, while a follower
 * reads the feed as fast as it can. Every version that was written must be on the page that covers its number, unless a
 * newer version replaced it before that page was sent. The same trial with versions from a database sequence must lose rows,
 * because a sequence gives out versions as they are requested, while rows become visible as their transactions commit.
 * (On SQLite, writers run one at a time, so a sequence would lose nothing there. Only PostgreSQL shows the difference.)
 */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StockFigure } from '@trade-gateway/connector'
import { openSandboxErp, type SandboxErp } from '@trade-gateway/sandbox-erp'
import { createBuiltInCatalogue } from '@trade-gateway/sandbox-erp/catalogue'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openGateway } from '../../src/compose.ts'
import { listPieces } from '../../src/contract/call.ts'
import type { Gateway } from '../../src/gateway.ts'
import { jsonLog } from '../../src/kernel/log.ts'
import { toHex } from '../../src/snapshot/checksum.ts'
import {
  countChangesSince,
  emptySnapshot,
  listAllRows,
  listChangesSince,
} from '../../src/snapshot/stock-snapshot.ts'
import { type StockChange, writeStock } from '../../src/stock/write.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openPostgres } from '../../src/store/postgres.ts'
import { createTestConfig } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { syncStock } from '../sync-stock.ts'
import { createFreshDatabase } from './databases.ts'
import { SeededRandom } from './dice.ts'
import { compareWithJournal, createJournal, type Page, readJournal } from './journal.ts'
import { type ClientRow, computeChecksum, parseRows } from './rows.ts'
import { shouldSkip, sizes } from './sizes.ts'

const writers = 8
const members = ['AUSYD1', 'AUSYD2'] as const
const maxRowsPerBatch = 20
const skus = Array.from({ length: 300 }, (_, index) => `FAULT-${String(index).padStart(3, '0')}`)
const trialTimeoutMs = 600_000

type Write = (gateway: Gateway, change: StockChange) => Promise<number>

const withoutPostgres = shouldSkip('the feed under eight connections', { postgres: true })

describe.skipIf(withoutPostgres)('the change feed under eight connections', () => {
  it(
    'tells every version that was not superseded, in warehouses and in their view',
    async () => {
      const write: Write = async (gateway, change) => (await writeStock(gateway, change)).length
      const outcome = await runTrial(write, sizes.changes, ['AU', ...members])
      printReport('the counter row', outcome)
      for (const { code, account, versions, differences } of outcome.followed) {
        expect({ code, ...account, differences }).toEqual({
          code,
          gaps: 0,
          missed: 0,
          surplus: 0,
          differences: 0,
        })
        expect(versions, `versions of ${code}`).toBeGreaterThan(0)
      }
    },
    trialTimeoutMs,
  )

  it(
    'detects versions that are taken from a sequence',
    async () => {
      const outcome = await runTrial(writeBySequence, sizes.changes, members)
      printReport('the mutant with a sequence', outcome)
      const missed = outcome.followed.reduce((sum, { account }) => sum + account.missed, 0)
      expect(missed).toBeGreaterThan(0)
    },
    trialTimeoutMs,
  )
})

interface Outcome {
  readonly changes: number
  readonly seconds: number
  readonly followed: readonly {
    code: string
    pages: number
    versions: number
    account: { gaps: number; missed: number; surplus: number }
    /** The number of rows in which the follower's copy differs from the table. */
    differences: number
  }[]
}

async function runTrial(write: Write, changes: number, codes: readonly string[]): Promise<Outcome> {
  const database = await createFreshDatabase()
  const sandbox = await openSandboxErp({
    path: ':memory:',
    catalogue: () => createBuiltInCatalogue({ seed: 1, styles: 5, today: '2026-11-21' }),
    catalogue_id: 'faults',
    accounts: [],
  })
  const gateways: Gateway[] = []
  try {
    for (let index = 0; index <= writers; index++) gateways.push(await openGatewayOn(database.url, sandbox))
    const [reader, ...others] = gateways
    if (!reader) throw new Error('There is no gateway to read with.')
    await syncStock(reader)
    await createJournal(reader.store.db)
    for (const code of members) await sql.raw(`create sequence versions_${code}`).execute(reader.store.db)
    await reader.mirror.stock.follow()
    const followers = codes.map((code) => new FeedFollower(reader, code))
    const began = performance.now()
    const quota = { left: changes }
    const writing = Promise.all(others.map((gateway, index) => runWriter(gateway, write, index, quota)))
    const ended = writing.then(() => true)
    while (!(await Promise.race([ended, nextTurn(false)]))) await readPageOfEach(reader, followers)
    await readPageOfEach(reader, followers)
    for (const follower of followers) while (follower.readPage(maxRowsPerPage));
    const seconds = (performance.now() - began) / 1000
    const followed = []
    for (const follower of followers) followed.push(await follower.buildOutcome())
    return { changes: changes - quota.left, seconds, followed }
  } finally {
    for (const gateway of gateways) await gateway.store.close()
    sandbox.close()
    await database.drop()
  }
}

async function openGatewayOn(url: string, { erp }: SandboxErp): Promise<Gateway> {
  const log = jsonLog('silent')
  const store = await openPostgres(url, log)
  await migrate(store)
  return openGateway({ config: createTestConfig(), store, erp, log })
}

const maxRowsPerPage = 1000

async function readPageOfEach(reader: Gateway, followers: readonly FeedFollower[]) {
  await reader.mirror.stock.follow()
  for (const follower of followers) follower.readPage(follower.dice.drawInteger(1, maxRowsPerPage))
}

/**
 * Writes batches of random rows until the common quota is used up. A writer with an odd index writes to one warehouse,
 * the others to the other one.
 */
async function runWriter(gateway: Gateway, write: Write, index: number, quota: { left: number }) {
  const dice = new SeededRandom(index + 1)
  const warehouse = members[index % members.length] ?? members[0]
  while (quota.left > 0) {
    const batch = new Set(Array.from({ length: dice.drawInteger(1, maxRowsPerBatch) }, () => dice.pick(skus)))
    const gone = [...batch].filter(() => dice.drawBoolean(0.1))
    const rows = [...batch].filter((sku) => !gone.includes(sku)).map((sku) => buildFigure(sku, dice))
    const changed = await write(gateway, { warehouse_code: warehouse, rows, gone, gone_seq: null })
    quota.left -= changed
  }
}

function buildFigure(sku: string, dice: SeededRandom): StockFigure {
  const quantity = dice.drawInteger(0, 1_000_000)
  return {
    sku,
    product_code: sku.slice(0, -1),
    quantity_on_hand: quantity,
    quantity_available: quantity,
    price_wholesale: 1000,
    price_retail: 2000,
    currency: 'AUD',
    incoming: [],
    stock_seq: null,
  }
}

/**
 * Writes as a faulty gateway would: it takes versions from a sequence, and at the end sets the counter row to the
 * newest one.
 */
async function writeBySequence(gateway: Gateway, change: StockChange): Promise<number> {
  const { warehouse_code, rows } = change
  const ascending = rows.toSorted((a, b) => (a.sku < b.sku ? -1 : 1))
  if (ascending.length === 0) return 0
  return gateway.store.db.transaction().execute(async (tx) => {
    const taken = await sql<{ version: number }>`
      select (select version from warehouses where warehouse_code = 'CN') + nextval(${`versions_${warehouse_code}`}) as version
      from generate_series(1, ${ascending.length})`.execute(tx)
    const versions = taken.rows.map(({ version }) => version)
    const values = ascending.map((row, index) => ({
      ...row,
      warehouse_code,
      incoming: '[]',
      removed: 0,
      updated_at: gateway.clock.now(),
      version: versions[index] ?? 0,
    }))
    await tx
      .insertInto('stock')
      .values(values)
      .onConflict((conflict) =>
        conflict.columns(['warehouse_code', 'sku']).doUpdateSet((eb) => ({
          quantity_on_hand: eb.ref('excluded.quantity_on_hand'),
          quantity_available: eb.ref('excluded.quantity_available'),
          version: eb.ref('excluded.version'),
        })),
      )
      .execute()
    await tx
      .updateTable('warehouses')
      .set({ version: sql`greatest(version, ${versions.at(-1) ?? 0})` })
      .where('warehouse_code', '=', warehouse_code)
      .execute()
    return ascending.length
  })
}

/** Reads the whole stock of one warehouse, then follows its feed and records each page. */
class FeedFollower {
  readonly dice = new SeededRandom(7)
  readonly #gateway: Gateway
  readonly #code: string
  readonly #copy: Map<string, ClientRow>
  readonly #pages: Page[] = []
  readonly #start: number
  #cursor: number

  constructor(gateway: Gateway, code: string) {
    this.#gateway = gateway
    this.#code = code
    const snapshot = this.#readSnapshot()
    this.#copy = new Map(parseRows([...listPieces(listAllRows(snapshot))]).map((row) => [row.sku, row]))
    this.#cursor = snapshot.version
    this.#start = snapshot.version
  }

  /** Reads one page; returns whether there are more. */
  readPage(most: number): boolean {
    const snapshot = this.#readSnapshot()
    const since = this.#cursor
    const { rows, count, reached } = listChangesSince(snapshot, since, most)
    const told = parseRows(rows)
    const pending = countChangesSince(snapshot, since) - count
    const version = pending > 0 ? (reached ?? since) : snapshot.version
    if (version < since) throw new Error(`The cursor of ${this.#code} went back from ${since} to ${version}.`)
    for (const row of told) {
      if (row.removed) this.#copy.delete(row.sku)
      else this.#copy.set(row.sku, row)
    }
    this.#cursor = version
    this.#pages.push({ since, version, latest: snapshot.version, told: told.map((row) => row.version) })
    return pending > 0
  }

  async buildOutcome() {
    const { db } = this.#gateway.store
    const journal = await readJournal(db, this.#code)
    return {
      code: this.#code,
      pages: this.#pages.length,
      versions: this.#cursor - this.#start,
      account: compareWithJournal(journal, this.#pages),
      differences: await this.#countDifferences(),
    }
  }

  /** Compares the copy with the table and with the gateway's checksum. */
  async #countDifferences(): Promise<number> {
    const table = await this.#gateway.store.db
      .selectFrom('stock')
      .select(['sku', 'version', 'quantity_on_hand'])
      .where('warehouse_code', '=', this.#code)
      .where('removed', '=', 0)
      .execute()
    const differing = table.filter(({ sku, version, quantity_on_hand }) => {
      const mine = this.#copy.get(sku)
      return mine?.version !== version || mine.quantity_on_hand !== quantity_on_hand
    })
    const surplus = this.#copy.size - table.length
    const unproved = computeChecksum(this.#copy.values()) === toHex(this.#readSnapshot().checksum) ? 0 : 1
    return differing.length + Math.abs(surplus) + unproved
  }

  #readSnapshot() {
    return this.#gateway.mirror.stock.snapshot(this.#code) ?? emptySnapshot
  }
}

function printReport(name: string, { changes, seconds, followed }: Outcome) {
  const lines = followed.map(
    ({ code, pages, versions, account, differences }) =>
      `${code} ${versions} versions in ${pages} pages, ${account.missed} missed, ${account.surplus} surplus, ` +
      `${account.gaps} gaps, ${differences} rows differ at the end`,
  )
  reportFigure(['I12'], `${name}: ${changes} changes in ${seconds.toFixed(1)} s: ${lines.join('; ')}`)
}
