/**
 * Writes are refused while the disk is full: they do not reach the ERP, reads continue to work, and each idempotency key
 * can be used again. SQLite's page limit simulates the full disk here; `store/trouble.test.ts` checks PostgreSQL's error
 * code.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../trials/src/free-ports.ts'
import type { Log, LogFields } from '../src/kernel/log.ts'
import { settleAll } from '../src/writes/settle.ts'
import { writes } from '../src/writes.ts'
import { launchGateway, waitUntil } from './faults/processes.ts'
import { call, type LooseJson, openTestGateway, readTestDatabaseUrl, type TestGateway } from './harness.ts'
import { type Buyer, buildDropship, expectError, listErpDocuments, openShop } from './trade.ts'

const onSqlite = readTestDatabaseUrl() === undefined
const recoveryMs = 5_000
const maxOrders = 400
const plenty = 1_000_000

const said: { fields: LogFields; message: string }[] = []
const recordLine = (fields: LogFields, message: string) => void said.push({ fields, message })
const log: Log = { debug() {}, info: recordLine, warn: recordLine, error: recordLine }

describe.skipIf(!onSqlite)('a full disk', () => {
  let house: TestGateway
  let shop: Buyer
  let sku: string
  const limitPages = (count: string | number) =>
    sql.raw(`pragma max_page_count = ${count}`).execute(house.gateway.store.db)
  const submit = (order: LooseJson, key: string) =>
    shop.post('/dropship-orders/submit', order, { 'idempotency-key': key })
  const readReadiness = () => call(house, 'GET', '/readyz')

  beforeAll(async () => {
    house = await openTestGateway({ log, styles: 60 })
    shop = openShop(house)
    sku = await shop.createSku({ AUSYD1: 9_000 })
  })
  afterAll(() => house.close())

  it('refuses writes with storage_full, does nothing at the ERP, keeps serving reads, and passes with the space', async () => {
    await limitPages(1)
    const sent: { order: LooseJson; key: string; status: number }[] = []
    let refused: LooseJson | undefined
    while (!refused && sent.length < maxOrders) {
      // Each order has a different recipient, so none is a duplicate.
      const order = buildDropship(sku, { remark: 'x'.repeat(200) })
      const body = { ...order, recipient: { ...order.recipient, name: `Alex ${sent.length}` } }
      const key = `full-${sent.length}`
      const answer = await submit(body, key)
      sent.push({ order: body, key, status: answer.status })
      if (answer.status === 503) {
        expectError(answer, 'INTERNAL', { reason: 'storage_full', retryable: true })
        expect(answer.headers.get('retry-after')).toBe('5')
        expect(answer.json.error.hint).not.toContain('support')
        refused = body
      }
    }
    expect(refused).toBeDefined()
    expect(listErpDocuments(house, refused?.client_order_number)).toEqual([])

    // Writes are still refused, and the log still has only one line.
    const { order = {}, key = '' } = sent.at(-1) ?? {}
    for (let again = 0; again < 5; again++) expect((await submit(order, key)).status).toBe(503)
    expect((await shop.get(`/warehouses/AUSYD1/stock?sku=${sku}`)).status).toBe(200)
    const notReady = await readReadiness()
    expectError(notReady, 'INTERNAL', { reason: 'storage_full' })
    expect(notReady.status).toBe(503)
    expect(said.filter(({ fields }) => fields.code === 'storage_full')).toHaveLength(1)
    expect(said.filter(({ message }) => message === 'a call failed inside')).toEqual([])

    await limitPages(plenty)
    await waitUntil(async () => (await readReadiness()).status === 200, recoveryMs)
    expect(said.filter(({ fields }) => fields.code === 'storage_full')).toHaveLength(2)
    for (const each of sent) {
      for (let turn = 0; turn < 4 && each.status !== 200; turn++) {
        house.clock.advance(6_000)
        await settleAll(house.gateway, writes)
        each.status = (await submit(each.order, each.key)).status
      }
      expect(each.status).toBe(200)
      expect(listErpDocuments(house, each.order.client_order_number)).toHaveLength(1)
    }
  })
})

/** Mounts a separate file system of 2 MB. Returns undefined if this machine does not permit it. */
function mountDisk(): { path: string; unmount(): void } | undefined {
  const path = mkdtempSync(join(tmpdir(), 'tg-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path], { stdio: 'ignore' })
  } catch {
    rmSync(path, { recursive: true })
    return undefined
  }
  return {
    path,
    unmount() {
      execFileSync('umount', [path])
      rmSync(path, { recursive: true })
    },
  }
}

describe('a start on a full disk', () => {
  it('says so in a sentence and ends with 1', async ({ skip }) => {
    const disk = mountDisk()
    if (!disk) return skip('this user may not mount a file system')
    try {
      const dataDir = join(disk.path, 'data')
      mkdirSync(dataDir)
      const fillDisk = () => writeFileSync(join(disk.path, 'filler'), Buffer.alloc(4 * 1024 * 1024))
      expect(fillDisk).toThrow('ENOSPC')
      const port = await findFreePort()
      const gateway = launchGateway({ DATA_DIR: dataDir, PORT: String(port) })
      await expect(gateway.waitUntilReady()).rejects.toThrow(
        /\(1\)\D+The disk is full, so the gateway cannot write/,
      )
      expect(gateway.readOutput().trim().split('\n')).toHaveLength(1)
    } finally {
      disk.unmount()
    }
  })
})
