import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { epochOf } from '../../src/stock/epoch.ts'
import type { Follower } from '../follower.ts'
import { type Database, freshDatabase } from './databases.ts'
import { Dice } from './dice.ts'
import { Installation } from './installation.ts'
import { Mover } from './mover.ts'
import { type GatewayProcess, until } from './processes.ts'
import { leftOut } from './sizes.ts'
import { Witness } from './witness.ts'

/**
 * An operator puts an older database back. What was answered from the lost history must never be answered again for
 * another state: a new history begins above it, whoever has a cursor of the old one is told to sync, and the stock
 * comes to equal the ERP again.
 */
const code = 'AUSYD1'
const movedMs = 500
const convergeMs = 30_000
const timeoutMs = 300_000

/** What an operator does while the gateway is stopped. */
interface Backup {
  take(): Promise<void>
  putBack(): Promise<void>
}

/** Files of the data directory, by their names. */
function filesOf(dataDir: string, names: RegExp): Backup {
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

function copyOf(database: Database): Backup {
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
  /** Options of the first start after the return. */
  readonly options?: readonly string[]
}

/** A life, a backup, a life that is lost, and what comes after; answers what the old cursor was told. */
async function restored({ installation, backup, options = [] }: Trial) {
  const house: { gateway: GatewayProcess } = { gateway: await installation.start() }
  try {
    const witness = new Witness(installation, await installation.token())
    const follower = witness.follower(code)
    await follower.start()
    await house.gateway.stop()
    await backup.take()
    house.gateway = await installation.start()
    await live(installation, witness, follower)
    const before = follower.cursor
    await house.gateway.stop()
    await backup.putBack()
    house.gateway = await installation.start(...options)
    witness.mayResync = true
    const old = await witness.get(`/api/v1/warehouses/${code}/stock/changes?since=${before}`)
    const reason: string | undefined = old.json.full_sync_reason
    await until(
      () => equalsErp(installation, follower),
      convergeMs,
      'The stock did not come to equal the ERP',
    )
    witness.mayResync = false
    await live(installation, witness, follower)
    return { reason, before, after: follower.cursor, violations: witness.violations }
  } finally {
    await house.gateway.kill()
    installation.remove()
  }
}

/** Stock moves for a while, until the client has all of it. */
async function live(installation: Installation, witness: Witness, follower: Follower) {
  const places = follower
    .rows()
    .map(({ sku, quantity_on_hand }) => ({ warehouse_code: code, sku, quantity_on_hand }))
  const mover = new Mover(installation, new Dice(places.length), places)
  mover.start()
  await new Promise((resolve) => setTimeout(resolve, movedMs))
  await mover.stop()
  await until(() => equalsErp(installation, follower), convergeMs, 'The stock did not come to equal the ERP')
  const quantities = new Map(follower.rows().map((row) => [row.sku, row.quantity_on_hand]))
  witness.violations.push(...mover.missing((_, sku) => quantities.get(sku)))
  expect(mover.acknowledged).toBeGreaterThan(0)
}

async function equalsErp(installation: Installation, follower: Follower): Promise<boolean> {
  await follower.catchUp()
  const rows = await installation.erpRows(code)
  const quantities = new Map(follower.rows().map((row) => [row.sku, row.quantity_on_hand]))
  return (
    rows.length === quantities.size && rows.every((row) => quantities.get(row.sku) === row.quantity_on_hand)
  )
}

describe.skipIf(leftOut('a restored database', { long: true }))('an older database that is put back', () => {
  it(
    'begins a new history where the embedded database is older than what was answered',
    async () => {
      const installation = await Installation.make()
      const backup = filesOf(installation.dataDir, /^gateway\.db/)
      expectNewHistory(await restored({ installation, backup }))
    },
    timeoutMs,
  )

  it(
    'begins a new history where an operator says that the whole data directory is older',
    async () => {
      const installation = await Installation.make()
      const backup = filesOf(installation.dataDir, /./)
      expectNewHistory(await restored({ installation, backup, options: ['--restored'] }))
    },
    timeoutMs,
  )

  it(
    'comes to equal an ERP that was itself put back, and goes on with its history',
    async () => {
      const installation = await Installation.make()
      const backup = filesOf(installation.dataDir, /^sandbox-erp\.db/)
      const { reason, before, after, violations } = await restored({ installation, backup })
      expect({ reason, violations }).toEqual({ reason: undefined, violations: [] })
      expect(epochOf(after)).toBe(epochOf(before))
    },
    timeoutMs,
  )

  it.skipIf(leftOut('a restored PostgreSQL', { postgres: true }))(
    'begins a new history where a PostgreSQL database is older',
    async () => {
      const database = await freshDatabase()
      try {
        const installation = await Installation.make({ DATABASE_URL: database.url })
        expectNewHistory(await restored({ installation, backup: copyOf(database) }))
      } finally {
        await database.drop()
      }
    },
    timeoutMs,
  )
})

function expectNewHistory({ reason, before, after, violations }: Awaited<ReturnType<typeof restored>>) {
  expect({ reason, violations }).toEqual({ reason: 'other_epoch', violations: [] })
  expect(epochOf(after)).toBeGreaterThan(epochOf(before))
}
