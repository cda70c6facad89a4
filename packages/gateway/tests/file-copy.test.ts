/** A copy of the embedded database that is made while it is written is its state at one moment. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requireIntact } from '../src/backup/back-up.ts'
import { mergeFileCopy } from '../src/store/merge-file-copy.ts'
import { migrate } from '../src/store/migrate.ts'
import { openSqlite, openSqliteCopy } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'

const pairs = 300
const padding = 'x'.repeat(30_000)

/** Opens a database in another process, which POSIX locks keep out. Returns what it says. */
function openElsewhere(path: string): string {
  const program = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec('begin immediate')`
  return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' }).stderr
}

describe('the copy of a database that is in use', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tg-copy-'))
  let store: Store

  beforeAll(async () => {
    store = openSqlite(join(folder, 'gateway.db'))
    await migrate(store)
    for (let pair = 0; pair < pairs; pair++) await writePair(pair, 0)
  })
  afterAll(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })

  /** Writes a pair of rows that lie apart, in one transaction. */
  async function writePair(pair: number, round: number): Promise<void> {
    await store.db.transaction().execute(async (tx) => {
      for (const side of ['left', 'right']) {
        const row = { key: `${side} ${pair}`, value: `${round} ${padding}` }
        await tx
          .insertInto('installation')
          .values(row)
          .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
          .execute()
      }
    })
  }

  /** Makes a copy, with changes as long as it is made. Returns the number of changes before, and the copy. */
  async function copyBesideWrites(path: string) {
    let isOver = false
    let round = 0
    const writing = (async () => {
      for (; !isOver; round++) {
        await writePair((round * 7) % pairs, round + 1)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const copied = await store.copyInto?.(path)
    isOver = true
    await writing
    return { copied, rounds: round }
  }

  async function readRounds(path: string): Promise<Map<string, number>> {
    const db = openSqliteCopy(path)
    try {
      await requireIntact(db)
      const rows = await db
        .selectFrom('installation')
        .selectAll()
        .where('value', 'like', `% ${padding}`)
        .execute()
      return new Map(rows.map(({ key, value }) => [key, Number(value.split(' ', 1)[0])]))
    } finally {
      await db.destroy()
    }
  }

  it('has both rows of every transaction or none, and every transaction from before', async () => {
    const path = join(folder, 'copy.db')
    const { copied, rounds } = await copyBesideWrites(path)
    expect(copied?.logs, `${rounds} transactions`).toBeGreaterThan(1)
    mergeFileCopy(path, copied?.logs ?? 0)
    const found = await readRounds(path)
    expect(found.size).toBe(2 * pairs)
    for (let pair = 0; pair < pairs; pair++)
      expect(found.get(`left ${pair}`)).toBe(found.get(`right ${pair}`))
    const newest = Math.max(...found.values())
    for (let round = Math.max(0, newest - pairs + 1); round < newest; round++)
      expect(found.get(`left ${(round * 7) % pairs}`), `round ${round}`).toBe(round + 1)
  })

  it('leaves the database locked, and its own checkpoints as they were', async () => {
    const path = join(folder, 'second.db')
    const first = store.copyInto?.(path)
    expect(() => store.copyInto?.(join(folder, 'third.db'))).toThrow('Another backup is being made')
    const copied = await first
    mergeFileCopy(path, copied?.logs ?? 0)
    expect((await readRounds(path)).size).toBe(2 * pairs)
    expect(openElsewhere(join(folder, 'gateway.db'))).toContain('database is locked')
    expect(readdirSync(folder).filter((name) => name.includes('-log-'))).toEqual([])
  })
})
