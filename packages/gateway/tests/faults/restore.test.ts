/**
 * An operator restores an older database. A version of the lost history must never denote another state: a new history
 * begins above it, clients with an old cursor must do a full sync, and the stock finally equals the ERP again.
 */

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readEpoch } from '../../src/snapshot/epoch.ts'
import type { Follower } from '../follower.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { SeededRandom } from './dice.ts'
import { Installation } from './installation.ts'
import { Mover } from './mover.ts'
import { type GatewayProcess, waitUntil } from './processes.ts'
import { shouldSkip } from './sizes.ts'
import { Witness } from './witness.ts'

const code = 'AUSYD1'
const movedMs = 500
const convergeMs = 30_000
const timeoutMs = 300_000

/** Takes a backup and restores it, as an operator does while the gateway is stopped. */
interface Backup {
  take(): Promise<void>
  putBack(): Promise<void>
}

/** Backs up the files of the data directory whose names match. */
function backUpFiles(dataDir: string, names: RegExp): Backup {
  const kept = mkdtempSync(join(tmpdir(), 'tg-backup-'))
  const copy = (from: string, to: string) => {
    for (const name of readdirSync(from).filter((each) => names.test(each)))
      cpSync(join(from, name), join(to, name))
  }
  return {
    take: async () => copy(dataDir, kept),
    async putBack() {
      for (const name of readdirSync(dataDir).filter((each) => names.test(each))) rmSync(join(dataDir, name))
      copy(kept, dataDir)
      rmSync(kept, { recursive: true })
    },
  }
}

function backUpDatabase(database: Database): Backup {
  let copy: Database | undefined
  return {
    async take() {
      copy = await database.copy()
    },
    async putBack() {
      if (!copy) throw new Error('There is no copy.')
      await database.putBack(copy)
      await copy.drop()
    },
  }
}

interface Trial {
  readonly installation: Installation
  readonly backup: Backup
  /** The options of the first start after the restore. */
  readonly options?: readonly string[]
  /** Whether the restore ends all tokens, as that of a gateway's database does. */
  readonly endsTokens?: boolean
}

/** Runs a gateway, takes a backup, continues, restores the backup, and reads on with a cursor of the lost time. */
async function runRestoreTrial({ installation, backup, options = [], endsTokens = true }: Trial) {
  const house: { gateway: GatewayProcess } = { gateway: await installation.start() }
  try {
    const witness = new Witness(installation, await installation.requestToken())
    const follower = witness.createFollower(code)
    await follower.start()
    await house.gateway.stop()
    await backup.take()
    house.gateway = await installation.start()
    await runForAWhile(installation, witness, follower)
    const before = follower.cursor
    await house.gateway.stop()
    await backup.putBack()
    house.gateway = await installation.start(...options)
    witness.mayResync = true
    if (endsTokens) await witness.signInAgain()
    const old = await witness.get(`/api/v1/warehouses/${code}/stock/changes?since=${before}`)
    const reason: string | undefined = old.json.full_sync_reason
    await waitUntil(
      () => isEqualToErp(installation, follower),
      convergeMs,
      'The stock did not come to equal the ERP',
    )
    witness.mayResync = false
    await runForAWhile(installation, witness, follower)
    return { reason, before, after: follower.cursor, violations: witness.violations }
  } finally {
    await house.gateway.kill()
    installation.remove()
  }
}

/** Moves stock for a while, until the client has all of it. */
async function runForAWhile(installation: Installation, witness: Witness, follower: Follower) {
  const places = follower
    .listRows()
    .map(({ sku, quantity_on_hand }) => ({ warehouse_code: code, sku, quantity_on_hand }))
  const mover = new Mover(installation, new SeededRandom(places.length), places)
  mover.start()
  await new Promise((resolve) => setTimeout(resolve, movedMs))
  await mover.stop()
  await waitUntil(
    () => isEqualToErp(installation, follower),
    convergeMs,
    'The stock did not come to equal the ERP',
  )
  const quantities = new Map(follower.listRows().map((row) => [row.sku, row.quantity_on_hand]))
  witness.violations.push(...mover.findWrongQuantities((_, sku) => quantities.get(sku)))
  expect(mover.acknowledged).toBeGreaterThan(0)
}

async function isEqualToErp(installation: Installation, follower: Follower): Promise<boolean> {
  await follower.catchUp()
  const rows = await installation.readErpRows(code)
  const quantities = new Map(follower.listRows().map((row) => [row.sku, row.quantity_on_hand]))
  return (
    rows.length === quantities.size && rows.every((row) => quantities.get(row.sku) === row.quantity_on_hand)
  )
}

describe.skipIf(shouldSkip('a restored database', { long: true }))(
  'an older database that is put back',
  () => {
    it(
      'begins a new history where the embedded database is older than what was answered',
      async () => {
        const installation = await Installation.create()
        const backup = backUpFiles(installation.dataDir, /^gateway\.db/)
        expectNewHistory(await runRestoreTrial({ installation, backup }))
      },
      timeoutMs,
    )

    it(
      'begins a new history where an operator says that the whole data directory is older',
      async () => {
        const installation = await Installation.create()
        const backup = backUpFiles(installation.dataDir, /./)
        expectNewHistory(await runRestoreTrial({ installation, backup, options: ['--restored'] }))
      },
      timeoutMs,
    )

    it(
      'comes to equal an ERP that was itself put back, and goes on with its history',
      async () => {
        const installation = await Installation.create()
        const backup = backUpFiles(installation.dataDir, /^sandbox-erp\.db/)
        const { reason, before, after, violations } = await runRestoreTrial({
          installation,
          backup,
          endsTokens: false,
        })
        expect({ reason, violations }).toEqual({ reason: undefined, violations: [] })
        expect(readEpoch(after)).toBe(readEpoch(before))
      },
      timeoutMs,
    )

    it.skipIf(shouldSkip('a restored PostgreSQL', { postgres: true }))(
      'begins a new history where a PostgreSQL database is older',
      async () => {
        const database = await createFreshDatabase()
        try {
          const installation = await Installation.create({ DATABASE_URL: database.url })
          expectNewHistory(await runRestoreTrial({ installation, backup: backUpDatabase(database) }))
        } finally {
          await database.drop()
        }
      },
      timeoutMs,
    )
  },
)

function expectNewHistory({
  reason,
  before,
  after,
  violations,
}: Awaited<ReturnType<typeof runRestoreTrial>>) {
  expect({ reason, violations }).toEqual({ reason: 'other_epoch', violations: [] })
  expect(readEpoch(after)).toBeGreaterThan(readEpoch(before))
}
