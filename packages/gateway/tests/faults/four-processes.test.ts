/**
 * Four gateway processes on one PostgreSQL, each with its own data directory, and one ERP. A client sends each call to
 * the next process.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Follower } from '../follower.ts'
import { adminToken, type CallResult } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { type ErpWithPorts, Movements, openErpWithPorts } from './erp-with-ports.ts'
import {
  findFreePorts,
  type GatewayProcess,
  readJson,
  sendRequest,
  startGateway,
  waitUntil,
} from './processes.ts'
import { shouldSkip, sizes } from './sizes.ts'

const processes = 4
const styles = 40
const movesPerSecond = 200
/** The maximum time for which another process may accept a revoked token, as promised. */
const revokedMs = 1_000
const slackMs = 1_000
const revocations = 8
/** The minimum number of feed pages to read, even on a busy machine. */
const minPages = 100
const takeoverMs = 10_000
const trialTimeoutMs = 300_000
const codes = ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN']

const isLeftOut = shouldSkip('four processes', { postgres: true, long: true })

describe.skipIf(isLeftOut)('four processes on one database', () => {
  let database: Database
  let erp: ErpWithPorts
  let observer: pg.Pool
  let folder: string
  let ports: number[]
  const gateways: GatewayProcess[] = []
  /** One message for each call to the ERP by a process that did not hold the warehouse's lock; must stay empty. */
  const trespasses: string[] = []
  /** Called for the next stock request to the ERP, while its caller waits for the response. */
  let onCall: ((index: number) => Promise<void>) | undefined
  const callsThrough = new Array<number>(processes).fill(0)
  let token: string
  let movements: Movements

  beforeAll(async () => {
    database = await createFreshDatabase()
    observer = new pg.Pool({ connectionString: database.url, max: processes })
    // The database may be dropped while the connections of an ended pool are still closing. The pool then emits the
    // errors of connections that were idle.
    observer.on('error', () => {})
    erp = await openErpWithPorts(processes, styles, checkLockHolder)
    movements = new Movements(erp.sandbox)
    folder = mkdtempSync(join(tmpdir(), 'tg-four-'))
    ports = await findFreePorts(processes)
    // All processes start at once on an empty database, as after an installation.
    gateways.push(...(await Promise.all(ports.map((_, index) => startProcess(index)))))
    token = await requestToken(await createChannel('follower'), 0)
  }, trialTimeoutMs)

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await observer?.end()
    await erp?.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }, trialTimeoutMs)

  function startProcess(index: number): Promise<GatewayProcess> {
    const url = new URL(database.url)
    url.searchParams.set('application_name', readProcessName(index))
    return startGateway({
      DATA_DIR: mkdtempSync(join(folder, 'data-')),
      PORT: String(ports[index]),
      DATABASE_URL: url.toString(),
      UPSTREAM_URL: erp.urls[index] ?? '',
      UPSTREAM_TOKEN: erp.token,
      SYNC_INTERVAL_MS: '100',
      SECRETS_KEY: 'the-same-key-in-every-process-0123456789',
      ADMIN_TOKEN: adminToken,
    })
  }

  /**
   * Records a violation if the process that reads stock does not hold the lock of that warehouse, or if another process
   * holds it too.
   */
  async function checkLockHolder(index: number, warehouse: string) {
    callsThrough[index] = (callsThrough[index] ?? 0) + 1
    const { rows } = await observer.query<{ application_name: string }>(
      `select application_name from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
         and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
      [`sync stock ${warehouse}`],
    )
    const holders = rows.map((row) => row.application_name)
    if (holders.length !== 1 || holders[0] !== readProcessName(index))
      trespasses.push(`${readProcessName(index)} asked about ${warehouse} while [${holders}] held it`)
    await onCall?.(index)
  }

  function readUrl(index: number): string {
    return gateways[index % processes]?.url ?? ''
  }

  async function createChannel(code: string) {
    const body = { channel_code: code, name: code, plan: 'full', points_per_minute: 1_000_000_000 }
    const { data } = await readJson(
      sendRequest(readUrl(1), 'POST', '/admin/api/channels', { admin: adminToken, body }),
    )
    return data
  }

  async function requestToken(credentials: { client_id: string; client_secret: string }, index: number) {
    const { client_id, client_secret } = credentials
    const body = { client_id, client_secret }
    const { access_token } = await readJson(
      sendRequest(readUrl(index), 'POST', '/api/v1/auth/token', { body }),
    )
    return String(access_token)
  }

  /** Creates a client that calls the next process each time and treats a needless full sync as a failure. */
  function createRoundRobinClient(): (path: string) => Promise<CallResult> {
    let next = 0
    return async (path) => {
      const answer = await sendRequest(readUrl(next++), 'GET', path, { token })
      if (answer.status !== 200 || answer.json.needs_full_sync)
        throw new Error(`${path} was answered ${answer.status}: ${answer.text.slice(0, 500)}`)
      return answer
    }
  }

  it('takes a token that any of them issued', async () => {
    for (let index = 0; index < processes; index++) {
      const other = await requestToken(await createChannel(`issued-by-${index}`), index)
      for (let at = 0; at < processes; at++)
        expect((await sendRequest(readUrl(at), 'GET', '/api/v1/me', { token: other })).status).toBe(200)
    }
  })

  it(
    'tells one version as one state, with cursors that only go forward, while stock moves',
    async () => {
      const followers = codes.map((code) => new Follower(createRoundRobinClient(), code))
      const states = new Map<string, string>()
      let pages = 0
      let isOver = false
      const moving = changeRowsUntil(movements, () => isOver)
      for (const follower of followers) await follower.start(50)
      const stop = performance.now() + sizes.seconds * 1000
      while (performance.now() < stop || pages < minPages) {
        for (const [index, follower] of followers.entries()) {
          pages += 1
          if (await follower.readPage()) continue
          const state = `${follower.proof?.row_count} ${follower.proof?.checksum}`
          const key = `${codes[index]}@${follower.cursor}`
          expect(states.get(key) ?? state, key).toBe(state)
          states.set(key, state)
        }
      }
      isOver = true
      const moved = await moving
      await waitForAgreement()
      for (const [index, follower] of followers.entries()) {
        await follower.catchUp()
        const fresh = await readJson(
          sendRequest(readUrl(index), 'GET', `/api/v1/warehouses/${codes[index]}/stock`, { token }),
        )
        expect(follower.listRows()).toEqual(fresh.data)
        expect(follower.proof).toEqual({ row_count: fresh.data.length, checksum: follower.computeChecksum() })
      }
      for (const code of ['AUSYD1', 'AUSYD2', 'CHNZJ1'])
        expect((await readProof(0, code)).row_count).toBe(movements.countLiveRows(code))
      reportFigure(
        ['I13'],
        `four processes: ${moved} movements, ${pages} pages, ${states.size} versions proved, ` +
          `calls to the ERP by process ${callsThrough.join(', ')}`,
      )
    },
    trialTimeoutMs,
  )

  it(
    'converges from a pull whose pages came from different processes',
    async () => {
      const rounds = Math.max(3, sizes.seconds)
      for (let round = 0; round < rounds; round++) {
        const follower = new Follower(createRoundRobinClient(), 'AU')
        await follower.start(20, async () => {
          for (let index = 0; index < 5; index++) movements.move()
        })
        await waitForAgreement()
        await follower.catchUp()
        expect(follower.proof?.checksum, `round ${round}`).toBe(follower.computeChecksum())
      }
    },
    trialTimeoutMs,
  )

  it(
    'sees a revocation everywhere within a second',
    async () => {
      let slowest = 0
      for (let trial = 0; trial < revocations; trial++) {
        const code = `revoked-${trial}`
        const revoked = await requestToken(await createChannel(code), trial)
        const readStatusAt = async (at: number) =>
          (await sendRequest(readUrl(at), 'GET', '/api/v1/me', { token: revoked })).status
        for (let at = 0; at < processes; at++) expect(await readStatusAt(at)).toBe(200)
        await readJson(
          sendRequest(readUrl(trial + 1), 'DELETE', `/admin/api/channels/${code}`, { admin: adminToken }),
        )
        const began = performance.now()
        expect(await readStatusAt(trial + 1)).toBe(401)
        for (let at = 0; at < processes; at++)
          await waitUntil(
            async () => (await readStatusAt(at)) === 401,
            revokedMs + slackMs,
            `A revocation was not seen by ${at}`,
          )
        slowest = Math.max(slowest, performance.now() - began)
      }
      reportFigure(
        ['I27'],
        `four processes: ${revocations} revocations, the slowest seen after ${Math.round(slowest)} ms`,
      )
    },
    trialTimeoutMs,
  )

  it(
    'goes on when a process is killed while it syncs, and takes it back when it returns',
    async () => {
      const { promise: struck, resolve } = Promise.withResolvers<number>()
      // The next process that reads stock is killed before it gets the response, so it dies while it holds the lock.
      onCall = async (index) => {
        onCall = undefined
        await gateways[index]?.kill()
        resolve(index)
      }
      for (let index = 0; index < 20; index++) movements.move()
      const victim = await struck
      const began = performance.now()
      const others = Array.from({ length: processes }, (_, index) => index).filter(
        (index) => index !== victim,
      )
      await waitForAgreement(others)
      const tookOverMs = Math.round(performance.now() - began)
      gateways[victim] = await startProcess(victim)
      for (let index = 0; index < 20; index++) movements.move()
      await waitForAgreement()
      process.stdout.write(`four processes: another took over within ${tookOverMs} ms\n`)
    },
    trialTimeoutMs,
  )

  it('asked about stock only under the lock of the warehouse', () => {
    expect(trespasses).toEqual([])
    expect(Math.max(...callsThrough)).toBeGreaterThan(0)
  })

  async function readProof(index: number, code: string) {
    const { data } = await readJson(
      sendRequest(readUrl(index), 'GET', `/api/v1/warehouses/${code}/stock/checksum`, { token }),
    )
    return data
  }

  /** Waits until all changes of the ERP are stored and all processes return the same stock. */
  async function waitForAgreement(among = Array.from({ length: processes }, (_, index) => index)) {
    const isAgreed = async () => {
      // The stored version is read first, because processes that agree on an older state do not count.
      if (!(await isSynced())) return false
      const stored = await readStoredVersions()
      for (const code of codes) {
        const proofs = await Promise.all(among.map((index) => readProof(index, code)))
        if (new Set(proofs.map((proof) => JSON.stringify(proof))).size > 1) return false
        if (proofs[0]?.version !== stored.get(code)) return false
      }
      return true
    }
    await waitUntil(isAgreed, takeoverMs, 'The processes did not come to agree')
  }

  async function readStoredVersions(): Promise<Map<string, number>> {
    const { rows } = await observer.query('select warehouse_code, version from warehouses')
    return new Map(rows.map((row) => [row.warehouse_code, Number(row.version)]))
  }

  /** Whether all stock changes of the ERP are stored in the database. */
  async function isSynced(): Promise<boolean> {
    const { rows } = await observer.query(
      "select warehouse_code, cursor from warehouses where kind = 'warehouse'",
    )
    const seqs = erp.sandbox.store.all('select warehouse_code, stock_seq from warehouses')
    const latest = new Map(seqs.map((row) => [row.warehouse_code, String(row.stock_seq)]))
    return rows.every((row) => String(row.cursor).split('.')[1] === latest.get(row.warehouse_code))
  }
})

function readProcessName(index: number): string {
  return `gateway-${index}`
}

/** Changes rows at a steady rate until `isOver` returns true. Returns the number of changes. */
async function changeRowsUntil(movements: Movements, isOver: () => boolean): Promise<number> {
  let moved = 0
  while (!isOver()) {
    movements.move()
    moved += 1
    await new Promise((resolve) => setTimeout(resolve, 1000 / movesPerSecond))
  }
  return moved
}
