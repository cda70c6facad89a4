/** The installation that the trial hits. Every part is a process of its own, on 127.0.0.1. */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Postgres } from '@trade-gateway/connector-kit/sandbox/postgres'
import { z } from 'zod'
import { ProcessFailed } from '../child-process.ts'
import { findFreePort } from '../free-ports.ts'
import { findNginx, startNginx } from '../nginx.ts'
import { type Attempt, Buyer, type Refusals } from '../order-replay/buyer.ts'
import { type ErpProcess, startErp } from '../order-replay/erp-process.ts'
import { type GatewayProcess, startGateway } from '../order-replay/gateway-process.ts'
import { formatCatalogue } from '../order-replay/opening-stock.ts'
import type { StockByWarehouse } from '../order-replay/replay-erp.ts'
import { openChannel } from '../order-replay/replay-system.ts'
import { listChildren, signalProcess } from '../process-tree.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import type { SupervisedProcess } from '../supervised-process.ts'
import { catalogueRows } from './goods.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** The processes below the supervisor, and the processes that are started alone. */
const supervisedProcesses = 2
const processesAlone = 2
/** The longest time in which the processes of a killed supervisor finish their requests and end. */
const orphanMs = 60_000
const pollMs = 50
/** How long a client repeats a request: longer than any fault, because an outcome may stay unknown for minutes. */
const patienceMs = 600_000

/**
 * What the supervisor logs if one of its processes ends, unless this trial killed it, or it could not start because the
 * database is away (75).
 */
const crashText = /a process ended by itself \((?!SIGKILL|75\))[^)]*\)/g

/** The processes are killed, and not the machine, so what PostgreSQL has written is safe without `fsync`. */
const databaseSettings = { full_page_writes: 'on', max_connections: '300' }

const registered = z.object({ data: z.object({ secret: z.string() }) })

/** A running installation. */
export interface Installation {
  readonly postgres: Postgres
  readonly redis: RedisServer
  readonly erp: ErpProcess
  readonly receiver: Receiver
  readonly supervisor: SupervisedProcess
  readonly alone: readonly SupervisedProcess[]
  /** The address of each process of `alone`. */
  readonly aloneUrls: readonly string[]
  /** The address to which clients send requests: nginx, or each process's own. */
  readonly urls: readonly string[]
  /** The address of each process, and of nginx. */
  readonly allUrls: readonly string[]
  readonly hasNginx: boolean
  /** Creates a client that repeats its requests as the contract says, each time at the next of `urls`. */
  createClient(urls: readonly string[], watch?: ClientWatch): Buyer
  /** Kills the supervisor, starts another one, and waits until the processes of the first have ended. */
  restartSupervisor(): Promise<void>
  /** Returns what the gateways have logged as errors. */
  readErrors(): { readonly count: number; readonly first: readonly string[] }
  /** What the supervisor logged of processes that ended by themselves. */
  readonly crashes: readonly string[]
}

export interface ClientWatch {
  readonly onResponse: (attempt: Attempt) => void
  readonly onRefusals: (refusals: Refusals) => void
  /** Stops the client. */
  readonly signal: AbortSignal
}

interface InstallationPlan {
  /** An empty directory. */
  readonly directory: string
  readonly opening: StockByWarehouse
}

/**
 * Starts an installation, runs `work` with it and ends all its processes, even if `work` fails. If a process exits on
 * its own, the signal of `work` is aborted. Throws `ProcessFailed` and `SandboxError`.
 */
export async function withInstallation<T>(
  plan: InstallationPlan,
  signal: AbortSignal,
  work: (installation: Installation, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const closers: (() => Promise<void>)[] = []
  try {
    const starter = new Starter(plan.directory, closers)
    const { installation, processes } = await starter.start(plan.opening, signal)
    const alive = AbortSignal.any([signal, ...processes.map(({ ended }) => ended)])
    return await work(installation, alive)
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

class Starter {
  readonly #directory: string
  readonly #closers: (() => Promise<void>)[]
  readonly #secrets = {
    ADMIN_TOKEN: randomBytes(24).toString('base64url'),
    SECRETS_KEY: randomBytes(32).toString('base64url'),
  }

  constructor(directory: string, closers: (() => Promise<void>)[]) {
    this.#directory = directory
    this.#closers = closers
  }

  /** Starts the servers, then the ERP, the gateways, nginx and the receiver. */
  async start(opening: StockByWarehouse, signal: AbortSignal) {
    const postgres = await this.#startPostgres()
    const redis = this.#keep(await startRedis())
    const erp = this.#keep(await this.#startErp(opening))
    const servers = { upstream: erp, databaseUrl: postgres.url, valkeyUrl: redis.url }
    signal.throwIfAborted()
    const supervisor = this.#keep(await this.#startGateway(servers, supervisedProcesses))
    const crashes: string[] = []
    supervisor.process.onOutput((text) => void crashes.push(...(text.match(crashText) ?? [])))
    const alone: GatewayProcess[] = []
    for (let number = 0; number < processesAlone; number++)
      alone.push(this.#keep(await this.#startGateway(servers, 1)))
    const processUrls = [supervisor, ...alone].map(({ base_url }) => base_url)
    signal.throwIfAborted()
    const front = await this.#startFront(processUrls)
    await openChannel(supervisor, erp.customer_code, signal)
    const urls = front === undefined ? processUrls : [front]
    const createClient: Installation['createClient'] = (ofClient, watch) =>
      new Buyer({
        base_urls: ofClient,
        username: erp.username,
        password: erp.password,
        patience: { usual_ms: patienceMs, in_doubt_ms: patienceMs },
        signal: watch?.signal ?? signal,
        onResponse: watch?.onResponse ?? (() => {}),
        ...(watch ? { onRefusals: watch.onRefusals } : {}),
      })
    const receiver = this.#keep(await this.#startReceiver(createClient(urls)))
    const installation: Installation = {
      postgres,
      redis,
      erp,
      receiver,
      supervisor: supervisor.process,
      alone: alone.map(({ process }) => process),
      aloneUrls: alone.map(({ base_url }) => base_url),
      urls,
      allUrls: front === undefined ? processUrls : [front, ...processUrls],
      hasNginx: front !== undefined,
      createClient,
      crashes,
      restartSupervisor: () => this.#restartSupervisor(supervisor.process),
      readErrors() {
        const all = [supervisor, ...alone].map(({ process }) => process.errors)
        return {
          count: all.reduce((sum, { count }) => sum + count, 0),
          first: all.flatMap(({ first }) => first),
        }
      },
    }
    return {
      installation,
      processes: [redis, erp, supervisor, ...alone, receiver].map(({ process }) => process),
    }
  }

  #keep<Part extends { readonly process: SupervisedProcess }>(part: Part): Part {
    this.#closers.push(() => part.process.stop())
    return part
  }

  async #startPostgres(): Promise<Postgres> {
    const port = await findFreePort()
    const folder = join(this.#directory, 'postgres')
    // As root, PostgreSQL runs as a user of its own, who must reach its folder.
    await chmod(this.#directory, 0o711)
    const postgres = await Postgres.start({
      ...{ folder, port, database: 'gateway', user: 'gateway' },
      configuration: databaseSettings,
    })
    this.#closers.push(() => postgres.stop())
    await postgres.createDatabase()
    return postgres
  }

  async #startErp(opening: StockByWarehouse): Promise<ErpProcess> {
    const directory = join(this.#directory, 'erp')
    await mkdir(directory)
    const catalogue = join(directory, 'catalogue.csv')
    await writeFile(catalogue, formatCatalogue(catalogueRows, opening))
    const port = await findFreePort()
    return startErp({ directory, catalogue, port, erp_class: 'dedupe' })
  }

  async #startGateway(
    servers: { readonly upstream: ErpProcess; readonly databaseUrl: string; readonly valkeyUrl: string },
    processes: number,
  ): Promise<GatewayProcess> {
    const port = await findFreePort()
    const directory = join(this.#directory, `gateway-${port}`)
    await mkdir(directory)
    return startGateway({
      ...{ directory, port, upstream: servers.upstream, databaseUrl: servers.databaseUrl },
      settings: {
        ...this.#secrets,
        VALKEY_URL: servers.valkeyUrl,
        PROCESSES: String(processes),
        SYNC_INTERVAL_MS: '200',
        WEBHOOK_ALLOW_PRIVATE_NETS: '1',
        TRUST_PROXY: '127.0.0.1',
      },
    })
  }

  async #startFront(targets: readonly string[]): Promise<string | undefined> {
    if (findNginx() === undefined) return undefined
    const nginx = await startNginx(join(this.#directory, 'nginx'), targets)
    this.#closers.push(() => nginx.process.stop())
    return nginx.url
  }

  /** Registers the endpoint and starts the receiver behind it. */
  async #startReceiver(client: Buyer): Promise<Receiver> {
    const port = await findFreePort()
    const body = { url: `http://127.0.0.1:${port}/`, event_types: ['order.created', 'stock.changed'] }
    const path = '/api/v1/webhook-endpoints'
    const result = await client.write({ method: 'POST', path, key: 'the-receiver', body })
    if (result.kind !== 'done')
      throw new ProcessFailed(`The gateway refused the webhook endpoint: ${JSON.stringify(result)}`)
    const { secret } = registered.parse(result.body).data
    return startReceiver({ port, file: join(this.#directory, 'received.jsonl'), secret })
  }

  async #restartSupervisor(supervisor: SupervisedProcess): Promise<void> {
    const orphans = listChildren(supervisor.pid ?? 0)
    const listLiving = () => orphans.filter((pid) => signalProcess(pid, 0))
    const kill = async () => {
      for (const pid of listLiving()) signalProcess(pid, 'SIGKILL')
    }
    this.#closers.push(kill)
    await supervisor.kill()
    await supervisor.start()
    for (let waited = 0; listLiving().length > 0; waited += pollMs) {
      if (waited >= orphanMs)
        throw new ProcessFailed('A process of a killed supervisor did not end by itself.')
      await wait(pollMs)
    }
    this.#closers.splice(this.#closers.indexOf(kill), 1)
  }
}
