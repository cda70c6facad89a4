/**
 * The kill trial of orders. Buyers place and void drop-ship orders, each with a key, and retry with the same key until
 * the outcome is known. Meanwhile the gateway, its ERP or both are killed at random moments. On PostgreSQL, at some of
 * these moments every connection to the database is cut instead, as a restart or a failover does. At the end, every
 * order that was reported as placed is at the ERP exactly once, no refused order is, and the ERP holds stock only for
 * open orders. Run alone:
 *
 *   node packages/gateway/tests/faults/order-kills.ts [--kills 1000] [--seed 1] [--database URL]
 */

import { parseArgs } from 'node:util'
import pg from 'pg'
import { listChildren } from '../../../trials/src/process-tree.ts'
import type { CallResult, LooseJson } from '../harness.ts'
import { SeededRandom } from './dice.ts'
import { Installation } from './installation.ts'
import { type GatewayProcess, waitUntil } from './processes.ts'

export interface OrderKillTrial {
  readonly kills: number
  readonly seed: number
  readonly databaseUrl?: string
  readonly progress?: (line: string) => void
}

export interface OrderKillOutcome {
  readonly kills: number
  readonly orders: number
  readonly voids: number
  readonly refused: number
  readonly retries: number
  readonly seconds: number
  readonly violations: readonly string[]
}

const buyers = 12
const [shortestLifeMs, longestLifeMs] = [50, 900]
const [shortestPauseMs, longestPauseMs] = [20, 250]
const voidShare = 0.2
const settleMs = 180_000
const callTimeoutMs = 45_000
const warehouse = 'AUSYD1'

/** Runs the trial to its end. */
export async function runOrderKillTrial(trial: OrderKillTrial): Promise<OrderKillOutcome> {
  const began = performance.now()
  const { databaseUrl } = trial
  const settings = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }
  const installation = await Installation.create(settings)
  let gateway = installation.launch()
  try {
    await gateway.waitUntilReady()
    const dice = new SeededRandom(trial.seed)
    const market = new Market(installation, await installation.requestBuyerToken(), trial.seed)
    market.start()
    for (let kill = 1; kill <= trial.kills; kill++) {
      await pause(dice.drawInteger(shortestLifeMs, longestLifeMs))
      const victim = dice.drawInteger(1, databaseUrl === undefined ? 3 : 4)
      if (victim === 4) await cutConnections(databaseUrl ?? '')
      else gateway = await killVictim(installation, gateway, victim)
      if (kill % 20 === 0) trial.progress?.(`${kill} of ${trial.kills} kills, ${market.done} orders`)
    }
    await market.stop()
    const violations = await market.findViolations()
    const { done: orders, voided: voids, refused, retries } = market
    const seconds = (performance.now() - began) / 1000
    return { kills: trial.kills, orders, voids, refused, retries, seconds, violations }
  } finally {
    await gateway.kill()
    installation.remove()
  }
}

/** Kills the gateway (1), its ERP (2) or both (3). Restarts a killed gateway; a gateway restarts its ERP itself. */
async function killVictim(
  installation: Installation,
  gateway: GatewayProcess,
  victim: number,
): Promise<GatewayProcess> {
  const erp = installation.readSandbox().erp_pid
  if (victim !== 1 && listChildren(gateway.pid).includes(erp)) process.kill(erp, 'SIGKILL')
  if (victim === 2) {
    await installation.waitForNewErp(erp)
    return gateway
  }
  await gateway.kill()
  const next = installation.launch()
  await next.waitUntilReady()
  return next
}

/** Ends every connection to the database; the gateway continues. */
async function cutConnections(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  )
  await client.end()
}

type BuyerRecord = 'done' | 'refused'

/** The buyers, and their records of the responses that they received. */
class Market {
  readonly #installation: Installation
  readonly #token: string
  readonly #dice: SeededRandom
  readonly #told = new Map<string, BuyerRecord>()
  readonly #ids = new Map<string, string>()
  readonly #voided = new Set<string>()
  #isOpen = false
  #running: Promise<unknown> = Promise.resolve()
  retries = 0

  constructor(installation: Installation, token: string, seed: number) {
    this.#installation = installation
    this.#token = token
    this.#dice = new SeededRandom(seed + 1)
  }

  get done(): number {
    return [...this.#told.values()].filter((told) => told === 'done').length
  }

  get refused(): number {
    return this.#told.size - this.done
  }

  get voided(): number {
    return this.#voided.size
  }

  start() {
    this.#isOpen = true
    this.#running = Promise.all(Array.from({ length: buyers }, (_, buyer) => this.#placeOrders(buyer)))
  }

  /** Stops the buyers, and waits until they have finished and the outcome of every write is known. */
  async stop() {
    this.#isOpen = false
    await this.#running
    await waitUntil(async () => (await this.#countInDoubt()) === 0, settleMs, 'Writes stayed in doubt')
  }

  async #placeOrders(buyer: number) {
    for (let order = 0; this.#isOpen; order++) {
      const number = `K${buyer}-${order}`
      const path = '/api/v1/dropship-orders/submit'
      const answer = await this.#retryUntilKnown(
        'POST',
        path,
        `order-${number}`,
        buildOrder(number, this.#pickSku()),
      )
      this.#told.set(number, answer.status < 300 ? 'done' : 'refused')
      if (answer.status >= 300) continue
      const id = String(answer.json.data.dropship_order_id)
      this.#ids.set(number, id)
      if (!this.#dice.drawBoolean(voidShare)) continue
      const voided = await this.#retryUntilKnown('DELETE', `/api/v1/dropship-orders/${id}`, `void-${number}`)
      if (voided.status < 300) this.#voided.add(number)
    }
  }

  /** Retries with the same key until the outcome is certain. */
  async #retryUntilKnown(method: string, path: string, key: string, body?: object): Promise<CallResult> {
    for (;;) {
      const answer = await this.#sendUnlessAway(method, path, key, body)
      const isKnown = answer && answer.status < 500 && answer.status !== 409 && answer.status !== 429
      if (answer && isKnown) return answer
      this.retries += 1
      await pause(this.#dice.drawInteger(shortestPauseMs, longestPauseMs))
    }
  }

  async #sendUnlessAway(
    method: string,
    path: string,
    key: string,
    body?: object,
  ): Promise<CallResult | undefined> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#token}`,
      'idempotency-key': key,
    }
    if (body) headers['content-type'] = 'application/json'
    try {
      const response = await fetch(`${this.#installation.url}${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(callTimeoutMs),
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      const json: LooseJson = text === '' ? {} : JSON.parse(text)
      return { status: response.status, headers: response.headers, text, json }
    } catch {
      return undefined
    }
  }

  #pickSku(): string {
    return `FAULT-${String(this.#dice.drawInteger(0, 19)).padStart(4, '0')}`
  }

  async #countInDoubt(): Promise<number> {
    const response = await fetch(`${this.#installation.url}/statusz`).catch(() => undefined)
    if (!response?.ok) return Number.NaN
    const { data }: LooseJson = Object(await response.json())
    return Number(data.writes_in_doubt?.count ?? Number.NaN)
  }

  /** Compares the buyers' records with the ERP. */
  async findViolations(): Promise<string[]> {
    const documents = await this.#installation.readErpDocuments()
    const orders = documents.filter(({ kind }) => kind === 'order')
    const byNumber = Map.groupBy(orders, (order) => String(order.client_order_number))
    const found: string[] = []
    for (const [number, told] of this.#told) {
      const made = byNumber.get(number)?.length ?? 0
      if (told === 'done' && made !== 1) found.push(`${number} was told as done and was made ${made} times`)
      if (told === 'refused' && made !== 0) found.push(`${number} was refused and was made ${made} times`)
      const [order] = byNumber.get(number) ?? []
      if (this.#voided.has(number) && order?.status !== 'cancelled' && order?.status !== 'intercepted')
        found.push(`${number} was told as void and is ${order?.status}`)
    }
    for (const number of byNumber.keys()) if (!this.#told.has(number)) found.push(`${number} was never told`)
    const open = orders
      .filter(({ status }) => status === 'open')
      .reduce((sum, { lines }) => sum + (lines[0]?.quantity_allocated ?? 0), 0)
    const held = await this.#installation.countHeldAtErp()
    if (held !== open) found.push(`the ERP holds ${held}, its open orders ${open}`)
    return found
  }
}

function buildOrder(number: string, sku: string) {
  return {
    sku,
    quantity: 1,
    warehouse_code: warehouse,
    client_order_number: number,
    recipient: {
      name: 'Alex Lee',
      phone: '+61 2 5550 1234',
      address: '1 Example Street',
      city: 'Sydney',
      state: 'NSW',
      postal_code: '2000',
      country_code: 'AU',
    },
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Formats the outcome in one line. */
export function describeOrderKills(outcome: OrderKillOutcome): string {
  const { kills, orders, voids, refused, retries, seconds, violations } = outcome
  return (
    `kill -9 while ordering: ${kills} kills, ${orders} orders told as done, ${voids} voided, ${refused} refused, ` +
    `${retries} retries; ${violations.length} violations; ${seconds.toFixed(0)} s\n`
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '1000' },
      seed: { type: 'string', default: '1' },
      database: { type: 'string' },
    },
  })
  const outcome = await runOrderKillTrial({
    kills: Number(values.kills),
    seed: Number(values.seed),
    ...(values.database === undefined ? {} : { databaseUrl: values.database }),
    progress: (line) => process.stderr.write(`${line}\n`),
  })
  process.stdout.write(describeOrderKills(outcome))
  for (const violation of outcome.violations) process.stdout.write(`  ${violation}\n`)
  process.exitCode = outcome.violations.length > 0 ? 1 : 0
}

if (import.meta.main) await main()
