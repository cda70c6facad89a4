/**
 * Several processes on one port (`PROCESSES`) restart one after another while clients read and order, directly and
 * through nginx. No request may fail, and each acknowledged draft must exist once. A process that is killed breaks the
 * connections that it had accepted, and leaves none open without a response.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findFreePort } from '../../../trials/src/free-ports.ts'
import { startNginx } from '../../../trials/src/nginx.ts'
import { listChildren, signalProcess } from '../../../trials/src/process-tree.ts'
import { adminToken, buyers, type LooseJson } from '../harness.ts'
import { reportFigure } from '../promises/report-figure.ts'
import { createFreshDatabase, type Database } from './databases.ts'
import { type ErpWithPorts, openErpWithPorts } from './erp-with-ports.ts'
import { type GatewayProcess, launchGateway, readJson, sendRequest, waitUntil } from './processes.ts'
import { shouldSkip, sizes } from './sizes.ts'

const isLeftOut = shouldSkip('rolling restarts', { postgres: true, long: true })
const withoutNginx = !isLeftOut && shouldSkip('rolling restarts behind nginx', { nginx: true })

const processes = 2
/** Clients that keep their connection until they are told to close it, and clients with a connection for each request. */
const clients = { kept: 6, fresh: 2 } as const
const pauseMs = 50
const rollMs = 600_000
const overText = 'the rolling restart is over'
const inUseText = 'is in use; waiting'
const refusedText = 'a rolling restart is refused'
const trialTimeoutMs = 3_600_000
/** Clients with a connection for each request, so that some are on their way to a process when it is killed. */
const callers = 24
const kills = 6
/** Far longer than a process that has the request takes to respond. */
const unansweredMs = 10_000
const restartedMs = 60_000

interface Reply {
  readonly status: number
  readonly text: string
}

function send(
  url: string,
  path: string,
  sent: { agent: Agent; token: string; body?: object },
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const headers: Record<string, string> = { authorization: `Bearer ${sent.token}` }
  if (sent.body) headers['content-type'] = 'application/json'
  const method = sent.body ? 'POST' : 'GET'
  const outgoing = httpRequest(`${url}${path}`, { method, headers, agent: sent.agent }, (incoming) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      text += piece
    })
    incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
    incoming.once('error', reject)
  })
  outgoing.once('error', reject)
  outgoing.end(sent.body && JSON.stringify(sent.body))
  return promise
}

/** Reads stock, and creates a draft with every fourth request, until it is stopped. It never sends anything twice. */
class Client {
  requests = 0
  readonly failures: string[] = []
  readonly drafts: string[] = []
  readonly ended: Promise<void>
  #isOver = false

  readonly #url: string
  readonly #token: string

  constructor(url: string, token: string, keepAlive: boolean) {
    this.#url = url
    this.#token = token
    this.ended = this.#sendUntilStopped(new Agent({ keepAlive, maxSockets: 1 }))
  }

  stop(): Promise<void> {
    this.#isOver = true
    return this.ended
  }

  async #sendUntilStopped(agent: Agent): Promise<void> {
    while (!this.#isOver) {
      await this.#sendOne(agent).catch((error: unknown) => this.failures.push(String(error)))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    agent.destroy()
  }

  async #sendOne(agent: Agent): Promise<void> {
    const [url, token] = [this.#url, this.#token]
    const isDraft = this.requests++ % 4 === 3
    const body = { warehouse_code: 'AUSYD1', lines: [{ sku: 'SBX-SHORT-3', quantity: 1 }] }
    const reply = isDraft
      ? await send(url, '/api/v1/orders', { agent, token, body })
      : await send(url, '/api/v1/warehouses/AUSYD1/stock?page_size=20', { agent, token })
    if (reply.status >= 300) throw new Error(`${reply.status}: ${reply.text}`)
    if (isDraft) this.drafts.push(JSON.parse(reply.text).data.order_id)
  }
}

/** Sends requests, each on a connection of its own, until `isOver`. Returns how many were neither answered nor broken off. */
async function countUnanswered(
  url: string,
  isOver: () => boolean,
): Promise<{ requests: number; unanswered: number }> {
  const counts = { requests: 0, unanswered: 0 }
  while (!isOver()) {
    counts.requests += 1
    const signal = AbortSignal.timeout(unansweredMs)
    await new Promise<void>((resolve) => {
      const outgoing = httpRequest(`${url}/livez`, { agent: false, signal }, (incoming) => {
        incoming.resume().once('close', resolve)
      })
      outgoing.once('error', () => {
        if (signal.aborted) counts.unanswered += 1
        resolve()
      })
      outgoing.end()
    })
  }
  return counts
}

describe.skipIf(isLeftOut)('processes that restart one after another under load', () => {
  let database: Database
  let erp: ErpWithPorts
  let folder: string
  let launch: (options?: readonly string[]) => GatewayProcess
  let gateway: GatewayProcess
  let token: string
  let rolls = 0

  beforeAll(async () => {
    const accounts = buyers.map((buyer, at) => ({ ...buyer, account_id: `acc_${at}`, name: `Buyer ${at}` }))
    database = await createFreshDatabase()
    erp = await openErpWithPorts(1, 20, async () => {}, accounts)
    folder = mkdtempSync(join(tmpdir(), 'tg-rolling-'))
    const port = await findFreePort()
    const settings = {
      DATA_DIR: folder,
      PORT: String(port),
      DATABASE_URL: database.url,
      PROCESSES: String(processes),
      UPSTREAM_URL: erp.urls[0] ?? '',
      UPSTREAM_TOKEN: erp.token,
      SECRETS_KEY: 'the-same-key-in-every-process-0123456789',
      ADMIN_TOKEN: adminToken,
      LOG_LEVEL: 'info',
      RATE_LIMIT_POINTS: '1000000000',
      TOKEN_TTL_SECONDS: '86400',
    }
    launch = (options) => launchGateway(settings, options)
    gateway = launch(['--restored'])
    await gateway.waitUntilReady()
    gateway.onOutput((text) => {
      rolls += text.split(overText).length - 1
    })
    token = await openChannel()
  }, trialTimeoutMs)

  afterAll(async () => {
    await gateway?.stop()
    await erp?.close()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  }, trialTimeoutMs)

  /** Creates the channel of a buyer and returns the buyer's token. */
  async function openChannel(): Promise<string> {
    const [{ username, password, customer_code }] = buyers
    const channel = {
      channel_code: 'rolling',
      name: 'Rolling',
      plan: 'full',
      warehouse_allowlist: [],
      customer_code,
      points_per_minute: 1_000_000_000,
    }
    await readJson(
      sendRequest(gateway.url, 'POST', '/admin/api/channels', { admin: adminToken, body: channel }),
    )
    const body = { grant_type: 'password', username, password }
    const { access_token } = await readJson(sendRequest(gateway.url, 'POST', '/api/v1/auth/token', { body }))
    return String(access_token)
  }

  async function readProcessIds(): Promise<string[]> {
    const { data }: LooseJson = await readJson(sendRequest(gateway.url, 'GET', '/statusz'))
    return data.processes.map((each: LooseJson) => each.process_id)
  }

  /** Restarts all processes until `restarts` have ended, with clients that call `url` throughout. */
  async function restartUnderLoad(url: string, restarts: number): Promise<string> {
    const load = [
      ...Array.from({ length: clients.kept }, () => new Client(url, token, true)),
      ...Array.from({ length: clients.fresh }, () => new Client(url, token, false)),
    ]
    const seen = new Set<string>()
    let ended = 0
    for (; ended < restarts; ended += processes) {
      const before = rolls
      for (const id of await readProcessIds()) seen.add(id)
      process.kill(gateway.pid, 'SIGHUP')
      await waitUntil(() => rolls > before, rollMs, 'A rolling restart did not end')
    }
    for (const id of await readProcessIds()) seen.add(id)
    await Promise.all(load.map((client) => client.stop()))
    const requests = load.reduce((sum, client) => sum + client.requests, 0)
    const drafts = load.flatMap((client) => client.drafts)
    expect(load.flatMap(({ failures }) => failures)).toEqual([])
    expect(seen.size).toBeGreaterThanOrEqual(ended + processes)
    expect(new Set(drafts).size).toBe(drafts.length)
    for (const id of drafts)
      expect((await sendRequest(gateway.url, 'GET', `/api/v1/orders/${id}`, { token })).status).toBe(200)
    return `${ended} restarts, ${requests} requests, ${drafts.length} drafts; 0 failures`
  }

  it(
    'fail no request of clients that call the port',
    async () => {
      reportFigure(['I36'], `directly: ${await restartUnderLoad(gateway.url, sizes.restarts)}`)
    },
    trialTimeoutMs,
  )

  it(
    'leave no connection without a response when one of them is killed',
    async () => {
      let isOver = false
      const calling = Array.from({ length: callers }, () => countUnanswered(gateway.url, () => isOver))
      for (let kill = 0; kill < kills; kill++) {
        const before = new Set(await readProcessIds())
        const [oldest = 0] = listChildren(gateway.pid)
        expect(signalProcess(oldest, 'SIGKILL')).toBe(true)
        await waitUntil(
          () =>
            readProcessIds().then(
              (ids) => ids.some((id) => !before.has(id)),
              // The connection was that of the killed process.
              () => false,
            ),
          restartedMs,
          'A killed process was not started again',
        )
      }
      isOver = true
      const counts = await Promise.all(calling)
      const sum = (name: 'requests' | 'unanswered') => counts.reduce((total, each) => total + each[name], 0)
      expect(sum('unanswered')).toBe(0)
      reportFigure(
        ['I36'],
        `${kills} kills of one of ${processes} processes: ${sum('requests')} requests, 0 without an end`,
      )
    },
    trialTimeoutMs,
  )

  it(
    'go on after one of them that is frozen, which is killed',
    async () => {
      const [frozen = 0] = listChildren(gateway.pid)
      const before = rolls
      signalProcess(frozen, 'SIGSTOP')
      process.kill(gateway.pid, 'SIGHUP')
      await waitUntil(() => rolls > before, rollMs, 'A frozen process has stopped the rolling restart')
      expect(gateway.readOutput()).toContain('a process that did not stop within 60000 ms is killed')
      expect(listChildren(gateway.pid)).not.toContain(frozen)
      expect(listChildren(gateway.pid)).toHaveLength(processes)
    },
    trialTimeoutMs,
  )

  it('have declared a restore once, whoever started since', async () => {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query('select origin from restores')
    await client.end()
    expect(rows).toHaveLength(1)
  })

  it.skipIf(withoutNginx)(
    'fail no request of clients that call nginx',
    async () => {
      const nginx = await startNginx(join(folder, 'nginx'), [gateway.url])
      try {
        reportFigure(['I36'], `through nginx: ${await restartUnderLoad(nginx.url, sizes.restarts)}`)
      } finally {
        await nginx.process.stop()
      }
    },
    trialTimeoutMs,
  )

  it(
    'are replaced when their supervisor is killed, although one of them keeps the port for a while',
    async () => {
      const before = await readProcessIds()
      const [orphan = 0] = listChildren(gateway.pid)
      signalProcess(orphan, 'SIGSTOP')
      try {
        await gateway.kill()
        gateway = launch()
        await waitUntil(() => gateway.readOutput().includes(inUseText), restartedMs, 'The port was free')
        process.kill(gateway.pid, 'SIGHUP')
        await waitUntil(() => gateway.readOutput().includes(refusedText), restartedMs, 'It was not refused')
      } finally {
        signalProcess(orphan, 'SIGCONT')
      }
      await gateway.waitUntilReady()
      const after = await readProcessIds()
      expect(after.filter((id) => !before.includes(id))).toHaveLength(processes)
      expect(listChildren(gateway.pid)).toHaveLength(processes)
      const waiting = launch()
      await waitUntil(() => waiting.readOutput().includes(inUseText), restartedMs, 'The port was free')
      await waiting.stop()
    },
    trialTimeoutMs,
  )
})
