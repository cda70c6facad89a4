/**
 * Processes that are killed while they seal values again. `secrets-key.test.ts` has the rotation itself, in one process.
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createChain } from '../src/audit/chain.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { randomIds } from '../src/kernel/ids.ts'
import { jsonLog } from '../src/kernel/log.ts'
import type { deriveSecrets } from '../src/kernel/secrets.ts'
import { maxResealedRows, Resealer } from '../src/reseal.ts'
import { openInstallation } from '../src/store/installation.ts'
import { migrate } from '../src/store/migrate.ts'
import { openPostgres } from '../src/store/postgres.ts'
import { openSqlite } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { openTestStore, readTestDatabaseUrl } from './harness.ts'

const keyA = '6f3a91c2d84b07e5a1f09c37be52d68410e9fb7c23a5d14886cf0b7e9135da42'
const keyB = '0f5b1c7d93a84e26b0d7f4182c6e9a35d10b84fe7c2963a5e8417fb06d92ca53'
const buildKeys = (present: string, previous?: string) => ({ present, previous })

describe('a process that is killed while it seals again', () => {
  const rows = 2 * maxResealedRows + 50
  const folder = mkdtempSync(join(tmpdir(), 'reseal-'))
  let place: string
  let drop = async () => {}

  beforeAll(async () => {
    if (readTestDatabaseUrl() === undefined) place = join(folder, 'gateway.db')
    else {
      const made = await openTestStore()
      place = made.url ?? ''
      drop = made.drop
      await made.store.close()
    }
    const store = await openStore()
    await migrate(store)
    const { secrets } = await openInstallation(store, buildKeys(keyA), randomIds)
    await createChain({ store, secrets, clock: systemClock, ids: randomIds })
    const values = Array.from({ length: rows }, (_, index) => `scope-${String(index).padStart(4, '0')}`)
    for (const scope of values) {
      const answer_sealed = secrets.seal(`the answer of ${scope}`, `idempotency answer ${scope}`)
      await store.db
        .insertInto('idempotency_keys')
        .values({ ...emptyKey, scope, answer_sealed })
        .execute()
    }
    await store.close()
  })

  afterAll(async () => {
    await drop()
    rmSync(folder, { recursive: true })
  })

  const openStore = async () =>
    place.startsWith('postgres') ? openPostgres(place, jsonLog('silent')) : openSqlite(place)

  it.each([1, 60, maxResealedRows + 1, 2 * maxResealedRows - 30])(
    'leaves every value open to one of the keys: at value %i',
    async (killedAt) => {
      await restoreFirstValues()
      const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        env: { PLACE: place, KILLED_AT: String(killedAt) },
        encoding: 'utf8',
      })
      expect(signal, stderr).toBe('SIGKILL')
      const store = await openStore()
      const { id, secrets } = await openInstallation(store, buildKeys(keyB, keyA), randomIds)
      expect(id).toMatch(/^[0-9a-z]{26}$/)
      const keys = await countByKey(store, secrets.open)
      expect([...keys.values()].reduce((sum, each) => sum + each, 0)).toBe(rows)
      expect(keys.get(secrets.keyId) ?? 0).toBe(
        Math.floor((killedAt - 1) / maxResealedRows) * maxResealedRows,
      )
      const resealer = new Resealer({
        store,
        secrets,
        clock: systemClock,
        ids: randomIds,
        log: jsonLog('silent'),
      })
      for (let turns = 0; turns < 2; turns++) await resealer.turn()
      expect(await countByKey(store, secrets.open)).toEqual(new Map([[secrets.keyId, rows]]))
      await store.close()
    },
  )

  /** Replaces all values with those that the first key sealed. */
  async function restoreFirstValues() {
    const store = await openStore()
    const { secrets } = await openInstallation(store, buildKeys(keyA, keyB), randomIds)
    const resealer = new Resealer({
      store,
      secrets,
      clock: systemClock,
      ids: randomIds,
      log: jsonLog('silent'),
    })
    for (let turns = 0; turns < 2; turns++) await resealer.turn()
    expect(await countByKey(store, secrets.open)).toEqual(new Map([[secrets.keyId, rows]]))
    await store.close()
  }

  async function countByKey(store: Store, open: Awaited<ReturnType<typeof deriveSecrets>>['open']) {
    const counts = new Map<string, number>()
    for (const { scope, answer_sealed } of await store.db
      .selectFrom('idempotency_keys')
      .selectAll()
      .execute()) {
      const { text, keyId } = open(answer_sealed ?? '', `idempotency answer ${scope}`)
      expect(text).toBe(`the answer of ${scope}`)
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1)
    }
    return counts
  }
})

const emptyKey = {
  channel_code: 'c',
  method: 'POST',
  path: '/',
  idempotency_key: 'k',
  fingerprint: '',
  state: 'completed',
  http_status: 200,
  resource_type: null,
  resource_id: null,
  created_at: 0,
  expires_at: 0,
} as const

const resolveSource = (file: string) => JSON.stringify(join(import.meta.dirname, '../src', file))
/** A program that seals values again and kills itself just before update number `KILLED_AT`. */
const program = `
  const { randomIds } = await import(${resolveSource('kernel/ids.ts')})
  const { jsonLog } = await import(${resolveSource('kernel/log.ts')})
  const { Resealer } = await import(${resolveSource('reseal.ts')})
  const { openInstallation } = await import(${resolveSource('store/installation.ts')})
  const { PLACE, KILLED_AT } = process.env
  const opened = PLACE.startsWith('postgres')
    ? await (await import(${resolveSource('store/postgres.ts')})).openPostgres(PLACE, jsonLog('silent'))
    : (await import(${resolveSource('store/sqlite.ts')})).openSqlite(PLACE)
  const keys = { present: ${JSON.stringify(keyB)}, previous: ${JSON.stringify(keyA)} }
  const { secrets } = await openInstallation(opened, keys, randomIds)
  let updates = 0
  const db = opened.db.withPlugin({
    transformQuery({ node }) {
      const text = JSON.stringify(node)
      if (text.includes('update ') && text.includes('answer_sealed')) updates += 1
      if (updates === Number(KILLED_AT)) process.kill(process.pid, 'SIGKILL')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const resealer = new Resealer({ store: { ...opened, db }, secrets, ids: randomIds, log: jsonLog('silent') })
  await resealer.turn()
`
