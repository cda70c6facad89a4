/** `npm run backup` and `npm run restore`: beside a running gateway and without one, on both databases. */

import { execFileSync, type SpawnSyncReturns, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFreshDatabase, type Database, runOnServer } from './faults/databases.ts'
import { Installation } from './faults/installation.ts'
import { type GatewayProcess, readJson, sendRequest, waitUntil } from './faults/processes.ts'
import { shouldSkip } from './faults/sizes.ts'

const sources = join(import.meta.dirname, '../src')
const timeoutMs = 120_000
const otherKey = 'another-secrets-key-for-tests-0123456789abcdef'

/** Runs a command in the directory of an installation. */
function run(
  command: 'backup' | 'restore',
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [join(sources, `${command}-command.ts`), ...args], {
    cwd: settings.DATA_DIR,
    env: { PATH: process.env.PATH, ...settings },
    encoding: 'utf8',
    timeout: 60_000,
  })
}

/** Places an order and returns its row of the channel's list. */
async function placeOrder(url: string, token: string, number: string): Promise<string> {
  const lines = [{ sku: 'FAULT-0001', quantity: 1 }]
  const { data } = await readJson(
    sendRequest(url, 'POST', '/api/v1/orders', { token, body: { lines, client_order_number: number } }),
  )
  const { data: methods } = await readJson(sendRequest(url, 'GET', '/api/v1/shipping-methods', { token }))
  const pickup = methods.find((each: { requires_address: boolean }) => !each.requires_address)
  const body = { shipping: { shipping_method_id: pickup.shipping_method_id } }
  const submitted = await sendRequest(url, 'POST', `/api/v1/orders/${data.order_id}/submit`, { token, body })
  expect(submitted.status, submitted.text).toBe(200)
  return data.order_id
}

async function countOrders(url: string, token: string): Promise<number> {
  const { data } = await readJson(sendRequest(url, 'GET', '/api/v1/orders?page_size=100', { token }))
  return data.length
}

describe('npm run backup and npm run restore', { timeout: timeoutMs }, () => {
  let installation: Installation
  let gateway: GatewayProcess
  let folder: string
  const settingsOf = () => ({ DATA_DIR: installation.dataDir, PORT: new URL(installation.url).port })

  beforeAll(async () => {
    installation = await Installation.create()
    folder = mkdtempSync(join(tmpdir(), 'tg-backup-'))
    gateway = await installation.start()
  }, timeoutMs)
  afterAll(async () => {
    await gateway.kill()
    installation.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  it('explain themselves, and end with 64 for wrong usage', () => {
    for (const command of ['backup', 'restore'] as const) {
      expect(run(command, ['--help'], settingsOf())).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('Usage:'),
      })
      for (const args of [[], ['a', 'b'], ['--none', 'a']])
        expect(run(command, args, settingsOf()).status, args.join(' ')).toBe(64)
    }
  })

  it('name the folder that is missing', () => {
    expect(run('backup', [join(folder, 'none', 'file')], settingsOf())).toMatchObject({
      status: 1,
      stderr: `There is no folder ${join(folder, 'none')}. Create it, or name another file.\n`,
    })
  })

  it(
    'copy a database that is in use, and bring it back with everything that the proof names',
    async () => {
      const token = await installation.requestBuyerToken()
      await placeOrder(installation.url, token, 'BEFORE-1')
      const file = join(folder, 'gateway.backup')
      const made = run('backup', [file], settingsOf())
      expect(made, made.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining('1 orders') })
      expect(run('backup', [file], settingsOf())).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('overwrites nothing'),
      })
      expect(readdirSync(installation.dataDir).filter((name) => name.startsWith('backup-'))).toEqual([])
      const lost = await placeOrder(installation.url, token, 'AFTER-1')

      expect(run('restore', [file], settingsOf()), 'while the gateway runs').toMatchObject({ status: 75 })
      await gateway.stop()
      const wrongKey = { ...settingsOf(), SECRETS_KEY: otherKey }
      expect(run('restore', [file], wrongKey)).toMatchObject({
        status: 78,
        stderr: expect.stringContaining('SECRETS_KEY is not the key of this database'),
      })
      // Kept read-only, as on a medium for archives. Only root could write to a copy of this mode.
      chmodSync(file, 0o400)
      const restored = run('restore', [file], settingsOf())
      expect(restored, restored.stderr).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('1 orders'),
      })
      expect(statSync(join(installation.dataDir, 'gateway.db')).mode & 0o777).toBe(0o600)

      gateway = await installation.start()
      expect(
        (await sendRequest(installation.url, 'GET', '/api/v1/me', { token })).status,
        'former token',
      ).toBe(401)
      const fresh = await installation.requestBuyerToken()
      expect(await countOrders(installation.url, fresh)).toBe(1)
      const found = await sendRequest(installation.url, 'GET', `/api/v1/orders/${lost}`, { token: fresh })
      expect(found.json.data, found.text).toMatchObject({ order_id: lost, status: 'confirmed' })
      expect(await countOrders(installation.url, fresh)).toBe(2)
    },
    timeoutMs,
  )

  it('replace what a backup that did not end has left, and nothing else with a similar name', () => {
    const file = join(folder, 'similar.backup')
    const left = ['', '-log-0', '-log-12', '-wal', '-shm', '-journal'].map((each) => `${file}.part${each}`)
    // `split --bytes=1G similar.backup similar.backup.part` names its pieces so.
    const others = ['aa', 'ab', '.old', '1.rar', '-log-', '-log-0.txt'].map((each) => `${file}.part${each}`)
    for (const each of [...left, ...others]) writeFileSync(each, 'not of this backup')
    const made = run('backup', [file], settingsOf())
    expect(made, made.stderr).toMatchObject({ status: 0 })
    expect(left.filter((each) => existsSync(each))).toEqual([])
    for (const each of others) expect(readFileSync(each, 'utf8')).toBe('not of this backup')
  })

  it('leave backups alone that are kept in DATA_DIR, and remove copies that nobody took away', () => {
    const toPath = (name: string) => join(installation.dataDir, name)
    const kept = ['backup-20261130.db', 'backup-bak_2026.db', 'backup-weekly.db-log-0'].map(toPath)
    const copy = `backup-bak_${'0'.repeat(26)}.db`
    const left = [copy, `${copy}-log-0`, `${copy}-log-12`].map(toPath)
    for (const each of [...kept, ...left]) writeFileSync(each, 'kept in DATA_DIR')
    const made = run('backup', [toPath('backup-20261201.db')], settingsOf())
    expect(made, made.stderr).toMatchObject({ status: 0 })
    expect(left.filter((each) => existsSync(each))).toEqual([])
    expect(run('backup', [join(folder, 'another.backup')], settingsOf()).status).toBe(0)
    for (const each of kept) expect(readFileSync(each, 'utf8')).toBe('kept in DATA_DIR')
    expect(existsSync(toPath('backup-20261201.db'))).toBe(true)
  })

  it('refuse a backup that was changed, that has no proof, or that is of another kind', async () => {
    const file = join(folder, 'changed.backup')
    const settings = settingsOf()
    expect(run('backup', [file], settings).status).toBe(0)
    await gateway.stop()
    const proof = readFileSync(`${file}.json`, 'utf8')
    writeFileSync(`${file}.json`, proof.replace(/"orders": 2/, '"orders": 3'))
    expect(run('restore', [file], settings).stderr).toContain('orders: 3 rows expected, 2 found')
    // The present database goes on, and may need the space.
    expect(readdirSync(installation.dataDir).filter((name) => name.includes('.restoring'))).toEqual([])
    writeFileSync(`${file}.json`, proof)
    const bytes = readFileSync(file)
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1)
    writeFileSync(file, bytes)
    expect(run('restore', [file], settings).stderr).toContain('is not as it was written')
    rmSync(`${file}.json`)
    expect(run('restore', [file], settings).stderr).toContain('was not completed')
    gateway = await installation.start()
    expect(await countOrders(installation.url, await installation.requestBuyerToken())).toBe(2)
  })

  it('leave a database that does not serve if they are killed between the two', async () => {
    await gateway.stop()
    writeFileSync(join(installation.dataDir, 'unfinished-restore.json'), '{}')
    const started = installation.launch()
    await expect(started.waitUntilReady()).rejects.toThrow('A restore of this database has not ended')
    await started.kill()
    rmSync(join(installation.dataDir, 'unfinished-restore.json'))
    gateway = await installation.start()
  })
})

describe.skipIf(shouldSkip('backups of PostgreSQL', { postgres: true }))('on PostgreSQL', () => {
  let installation: Installation
  let gateway: GatewayProcess
  let database: Database
  let folder: string
  const settingsOf = (url: string) => ({
    DATA_DIR: installation.dataDir,
    PORT: new URL(installation.url).port,
    DATABASE_URL: url,
  })

  beforeAll(async () => {
    database = await createFreshDatabase()
    installation = await Installation.create({ DATABASE_URL: database.url })
    folder = mkdtempSync(join(tmpdir(), 'tg-backup-'))
    gateway = await installation.start()
  }, timeoutMs)
  afterAll(async () => {
    await gateway.kill()
    installation.remove()
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it(
    'dumps a snapshot while the gateway serves, and loads it into an empty database only',
    async () => {
      const token = await installation.requestBuyerToken()
      await placeOrder(installation.url, token, 'BEFORE-1')
      const file = join(folder, 'gateway.sql.gz')
      const made = run('backup', [file], settingsOf(database.url))
      expect(made, made.stderr).toMatchObject({ status: 0, stdout: expect.stringContaining('1 orders') })
      expect(run('restore', [file], settingsOf(database.url))).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is not empty'),
      })
      const lost = await placeOrder(installation.url, token, 'AFTER-1')
      await gateway.stop()
      const empty = await createFreshDatabase()
      try {
        const restored = run('restore', [file], settingsOf(empty.url))
        expect(restored, restored.stderr).toMatchObject({ status: 0 })
        gateway = await installation.withSettings({ DATABASE_URL: empty.url }).start()
        const fresh = await installation.requestBuyerToken()
        expect(await countOrders(gateway.url, fresh)).toBe(1)
        const found = await sendRequest(gateway.url, 'GET', `/api/v1/orders/${lost}`, { token: fresh })
        expect(found.json.data, found.text).toMatchObject({ order_id: lost, status: 'confirmed' })
        await gateway.stop()
      } finally {
        await empty.drop()
      }
      gateway = await installation.start()
    },
    timeoutMs,
  )

  it(
    'waits for a dump for longer than its server lets a transaction wait',
    async () => {
      const slow = mkdtempSync(join(tmpdir(), 'tg-slow-dump-'))
      const limited = new URL(database.url).pathname.slice(1)
      try {
        const dump = execFileSync('sh', ['-c', 'command -v pg_dump'], { encoding: 'utf8' }).trim()
        writeFileSync(join(slow, 'pg_dump'), `#!/bin/sh\nsleep 1\nexec ${dump} "$@"\n`, { mode: 0o755 })
        await runOnServer(`alter database ${limited} set idle_in_transaction_session_timeout = '200ms'`)
        const settings = { ...settingsOf(database.url), PATH: `${slow}:${process.env.PATH}` }
        const made = run('backup', [join(folder, 'slow.sql.gz')], settings)
        expect(made, made.stderr).toMatchObject({ status: 0 })
      } finally {
        await runOnServer(`alter database ${limited} reset idle_in_transaction_session_timeout`)
        rmSync(slow, { recursive: true })
      }
    },
    timeoutMs,
  )

  it('does not serve from a database whose restore was killed, until it is restored again', {
    timeout: timeoutMs,
  }, async () => {
    const file = join(folder, 'second.sql.gz')
    expect(run('backup', [file], settingsOf(database.url)).status).toBe(0)
    await gateway.stop()
    const empty = await createFreshDatabase()
    try {
      const wrongKey = { ...settingsOf(empty.url), SECRETS_KEY: otherKey }
      expect(run('restore', [file], wrongKey)).toMatchObject({
        status: 78,
        stderr: expect.stringContaining('SECRETS_KEY is not the key of this database'),
      })
      const proof = readFileSync(`${file}.json`, 'utf8')
      writeFileSync(`${file}.json`, proof.replace(/"channels": \d+/, '"channels": 77'))
      expect(run('restore', [file], settingsOf(empty.url)).stderr).toContain('channels: 77 rows expected')
      const started = installation.withSettings({ DATABASE_URL: empty.url }).launch()
      await expect(started.waitUntilReady()).rejects.toThrow('A restore of this database has not ended')
      await started.kill()
      writeFileSync(`${file}.json`, proof)
      const again = run('restore', [file], settingsOf(empty.url))
      expect(again, again.stderr).toMatchObject({ status: 0 })
    } finally {
      await empty.drop()
    }
    gateway = await installation.start()
    await waitUntil(() => existsSync(join(installation.dataDir, 'sandbox.json')), 5_000)
  })
})
