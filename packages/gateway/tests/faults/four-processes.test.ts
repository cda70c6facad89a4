import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Follower } from '../follower.ts'
import { adminToken, type Result } from '../harness.ts'
import { type Database, freshDatabase } from './databases.ts'
import { type ErpWithDoors, Movements, openErp } from './erp-doors.ts'
import { ask, freePorts, type GatewayProcess, startGateway, told, until } from './processes.ts'
import { leftOut, sizes } from './sizes.ts'

/**
 * Four processes of the gateway on one PostgreSQL, each with a data directory of its own, in front of one ERP. A
 * client goes from one to the next with every call.
 */
const processes = 4
const styles = 40
const movesPerSecond = 200
/** A promise of one second, and what a busy machine adds. */
const revokedMs = 1_000
const slackMs = 1_000
const revocations = 8
/** Pages of the feed that are read at least, however busy the machine. */
const leastPages = 100
const takeoverMs = 10_000
const trialTimeoutMs = 300_000
const codes = ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN']

const isLeftOut = leftOut('four processes', { postgres: true, long: true })

describe.skipIf(isLeftOut)('four processes on one database', () => {
  let database: Database
  let erp: ErpWithDoors
  let observer: pg.Pool
  let folder: string
  let ports: number[]
  const gateways: GatewayProcess[] = []
  /** Calls to the ERP without the warehouse's lock, which nobody should make. */
  const trespasses: string[] = []
  /** What happens to whoever asks next, while it waits for the answer. */
  let onCall: ((door: number) => Promise<void>) | undefined
  const callsThrough = new Array<number>(processes).fill(0)
  let token: string
  let movements: Movements

  beforeAll(async () => {
    database = await freshDatabase()
    observer = new pg.Pool({ connectionString: database.url, max: processes })
    erp = await openErp(processes, styles, holdsTheLock)
    movements = new Movements(erp.sandbox)
    folder = mkdtempSync(join(tmpdir(), 'tg-four-'))
    ports = await freePorts(processes)
    // All at once on an empty database, as after an installation.
    gateways.push(...(await Promise.all(ports.map((_, index) => start(index)))))
    token = await tokenOf(await channel('follower'), 0)
  }, trialTimeoutMs)

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()))
    await observer?.end()
    await erp?.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }, trialTimeoutMs)

  function start(index: number): Promise<GatewayProcess> {
    const url = new URL(database.url)
    url.searchParams.set('application_name', nameOf(index))
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

  /** Who asks about stock holds the lock of that warehouse, and it is one process. */
  async function holdsTheLock(door: number, warehouse: string) {
    callsThrough[door] = (callsThrough[door] ?? 0) + 1
    const { rows } = await observer.query<{ application_name: string }>(
      `select application_name from pg_locks join pg_stat_activity using (pid)
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
         and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
      [`sync stock ${warehouse}`],
    )
    const holders = rows.map((row) => row.application_name)
    if (holders.length !== 1 || holders[0] !== nameOf(door))
      trespasses.push(`${nameOf(door)} asked about ${warehouse} while [${holders}] held it`)
    await onCall?.(door)
  }

  function urlAt(index: number): string {
    return gateways[index % processes]?.url ?? ''
  }

  async function channel(code: string) {
    const body = { channel_code: code, name: code, plan: 'full', points_per_minute: 1_000_000_000 }
    const { data } = await told(ask(urlAt(1), 'POST', '/admin/api/channels', { admin: adminToken, body }))
    return data
  }

  async function tokenOf(credentials: { client_id: string; client_secret: string }, index: number) {
    const { client_id, client_secret } = credentials
    const body = { client_id, client_secret }
    const { access_token } = await told(ask(urlAt(index), 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  /** A client that asks the next process with every call, and takes a needless full sync for a failure. */
  function roundRobin(): (path: string) => Promise<Result> {
    let next = 0
    return async (path) => {
      const answer = await ask(urlAt(next++), 'GET', path, { token })
      if (answer.status !== 200 || answer.json.needs_full_sync)
        throw new Error(`${path} was answered ${answer.status}: ${answer.text.slice(0, 500)}`)
      return answer
    }
  }

  it('takes a token that any of them issued', async () => {
    for (let index = 0; index < processes; index++) {
      const other = await tokenOf(await channel(`issued-by-${index}`), index)
      for (let at = 0; at < processes; at++)
        expect((await ask(urlAt(at), 'GET', '/api/v1/me', { token: other })).status).toBe(200)
    }
  })

  it(
    'tells one version as one state, with cursors that only go forward, while stock moves',
    async () => {
      const followers = codes.map((code) => new Follower(roundRobin(), code))
      const states = new Map<string, string>()
      let pages = 0
      let isOver = false
      const moving = keepMoving(movements, () => isOver)
      for (const follower of followers) await follower.start(50)
      const stop = performance.now() + sizes.seconds * 1000
      while (performance.now() < stop || pages < leastPages) {
        for (const [index, follower] of followers.entries()) {
          pages += 1
          if (await follower.page()) continue
          const state = `${follower.proof?.row_count} ${follower.proof?.checksum}`
          const key = `${codes[index]}@${follower.cursor}`
          expect(states.get(key) ?? state, key).toBe(state)
          states.set(key, state)
        }
      }
      isOver = true
      const moved = await moving
      await agreed()
      for (const [index, follower] of followers.entries()) {
        await follower.catchUp()
        const fresh = await told(
          ask(urlAt(index), 'GET', `/api/v1/warehouses/${codes[index]}/stock`, { token }),
        )
        expect(follower.rows()).toEqual(fresh.data)
        expect(follower.proof).toEqual({ row_count: fresh.data.length, checksum: follower.checksum() })
      }
      for (const code of ['AUSYD1', 'AUSYD2', 'CHNZJ1'])
        expect((await proofAt(0, code)).row_count).toBe(movements.liveRows(code))
      process.stdout.write(
        `four processes: ${moved} movements, ${pages} pages, ${states.size} versions proved, ` +
          `calls to the ERP by process ${callsThrough.join(', ')}\n`,
      )
    },
    trialTimeoutMs,
  )

  it(
    'converges from a pull whose pages came from different processes',
    async () => {
      const rounds = Math.max(3, sizes.seconds)
      for (let round = 0; round < rounds; round++) {
        const follower = new Follower(roundRobin(), 'AU')
        await follower.start(20, async () => {
          for (let index = 0; index < 5; index++) movements.move()
        })
        await agreed()
        await follower.catchUp()
        expect(follower.proof?.checksum, `round ${round}`).toBe(follower.checksum())
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
        const revoked = await tokenOf(await channel(code), trial)
        const statusAt = async (at: number) =>
          (await ask(urlAt(at), 'GET', '/api/v1/me', { token: revoked })).status
        for (let at = 0; at < processes; at++) expect(await statusAt(at)).toBe(200)
        await told(ask(urlAt(trial + 1), 'DELETE', `/admin/api/channels/${code}`, { admin: adminToken }))
        const began = performance.now()
        expect(await statusAt(trial + 1)).toBe(401)
        for (let at = 0; at < processes; at++)
          await until(
            async () => (await statusAt(at)) === 401,
            revokedMs + slackMs,
            `A revocation was not seen by ${at}`,
          )
        slowest = Math.max(slowest, performance.now() - began)
      }
      process.stdout.write(
        `four processes: ${revocations} revocations, the slowest seen after ${Math.round(slowest)} ms\n`,
      )
    },
    trialTimeoutMs,
  )

  it(
    'goes on when a process is killed while it syncs, and takes it back when it returns',
    async () => {
      const { promise: struck, resolve } = Promise.withResolvers<number>()
      // The next one that asks about stock is killed before it is answered, so it dies with the lock in its hands.
      onCall = async (door) => {
        onCall = undefined
        await gateways[door]?.kill()
        resolve(door)
      }
      for (let index = 0; index < 20; index++) movements.move()
      const victim = await struck
      const began = performance.now()
      const others = Array.from({ length: processes }, (_, index) => index).filter(
        (index) => index !== victim,
      )
      await agreed(others)
      const tookOverMs = Math.round(performance.now() - began)
      gateways[victim] = await start(victim)
      for (let index = 0; index < 20; index++) movements.move()
      await agreed()
      process.stdout.write(`four processes: another took over within ${tookOverMs} ms\n`)
    },
    trialTimeoutMs,
  )

  it('asked about stock only under the lock of the warehouse', () => {
    expect(trespasses).toEqual([])
    expect(Math.max(...callsThrough)).toBeGreaterThan(0)
  })

  async function proofAt(index: number, code: string) {
    const { data } = await told(
      ask(urlAt(index), 'GET', `/api/v1/warehouses/${code}/stock/checksum`, { token }),
    )
    return data
  }

  /** Waits until the ERP has nothing new, and the processes tell the same of every warehouse, up to what is stored. */
  async function agreed(among = Array.from({ length: processes }, (_, index) => index)) {
    const isAgreed = async () => {
      // What is stored is asked for first: a process that agrees with an older state does not agree.
      if (!(await isSynced())) return false
      const stored = await storedVersions()
      for (const code of codes) {
        const proofs = await Promise.all(among.map((index) => proofAt(index, code)))
        if (new Set(proofs.map((proof) => JSON.stringify(proof))).size > 1) return false
        if (proofs[0]?.version !== stored.get(code)) return false
      }
      return true
    }
    await until(isAgreed, takeoverMs, 'The processes did not come to agree')
  }

  async function storedVersions(): Promise<Map<string, number>> {
    const { rows } = await observer.query('select warehouse_code, version from warehouses')
    return new Map(rows.map((row) => [row.warehouse_code, Number(row.version)]))
  }

  /** Whether the cursors in the database are those that the ERP has now. */
  async function isSynced(): Promise<boolean> {
    const { rows } = await observer.query(
      "select warehouse_code, cursor from warehouses where kind = 'warehouse'",
    )
    const seqs = erp.sandbox.store.all('select warehouse_code, stock_seq from warehouses')
    const latest = new Map(seqs.map((row) => [row.warehouse_code, String(row.stock_seq)]))
    return rows.every((row) => String(row.cursor).split('.')[1] === latest.get(row.warehouse_code))
  }
})

function nameOf(index: number): string {
  return `gateway-${index}`
}

/** Moves rows at a steady rate until it is told to end; answers how many. */
async function keepMoving(movements: Movements, isOver: () => boolean): Promise<number> {
  let moved = 0
  while (!isOver()) {
    movements.move()
    moved += 1
    await new Promise((resolve) => setTimeout(resolve, 1000 / movesPerSecond))
  }
  return moved
}
