/**
 * Kills of the gateway and of the commands in the middle of a backup and of a restore. A backup is whole or has no proof.
 * A database that was half restored never serves, and the next restore ends what the killed one began.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readProof } from '../../src/backup/files.ts'
import { compareContents, readContents } from '../../src/backup/proof.ts'
import { openPlainPostgres } from '../../src/store/postgres-snapshot.ts'
import { unfinishedRestoreTable } from '../../src/store/restores.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { SeededRandom } from './dice.ts'
import { Installation } from './installation.ts'
import { type GatewayProcess, readJson, sendRequest } from './processes.ts'
import { seed, shouldSkip, sizes } from './sizes.ts'

const sources = join(import.meta.dirname, '../../src')
const timeoutMs = 900_000
/** A command takes about so long, most of it for its start. */
const commandMs = 1_500
const maxStarts = 4

/** Starts a command, kills it after `killMs`, and returns its exit code; null if it was killed. */
async function runAndKill(
  command: 'backup' | 'restore',
  file: string,
  { settings, killMs }: { settings: Record<string, string>; killMs: number | undefined },
): Promise<number | null> {
  const child: ChildProcess = spawn(process.execPath, [join(sources, `${command}-command.ts`), file], {
    cwd: settings.DATA_DIR,
    env: { PATH: process.env.PATH, ...settings },
    stdio: 'ignore',
    // A killed command takes its pg_dump or psql with it, as the end of its machine would.
    detached: true,
  })
  const ended = once(child, 'exit')
  const timer =
    killMs === undefined ? undefined : setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), killMs)
  const [code] = await ended
  clearTimeout(timer)
  return code
}

/** Whether a restore into a PostgreSQL database has marked its end. */
async function hasEndedIn(url: string): Promise<boolean> {
  const db = openPlainPostgres(url)
  try {
    const tables = await db.introspection.getTables()
    return tables.length > 0 && !tables.some(({ name }) => name === unfinishedRestoreTable)
  } finally {
    await db.destroy()
  }
}

/** Says what a PostgreSQL database has other than a backup proves. */
async function compareWithProof(url: string, file: string): Promise<string[]> {
  const db = openPlainPostgres(url)
  try {
    return compareContents(await readProof(file), await readContents(db))
  } finally {
    await db.destroy()
  }
}

describe.skipIf(shouldSkip('kills during backups and restores', { long: true }))('a kill', () => {
  const dice = new SeededRandom(seed ?? Date.now())
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tg-backup-kills-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const drawKill = () => dice.drawInteger(commandMs / 3, commandMs)

  /** Whether a gateway serves the rows of the backup; false if it refuses to start. */
  async function serves(installation: Installation, rows: number): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const gateway = installation.launch()
      const failure = await gateway.waitUntilReady().catch((error: unknown) => String(error))
      const found = typeof failure === 'string' ? undefined : await countRows(installation)
      await gateway.kill()
      if (found !== undefined) expect(found).toBe(rows)
      if (found !== undefined) return true
      if (String(failure).includes('A restore of this database has not ended')) return false
      // The database of a busy machine may not respond to a start in time.
      if (tries === maxStarts) throw new Error(String(failure))
    }
  }

  async function countRows(installation: Installation): Promise<number> {
    const token = await installation.requestToken()
    const path = '/api/v1/warehouses/AUSYD1/stock'
    return (await readJson(sendRequest(installation.url, 'GET', path, { token }))).data.length
  }

  it(
    'during a backup leaves no proof of a backup that is not whole, and a database that serves',
    async () => {
      const installation = await Installation.create()
      let gateway: GatewayProcess = await installation.start()
      const settings = { DATA_DIR: installation.dataDir, PORT: new URL(installation.url).port }
      const rows = await countRows(installation)
      for (let kill = 0; kill < sizes.kills; kill++) {
        const file = join(folder, `backup-${kill}`)
        const killMs = drawKill()
        const isGateway = kill % 2 === 0
        const made = runAndKill('backup', file, { settings, killMs: isGateway ? undefined : killMs })
        if (isGateway) {
          await new Promise((resolve) => setTimeout(resolve, killMs))
          await gateway.kill()
        }
        const code = await made
        expect(existsSync(`${file}.json`)).toBe(code === 0)
        if (code === 0) await readProof(file)
        if (isGateway) gateway = await installation.start()
        expect(await countRows(installation)).toBe(rows)
      }
      const last = join(folder, 'backup-last')
      expect(await runAndKill('backup', last, { settings, killMs: undefined })).toBe(0)
      expect(readdirSync(installation.dataDir).filter((name) => name.startsWith('backup-'))).toEqual([])
      await gateway.kill()
      installation.remove()
    },
    timeoutMs,
  )

  it(
    'during a restore leaves the former database or one that does not serve, until it is restored again',
    async () => {
      const installation = await Installation.create()
      const gateway = await installation.start()
      const settings = { DATA_DIR: installation.dataDir, PORT: new URL(installation.url).port }
      const rows = await countRows(installation)
      const file = join(folder, 'to-restore')
      expect(await runAndKill('backup', file, { settings, killMs: undefined })).toBe(0)
      await gateway.stop()
      for (let kill = 0; kill < sizes.kills; kill++) {
        await runAndKill('restore', file, { settings, killMs: drawKill() })
        await serves(installation, rows)
        expect(await runAndKill('restore', file, { settings, killMs: undefined })).toBe(0)
        expect(await serves(installation, rows)).toBe(true)
      }
      installation.remove()
    },
    timeoutMs,
  )

  it.skipIf(shouldSkip('kills during restores of PostgreSQL', { postgres: true }))(
    'during a restore into PostgreSQL leaves a database that does not serve, until it is restored again',
    async () => {
      const database: Database = await createFreshDatabase()
      const installation = await Installation.create({ DATABASE_URL: database.url })
      const settings = { DATA_DIR: installation.dataDir, PORT: new URL(installation.url).port }
      const gateway = await installation.start()
      const rows = await countRows(installation)
      const file = join(folder, 'to-restore.sql.gz')
      const from = { ...settings, DATABASE_URL: database.url }
      expect(await runAndKill('backup', file, { settings: from, killMs: undefined })).toBe(0)
      await gateway.stop()
      try {
        for (let kill = 0; kill < sizes.kills; kill++) {
          const empty = await createFreshDatabase()
          const there = installation.withSettings({ DATABASE_URL: empty.url })
          const into = { ...settings, DATABASE_URL: empty.url }
          try {
            const code = await runAndKill('restore', file, { settings: into, killMs: drawKill() })
            const again =
              code === 0 ? 0 : await runAndKill('restore', file, { settings: into, killMs: undefined })
            // A restore that had marked its end before it was killed is not made again.
            expect(again === 0 || (await hasEndedIn(empty.url))).toBe(true)
            expect(await compareWithProof(empty.url, file)).toEqual([])
            expect(await serves(there, rows)).toBe(true)
          } finally {
            await empty.drop()
          }
        }
      } finally {
        installation.remove()
        await database.drop()
      }
    },
    timeoutMs,
  )
})
