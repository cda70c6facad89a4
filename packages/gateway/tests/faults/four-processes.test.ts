/**
 * Four gateway processes on one PostgreSQL, each with its own data directory, and one ERP. The clocks of their machines
 * are up to two hours apart. A client sends each call to the next process.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePorts } from '../../../trials/src/free-ports.ts'
import { Follower } from '../follower.ts'
import { adminToken, type CallResult, type LooseJson } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { createChannel, requestToken } from './channels.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { type ErpWithPorts, Movements, openErpWithPorts } from './erp-with-ports.ts'
import { type GatewayProcess, readJson, sendRequest, startGateway, waitUntil } from './processes.ts'
import { shouldSkip, sizes } from './sizes.ts'

const processes = 4
const hourMs = 3_600_000
/** How far the clock of each process's machine is ahead. */
const machinesAheadMs = [0, hourMs, -hourMs, hourMs / 6]
/** How far the times of two processes may differ: a token has whole seconds, and one is requested after another. */
const maxDifferenceSeconds = 10
const styles = 40
const movesPerSecond = 200
/** The maximum time for which another process may accept a revoked token, as promised. */
const revokedMs = 1_000
const slackMs = 1_000
const revocations = 8
/** The minimum number of feed pages to read, even on a busy machine. */
const minPages = 100
/** The time in which another process takes over a job, as promised. */
const takeoverMs = 5_000
const agreementMs = 10_000
const trialTimeoutMs = 300_000
const codes = ['AU', 'AUSYD1', 'AUSYD2', 'CHNZJ1', 'CN']

/** The largest share of calls to the ERP that end after their process has lost the lease. */
const maxLateShare = 0.02
const isLeftOut = shouldSkip('four processes', { postgres: true, long: true })

describe.skipIf(isLeftOut)('four processes on one database', () => {
  let database: Database
  let erp: ErpWithPorts
  let observer: pg.Pool
  let folder: string
  let ports: number[]
  const gateways: GatewayProcess[] = []
  /** One message for each call to the ERP by a process that did not have the warehouse's lease any more. */
  const trespasses: string[] = []
  const holders = new Map<string, number>()
  /** Called for the next stock request to the ERP, while its caller waits for the response. */
  let onCall: ((index: number, warehouse: string) => Promise<void>) | undefined
  const callsThrough = new Array<number>(processes).fill(0)
  let token: string
  let movements: Movements

  beforeAll(async () => {
    database = await createFreshDatabase()
    observer = new pg.Pool({ connectionString: database.url, max: processes })
    // The database may be dropped while the connections of an ended pool are still closing. The pool then emits the
    // errors of connections that were idle.
    observer.on('error', () => {})
    erp = await openErpWithPorts(processes, styles, checkLeaseHolder)
    movements = new Movements(erp.sandbox)
    folder = mkdtempSync(join(tmpdir(), 'tg-four-'))
    ports = await findFreePorts(processes)
    // All processes start at once on an empty database, as after an installation.
    gateways.push(...(await Promise.all(ports.map((_, index) => startProcess(index)))))
    token = await requestToken(readUrl(0), await createChannel(readUrl(1), 'follower'))
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
      NODE_OPTIONS: `--import=${buildClock(machinesAheadMs[index] ?? 0)}`,
    })
  }

  /**
   * Records a violation if the process that reads stock does not have the lease of that warehouse. A lease names its
   * holder by an id; the first call under it shows which process that is.
   */
  async function checkLeaseHolder(index: number, warehouse: string) {
    callsThrough[index] = (callsThrough[index] ?? 0) + 1
    const { rows } = await observer.query<{ holder: string }>('select holder from leases where name = $1', [
      `sync stock ${warehouse}`,
    ])
    const holder = rows[0]?.holder ?? 'nobody'
    const known = holders.get(holder) ?? index
    holders.set(holder, known)
    if (known !== index) trespasses.push(`${index} asked about ${warehouse} while ${known} had its lease`)
    await onCall?.(index, warehouse)
  }

  function readUrl(index: number): string {
    return gateways[index % processes]?.url ?? ''
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

  it('have one time, whatever the clocks of their machines say', async () => {
    const channel = await createChannel(readUrl(1), 'on-time')
    const times: number[] = []
    for (let index = 0; index < processes; index++) {
      const [, claims = ''] = (await requestToken(readUrl(index), channel)).split('.')
      times.push(Number(JSON.parse(Buffer.from(claims, 'base64url').toString()).iat))
    }
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(maxDifferenceSeconds)
  })

  it('takes a token that any of them issued', async () => {
    for (let index = 0; index < processes; index++) {
      const other = await requestToken(readUrl(index), await createChannel(readUrl(1), `issued-by-${index}`))
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
        const revoked = await requestToken(readUrl(trial), await createChannel(readUrl(1), code))
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

  /**
   * Ends or freezes the process that reads stock next, before it gets the response. Resolves when another one reads the
   * stock of the same warehouse.
   */
  async function strikeLeader(strike: (victim: number) => unknown): Promise<number> {
    const { promise: struck, resolve } = Promise.withResolvers<number>()
    let takenOver = false
    let subject = ''
    let victim = -1
    onCall = async (index, warehouse) => {
      if (victim >= 0) takenOver ||= index !== victim && warehouse === subject
      else {
        victim = index
        subject = warehouse
        await strike(index)
        resolve(index)
      }
    }
    for (let index = 0; index < 20; index++) movements.move()
    await struck
    const began = performance.now()
    await waitUntil(() => takenOver, takeoverMs, 'No other process took over')
    onCall = undefined
    reportFigure(['I13'], `another process took over after ${Math.round(performance.now() - began)} ms`)
    return victim
  }

  const listOthers = (victim: number) =>
    Array.from({ length: processes }, (_, index) => index).filter((index) => index !== victim)

  it(
    'goes on when a process is killed while it syncs, and takes it back when it returns',
    async () => {
      const victim = await strikeLeader((index) => gateways[index]?.kill())
      await waitForAgreement(listOthers(victim))
      gateways[victim] = await startProcess(victim)
      for (let index = 0; index < 20; index++) movements.move()
      await waitForAgreement()
    },
    trialTimeoutMs,
  )

  it(
    'goes on when a process is frozen while it syncs, and agrees with it when it continues',
    async () => {
      const signal = (index: number, name: NodeJS.Signals) => process.kill(gateways[index]?.pid ?? 0, name)
      const victim = await strikeLeader((index) => signal(index, 'SIGSTOP'))
      try {
        for (let index = 0; index < 20; index++) movements.move()
        await waitForAgreement(listOthers(victim))
      } finally {
        signal(victim, 'SIGCONT')
      }
      await waitForAgreement()
    },
    trialTimeoutMs,
  )

  it(
    'never answers with an older state than the tag of the request names',
    async () => {
      let tag = ''
      let newest = 0
      let isOver = false
      const moving = changeRowsUntil(movements, () => isOver)
      for (let request = 0; request < minPages; request++) {
        const response = await fetch(`${readUrl(request)}/api/v1/warehouses/AUSYD1/stock?page_size=1`, {
          headers: { authorization: `Bearer ${token}`, 'if-none-match': tag },
        })
        await response.text()
        const version = Number(response.headers.get('x-stock-version'))
        expect(version).toBeGreaterThanOrEqual(newest)
        newest = version
        tag = response.headers.get('etag') ?? ''
      }
      isOver = true
      await moving
      await waitForAgreement()
    },
    trialTimeoutMs,
  )

  it('tells at any process how all of them are', async () => {
    for (const { url } of gateways) {
      const { data } = await readJson(sendRequest(url, 'GET', '/statusz'))
      const seen = data.processes.filter((each: LooseJson) => each.seen_seconds < 5)
      expect(seen).toHaveLength(processes)
    }
  })

  it('asked about stock only with the lease of the warehouse', () => {
    const calls = callsThrough.reduce((sum, count) => sum + count, 0)
    expect(calls).toBeGreaterThan(0)
    // A process that was frozen, or killed at the ERP's door, may end a call that it began with the lease. What it read
    // is refused by its term.
    expect(trespasses.length / calls, trespasses.join('\n')).toBeLessThan(maxLateShare)
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
    await waitUntil(isAgreed, agreementMs, 'The processes did not come to agree')
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

/** Builds a module that sets the clock of the machine on which it is imported. */
function buildClock(aheadMs: number): string {
  return `data:text/javascript,const{now}=Date;Date.now=()=>now()+(${aheadMs})`
}
